"""A server for people who come together: it has a lobby, and its clock goes when a test wants it to."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import uvicorn
from browser_site import Site, create_table, game_on
from litestar import Litestar
from playwright.sync_api import Locator, Page
from server_clock import Hands
from server_config import config_at
from waiting import block_until

from hegemon.play.game import Game
from hegemon.server.app import create_app
from hegemon.server.runner import AppServer, database_url, listening_socket, local_url
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.presence import READING_PERIOD
from hegemon.server.tables.table import Table
from tracing import without_tracing


@dataclass(frozen=True)
class Company(Site):
    """A server in a thread of this process, so that a test can let time pass and games go on."""

    hands: Hands
    app: Litestar
    loop: asyncio.AbstractEventLoop

    def do(self, work: Coroutine):
        """Execute something where the server runs."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def _table(self, game_id: str) -> Table:
        return await self.app.state.tables.load(game_id)

    def game(self, game_id: str) -> Game:
        """A game as it stands."""

        async def go():
            return (await self._table(game_id)).game.copy()

        return self.do(go())

    def let_pass(self, seconds: float) -> None:
        """Let time pass, and look at every table whose time has come."""

        async def go():
            self.hands.go(seconds)
            await self.app.state.tables.driver.run_due()

        self.do(go())

    def leave(self, page: Page) -> None:
        """Close a page, and let enough time pass that a player who was there is away."""
        table = self.do(self._table(game_on(page)))
        pages = [other for context in page.context.browser.contexts for other in context.pages]
        following = sum(table.id in other.url for other in pages)
        block_until(
            lambda: len(table.subscribers) == following
        )  # a player who has just come is not yet counted
        page.close()
        block_until(lambda: len(table.subscribers) == following - 1)
        self.let_pass(READING_PERIOD.total_seconds())

    def play_on(
        self,
        game_id: str,
        until: Callable[[Game], bool] = lambda game: False,
        choose: Callable[[Sequence[str]], str] = lambda words: "." if "." in words else words[0],
    ) -> Game:
        """Let every seat choose until a game has come so far or is over; if no one wants otherwise, the shortest way.

        A spectator sees only where that leads.
        """

        async def go():
            table = await self._table(game_id)
            watching, table.subscribers = table.subscribers, set()
            while not table.game.over and not until(table.game):
                seat = table.to_move[0]
                choice = choose(table.game.choices_of(seat))
                await table_moves.submit_move(self.app.state.tables, table, seat, choice, table.version, None)
            table.subscribers |= watching
            table.notify()
            return table.game.copy()

        return self.do(go())


@contextmanager
def company_at(database: str) -> Iterator[Company]:
    """Run such a server; it may post to this machine."""
    hands, ready, loops = Hands(datetime.now(UTC)), threading.Event(), []
    settings = {"lobby": True, "league": True, "substitute_bot": "greedy", "private_webhooks": True}
    app = create_app(config_at(database_url(database), now=hands, **settings))

    def started() -> None:
        loops.append(asyncio.get_running_loop())
        ready.set()

    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=5, lifespan="off"
    )
    with listening_socket("127.0.0.1", 0) as listener:
        server = AppServer(app, config, started, lambda: app.state.tables.disconnect_all())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        with without_tracing():  # a page is drawn for everyone at every move
            thread.start()
        block_until(ready.is_set)
        yield Company(local_url(listener), database, hands, app, loops[0])
        server.should_exit = True
        thread.join()


# ------------------------------------------------------------------ what people do


def invite(page: Page, *occupants: str, **fields: str | bool) -> list[str]:
    """Create a game with seats for friends; says their links."""
    page.goto("/")
    create_table(page, *occupants, **fields)
    page.wait_for_url("**/games/*")
    return [link.input_value() for link in page.locator("input.link").all()]


def take_seat(page: Page, link: str, name: str) -> None:
    """Come by an invitation."""
    page.goto(link)
    page.locator("input[name=name]").fill(name)
    page.locator("form[action^='/join/'] button").click()
    page.wait_for_url("**/games/*")


def panel_of(page: Page, name: str) -> Locator:
    """Someone's side of the table."""
    return page.get_by_role("region", name=name, exact=True)


def presence_of(page: Page, name: str) -> Locator:
    """What a page tells of someone at the table: whether they are there, and whether they think."""
    return panel_of(page, name).locator(".presence .state")

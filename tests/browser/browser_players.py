"""A server for tests with several people: it has a lobby, and tests control its clock."""

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
    """A server in a thread of this process, so that a test can advance its clock and its games."""

    hands: Hands
    app: Litestar
    loop: asyncio.AbstractEventLoop

    def do(self, work: Coroutine):
        """Run a coroutine in the server's event loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def _table(self, game_id: str) -> Table:
        return await self.app.state.tables.load(game_id)

    def game(self, game_id: str) -> Game:
        """A copy of the current game."""

        async def go():
            return (await self._table(game_id)).game.copy()

        return self.do(go())

    def let_pass(self, seconds: float) -> None:
        """Advance the clock, and run the driver for every table that is due."""

        async def go():
            self.hands.go(seconds)
            await self.app.state.tables.driver.run_due()

        self.do(go())

    def leave(self, page: Page) -> None:
        """Close a page, and advance the clock until its player counts as away."""
        table = self.do(self._table(game_on(page)))
        pages = [other for context in page.context.browser.contexts for other in context.pages]
        following = sum(table.id in other.url for other in pages)
        block_until(
            lambda: len(table.subscribers) == following
        )  # a player who has just arrived is not counted yet
        page.close()
        block_until(lambda: len(table.subscribers) == following - 1)
        self.let_pass(READING_PERIOD.total_seconds())

    def play_on(
        self,
        game_id: str,
        until: Callable[[Game], bool] = lambda game: False,
        choose: Callable[[Sequence[str]], str] = lambda words: "." if "." in words else words[0],
    ) -> Game:
        """Make choices for every seat until a condition is met or the game is over, by default the shortest ones.

        Spectators see only the final position.
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
    """Run such a server; its webhooks may go to this machine."""
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
        with without_tracing():  # a page is rendered for everyone at every move
            thread.start()
        block_until(ready.is_set)
        yield Company(local_url(listener), database, hands, app, loops[0])
        server.should_exit = True
        thread.join()


# ------------------------------------------------------------------ what people do


def invite(page: Page, *occupants: str, **fields: str | bool) -> list[str]:
    """Create a game with seats for friends; return their links."""
    page.goto("/")
    create_table(page, *occupants, **fields)
    page.wait_for_url("**/games/*")
    return [link.input_value() for link in page.locator("input.link").all()]


def take_seat(page: Page, link: str, name: str) -> None:
    """Accept an invitation."""
    page.goto(link)
    page.locator("input[name=name]").fill(name)
    page.locator("form[action^='/join/'] button").click()
    page.wait_for_url("**/games/*")


def panel_of(page: Page, name: str) -> Locator:
    """A player's panel."""
    return page.get_by_role("region", name=name, exact=True)


def presence_of(page: Page, name: str) -> Locator:
    """What a page shows about a player: whether they are present, and whether they are thinking."""
    return panel_of(page, name).locator(".presence .state")

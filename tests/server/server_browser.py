"""A browser without JavaScript."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from httpx import ASGITransport, AsyncClient
from litestar import Litestar
from litestar.types import ASGIApp
from server_config import config_at

from hegemon.server.app import configure, register_routes
from hegemon.server.config import ServerConfig
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.table import Table
from tracing import without_tracing

HOST = "http://testserver.local"
CLIENT = ("127.0.0.1", 4321)

#: What browsers send when a person follows a link.
ACCEPTS_PAGES = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}

#: Apps whose server has stopped, each with the handler that has no configuration yet: the next server takes one.
_FREE: list[tuple[Litestar, ASGIApp]] = []


def registered() -> tuple[Litestar, ASGIApp]:
    with without_tracing():  # Litestar registers more than a hundred handlers
        app = register_routes()
    return app, app.asgi_handler


@asynccontextmanager
async def visiting(
    database: str, settings: ServerConfig | None = None, **facts
) -> AsyncIterator[AsyncClient]:
    """A server that runs for a while, and someone who visits it."""
    app, handler = _FREE.pop() if _FREE else registered()
    app.asgi_handler = handler
    configure(app, settings or config_at(database))
    transport = ASGITransport(app, raise_app_exceptions=False, client=CLIENT)
    async with app.lifespan(), AsyncClient(transport=transport, base_url=HOST, **facts) as client:
        client.app = app
        client.another = partial(another, client)
        yield client
    _FREE.append((app, handler))


async def finish(client: AsyncClient, path: str) -> Table:
    """Play the game of a table to its end the shortest way, without a page; no seat may be a bot's."""
    tables = client.app.state.tables
    table = await tables.load(path.split("/")[2])
    while not table.game.over:
        seat = table.to_move[0]
        choices = table.game.choices_of(seat)
        choice = "." if "." in choices else choices[-1]
        await table_moves.submit_move(tables, table, seat, choice, table.version, None)
    return table


def addresses(client: AsyncClient, game_id: str) -> Iterator[str]:
    """Every address that shows something of a game."""
    paths = {route.path: route for route in client.app.routes if "{game_id" in route.path}
    for path, route in paths.items():
        if "GET" in getattr(route, "methods", ()):
            filled = path.replace("{game_id:str}", game_id)
            yield re.sub(r"\{\w+:(\w+)\}", lambda found: "1" if found[1] == "int" else "one", filled)


def another(client: AsyncClient) -> AsyncClient:
    """Another person at the same server."""
    other = AsyncClient(transport=client._transport, base_url=HOST)
    other.app = client.app
    return other


@dataclass
class Browser:
    """Someone at a browser: pages are read by their hidden fields and buttons, as a person would use them."""

    client: AsyncClient
    page: str = ""
    path: str = "/"
    status: int = 0

    async def get(self, path: str, **headers: str) -> "Browser":
        answer = await self.client.get(path, headers=ACCEPTS_PAGES | headers, follow_redirects=True)
        self.page, self.status, self.path = answer.text, answer.status_code, answer.url.path
        return self

    async def post(self, path: str, data: dict[str, str], **headers: str) -> "Browser":
        answer = await self.client.post(
            path, data=data, headers=ACCEPTS_PAGES | headers, follow_redirects=True
        )
        self.page, self.status, self.path = answer.text, answer.status_code, answer.url.path
        return self

    def hidden(self, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page)
        assert found, f"no field {name} on {self.path}"
        return found.group(1)

    @property
    def words(self) -> list[str]:
        """The words that the page's buttons offer, each once."""
        return list(dict.fromkeys(re.findall(r'<button[^>]*name="choice" value="([^"]+)"', self.page)))

    async def submit_move(self, choice: str, **changes: str) -> "Browser":
        data = (
            {name: self.hidden(name) for name in ("version", "seat", "idempotency_key")}
            | {"choice": choice}
            | changes
        )
        return await self.post(f"{self.path.split('?')[0]}/moves", data)

    async def take_seat(self, **form: str) -> "Browser":
        await self.post("/games", form or {"quick": "yes"})
        assert self.status == 200, self.page
        return self

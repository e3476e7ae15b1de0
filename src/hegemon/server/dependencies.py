"""Dependencies that Litestar injects by name into the handlers of pages and of the API."""

from typing import Any, Final

from litestar import Request
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath

from hegemon.prose.translator import Translator, get_translator
from hegemon.server.config import ServerConfig
from hegemon.server.identity.requests import owner_in
from hegemon.server.language import preferred_language
from hegemon.server.security.rate_limit import network_in
from hegemon.server.tables import daily
from hegemon.server.tables.errors import TableClosed
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.tournaments import access

#: The option of a route that handles closed tables itself; other routes reject them.
ALLOWED_WHEN_CLOSED: Final = "allowed_when_closed"


def from_state(name: str) -> Provide:
    """The provider of an object in the app's state."""

    def provide(state: State) -> Any:
        return state[name]

    return Provide(provide, sync_to_thread=False)


async def provide_table(
    request: Request[Any, Any, Any],
    tables: NamedDependency[TableRegistry],
    game_id: FromPath[str],
) -> Table:
    owner = owner_in(request)
    table = await tables.load(game_id)
    if request.method != "POST":  # the database rejects changes that are based on a stale state
        await tables.refresh(table)
    if table.closed and not request.route_handler.opt.get(ALLOWED_WHEN_CLOSED):
        raise TableClosed(table.id, table.seats)
    await daily.check_access(tables, table, owner)
    await access.check_access(tables, table, owner)
    table.note_caller(owner, provide_network(request))
    return table


def provide_network(request: Request[Any, Any, Any]) -> str:
    """The network by which a caller is counted; empty for callers from this machine."""
    return network_in(request) or ""


def provide_translator(request: Request[Any, Any, Any]) -> Translator:
    return get_translator(preferred_language(request))


def provide_base_url(request: Request[Any, Any, Any], config: NamedDependency[ServerConfig]) -> str:
    """The URL of this server, without a trailing slash."""
    return (config.base_url or str(request.base_url)).rstrip("/")


DEPENDENCIES: Final = {
    "config": from_state("config"),
    "tables": from_state("tables"),
    "dispatcher": from_state("dispatcher"),
    "director": from_state("director"),
    "notices": from_state("notices"),
    "table": Provide(provide_table),
    "network": Provide(provide_network, sync_to_thread=False),
    "tr": Provide(provide_translator, sync_to_thread=False),
    "base_url": Provide(provide_base_url, sync_to_thread=False),
}

"""The delayed view for spectators: all hands, some rounds ago, where the options of the table allow it."""

from typing import Annotated, Any, Final

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import QueryParameter
from litestar.response import Redirect, Stream

from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.session import Visitor
from hegemon.server.web.sse import Regions, StreamRedirect, region_stream
from hegemon.server.web.views.spectate import SpectatorPages


def check_spectator(table: Table, visitor: Visitor) -> None:
    """Reject players, and tables without a delayed view."""
    if not table.options.spectator_delay:
        raise HTTPException(REJECTIONS["hands"], status_code=403)
    if visitor.seats_at(table):
        raise HTTPException(REJECTIONS["own-hands"], status_code=403)


@get("/games/{game_id:str}/hands")
async def all_hands(
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    spectator_pages: NamedDependency[SpectatorPages],
) -> Response[str] | Redirect:
    if table.game.over:
        return redirect(f"/games/{table.id}")
    check_spectator(table, visitor)
    return page(spectator_pages.hands(table, visitor))


@get("/games/{game_id:str}/hands/stream")
async def all_hands_stream(
    request: Request[Any, Any, Any],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    spectator_pages: NamedDependency[SpectatorPages],
    early: Annotated[bool, QueryParameter()] = False,
) -> Stream:
    """The regions of that page as they change; a page that was opened too early is redirected once there are hands."""
    check_spectator(table, visitor)

    def render() -> Regions:
        if table.game.over or visitor.seats_at(table):
            raise StreamRedirect(f"/games/{table.id}")
        delayed = table.delayed_game()
        if delayed is None:
            return {}
        if early:
            raise StreamRedirect(f"/games/{table.id}/hands")
        return table.cached(
            ("hands", visitor.language), lambda: spectator_pages.delayed_regions(table, delayed, visitor)
        )

    def ply() -> int:
        delayed = table.delayed_game()
        return len(delayed.moves) if delayed is not None else 0

    return region_stream(request, tables, table, (), render, version=ply)


ROUTES: Final = (all_hands, all_hands_stream)

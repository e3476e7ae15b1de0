"""A table: its page, its stream, and moves."""

from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import QueryParameter, URLEncodedBody
from litestar.response import Redirect, Stream

from hegemon.notation.errors import NotationError
from hegemon.play.legality import IllegalMoveError
from hegemon.prose.translator import Translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.errors import move_rejection_text
from hegemon.server.tables import page_moves
from hegemon.server.tables import presence as table_presence
from hegemon.server.tables.errors import StaleVersionError
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS, SEAT_LOST
from hegemon.server.web.forms import MoveForm
from hegemon.server.web.own_seat import check_own_seat
from hegemon.server.web.responses import page, redirect, script_response
from hegemon.server.web.session import Visitor
from hegemon.server.web.sse import Regions, StreamRedirect, region_stream
from hegemon.server.web.views.seating import SeatPages
from hegemon.server.web.views.table import TablePages

SeatQuery = Annotated[int | None, QueryParameter(ge=1, le=4)]


def perspective(table: Table, visitor: Visitor, wanted: int | None) -> int | None:
    """The seat from which a visitor sees the table; None if players share a device and must choose one first."""
    own = visitor.seats_at(table)
    if not own:
        return SPECTATOR
    if wanted is not None and wanted - 1 in own:
        return wanted - 1
    if len(own) == 1 or table.game.over:
        return own[0]
    return None


@get("/games/{game_id:str}")
async def table_page(
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    table_pages: NamedDependency[TablePages],
    seat_pages: NamedDependency[SeatPages],
    base_url: NamedDependency[str],
    seat: SeatQuery = None,
    lost: Annotated[bool, QueryParameter()] = False,
) -> Response[str]:
    """The table from the visitor's seat, its seats before the game starts, or the curtain on a shared device."""
    if table.is_waiting:
        return page(seat_pages.seats(table, visitor, base_url))
    table_presence.touch(tables, table, visitor.seats_at(table))
    viewer = perspective(table, visitor, seat)
    if viewer is None:
        return page(table_pages.curtain(table, visitor))
    notice = tr.text(SEAT_LOST) if lost and viewer == SPECTATOR else ""
    return page(table_pages.table(table, visitor, viewer, notice))


@post("/games/{game_id:str}/moves")
async def submit_move(
    data: URLEncodedBody[MoveForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    table_pages: NamedDependency[TablePages],
    wants_json: NamedDependency[bool],
) -> Response[Any] | Redirect:
    seat, own = data.seat - 1, visitor.seats_at(table)
    check_own_seat(table, visitor, seat)
    try:
        await page_moves.submit_choice(
            tables,
            table,
            seat,
            data.chosen,
            data.version,
            data.idempotency_key[:64],
            table.seats[seat],
            play_forced=visitor.settings["passing"] == "on",
        )
    except (StaleVersionError, IllegalMoveError, NotationError) as error:
        status, why = 409 if isinstance(error, StaleVersionError) else 422, move_rejection_text(error, tr)
        if wants_json:
            return script_response({"why": why, "version": table.version}, status)
        return page(table_pages.table(table, visitor, seat, why, marked=data.cards), status)
    path = f"/games/{table.id}"
    if len(own) > 1 and (seat in table.to_move or not set(own) & set(table.to_move)):
        path += f"?seat={seat + 1}"
    if wants_json:
        return script_response({"version": table.version, "next": path if len(own) > 1 else None}, 201)
    return redirect(path)


@get("/games/{game_id:str}/stream")
async def stream(
    request: Request[Any, Any, Any],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    table_pages: NamedDependency[TablePages],
    seat: SeatQuery = None,
) -> Stream:
    """The regions of the page, as they change."""
    viewer = perspective(table, visitor, seat)
    if viewer is None:
        raise HTTPException(REJECTIONS["curtain"], status_code=403)
    next_game = table.next_game

    def render() -> Regions:
        if table.next_game != next_game:
            raise StreamRedirect(f"/games/{table.next_game}")
        if viewer != SPECTATOR and not visitor.seats_at(table):
            raise StreamRedirect(f"/games/{table.id}?lost=true")
        if table.is_waiting or perspective(table, visitor, seat) != viewer:
            raise StreamRedirect(f"/games/{table.id}")
        return table_pages.regions(table, visitor, viewer)

    now = tables.now if table.clock.control else None
    return region_stream(request, tables, table, visitor.seats_at(table), render, now=now)


ROUTES: Final = (table_page, submit_move, stream)

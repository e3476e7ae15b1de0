"""Substitute bots for absent players: votes, and the return of a player."""

from typing import Final

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator
from hegemon.server.errors import describe_error, vote_rejection_text
from hegemon.server.tables import substitutes
from hegemon.server.tables.errors import SeatRejected, VoteRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.forms import SeatForm, VoteForm, read_number
from hegemon.server.web.own_seat import own_seat_in, path_at, seat_in
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.table import TablePages


@post("/games/{game_id:str}/vote")
async def vote(
    data: URLEncodedBody[VoteForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    table_pages: NamedDependency[TablePages],
) -> Response[str] | Redirect:
    """Vote for a bot to play for an absent player."""
    seat, about = seat_in(data, table, visitor), read_number(data.about)
    if about is None or about not in range(1, table.game.players + 1):
        raise HTTPException(REJECTIONS["nobody"], status_code=422)
    try:
        await substitutes.vote(tables, table, visitor.seats_at(table), about - 1)
    except VoteRejected as error:
        why = vote_rejection_text(error, table.game.names[about - 1], tr)
        return page(table_pages.table(table, visitor, seat, why), 409)
    return redirect(path_at(table, seat, "table"))


@post("/games/{game_id:str}/return")
async def return_to_seat(
    data: URLEncodedBody[SeatForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    table_pages: NamedDependency[TablePages],
) -> Response[str] | Redirect:
    seat = own_seat_in(data, table, visitor)
    try:
        await substitutes.return_to_seat(tables, table, seat, visitor.owner or "")
    except SeatRejected as error:
        status, why = describe_error(error, tr)
        return page(table_pages.table(table, visitor, seat, why), status)
    return redirect(path_at(table, seat, "question"))


ROUTES: Final = (vote, return_to_seat)

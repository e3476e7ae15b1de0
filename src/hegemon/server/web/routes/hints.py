"""Hints in games against bots."""

from typing import Any, Final

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import URLEncodedBody

from hegemon.prose.translator import Translator
from hegemon.server.errors import move_rejection_text
from hegemon.server.tables.errors import StaleVersionError
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import shown_names
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.forms import HintForm
from hegemon.server.web.own_seat import check_own_seat
from hegemon.server.web.responses import page, script_response
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.hints import STEPS, Advice, Adviser
from hegemon.server.web.views.table import TablePages


@post("/games/{game_id:str}/hint", status_code=200)
async def give_hint(
    data: URLEncodedBody[HintForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    table_pages: NamedDependency[TablePages],
    adviser: NamedDependency[Adviser],
    wants_json: NamedDependency[bool],
) -> Response[Any]:
    """A step of a hint, as part of the page for its script, or on a whole page."""
    seat = data.seat - 1
    check_own_seat(table, visitor, seat)
    if table.options.daily:
        raise HTTPException(REJECTIONS["daily-hint"], status_code=403)
    if table.options.tournament:
        raise HTTPException(REJECTIONS["tournament-hint"], status_code=403)
    if len(table.person_seats) != 1:
        raise HTTPException(REJECTIONS["hint"], status_code=403)
    hint = None
    if data.version == table.version and seat in table.to_move:
        view, names = table.game.view(seat), shown_names(table, tr)
        result = await adviser.search(tables, table, seat)
        hint = Advice(view, names, result, tr).hint(min(max(data.step, 1), STEPS))
    # If a move has been made in the meantime, the hint is about an old question.
    if hint is None or data.version != table.version:
        why = move_rejection_text(StaleVersionError(), tr)
        if wants_json:
            return script_response({"why": why, "version": table.version}, 409)
        return page(table_pages.table(table, visitor, seat, why), 409)
    if wants_json:
        return script_response({"html": table_pages.hint(table, visitor, hint)})
    return page(table_pages.table(table, visitor, seat, hint=hint))


ROUTES: Final = (give_hint,)

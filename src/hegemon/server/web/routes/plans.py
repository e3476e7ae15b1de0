"""Plans: the page on which a waiting player prepares a turn, saves it and deletes it."""

from typing import Annotated, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator
from hegemon.server.tables.plans import (
    MAX_PLANS,
    PLAN_REJECTIONS,
    PlanRejected,
    add_plan,
    check_plannable,
    plans_of,
    rehearse,
)
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.web.forms import PlanForm, SeatForm
from hegemon.server.web.own_seat import own_seat_in
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.plans import PlanPages

_MAX_LINE: Final = 255


async def plan_page(
    tables: TableRegistry,
    table: Table,
    visitor: Visitor,
    seat: int,
    line: str,
    tr: Translator,
    plan_pages: PlanPages,
    rejected: PlanRejected | None = None,
) -> Response[str]:
    """The page of plans, with the reason why a plan was rejected, if any."""
    rehearsal = None
    try:
        check_plannable(table, seat)
        rehearsal = rehearse(table.game, seat, ())
        rehearsal = rehearse(table.game, seat, tuple(line.split()))
    except PlanRejected as error:
        rejected = rejected or error
    status, problem = PLAN_REJECTIONS[rejected.key] if rejected is not None else (200, "")
    plans = await plans_of(tables, table, seat, visitor.owner or "")
    sentence = tr.text(problem, most=MAX_PLANS) if problem else ""
    return page(plan_pages.plan(table, visitor, seat, plans, rehearsal, sentence), status)


@get("/games/{game_id:str}/plan")
async def show_plans(
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    plan_pages: NamedDependency[PlanPages],
    seat: Annotated[str, QueryParameter(max_length=1)] = "",
    line: Annotated[str, QueryParameter(max_length=_MAX_LINE)] = "",
) -> Response[str]:
    """The plans of a seat, and a turn that is being prepared; the URL contains its choices so far."""
    return await plan_page(
        tables, table, visitor, own_seat_in(SeatForm(seat), table, visitor), line, tr, plan_pages
    )


@post("/games/{game_id:str}/plan")
async def save_plan(
    data: URLEncodedBody[PlanForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    plan_pages: NamedDependency[PlanPages],
) -> Response[str] | Redirect:
    seat = own_seat_in(data, table, visitor)
    try:
        await add_plan(
            tables,
            table,
            seat,
            visitor.owner or "",
            tuple(data.line[:_MAX_LINE].split()),
            unchanged=data.unchanged == "on",
            other=data.other,
            domain=data.domain,
        )
    except PlanRejected as error:
        return await plan_page(tables, table, visitor, seat, data.line, tr, plan_pages, error)
    return redirect(f"/games/{table.id}/plan?seat={seat + 1}")


@post("/games/{game_id:str}/plan/delete")
async def delete_plan(
    data: URLEncodedBody[PlanForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    seat = own_seat_in(data, table, visitor)
    await tables.store.plans.delete(data.plan, visitor.owner or "")
    return redirect(f"/games/{table.id}/plan?seat={seat + 1}")


ROUTES: Final = (show_plans, save_plan, delete_plan)

"""A person's days: deadlines, vacations, and the calendar at a secret address."""

import secrets
from typing import Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator, get_translator
from hegemon.server.db.calendars import Calendar
from hegemon.server.tables import vacations
from hegemon.server.tables.deadlines import deadlines_of
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.vacations import VACATION_REJECTIONS, VacationRejected
from hegemon.server.web.forms import CalendarForm, VacationForm
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.routes.devices import RowId
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.calendar import calendar_file
from hegemon.server.web.views.days import DaysPages

PATH: Final = "/me/days"
_SUFFIX: Final = ".ics"


async def days_page(
    visitor: Visitor,
    tables: TableRegistry,
    pages: DaysPages,
    base_url: str,
    problem: str = "",
    entered: tuple[str, str] = ("", ""),
) -> str:
    owner = visitor.owner
    if owner is None:
        return pages.days(visitor, (), (), "")
    calendar = await tables.store.calendars.of(owner)
    return pages.days(
        visitor,
        await deadlines_of(tables, owner),
        (await tables.store.vacations.of(owner)).get(owner, ()),
        f"{base_url}/calendar/{calendar.secret}{_SUFFIX}" if calendar is not None else "",
        problem,
        entered,
    )


@get(PATH)
async def days(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    days_pages: NamedDependency[DaysPages],
    base_url: NamedDependency[str],
) -> Response[str]:
    return page(await days_page(visitor, tables, days_pages, base_url))


@post(f"{PATH}/vacation")
async def announce_vacation(
    data: URLEncodedBody[VacationForm],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    days_pages: NamedDependency[DaysPages],
    base_url: NamedDependency[str],
) -> Response[str] | Redirect:
    if visitor.owner is None:
        return redirect(PATH)
    try:
        first, last = vacations.read_date(data.first), vacations.read_date(data.last or data.first)
        await vacations.announce(tables, visitor.owner, first, last)
    except VacationRejected as error:
        problem = tr.text(VACATION_REJECTIONS[error.key], most=tables.config.vacation_days)
        entered = data.first[:10], data.last[:10]
        return page(await days_page(visitor, tables, days_pages, base_url, problem, entered), 422)
    return redirect(f"{PATH}#vacation")


@post(f"{PATH}/vacation/{{vacation_id:int}}/end")
async def end_vacation(
    vacation_id: RowId, visitor: NamedDependency[Visitor], tables: NamedDependency[TableRegistry]
) -> Redirect:
    """Cancel a vacation, or end it now."""
    if visitor.owner is not None:
        await vacations.end(tables, visitor.owner, vacation_id)
    return redirect(f"{PATH}#vacation")


@post(f"{PATH}/calendar")
async def change_calendar(
    data: URLEncodedBody[CalendarForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    """Create a new address for the calendar, or delete it; the old address stops working."""
    if (owner := visitor.owner) is not None:
        new = Calendar(owner, secrets.token_urlsafe(32), visitor.language) if data.wanted == "yes" else None
        await tables.store.calendars.replace(owner, new)
    return redirect(f"{PATH}#calendar")


@get("/calendar/{name:str}")
async def calendar(
    name: FromPath[str], tables: NamedDependency[TableRegistry], base_url: NamedDependency[str]
) -> Response[str]:
    """The calendar at its secret address, without a cookie."""
    found = await tables.store.calendars.with_secret(name.removesuffix(_SUFFIX))
    if found is None or not name.endswith(_SUFFIX):
        raise NotFoundException
    now = tables.now()
    own = [deadline for deadline in await deadlines_of(tables, found.owner) if deadline.own]
    rows = (await tables.store.vacations.of(found.owner)).get(found.owner, ())
    upcoming = [vacation for vacation in rows if vacation.ends_at > now]
    text = calendar_file(own, upcoming, now, base_url, get_translator(found.language))
    return Response(text, media_type="text/calendar")


ROUTES: Final = (days, announce_vacation, end_vacation, change_calendar, calendar)

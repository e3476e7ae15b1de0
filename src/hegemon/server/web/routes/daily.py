"""The deal of the day, its results, and the series of the week."""

from datetime import date
from typing import Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, URLEncodedBody
from litestar.response import Redirect

from hegemon.server.config import ServerConfig
from hegemon.server.tables import daily
from hegemon.server.tables.names import check_names
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import clean_name
from hegemon.server.web.forms import DailyForm
from hegemon.server.web.me.profile import remember_name
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.daily import DailyPages


@get("/daily")
async def today(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    daily_pages: NamedDependency[DailyPages],
) -> Response[str]:
    return await day_page(daily.day_of(tables.now()), visitor, tables, daily_pages)


@get("/daily/{day:date}")
async def earlier_day(
    day: FromPath[date],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    daily_pages: NamedDependency[DailyPages],
) -> Response[str]:
    return await day_page(day, visitor, tables, daily_pages)


async def day_page(
    day: date, visitor: Visitor, tables: TableRegistry, daily_pages: DailyPages
) -> Response[str]:
    found = await daily.day_for(tables, day, visitor.owner)
    if found is None:
        raise NotFoundException
    unfinished = await daily.unfinished_yesterday(tables, visitor.owner) if found.is_today else None
    return page(daily_pages.day(visitor, found, unfinished))


@get("/daily/week")
async def this_week(tables: NamedDependency[TableRegistry]) -> Redirect:
    return Redirect(f"/daily/week/{daily.week_of(daily.day_of(tables.now()))}", status_code=302)


@get("/daily/week/{week:str}")
async def series(
    week: FromPath[str],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    daily_pages: NamedDependency[DailyPages],
) -> Response[str]:
    found = await daily.week_for(tables, week, visitor.owner)
    if found is None:
        raise NotFoundException
    return page(daily_pages.week(visitor, found))


@post("/daily")
async def play(
    data: URLEncodedBody[DailyForm],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    """Start today's deal, or continue it."""
    await check_names(tables.store, clean_name(data.name))
    entry = await daily.enter(tables, owner, clean_name(data.name), visitor.language)
    await remember_name(tables.store, owner, visitor, data.name)
    return redirect_with_token(f"/games/{entry.game}", token, config)


@post("/daily/{day:date}/name")
async def rename(
    day: FromPath[date],
    data: URLEncodedBody[DailyForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    """Change the visitor's name in the results of a day, or remove it."""
    await check_names(tables.store, clean_name(data.name))
    await tables.store.daily.rename(day, visitor.owner, clean_name(data.name))
    if visitor.owner is not None:
        await remember_name(tables.store, visitor.owner, visitor, data.name)
    return redirect(f"/daily/{day}")


ROUTES: Final = (today, earlier_day, this_week, series, play, rename)

"""A visitor's personal link: seats without accounts, on several devices; and the visitor's statistics."""

from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from hegemon.server.config import ServerConfig
from hegemon.server.db.database import ConflictError
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.texts import SEAT_REJECTIONS
from hegemon.server.web.forms import KeyForm, NewKeyForm
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.seating import SeatPages
from hegemon.server.web.views.statistics import StatisticsPages


@get("/me")
async def personal_link(
    request: Request[Any, Any, Any],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    seat_pages: NamedDependency[SeatPages],
    base_url: NamedDependency[str],
) -> Response[str]:
    if visitor.owner is None:
        return page(seat_pages.me(visitor, ""))
    people = await tables.store.players.load([visitor.owner])
    return page(seat_pages.me(visitor, link_of(request, base_url), rating=people.get(visitor.owner)))


@get("/me/statistics")
async def statistics(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    statistics_pages: NamedDependency[StatisticsPages],
) -> Response[str]:
    """The visitor's own results; those of others are nowhere."""
    results = tables.store.results
    groups, months = await results.groups(visitor.owner), await results.months(visitor.owner)
    return page(statistics_pages.statistics(visitor, groups, months))


def link_of(request: Request[Any, Any, Any], base_url: str) -> str:
    """The personal link. Its key follows a #, which browsers do not send: no log contains it."""
    return f"{base_url}/me#{request.cookies[tokens.COOKIE]}"


@post("/me")
async def use_personal_link(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[KeyForm],
    visitor: NamedDependency[Visitor],
    config: NamedDependency[ServerConfig],
    seat_pages: NamedDependency[SeatPages],
    base_url: NamedDependency[str],
) -> Response[str] | Redirect:
    """Use the seats of another browser in this one, by its personal link or the key in it.

    A link of a stranger could take the seats of this browser away: a key is replaced only after the page has asked.
    """
    token = data.key.strip().rpartition("#")[2]
    if tokens.owner_of(token) is None:
        status, sentence = SEAT_REJECTIONS["key"]
        return page(seat_pages.me(visitor, "", sentence), status)
    if visitor.owner not in (None, tokens.owner_of(token), data.replaces):
        return page(seat_pages.me(visitor, link_of(request, base_url), offered_key=token), 409)
    return redirect_with_token("/#games", token, config)


@post("/me/key")
async def replace_key(
    data: URLEncodedBody[NewKeyForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    """Replace the visitor's key by a new one, which the page has made: a form that is sent twice counts once."""
    new = tokens.owner_of(data.new_key)
    # Only the page knows the owner, so no other site can choose the new key.
    if new is None or visitor.owner is None or data.owner != visitor.owner:
        return redirect("/me")
    try:
        await tables.change_owner(visitor.owner, new)
    except ConflictError:
        return redirect("/me")
    return redirect_with_token("/me", data.new_key, config)


ROUTES: Final = (personal_link, statistics, use_personal_link, replace_key)

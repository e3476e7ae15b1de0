"""A visitor's personal link: seats without accounts, on several devices."""

from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from hegemon.server.config import ServerConfig
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.texts import SEAT_REJECTIONS
from hegemon.server.web.forms import KeyForm
from hegemon.server.web.responses import page, redirect_with_token
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.seating import SeatPages


@get("/me")
async def personal_link(
    request: Request[Any, Any, Any],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    seat_pages: NamedDependency[SeatPages],
    base_url: NamedDependency[str],
) -> Response[str]:
    """The personal link. Its key follows a #, which browsers do not send: no log contains it."""
    if visitor.owner is None:
        return page(seat_pages.me(visitor, ""))
    people = await tables.store.players.load([visitor.owner])
    link = f"{base_url}/me#{request.cookies[tokens.COOKIE]}"
    return page(seat_pages.me(visitor, link, rating=people.get(visitor.owner)))


@post("/me")
async def use_personal_link(
    data: URLEncodedBody[KeyForm],
    visitor: NamedDependency[Visitor],
    config: NamedDependency[ServerConfig],
    seat_pages: NamedDependency[SeatPages],
) -> Response[str] | Redirect:
    """Use the seats of another browser in this one, by its personal link or the key in it."""
    token = data.key.strip().rpartition("#")[2]
    if tokens.owner_of(token) is None:
        status, sentence = SEAT_REJECTIONS["key"]
        return page(seat_pages.me(visitor, "", sentence), status)
    return redirect_with_token("/#games", token, config)


ROUTES: Final = (personal_link, use_personal_link)

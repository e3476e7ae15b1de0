"""The page of a person, made of sections."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from litestar import Request, Response

from hegemon.server.web.me.days import days_section
from hegemon.server.web.me.devices import devices_section
from hegemon.server.web.me.link import link_section
from hegemon.server.web.me.notices import notices_section
from hegemon.server.web.me.profile import profile_section
from hegemon.server.web.me.rating import rating_section
from hegemon.server.web.responses import page
from hegemon.server.web.session import Visitor

Section = Callable[[Request[Any, Any, Any], Visitor], Awaitable[dict[str, Any]]]

#: The functions that provide the context of each section, called `s` in templates, in the order of the page.
SECTIONS: Final[dict[str, Section]] = {
    "profile": profile_section,
    "rating": rating_section,
    "notices": notices_section,
    "days": days_section,
    "link": link_section,
    "devices": devices_section,
}


async def my_page(
    request: Request[Any, Any, Any], visitor: Visitor, status: int = 200, **changes: dict[str, Any]
) -> Response[str]:
    """The page of a person, with changes to the contexts of sections after a form was rejected."""
    sections = {
        name: await section(request, visitor) | changes.get(name, {}) for name, section in SECTIONS.items()
    }
    return page(request.app.state.seat_pages.me(visitor, sections), status)

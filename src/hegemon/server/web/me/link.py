"""The personal link of a person, and the form for entering one from another device."""

from typing import Any

from litestar import Request

from hegemon.prose.translator import get_translator
from hegemon.server.dependencies import provide_base_url
from hegemon.server.security import tokens
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.seating import is_local, qr_code


async def link_section(request: Request[Any, Any, Any], visitor: Visitor) -> dict[str, Any]:
    """The personal link, only in a browser that has the key itself rather than a session."""
    has_key = visitor.owner is not None and visitor.session is None
    return {
        **shown_link(request, visitor, request.cookies[tokens.COOKIE] if has_key else ""),
        "new_key": tokens.new_token(),
        "is_new": False,
        "is_gone": visitor.owner is not None and not tokens.has_key(visitor.owner),
        "problem": "",
        "offered_key": "",
    }


def shown_link(request: Request[Any, Any, Any], visitor: Visitor, key: str) -> dict[str, Any]:
    """The link of a key, and its QR code. The key follows a #, which browsers do not send, so no log contains it."""
    base_url = provide_base_url(request, request.app.state.config)
    link = f"{base_url}/me#{key}" if key else ""
    name = get_translator(visitor.language).text("My personal link")
    return {"link": link, "code": qr_code(link, name) if link else "", "local": is_local(link)}

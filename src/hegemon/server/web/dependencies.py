"""Dependencies of the handlers of pages, besides those of the whole server."""

from typing import Any, Final

from litestar import Request
from litestar.di import Provide

from hegemon.server.dependencies import from_state
from hegemon.server.security import tokens
from hegemon.server.web.session import Visitor, visitor_of


def provide_visitor(request: Request[Any, Any, Any]) -> Visitor:
    return visitor_of(request)


def provide_token(request: Request[Any, Any, Any]) -> str:
    """The token of this browser, or a new one."""
    token = request.cookies.get(tokens.COOKIE)
    return token if token is not None and tokens.owner_of(token) is not None else tokens.new_token()


def provide_wants_json(request: Request[Any, Any, Any]) -> bool:
    """Whether a page's script sent the request: it shows the answer without loading another page."""
    return request.headers.get("accept", "").startswith("application/json")


DEPENDENCIES: Final = {
    "visitor": Provide(provide_visitor, sync_to_thread=False),
    "token": Provide(provide_token, sync_to_thread=False),
    "wants_json": Provide(provide_wants_json, sync_to_thread=False),
    **{
        name: from_state(name)
        for name in (
            "pages",
            "learning_pages",
            "puzzle_pages",
            "replay_pages",
            "seat_pages",
            "spectator_pages",
            "daily_pages",
            "statistics_pages",
            "study_pages",
            "adviser",
            "ponderer",
            "pictures",
        )
    },
}

"""Dependencies of the handlers of pages, besides those of the whole server."""

from collections.abc import Callable
from typing import Any, Final

from litestar import Request
from litestar.datastructures import State
from litestar.di import Provide

from hegemon.server.security import tokens
from hegemon.server.web.session import Visitor, visitor_of
from hegemon.server.web.views.hints import Adviser
from hegemon.server.web.views.learn import LearningPages
from hegemon.server.web.views.pages import Pages
from hegemon.server.web.views.seating import SeatPages
from hegemon.server.web.views.spectate import SpectatorPages


def provide_visitor(request: Request[Any, Any, Any]) -> Visitor:
    return visitor_of(request)


def provide_token(request: Request[Any, Any, Any]) -> str:
    """The token of this browser, or a new one."""
    token = request.cookies.get(tokens.COOKIE)
    return token if token is not None and tokens.owner_of(token) is not None else tokens.new_token()


def provide_wants_json(request: Request[Any, Any, Any]) -> bool:
    """Whether a page's script sent the request: it shows the answer without loading another page."""
    return request.headers.get("accept", "").startswith("application/json")


def provide_pages(state: State) -> Pages:
    pages: Pages = state.pages
    return pages


def provide_learning_pages(state: State) -> LearningPages:
    pages: LearningPages = state.learning_pages
    return pages


def provide_seat_pages(state: State) -> SeatPages:
    pages: SeatPages = state.seat_pages
    return pages


def provide_spectator_pages(state: State) -> SpectatorPages:
    pages: SpectatorPages = state.spectator_pages
    return pages


def provide_adviser(state: State) -> Adviser:
    adviser: Adviser = state.adviser
    return adviser


_PROVIDERS: Final[dict[str, Callable[..., Any]]] = {
    "visitor": provide_visitor,
    "token": provide_token,
    "wants_json": provide_wants_json,
    "pages": provide_pages,
    "learning_pages": provide_learning_pages,
    "seat_pages": provide_seat_pages,
    "spectator_pages": provide_spectator_pages,
    "adviser": provide_adviser,
}

DEPENDENCIES: Final = {name: Provide(provider, sync_to_thread=False) for name, provider in _PROVIDERS.items()}

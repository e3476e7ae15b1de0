"""The routes of the API, with their dependencies and their exception handler."""

from typing import Final

from litestar import Router

from hegemon.server.api import auth, chat, daily, games, seats, tournaments
from hegemon.server.api.errors import error_response
from hegemon.server.api.validation import StrictRequest

ROUTER: Final = Router(
    "/api",
    route_handlers=[*games.ROUTES, *seats.ROUTES, *chat.ROUTES, *daily.ROUTES, *tournaments.ROUTES],
    dependencies=auth.DEPENDENCIES,
    exception_handlers={Exception: error_response},
    request_class=StrictRequest,
)

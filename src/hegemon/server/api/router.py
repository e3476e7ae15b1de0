"""The routes of the API, and its exception handler."""

from typing import Final

from litestar import Router

from hegemon.server.api import chat, games, seats
from hegemon.server.api.schemas import API, failure

ROUTER: Final = Router(
    API,
    route_handlers=[games.ROUTES, seats.ROUTES, *chat.ROUTES],
    exception_handlers={Exception: failure},
)

"""Bearer tokens: the caller and the caller's seat, as dependencies."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from litestar import Request
from litestar.di import NamedDependency, Provide
from litestar.exceptions import NotAuthorizedException
from litestar.openapi.spec import Components, SecurityScheme

from hegemon.rules.view import SPECTATOR
from hegemon.server.security import tokens
from hegemon.server.tables.table import Table

_BEARER: Final = re.compile(r"Bearer +(\S+) *", re.IGNORECASE)

TOKEN_REQUIRED: Final[list[dict[str, list[str]]]] = [{"seat": []}]
TOKEN_OPTIONAL: Final[list[dict[str, list[str]]]] = [{"seat": []}, {}]

COMPONENTS: Final = Components(
    security_schemes={
        "seat": SecurityScheme(
            type="http", scheme="bearer", description="The token of a seat, or of the host of a table."
        )
    }
)


def unauthorized() -> NotAuthorizedException:
    return NotAuthorizedException(headers={"WWW-Authenticate": "Bearer"})


def provide_token(request: Request[Any, Any, Any]) -> str | None:
    """The token of the caller; a malformed one is rejected."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    bearer = _BEARER.fullmatch(header)
    if bearer is None or tokens.owner_of(bearer[1]) is None:
        raise unauthorized()
    return bearer[1]


def provide_owner(token: NamedDependency[str | None]) -> str:
    """The owner of the token, which is required."""
    owner = tokens.owner_of(token)
    if owner is None:
        raise unauthorized()
    return owner


def provide_viewer(table: NamedDependency[Table], token: NamedDependency[str | None]) -> int:
    """The seat of the caller; the host without a seat and callers without a token are spectators."""
    owner = tokens.owner_of(token)
    if owner is None:
        return SPECTATOR
    own_seats = table.seats_of(owner)
    if not own_seats and owner != table.host:
        raise unauthorized()
    return own_seats[0] if own_seats else SPECTATOR


def provide_own_seat(viewer: NamedDependency[int]) -> int:
    """The seat of the caller, who must have one."""
    if viewer == SPECTATOR:
        raise unauthorized()
    return viewer


@dataclass(frozen=True)
class AuthenticatedPlayer:
    """The caller of a request that only a player may make."""

    seat: int
    owner: str


def provide_player(request: Request[Any, Any, Any], table: NamedDependency[Table]) -> AuthenticatedPlayer:
    """`own_seat` and `owner` in one dependency, because Litestar takes longer to resolve one than ours takes to run."""
    token = provide_token(request)
    return AuthenticatedPlayer(provide_own_seat(provide_viewer(table, token)), provide_owner(token))


_PROVIDERS: Final[dict[str, Callable[..., Any]]] = {
    "token": provide_token,
    "owner": provide_owner,
    "viewer": provide_viewer,
    "own_seat": provide_own_seat,
    "player": provide_player,
}

DEPENDENCIES: Final = {name: Provide(provider, sync_to_thread=False) for name, provider in _PROVIDERS.items()}

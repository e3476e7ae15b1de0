"""Identifying the person who sent a request, by a key or a session token."""

from typing import Any, Final

from litestar import Request

from hegemon.server.db.devices import Session
from hegemon.server.identity.user_agents import browser_of, system_of
from hegemon.server.security import tokens
from hegemon.server.security.rate_limit import UNLIMITED_PATHS
from hegemon.server.tables.registry import TableRegistry

#: The key of a request's state for the session of its cookie.
_SESSION: Final = "session"


async def identify(request: Request[Any, Any, Any]) -> None:
    """Look up the session of a request; without a session token, the database is not queried."""
    token = request.cookies.get(tokens.COOKIE, "")
    if tokens.is_session(token) and not request.scope["path"].startswith(UNLIMITED_PATHS):
        tables: TableRegistry = request.app.state.tables
        session = await tables.store.devices.find_session(tokens.digest(token), tables.now().date())
        request.scope["state"][_SESSION] = session


def session_in(request: Request[Any, Any, Any]) -> Session | None:
    """The session of the device; None for a device with a key, or one that was signed out."""
    session: Session | None = request.scope["state"].get(_SESSION)
    return session


def owner_in_cookie(request: Request[Any, Any, Any]) -> str | None:
    session = session_in(request)
    return session.owner if session is not None else tokens.owner_of(request.cookies.get(tokens.COOKIE))


def owner_in(request: Request[Any, Any, Any]) -> str | None:
    """The owner of the key in an Authorization header, or else in a cookie."""
    bearer = request.headers.get("authorization", "").rpartition(" ")[2]
    return tokens.owner_of(bearer) or owner_in_cookie(request)


async def start_session(
    request: Request[Any, Any, Any], tables: TableRegistry, owner: str, code: str | None = None
) -> str:
    """Sign in the device that sent a request, and use up the recovery code with that digest; return its token."""
    token, agent = tokens.new_session_token(), request.headers.get("user-agent", "")
    await tables.people.start_session(tokens.digest(token), owner, browser_of(agent), system_of(agent), code)
    return token

"""The pages of the host: reports, tables, people and names, behind the host token."""

import logging
from dataclasses import replace
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency, Provide
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import FromPath, QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.server.config import ServerConfig
from hegemon.server.logging import log_event
from hegemon.server.security import tokens
from hegemon.server.security.rate_limit import check_limit
from hegemon.server.tables import moderation
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.forms import HostForm, ModerationForm, read_number
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.session import Visitor, cookie
from hegemon.server.web.views.admin import SECTIONS, AdminPages

#: The cookie with the host token, for pages of the host only, and its lifetime in seconds.
_HOST_COOKIE: Final = "host"
_LIFETIME: Final = 12 * 3600


async def is_host(request: Request[Any, Any, Any], tables: TableRegistry) -> bool:
    """Whether a request has the cookie of the host; one with a wrong token counts as an attempt to sign in."""
    token = request.cookies.get(_HOST_COOKIE, "")
    if not token:
        return False
    is_valid = await tables.store.moderation.is_host_token(tokens.digest(token))
    if not is_valid:
        log_event("host token refused", logging.WARNING)
        check_limit(request, "sign_ins")
    return is_valid


async def provide_admin_tables(
    request: Request[Any, Any, Any], tables: NamedDependency[TableRegistry]
) -> TableRegistry:
    """The tables, for the host only. This is not a guard, because guards run before the rate limits are checked."""
    if not await is_host(request, tables):
        raise HTTPException(REJECTIONS["host-token"], status_code=403)
    return tables


_HOST_ONLY: Final = {"admin_tables": Provide(provide_admin_tables)}


@get("/admin")
async def admin_start(
    request: Request[Any, Any, Any],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    admin_pages: NamedDependency[AdminPages],
) -> Response[str] | Redirect:
    """The form for the host token, or the reports."""
    if await is_host(request, tables):
        return redirect("/admin/reports")
    return page(admin_pages.login(visitor, exists=await tables.store.moderation.has_host_token()))


@post("/admin/login")
async def login(
    data: URLEncodedBody[HostForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    admin_pages: NamedDependency[AdminPages],
) -> Response[str] | Redirect:
    token = data.token.strip()
    if not await tables.store.moderation.is_host_token(tokens.digest(token)):
        log_event("host token refused", logging.WARNING)
        exists = await tables.store.moderation.has_host_token()
        return page(admin_pages.login(visitor, exists=exists, wrong=True), 403)
    log_event("host signed in")
    response = redirect("/admin/reports")
    response.cookies.append(_cookie(token, config, _LIFETIME))
    return response


def _cookie(value: str, config: ServerConfig, lifetime: int) -> Any:
    """The cookie of the host, which no other site can make a browser send."""
    host = cookie(_HOST_COOKIE, value, secure=config.secure)
    return replace(host, path="/admin", samesite="strict", max_age=lifetime)


@post("/admin/logout")
async def logout(config: NamedDependency[ServerConfig]) -> Redirect:
    response = redirect("/admin")
    response.cookies.append(_cookie("", config, 0))
    return response


@get("/admin/{section:str}", dependencies=_HOST_ONLY)
async def section_page(
    section: FromPath[str],
    visitor: NamedDependency[Visitor],
    admin_tables: NamedDependency[TableRegistry],
    admin_pages: NamedDependency[AdminPages],
    number: Annotated[int, QueryParameter(name="page", ge=0, le=100_000)] = 0,
    done: Annotated[str, QueryParameter(max_length=10)] = "",
) -> Response[str]:
    if section not in SECTIONS:
        raise NotFoundException
    return page(await admin_pages.section(visitor, admin_tables.store, section, number, done))


@post("/admin/act", dependencies=_HOST_ONLY)
async def act(data: URLEncodedBody[ModerationForm], admin_tables: NamedDependency[TableRegistry]) -> Redirect:
    """Mute, remove, close, delete, block or dismiss; a report that was acted on is no longer open."""
    seat = read_number(data.seat)
    target = await moderation.target_of(admin_tables, data.report, data.game, seat - 1 if seat else None)
    match data.action:
        case "mute":
            await moderation.mute(admin_tables, target)
        case "unmute":
            await moderation.unmute(admin_tables, data.mute)
        case "remove":
            await moderation.remove(admin_tables, target)
        case "close":
            await moderation.close(admin_tables, target)
        case "delete":
            await moderation.delete(admin_tables, target)
        case "block":
            await moderation.block(admin_tables, data.pattern, target)
        case "unblock":
            await moderation.unblock(admin_tables, data.pattern)
        case "dismiss" if data.report:
            log_event("moderation", action="dismiss", game=target.game)
        case _:
            raise NotFoundException
    if data.report:
        await admin_tables.store.moderation.decide(data.report, data.action)
    return redirect(f"/admin/{data.back if data.back in SECTIONS else 'reports'}?done={data.action}")


ROUTES: Final = (admin_start, login, logout, section_page, act)

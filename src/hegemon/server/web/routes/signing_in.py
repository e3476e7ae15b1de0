"""Signing in on a device that may already have games, and the recovery code."""

import contextlib
from datetime import timedelta
from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.devices import Arrival, CodeUsed
from hegemon.server.db.errors import ConflictError
from hegemon.server.identity.codes import code_digest, new_code
from hegemon.server.identity.requests import start_session
from hegemon.server.logging import log_event
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.forms import ArrivalForm, CodeForm
from hegemon.server.web.me.page import my_page
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.session import Visitor, cookie, without_return_path
from hegemon.server.web.views.devices import DevicePages

#: The cookie with the secret of an arrival: a browser that has to decide about its own games before it signs in.
ARRIVAL: Final = "arrival"
_ARRIVAL_LIFETIME: Final = timedelta(minutes=30)

_NOT_MERGED: Final = REJECTIONS["merge"]
_WRONG_CODE: Final = REJECTIONS["code"]


async def sign_in_as(
    request: Request[Any, Any, Any],
    tables: TableRegistry,
    visitor: Visitor,
    owner: str,
    config: ServerConfig,
    code: str | None = None,
) -> Redirect:
    """Sign in this device as a person; if its browser already has games, first ask what happens to them.

    A recovery code is used up when the session starts; raises CodeUsed if it is no longer valid.
    """
    if owner == visitor.owner:
        return redirect("/me")
    if visitor.owner is None or not await tables.store.people.has_data(visitor.owner):
        token = await start_session(request, tables, owner, code)
        log_event("signed in")
        return redirect_with_token(after_signing_in(code), token, config)
    secret, now, response = tokens.new_token(), tables.now(), redirect("/me/arrival")
    await tables.store.devices.add_arrival(
        Arrival(tokens.digest(secret), owner, code, now + _ARRIVAL_LIFETIME), now
    )
    seconds = int(_ARRIVAL_LIFETIME.total_seconds())
    response.cookies.append(cookie(ARRIVAL, secret, secure=config.secure, max_age=seconds))
    return response


def after_signing_in(code: str | None) -> str:
    """The path of the person's page, which suggests a new recovery code after one was used."""
    return "/me" if code is None else "/me?done=recovered#recovery"


@get("/me/arrival")
async def arrival(
    request: Request[Any, Any, Any],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    device_pages: NamedDependency[DevicePages],
) -> Response[str] | Redirect:
    """Ask what happens to the games of a browser that signs in."""
    secret = tokens.digest(request.cookies.get(ARRIVAL, ""))
    if await tables.store.devices.find_arrival(secret, tables.now()) is None:
        return redirect("/me")
    return page(device_pages.arrival(visitor))


@post("/me/arrival")
async def finish_arrival(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[ArrivalForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    tr: NamedDependency[Translator],
    device_pages: NamedDependency[DevicePages],
) -> Response[str] | Redirect:
    """Sign in with or without the games of this browser, or not at all, in which case a recovery code stays valid."""
    devices, now = tables.store.devices, tables.now()
    found = await devices.withdraw_arrival(tokens.digest(request.cookies.get(ARRIVAL, "")), now)
    response = redirect("/me")
    if found is not None and data.do in ("merge", "leave"):
        try:
            await merge_or_sign_out(tables, visitor, found.owner, merge=data.do == "merge")
        except ConflictError:
            await devices.add_arrival(found, now)
            return page(device_pages.arrival(visitor, tr.text(_NOT_MERGED)), 409)
        with contextlib.suppress(CodeUsed):
            token = await start_session(request, tables, found.owner, found.code)
            log_event("signed in")
            response = redirect_with_token(after_signing_in(found.code), token, config)
    response.delete_cookie(ARRIVAL)
    return response


async def merge_or_sign_out(tables: TableRegistry, visitor: Visitor, owner: str, *, merge: bool) -> None:
    """Merge the data of a browser into a person, if wanted, and end its session before it signs in as that person."""
    if visitor.owner is None:
        return
    if merge:
        await tables.people.merge(visitor.owner, owner)
    if visitor.session is not None:
        await tables.people.end_session(owner if merge else visitor.owner, visitor.session)


# ------------------------------------------------------------------ the recovery code


@post("/me/recovery-code", status_code=200)
async def make_recovery_code(
    visitor: NamedDependency[Visitor],
    person: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    device_pages: NamedDependency[DevicePages],
    base_url: NamedDependency[str],
) -> Response[str]:
    """Create a recovery code, which replaces the previous one and is shown only this once."""
    code, today = new_code(), tables.now().date()
    await tables.store.devices.set_recovery_code(person, code_digest(code), today)
    return page(device_pages.recovery_code(without_return_path(visitor), code, base_url, today))


@post("/me/recover")
async def recover(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[CodeForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    tr: NamedDependency[Translator],
) -> Response[str] | Redirect:
    """Sign in this device with a recovery code, which this uses up."""
    code = code_digest(data.code)
    owner = await tables.store.devices.owner_of_code(code)
    if owner is not None:
        with contextlib.suppress(CodeUsed):
            return await sign_in_as(request, tables, visitor, owner, config, code)
    log_event("a recovery code was rejected")
    return await my_page(request, visitor, 422, devices={"problem": tr.text(_WRONG_CODE)})


ROUTES: Final = (arrival, finish_arrival, make_recovery_code, recover)

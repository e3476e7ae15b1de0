"""The same person on several devices: sessions, passkeys and the recovery code; and the deletion of a person's data."""

import asyncio
import contextlib
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import PathParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.database import ConflictError
from hegemon.server.db.devices import Arrival, CodeUsed, NewPasskey
from hegemon.server.identity import passkeys
from hegemon.server.identity.codes import code_digest, new_code
from hegemon.server.identity.passkeys import PasskeyRejected
from hegemon.server.identity.requests import start_session
from hegemon.server.identity.user_agents import browser_of, system_of
from hegemon.server.logging import note
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import clean_name
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.forms import ArrivalForm, CodeForm, PasskeyForm
from hegemon.server.web.me.page import my_page
from hegemon.server.web.responses import page, redirect, redirect_with_token, script_response
from hegemon.server.web.session import Visitor, cookie, shown_once
from hegemon.server.web.views.devices import DevicePages

#: The cookie with the secret of a challenge: an answer counts only in the browser that requested it.
CHALLENGE: Final = "challenge"
_CHALLENGE_TIME: Final = timedelta(minutes=5)

#: The cookie with the secret of an arrival: a browser that has to decide about its own games before it signs in.
ARRIVAL: Final = "arrival"
_ARRIVAL_TIME: Final = timedelta(minutes=30)

_SIGN_IN: Final = "sign in"

#: The number of a row, within the range of database integers.
RowNumber = Annotated[int, PathParameter(ge=1, le=2**31 - 1)]

_NOT_MERGED: Final = REJECTIONS["merge"]
_REJECTED: Final = REJECTIONS["passkey"]
_NOT_ADDED: Final = REJECTIONS["passkeys"]
_WRONG_CODE: Final = REJECTIONS["code"]


def provide_person(visitor: Visitor) -> str:
    """The owner, where a request needs one."""
    if visitor.owner is None:
        raise HTTPException(REJECTIONS["no-person"], status_code=403)
    return visitor.owner


# ------------------------------------------------------------------ sessions


@post("/me/sessions/{session_id:int}/end")
async def end_session(
    session_id: RowNumber,
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    await tables.end_session(provide_person(visitor), session_id)
    return redirect("/me?done=session#devices")


@post("/me/key/end")
async def end_key(visitor: NamedDependency[Visitor], tables: NamedDependency[TableRegistry]) -> Redirect:
    """Sign out the browser with the personal link: the link stops working, and all sessions stay valid."""
    owner = provide_person(visitor)
    if visitor.session is None:
        return redirect("/me/sign-out")
    if tokens.has_key(owner):
        await tables.drop_key(owner)
    return redirect("/me?done=key#devices")


@get("/me/sign-out")
async def signing_out(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    device_pages: NamedDependency[DevicePages],
) -> Response[str] | Redirect:
    """Ask for confirmation to sign out this device, and say whether there is a way back."""
    if visitor.owner is None:
        return redirect("/me")
    devices = tables.store.devices
    others = [found for found in await devices.sessions_of(visitor.owner) if found.id != visitor.session]
    ways = (
        others or await devices.passkeys_of(visitor.owner) or await devices.recovery_code_date(visitor.owner)
    )
    return page(device_pages.signing_out(visitor, ways=bool(ways), link=tokens.has_key(visitor.owner)))


@post("/me/sign-out")
async def sign_out(visitor: NamedDependency[Visitor], tables: NamedDependency[TableRegistry]) -> Redirect:
    """Sign out this device: it forgets its token, and no longer shows notices."""
    owner = provide_person(visitor)
    if visitor.session is not None:
        await tables.end_session(owner, visitor.session)
    else:
        await tables.store.subscriptions.sign_out(owner)
        tables.signed_out()
    response = redirect("/me?done=here#sign-in")
    response.delete_cookie(tokens.COOKIE)
    return response


async def arrive(
    request: Request[Any, Any, Any],
    tables: TableRegistry,
    visitor: Visitor,
    owner: str,
    config: ServerConfig,
    code: str | None = None,
) -> Redirect:
    """Sign in this device as a person; a browser with games of its own first has to decide what to do with them.

    A recovery code is used up when the session starts; raises CodeUsed if it is no longer valid.
    """
    if owner == visitor.owner:
        return redirect("/me")
    if visitor.owner is None or not await tables.store.players.has_something(visitor.owner):
        token = await start_session(request, tables, owner, code)
        note("signed in")
        return redirect_with_token(after_signing_in(code), token, config)
    secret, now, response = tokens.new_token(), tables.now(), redirect("/me/arrival")
    await tables.store.devices.add_arrival(
        Arrival(tokens.digest(secret), owner, code, now + _ARRIVAL_TIME), now
    )
    seconds = int(_ARRIVAL_TIME.total_seconds())
    response.cookies.append(cookie(ARRIVAL, secret, secure=config.secure, max_age=seconds))
    return response


def after_signing_in(code: str | None) -> str:
    """The path of the person's page; after a recovery code was used, it recommends making a new one."""
    return "/me" if code is None else "/me?done=recovered#recovery"


@get("/me/arrival")
async def arrival(
    request: Request[Any, Any, Any],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    device_pages: NamedDependency[DevicePages],
) -> Response[str] | Redirect:
    """Ask what to do with the games of a browser that signs in."""
    secret = tokens.digest(request.cookies.get(ARRIVAL, ""))
    if await tables.store.devices.find_arrival(secret, tables.now()) is None:
        return redirect("/me")
    return page(device_pages.arrival(visitor))


@post("/me/arrival")
async def go_on(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[ArrivalForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    tr: NamedDependency[Translator],
    device_pages: NamedDependency[DevicePages],
) -> Response[str] | Redirect:
    """Sign in with or without the games of this browser, or do not sign in, which also keeps a recovery code valid."""
    devices, now = tables.store.devices, tables.now()
    found = await devices.withdraw_arrival(tokens.digest(request.cookies.get(ARRIVAL, "")), now)
    response = redirect("/me")
    if found is not None and data.do in ("merge", "leave"):
        try:
            await take_leave(tables, visitor, found.owner, merge=data.do == "merge")
        except ConflictError:
            await devices.add_arrival(found, now)
            return page(device_pages.arrival(visitor, tr.text(_NOT_MERGED)), 409)
        with contextlib.suppress(CodeUsed):
            token = await start_session(request, tables, found.owner, found.code)
            note("signed in")
            response = redirect_with_token(after_signing_in(found.code), token, config)
    response.delete_cookie(ARRIVAL)
    return response


async def take_leave(tables: TableRegistry, visitor: Visitor, owner: str, *, merge: bool) -> None:
    """Merge what a browser has, if wanted, and end its session, before it signs in as another person."""
    if visitor.owner is None:
        return
    if merge:
        await tables.merge(visitor.owner, owner)
    if visitor.session is not None:
        await tables.end_session(owner if merge else visitor.owner, visitor.session)


# ------------------------------------------------------------------ passkeys


async def challenge_response(
    tables: TableRegistry, config: ServerConfig, secret: str, options: dict[str, Any]
) -> Response[Any]:
    """The options of a new challenge, and the cookie without which its answer does not count."""
    now = tables.now()
    await tables.store.devices.add_challenge(tokens.digest(secret), now, now + _CHALLENGE_TIME)
    response = script_response(options)
    seconds = int(_CHALLENGE_TIME.total_seconds())
    response.cookies.append(cookie(CHALLENGE, secret, secure=config.secure, max_age=seconds))
    return response


def challenge_of(secret: str, purpose: str) -> bytes:
    return tokens.derived_token(secret, purpose).encode()


async def used_challenge(request: Request[Any, Any, Any], tables: TableRegistry, purpose: str) -> bytes:
    """The challenge that this browser has answered; raises PasskeyRejected if it was used or has expired."""
    secret = request.cookies.get(CHALLENGE, "")
    if not await tables.store.devices.use_challenge(tokens.digest(secret), tables.now()):
        raise PasskeyRejected
    return challenge_of(secret, purpose)


@post("/me/passkeys/options", status_code=200)
async def passkey_options(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    base_url: NamedDependency[str],
    tr: NamedDependency[Translator],
) -> Response[Any]:
    """What the browser needs to make a passkey."""
    owner, secret = provide_person(visitor), tokens.new_token()
    if passkeys.site_of(base_url) is None:
        return script_response({"why": tr.text(_REJECTED)}, 422)
    options = await asyncio.to_thread(
        passkeys.creation_options,
        base_url,
        owner,
        visitor.name or "Hegemon",
        challenge_of(secret, owner),
        await tables.store.devices.passkeys_of(owner),
    )
    return await challenge_response(tables, config, secret, options)


@post("/me/passkeys", status_code=200)
async def add_passkey(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[PasskeyForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    base_url: NamedDependency[str],
    tr: NamedDependency[Translator],
) -> Response[Any]:
    owner, agent = provide_person(visitor), request.headers.get("user-agent", "")
    try:
        challenge = await used_challenge(request, tables, owner)
        found = await asyncio.to_thread(passkeys.check_new, base_url, challenge, data.answer)
        name = system_of(agent) or browser_of(agent) or tr.text("Passkey")
        today = tables.now().date()
        credential, public_key, sign_count = found
        await tables.store.devices.add_passkey(
            NewPasskey(credential, owner, public_key, sign_count, clean_name(name), today)
        )
    except PasskeyRejected:
        return script_response({"why": tr.text(_REJECTED)}, 422)
    except ConflictError:
        return script_response({"why": tr.text(_NOT_ADDED)}, 409)
    return script_response({"next": "/me?done=added#passkeys"})


@post("/me/passkeys/{passkey_id:int}")
async def rename_passkey(
    passkey_id: RowNumber,
    data: URLEncodedBody[PasskeyForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    owner, name = provide_person(visitor), clean_name(data.name)
    if not name:
        return redirect("/me#passkeys")
    await tables.store.devices.rename_passkey(owner, passkey_id, name)
    return redirect("/me?done=renamed#passkeys")


@post("/me/passkeys/{passkey_id:int}/remove")
async def remove_passkey(
    passkey_id: RowNumber,
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    await tables.store.devices.remove_passkey(provide_person(visitor), passkey_id)
    return redirect("/me?done=removed#passkeys")


@post("/me/sign-in/options", status_code=200)
async def sign_in_options(
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    base_url: NamedDependency[str],
    tr: NamedDependency[Translator],
) -> Response[Any]:
    """What the browser needs to sign in with any of the passkeys that it knows."""
    if passkeys.site_of(base_url) is None:
        return script_response({"why": tr.text(_REJECTED)}, 422)
    secret = tokens.new_token()
    challenge = challenge_of(secret, _SIGN_IN)
    options = await asyncio.to_thread(passkeys.request_options, base_url, challenge)
    return await challenge_response(tables, config, secret, options)


@post("/me/sign-in", status_code=200)
async def sign_in(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[PasskeyForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    base_url: NamedDependency[str],
    tr: NamedDependency[Translator],
) -> Response[Any]:
    """Sign in this device with a passkey; a script follows the redirect."""
    devices = tables.store.devices
    try:
        challenge = await used_challenge(request, tables, _SIGN_IN)
        passkey = await devices.find_passkey(passkeys.credential_in(data.answer))
        if passkey is None:
            raise PasskeyRejected
        count = await asyncio.to_thread(passkeys.check_answer, base_url, challenge, data.answer, passkey)
        if not await devices.use_passkey(passkey, count, tables.now().date()):
            raise PasskeyRejected
    except PasskeyRejected:
        note("a passkey was rejected")
        return script_response({"why": tr.text(_REJECTED)}, 422)
    arrived = await arrive(request, tables, visitor, passkey.owner, config)
    response = script_response({"next": arrived.url})
    response.cookies = arrived.cookies
    return response


# ------------------------------------------------------------------ the recovery code


@post("/me/recovery-code", status_code=200)
async def make_recovery_code(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    device_pages: NamedDependency[DevicePages],
    base_url: NamedDependency[str],
) -> Response[str]:
    """Create a recovery code, which replaces the previous one and is shown only this once."""
    owner, code, today = provide_person(visitor), new_code(), tables.now().date()
    await tables.store.devices.set_recovery_code(owner, code_digest(code), today)
    return page(device_pages.recovery_code(shown_once(visitor), code, base_url, today))


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
            return await arrive(request, tables, visitor, owner, config, code)
    note("a recovery code was rejected")
    return await my_page(request, visitor, 422, devices={"problem": tr.text(_WRONG_CODE)})


# ------------------------------------------------------------------ leaving


@get("/me/delete")
async def deletion(
    visitor: NamedDependency[Visitor], device_pages: NamedDependency[DevicePages]
) -> Response[str] | Redirect:
    """Ask for confirmation to delete everything about the visitor."""
    return page(device_pages.deletion(visitor)) if visitor.owner is not None else redirect("/me")


@post("/me/delete")
async def delete_person(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    device_pages: NamedDependency[DevicePages],
) -> Response[str]:
    await tables.erase(provide_person(visitor))
    note("a person was erased")
    response = page(device_pages.deleted(replace(visitor, owner=None, session=None)))
    response.delete_cookie(tokens.COOKIE)
    return response


ROUTES: Final = (
    end_session, end_key, signing_out, sign_out, arrival, go_on, passkey_options, add_passkey, rename_passkey,
    remove_passkey, sign_in_options, sign_in, make_recovery_code, recover, deletion, delete_person,
)  # fmt: skip

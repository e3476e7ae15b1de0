"""Passkeys: adding, renaming and removing them, and signing in with one."""

import asyncio
from datetime import timedelta
from typing import Any, Final

from litestar import Request, Response, post
from litestar.di import NamedDependency
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.devices import NewPasskey
from hegemon.server.db.errors import ConflictError
from hegemon.server.identity import passkeys
from hegemon.server.identity.passkeys import PasskeyRejected
from hegemon.server.identity.user_agents import browser_of, system_of
from hegemon.server.logging import note
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import clean_name
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.forms import PasskeyForm
from hegemon.server.web.responses import redirect, script_response
from hegemon.server.web.routes.devices import RowNumber
from hegemon.server.web.routes.signing_in import arrive
from hegemon.server.web.session import Visitor, cookie

#: The cookie with the secret of a challenge: an answer counts only in the browser that requested it.
CHALLENGE: Final = "challenge"
_CHALLENGE_LIFETIME: Final = timedelta(minutes=5)

_SIGN_IN: Final = "sign in"

_REJECTED: Final = REJECTIONS["passkey"]
_NOT_ADDED: Final = REJECTIONS["passkeys"]


async def challenge_response(
    tables: TableRegistry, config: ServerConfig, secret: str, options: dict[str, Any]
) -> Response[Any]:
    """The options of a new challenge, and the cookie without which its answer does not count."""
    now = tables.now()
    await tables.store.devices.add_challenge(tokens.digest(secret), now, now + _CHALLENGE_LIFETIME)
    response = script_response(options)
    seconds = int(_CHALLENGE_LIFETIME.total_seconds())
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
    person: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    base_url: NamedDependency[str],
    tr: NamedDependency[Translator],
) -> Response[Any]:
    """The options with which the browser creates a passkey."""
    secret = tokens.new_token()
    if passkeys.site_of(base_url) is None:
        return script_response({"why": tr.text(_REJECTED)}, 422)
    options = await asyncio.to_thread(
        passkeys.creation_options,
        base_url,
        person,
        visitor.name or "Hegemon",
        challenge_of(secret, person),
        await tables.store.devices.passkeys_of(person),
    )
    return await challenge_response(tables, config, secret, options)


@post("/me/passkeys", status_code=200)
async def add_passkey(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[PasskeyForm],
    person: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    base_url: NamedDependency[str],
    tr: NamedDependency[Translator],
) -> Response[Any]:
    agent = request.headers.get("user-agent", "")
    try:
        challenge = await used_challenge(request, tables, person)
        found = await asyncio.to_thread(passkeys.verify_registration, base_url, challenge, data.answer)
        name = system_of(agent) or browser_of(agent) or tr.text("Passkey")
        today = tables.now().date()
        credential, public_key, sign_count = found
        await tables.store.devices.add_passkey(
            NewPasskey(credential, person, public_key, sign_count, clean_name(name), today)
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
    person: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    name = clean_name(data.name)
    if not name:
        return redirect("/me#passkeys")
    await tables.store.devices.rename_passkey(person, passkey_id, name)
    return redirect("/me?done=renamed#passkeys")


@post("/me/passkeys/{passkey_id:int}/remove")
async def remove_passkey(
    passkey_id: RowNumber,
    person: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    await tables.store.devices.remove_passkey(person, passkey_id)
    return redirect("/me?done=removed#passkeys")


@post("/me/sign-in/options", status_code=200)
async def sign_in_options(
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    base_url: NamedDependency[str],
    tr: NamedDependency[Translator],
) -> Response[Any]:
    """The options with which the browser signs in with any of its passkeys."""
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
        passkey = await devices.find_passkey(passkeys.credential_id_in(data.answer))
        if passkey is None:
            raise PasskeyRejected
        count = await asyncio.to_thread(passkeys.verify_sign_in, base_url, challenge, data.answer, passkey)
        if not await devices.use_passkey(passkey, count, tables.now().date()):
            raise PasskeyRejected
    except PasskeyRejected:
        note("a passkey was rejected")
        return script_response({"why": tr.text(_REJECTED)}, 422)
    arrived = await arrive(request, tables, visitor, passkey.owner, config)
    response = script_response({"next": arrived.url})
    response.cookies = arrived.cookies
    return response


ROUTES: Final = (
    passkey_options, add_passkey, rename_passkey, remove_passkey, sign_in_options, sign_in,
)  # fmt: skip

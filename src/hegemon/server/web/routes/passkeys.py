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
from hegemon.server.logging import log_event
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import clean_name
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.forms import PasskeyForm
from hegemon.server.web.responses import redirect, script_response
from hegemon.server.web.routes.devices import RowId
from hegemon.server.web.routes.signing_in import sign_in_as
from hegemon.server.web.session import Visitor, cookie

#: The cookie with the secret of a challenge: a response counts only in the browser that requested the challenge.
CHALLENGE: Final = "challenge"
_CHALLENGE_LIFETIME: Final = timedelta(minutes=5)

_SIGN_IN: Final = "sign in"

_REJECTED: Final = REJECTIONS["passkey"]
_NOT_ADDED: Final = REJECTIONS["passkeys"]


async def challenge_response(
    tables: TableRegistry, config: ServerConfig, secret: str, options: dict[str, Any]
) -> Response[Any]:
    """The options of a new challenge, and the cookie without which the response to it does not count."""
    now = tables.now()
    await tables.store.devices.add_challenge(tokens.digest(secret), now, now + _CHALLENGE_LIFETIME)
    response = script_response(options)
    seconds = int(_CHALLENGE_LIFETIME.total_seconds())
    response.cookies.append(cookie(CHALLENGE, secret, secure=config.secure, max_age=seconds))
    return response


def derive_challenge(secret: str, purpose: str) -> bytes:
    return tokens.derived_token(secret, purpose).encode()


async def use_challenge(request: Request[Any, Any, Any], tables: TableRegistry, purpose: str) -> bytes:
    """Use up the challenge of this browser, and return it; raises PasskeyRejected if it was used or has expired."""
    secret = request.cookies.get(CHALLENGE, "")
    if not await tables.store.devices.use_challenge(tokens.digest(secret), tables.now()):
        raise PasskeyRejected
    return derive_challenge(secret, purpose)


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
    if passkeys.relying_party_id(base_url) is None:
        return script_response({"why": tr.text(_REJECTED)}, 422)
    options = await asyncio.to_thread(
        passkeys.creation_options,
        base_url,
        person,
        visitor.name or "Hegemon",
        derive_challenge(secret, person),
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
        challenge = await use_challenge(request, tables, person)
        credential, public_key, sign_count = await asyncio.to_thread(
            passkeys.verify_registration, base_url, challenge, data.answer
        )
        name = system_of(agent) or browser_of(agent) or tr.text("Passkey")
        today = tables.now().date()
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
    passkey_id: RowId,
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
    passkey_id: RowId,
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
    if passkeys.relying_party_id(base_url) is None:
        return script_response({"why": tr.text(_REJECTED)}, 422)
    secret = tokens.new_token()
    challenge = derive_challenge(secret, _SIGN_IN)
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
    """Sign in this device with a passkey; the page's script follows the redirect."""
    devices = tables.store.devices
    try:
        challenge = await use_challenge(request, tables, _SIGN_IN)
        passkey = await devices.find_passkey(passkeys.credential_id_in(data.answer))
        if passkey is None:
            raise PasskeyRejected
        count = await asyncio.to_thread(passkeys.verify_sign_in, base_url, challenge, data.answer, passkey)
        if not await devices.use_passkey(passkey, count, tables.now().date()):
            raise PasskeyRejected
    except PasskeyRejected:
        log_event("a passkey was rejected")
        return script_response({"why": tr.text(_REJECTED)}, 422)
    signed_in = await sign_in_as(request, tables, visitor, passkey.owner, config)
    response = script_response({"next": signed_in.url})
    response.cookies = signed_in.cookies
    return response


ROUTES: Final = (
    passkey_options, add_passkey, rename_passkey, remove_passkey, sign_in_options, sign_in,
)  # fmt: skip

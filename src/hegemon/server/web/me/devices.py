"""The devices of a person: sessions, passkeys and the recovery code."""

from datetime import date
from typing import Any, Final

from babel.dates import format_date
from litestar import Request

from hegemon.prose.translator import Translator, get_translator
from hegemon.server.db.devices import MAX_PASSKEYS
from hegemon.server.dependencies import provide_base_url
from hegemon.server.identity.passkeys import relying_party_id
from hegemon.server.identity.user_agents import browser_of, system_of
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.texts import translatable
from hegemon.server.web.session import Visitor

#: Confirmations of the last action, by section of the page and by the value of the query parameter `done`.
_CONFIRMATIONS: Final = {
    "devices": {
        "session": translatable("The device was signed out."),
        "key": translatable("The browser was signed out, and your personal link no longer works."),
    },
    "passkeys": {
        "added": translatable("The passkey was added."),
        "renamed": translatable("The passkey was renamed."),
        "removed": translatable("The passkey was removed."),
    },
    "recovery": {"recovered": translatable("Your recovery code has been used. Create a new one.")},
    "here": {"here": translatable("You have signed out.")},
}


async def devices_section(request: Request[Any, Any, Any], visitor: Visitor) -> dict[str, Any]:
    tables: TableRegistry = request.app.state.tables
    devices, tr, owner = tables.store.devices, get_translator(visitor.language), visitor.owner or ""
    agent, done = request.headers.get("user-agent", ""), request.query_params.get("done", "")

    def day(shown: date | None) -> str:
        return format_date(shown, "long", tr.code) if shown is not None else ""

    passkeys = await devices.passkeys_of(owner)
    return {
        "signed_out": visitor.owner is None and tokens.is_session(request.cookies.get(tokens.COOKIE)),
        "here": device_name(browser_of(agent), system_of(agent), tr),
        "has_key": tokens.has_key(owner),
        "done": {
            section: tr.text(sentences[done]) if done in sentences else ""
            for section, sentences in _CONFIRMATIONS.items()
        },
        "sessions": [
            {
                "id": session.id,
                "name": device_name(session.browser, session.system, tr),
                "created": day(session.created_on),
                "seen": day(session.seen_on),
                "here": session.id == visitor.session,
            }
            for session in await devices.sessions_of(owner)
        ],
        "passkeys": [
            {
                "id": passkey.id,
                "name": passkey.name,
                "created": day(passkey.created_on),
                "used": day(passkey.used_on),
            }
            for passkey in passkeys
        ],
        "can_have_passkeys": relying_party_id(provide_base_url(request, request.app.state.config))
        is not None,
        "may_add": len(passkeys) < MAX_PASSKEYS,
        "code_made": day(await devices.recovery_code_date(owner)),
        "problem": "",
    }


def device_name(browser: str, system: str, tr: Translator) -> str:
    if browser and system:
        return tr.text("{browser} on {system}", browser=browser, system=system)
    return browser or system or tr.text("An unknown device")

"""Notices to the devices of a person: a browser subscribes, and the person chooses what each device shows."""

from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.subscriptions import Subscription
from hegemon.server.push.dispatcher import PushDispatcher
from hegemon.server.push.encryption import read_device_keys
from hegemon.server.push.notices import TITLES
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.texts import translatable
from hegemon.server.web.forms import KindsForm, SubscriptionForm
from hegemon.server.web.responses import redirect, script_response
from hegemon.server.web.session import Visitor, cookie
from hegemon.server.webhooks.sender import WEBHOOK_REJECTIONS, WebhookRejected, parse_url

_NO_KEYS: Final = translatable("These are not the keys of a browser’s subscription.")


def existing_kinds(kinds: list[str]) -> tuple[str, ...]:
    """The kinds that exist, in order."""
    return tuple(kind for kind in TITLES if kind in kinds)


@get("/me/notices")
async def subscriptions(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    notices: NamedDependency[PushDispatcher],
) -> Response[Any]:
    """The server's public key, the tag of the visitor, and the kinds of notices that the visitor's devices show."""
    devices = await tables.store.subscriptions.of([visitor.owner or ""])
    return script_response(
        {
            "key": await notices.public_key(),
            "person": visitor.tag,
            "devices": {device.id: device.kinds for device in devices},
        }
    )


@post("/me/notices")
async def subscribe(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[SubscriptionForm],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    notices: NamedDependency[PushDispatcher],
    config: NamedDependency[ServerConfig],
    base_url: NamedDependency[str],
) -> Response[Any]:
    """Add or renew this device, for the person who currently uses it and in their current language."""
    try:
        check_endpoint(data.endpoint, allow_private=config.private_webhooks)
        keys = read_device_keys(data.public_key, data.secret)
    except WebhookRejected as error:
        return script_response({"why": tr.text(WEBHOOK_REJECTIONS[error.key])}, 422)
    except ValueError:
        return script_response({"why": tr.text(_NO_KEYS)}, 422)
    subscription = Subscription(
        owner,
        tokens.digest(token),
        data.endpoint,
        *keys,
        tuple(TITLES) if data.kinds is None else existing_kinds(data.kinds.split()),
        visitor.language,
        request.headers.get("user-agent", "")[:200],
        base_url,
        created_at=tables.now(),
        chosen_at=tables.now(),
    )
    await tables.store.subscriptions.save(
        subscription, keeps_kinds=data.kinds is None, replaces=data.replaces
    )
    await notices.check_owner(owner)
    response = script_response({"id": subscription.id}, 201)
    response.set_cookie(cookie(tokens.COOKIE, token, secure=config.secure))
    return response


def check_endpoint(url: str, *, allow_private: bool) -> None:
    """Raise WebhookRejected for an endpoint that this server does not call."""
    if parse_url(url, allow_private=allow_private).scheme != "https" and not allow_private:
        raise WebhookRejected("secure")


@post("/me/notices/{device:str}")
async def choose_kinds(
    data: URLEncodedBody[KindsForm],
    device: FromPath[str],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    notices: NamedDependency[PushDispatcher],
) -> Redirect:
    kinds = existing_kinds([kind for kind in TITLES if getattr(data, kind)])
    if not await tables.store.subscriptions.set_kinds(visitor.owner, device, kinds, tables.now()):
        raise NotFoundException
    await notices.check_owner(visitor.owner or "")
    return redirect("/me#notices")


@post("/me/notices/{device:str}/remove")
async def unsubscribe(
    device: FromPath[str], visitor: NamedDependency[Visitor], tables: NamedDependency[TableRegistry]
) -> Redirect:
    if not await tables.store.subscriptions.delete(visitor.owner, device):
        raise NotFoundException
    return redirect("/me#notices")


ROUTES: Final = (subscriptions, subscribe, choose_kinds, unsubscribe)

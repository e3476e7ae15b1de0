"""The devices of a person that show notices, and the kinds that they show."""

from typing import Any

from babel.dates import format_date
from litestar import Request

from hegemon.prose.translator import get_translator
from hegemon.server.identity.user_agents import browser_of, system_of
from hegemon.server.push.notices import TITLES
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.web.me.devices import device_name
from hegemon.server.web.session import Visitor


async def notices_section(request: Request[Any, Any, Any], visitor: Visitor) -> dict[str, Any]:
    tables: TableRegistry = request.app.state.tables
    tr = get_translator(visitor.language)
    devices = await tables.store.subscriptions.of([visitor.owner or ""])
    return {
        "kinds": {kind: tr.text(title) for kind, title in TITLES.items()},
        "devices": [
            {
                "id": device.id,
                "name": device_name(browser_of(device.device), system_of(device.device), tr),
                "created": format_date(device.created_at, "long", tr.code),
                "kinds": device.kinds,
            }
            for device in devices
        ],
    }

"""Games that expire: finished and imported ones are deleted some time after they last changed."""

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from hegemon.server.logging import note

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: Seconds between two searches for games that have expired.
_INTERVAL: Final = 60 * 60

_LOG: Final = logging.getLogger("hegemon.server")


async def expire_games(tables: "TableRegistry", after: timedelta) -> None:
    """Delete what has expired, some games at a time: moves of others do not wait for it."""
    while expired := await tables.store.games.expire(tables.now() - after):
        tables.forget(expired)
        note("games expired", number=len(expired))


async def keep_expiring(tables: "TableRegistry", after: timedelta) -> None:
    while True:
        try:
            await expire_games(tables, after)
        except Exception:
            _LOG.exception("games could not expire")
        await asyncio.sleep(_INTERVAL)

"""What expires: games that are over or imported, studies, and attempts at puzzles, some time after the last change."""

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from hegemon.server.logging import note

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The name of the background task.
EXPIRY: Final = "expiry"

#: Seconds between two searches for games that have expired.
_INTERVAL: Final = 60 * 60


def start_expiring(tables: "TableRegistry") -> None:
    """Delete expired games from now on, if the configuration says that they expire."""
    after = tables.config.expire_after
    if after is not None:
        tables.background.start(EXPIRY, lambda: _keep_expiring(tables, after))


async def _keep_expiring(tables: "TableRegistry", after: timedelta) -> None:
    while True:
        await expire_games(tables, after)
        tables.background.works(EXPIRY)
        await asyncio.sleep(_INTERVAL)


async def expire_games(tables: "TableRegistry", after: timedelta) -> None:
    """Delete what has expired, some of it at a time: moves of others do not wait for it."""
    while expired := await tables.store.games.expire(tables.now() - after):
        tables.forget(expired)
        note("games expired", number=len(expired))
    while number := await tables.store.studies.expire(tables.now() - after):
        note("studies expired", number=number)
    while number := await tables.store.puzzles.expire(tables.now() - after):
        note("solvers expired", number=number)

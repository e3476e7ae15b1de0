"""Expiry of finished and imported games, studies, and attempts at puzzles, some time after the last change."""

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from hegemon.server.logging import log_event

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The name of the background task.
EXPIRY: Final = "expiry"

#: Seconds between searches for expired games.
_INTERVAL: Final = 60 * 60


def start_expiring(tables: "TableRegistry") -> None:
    """Start deleting expired games, if the configuration says that games expire."""
    after = tables.config.expire_after
    if after is not None:
        tables.start_owned_task(EXPIRY, lambda: _keep_expiring(tables, after))


async def _keep_expiring(tables: "TableRegistry", after: timedelta) -> None:
    while True:
        await expire_games(tables, after)
        tables.background.report_success(EXPIRY)
        await asyncio.sleep(_INTERVAL)


async def expire_games(tables: "TableRegistry", after: timedelta) -> None:
    """Delete everything that has expired, in batches so that moves are not delayed."""
    while expired := await tables.store.games.expire(tables.now() - after):
        tables.forget(expired)
        log_event("games expired", number=len(expired))
    while number := await tables.store.studies.expire(tables.now() - after):
        log_event("studies expired", number=number)
    while number := await tables.store.puzzles.expire(tables.now() - after):
        log_event("solvers expired", number=number)

"""Archiving of finished games: some minutes after the end, their moves are packed into one row."""

import asyncio
import logging
from datetime import datetime
from typing import TYPE_CHECKING, Final

from hegemon.server.db.archives import ArchiveError
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.store import Store
from hegemon.server.logging import log_event

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The name of the background task.
ARCHIVING: Final = "archives"

#: Seconds between games, so that moves are not delayed, and between searches for finished games.
_PAUSE: Final = 0.02
_INTERVAL: Final = 60

#: The number of games found at a time.
_MAX_FOUND: Final = 100

_LOG: Final = logging.getLogger("hegemon.server")


def start_archiving(tables: "TableRegistry") -> None:
    """Start archiving finished games, including those that ended before archives existed."""
    tables.start_owned_task(ARCHIVING, lambda: _keep_archiving(tables))


async def _keep_archiving(tables: "TableRegistry") -> None:
    damaged: set[str] = set()
    while True:
        number = await archive_games(
            tables.store, tables.now() - tables.config.archive_after, damaged, _PAUSE
        )
        if number:
            log_event("games archived", number=number)
        tables.background.report_success(ARCHIVING)
        await asyncio.sleep(_INTERVAL)


async def archive_games(store: Store, before: datetime, damaged: set[str], pause: float = 0) -> int:
    """Archive all finished games that have not changed since `before`; return their number.

    Each game is archived in a separate transaction. Games that cannot be archived keep their rows, are logged, and are
    added to `damaged`, so that they are logged once.
    """
    number, last = 0, None
    while found := await store.archives.due(before, _MAX_FOUND, last):
        for last in found:  # the next search continues after the last one
            game_id = last[1]
            try:
                number += await store.archives.archive(game_id, before)
            except (ArchiveError, ConflictError):
                if game_id not in damaged:
                    _LOG.exception("a game cannot be archived", extra={"facts": {"game": game_id}})
                damaged.add(game_id)
            await asyncio.sleep(pause)
    return number

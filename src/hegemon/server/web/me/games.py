"""The lists of a person's games."""

from dataclasses import replace
from typing import Final

from hegemon.server.db.own_games import PAGE_SIZE, OwnGame
from hegemon.server.tables.errors import BrokenGame, TableNotFound
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.turns import turns_of

#: The number of unfinished and of finished games on the home page.
_MAX_RUNNING: Final = 8
_MAX_FINISHED: Final = 4


async def running_games(
    tables: TableRegistry, owner: str | None, page: int = 1, size: int = PAGE_SIZE
) -> list[OwnGame]:
    """The unfinished games; if it is unknown whose turn it is, the table is loaded to find out."""
    return [await _with_turn(tables, own) for own in await tables.store.own_games.running(owner, page, size)]


async def _with_turn(tables: TableRegistry, own: OwnGame) -> OwnGame:
    if own.to_move or any(row.is_open for row in own.game.seats):
        return own
    try:
        return replace(own, to_move=dict(turns_of(await tables.load(own.game.id, requested=False))))
    except (BrokenGame, TableNotFound):
        return own


async def latest_games(tables: TableRegistry, owner: str | None) -> list[OwnGame]:
    finished = await tables.store.own_games.finished(owner, size=_MAX_FINISHED)
    return [*await running_games(tables, owner, size=_MAX_RUNNING), *finished]

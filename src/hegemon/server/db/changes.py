"""Games that other workers have changed, by PostgreSQL's transaction ids.

Triggers save for every game the last transaction of each worker that changed it (migration 0023). A reader that queries
everything since the oldest transaction that was still running at its last query misses nothing, regardless of the order
in which transactions are committed.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import TextClause
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.messages import latest_messages
from hegemon.server.db.rows import GameUpdate, MoveRow
from hegemon.server.db.seats import seats_of, substitutions_of

#: The last transaction of each worker that has changed a game.
Revisions = Mapping[str, int]

_SINCE: Final = TextClause(
    """
    SELECT now.floor, changes.game, changes.writer, changes.revision,
           EXISTS (
               SELECT FROM games WHERE games.id = changes.game AND NOT games.finished
               AND (games.options LIKE '%"clock":%' OR EXISTS (
                   SELECT FROM seats WHERE seats.game = games.id
                   AND (seats.bot IS NOT NULL OR seats.substitute IS NOT NULL)
               ))
           ) AS is_driven
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS floor) AS now
    LEFT JOIN changes ON changes.revision >= :floor AND changes.writer <> :reader
    """
)

#: A game that is over is left out, because its moves may be in an archive. Everything else is read afterward, so that
#: the revisions never include a change that was not loaded.
_UPDATED: Final = TextClause(
    """
    SELECT games.id, games.started_at, games.host, games.public, games.rated, games.counted,
           (SELECT rematch.id FROM games AS rematch WHERE rematch.previous_game = games.id) AS next_game,
           EXISTS (SELECT FROM closures WHERE closures.game = games.id) AS closed,
           EXISTS (SELECT FROM messages WHERE messages.game = games.id) AS has_messages,
           EXISTS (SELECT FROM substitutions WHERE substitutions.game = games.id) AS has_substitutions,
           ARRAY(SELECT ROW(writer, revision) FROM changes WHERE game = games.id AND writer <> :reader) AS revisions
    FROM games WHERE games.id = ANY(:games) AND NOT games.finished
    """
)

_NEW_MOVES: Final = TextClause(
    """
    SELECT moves.game, moves.version, moves.seat, moves.choice, moves.idempotency_key, moves.created_at
    FROM unnest(CAST(:games AS varchar[]), CAST(:versions AS integer[])) AS known (game, version)
    JOIN moves ON moves.game = known.game AND moves.version > known.version
    ORDER BY moves.game, moves.version
    """
)

_OF_GAME: Final = TextClause("SELECT writer, revision FROM changes WHERE game = :game AND writer <> :reader")

#: Rows of earlier transactions, and those of another cluster from which the database was restored.
_PRUNE: Final = TextClause(
    "DELETE FROM changes WHERE revision < :floor "
    "OR revision >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
)


@dataclass(frozen=True)
class GameChange:
    game: str
    writer: str
    revision: int
    is_driven: bool
    """Whether the game goes on without requests: a clock runs, or a bot has a seat."""


class Changes:
    """The changes of other workers; with SQLite, there are none.

    A change of this worker is included if the response to its commit was lost.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def since(self, floor: int) -> tuple[int, list[GameChange]]:
        """All changes since a transaction id, and the id to pass next time."""
        async with self._database.reading() as connection:
            found = (
                await connection.execute(_SINCE, {"floor": floor, "reader": self._database.writer})
            ).all()
        changes = [
            GameChange(row.game, row.writer, row.revision, row.is_driven)
            for row in found
            if row.game is not None
        ]
        return found[0].floor, changes

    async def of_game(self, game_id: str) -> Revisions:
        async with self._database.reading() as connection:
            return await revisions_of(connection, self._database, game_id)

    async def updates(self, versions: Mapping[str, int]) -> dict[str, GameUpdate]:
        """The current state of games, each with its moves after a version; those that are over or deleted are missing.

        All games are read by a few statements, so that a worker can follow many games of other workers.
        """
        game_ids = list(versions)
        async with self._database.reading() as connection:
            facts = {"games": game_ids, "reader": self._database.writer}
            rows = (await connection.execute(_UPDATED, facts)).all()
            found = [row.id for row in rows]
            seats = await seats_of(connection, found)
            moves = await new_moves(connection, versions)
            return {
                row.id: GameUpdate(
                    seats=seats[row.id],
                    moves=tuple(moves[row.id]),
                    messages=await latest_messages(connection, row.id) if row.has_messages else (),
                    started_at=row.started_at,
                    substitutions=await substitutions_of(connection, row.id) if row.has_substitutions else (),
                    host=row.host,
                    public=row.public,
                    rated=row.rated,
                    counted=row.counted,
                    next_game=row.next_game,
                    closed=row.closed,
                    revisions=dict(row.revisions),
                )
                for row in rows
            }

    async def prune(self, floor: int) -> None:
        """Delete the changes before a transaction id, which every worker has seen."""
        async with self._database.writing() as connection:
            await connection.execute(_PRUNE, {"floor": floor})


async def new_moves(connection: AsyncConnection, versions: Mapping[str, int]) -> dict[str, list[MoveRow]]:
    """The moves of games after a version of each, from their rows."""
    moves: dict[str, list[MoveRow]] = defaultdict(list)
    known = {"games": list(versions), "versions": list(versions.values())}
    for game_id, *facts in await connection.execute(_NEW_MOVES, known):
        moves[game_id].append(MoveRow(*facts))
    return moves


async def revisions_of(connection: AsyncConnection, database: Database, game_id: str) -> Revisions:
    """The changes of a game by other workers; to be read before the game itself, so that none is missed."""
    if not database.is_shared:
        return {}
    found = await connection.execute(_OF_GAME, {"game": game_id, "reader": database.writer})
    return {row.writer: row.revision for row in found}

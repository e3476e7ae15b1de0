"""Archives: the moves of a finished game, packed into one row.

A move has a row of its own while the game is played, because the keys of that row decide between two workers that
append at once, and make a repeated request count once. When the game is over, nothing is appended any longer, and its
moves need a fiftieth of the space. Games only ever go from rows to an archive.

An archive starts with the number of its format. Every format that was ever written can be read.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final

from sqlalchemy import (
    Column,
    ForeignKey,
    LargeBinary,
    Table,
    and_,
    delete,
    exists,
    insert,
    select,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.moves import moves_of
from hegemon.server.db.schema import MoveRow, games, metadata, moves

archives: Final = Table(
    "archives",
    metadata,
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("moves", LargeBinary, nullable=False),
)

#: The format: zlib's compression of the choices, separated by spaces, and the seats, a digit each, on two lines, and
#: then of the times as numbers of variable length. The first number is the time of the first move, the second is added
#: to all differences so that none is negative, and each of the others is the difference to the move before.
_FORMAT: Final = 1

#: Times are in milliseconds.
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(milliseconds=1)

#: The maximum size of an archive's contents, far above that of any game: a damaged one must not fill the memory.
_MAX_SIZE: Final = 1 << 22


class ArchiveError(ValueError):
    """Moves that cannot be archived, or an archive that cannot be read."""


class Archives:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def due(
        self, before: datetime, limit: int, after: tuple[datetime, str] | None = None
    ) -> list[tuple[datetime, str]]:
        """Some finished games that are not archived, each with the time of its last change, the earliest first.

        Only games after the one given by `after` are returned.
        """
        place = games.c.updated_at, games.c.id
        query = select(*place).where(games.c.finished, ~games.c.archived, games.c.updated_at < before)
        if after is not None:
            query = query.where(tuple_(*place) > after)
        async with self._database.reading() as connection:
            return [(row[0], row[1]) for row in await connection.execute(query.order_by(*place).limit(limit))]

    async def archive(self, game_id: str, before: datetime) -> bool:
        """Replace the moves of a finished game with their archive, if it has not changed since `before`.

        Return whether this call did it: of several at once, only the first does. Raises ArchiveError, and changes
        nothing, if the moves are not those of a game.
        """
        async with self._database.writing() as connection:
            # The update comes first, because it locks the row: no one else archives the game or appends a move.
            due = and_(
                games.c.id == game_id, games.c.finished, ~games.c.archived, games.c.updated_at < before
            )
            if (await connection.execute(update(games).where(due).values(archived=True))).rowcount == 0:
                return False
            packed = pack(await moves_of(connection, game_id))
            await connection.execute(insert(archives).values(game=game_id, moves=packed))
            await connection.execute(delete(moves).where(moves.c.game == game_id))
            return True

    async def misplaced(self) -> list[str]:
        """The games that are archived in one place and not in another."""
        has_archive = exists().where(archives.c.game == games.c.id)
        has_moves = exists().where(moves.c.game == games.c.id)
        found = select(games.c.id).where(
            (games.c.archived & (~has_archive | has_moves | ~games.c.finished))
            | (~games.c.archived & has_archive)
        )
        async with self._database.reading() as connection:
            return list(await connection.scalars(found.order_by(games.c.id)))


async def saved_moves(
    connection: AsyncConnection, game_id: str, after: int = 0, *, finished: bool, archived: bool
) -> tuple[MoveRow, ...]:
    """The moves of a game after a version, from its rows or its archive; raises ArchiveError if that is damaged."""
    if not archived:
        rows = await moves_of(connection, game_id, after)
        if rows or not finished:
            return rows
    # A game may have been archived since its row was read.
    packed = await connection.scalar(select(archives.c.moves).where(archives.c.game == game_id))
    if packed is not None:
        return unpack(packed)[after:]
    if archived:
        raise ArchiveError("the archive is missing")
    return ()


def pack(rows: Sequence[MoveRow]) -> bytes:
    """The archive of moves, without idempotency keys and with times in milliseconds."""
    ticks = [_tick_of(row) for row in rows]
    differences = [later - earlier for earlier, later in pairwise(ticks)]
    shift = -min(0, *differences, 0)
    times = [*ticks[:1], shift, *(difference + shift for difference in differences)] if ticks else []
    text = " ".join(row.choice for row in rows) + "\n" + "".join(str(row.seat) for row in rows) + "\n"
    compressor = zlib.compressobj(9)
    packed = bytes([_FORMAT]) + compressor.compress(text.encode())
    packed += compressor.flush(zlib.Z_FULL_FLUSH)  # the bytes of times have other frequencies
    try:
        packed += compressor.compress(bytes(_varints(times))) + compressor.flush()
    except ValueError as error:
        raise ArchiveError("a time is out of range") from error
    if [_kept(row) for row in unpack(packed)] != [_kept(row) for row in rows]:
        raise ArchiveError("the moves are not those of a game")
    return packed


def unpack(packed: bytes) -> tuple[MoveRow, ...]:
    """The moves in an archive; raises ArchiveError if it is damaged."""
    if packed[:1] != bytes([_FORMAT]):
        raise ArchiveError("the format of the archive is unknown")
    decompressor = zlib.decompressobj()
    try:
        contents = decompressor.decompress(packed[1:], _MAX_SIZE)
        choices, seats, times = contents.split(b"\n", 2)
        if not decompressor.eof or decompressor.unused_data:
            raise ArchiveError("the archive is incomplete")
        texts = choices.decode().split(" ") if seats else []
        ticks = _ticks(_numbers(times))
        return tuple(
            MoveRow(version, int(seat), text, None, _EPOCH + _TICK * tick)
            for version, (text, seat, tick) in enumerate(zip(texts, seats.decode(), ticks, strict=True), 1)
        )
    except (zlib.error, ValueError, OverflowError) as error:
        raise ArchiveError("the archive is damaged") from error


def _kept(row: MoveRow) -> tuple[int, int, str, int]:
    """What an archive keeps of a move."""
    return row.version, row.seat, row.choice, _tick_of(row)


def _tick_of(row: MoveRow) -> int:
    assert row.created_at is not None, "saved moves have a time"
    return (row.created_at - _EPOCH) // _TICK


def _ticks(numbers: Iterator[int]) -> Iterator[int]:
    for first in numbers:
        shift = next(numbers)
        yield first
        for number in numbers:
            first += number - shift
            yield first


def _varints(numbers: Iterable[int]) -> Iterator[int]:
    """The bytes of numbers, seven bits in each, the lowest first; the highest bit is set if more follow."""
    for number in numbers:
        while number > 0x7F:
            yield number & 0x7F | 0x80
            number >>= 7
        yield number


def _numbers(varints: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in varints:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0
    if shift:
        raise ArchiveError("the last number is incomplete")

"""Archives: the moves of a finished game, packed into one row.

While a game is played, each move has a row, whose unique keys decide between two workers that append at the same time,
and make a repeated request count once. When the game is over, nothing is appended any longer, and an archive needs a
fiftieth of the space. A game that is archived never gets rows again.

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
from hegemon.server.db.rows import MoveRow
from hegemon.server.db.schema import games, metadata, moves

archives: Final = Table(
    "archives",
    metadata,
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("moves", LargeBinary, nullable=False),
)

#: The format of new archives.
_FORMAT: Final = 2

#: The choices that have a code in format 2, which is their index in this tuple: never change their order.
_CHOICES: Final = (
    "M", "R", "E", "S", "C", "U", "M1", "M2", "M3", "R1", "R2", "E1", "E2", "E3", "S1", "S2", "S3", "C1",
    "C2", "C3", "U3", "M+", "M++", "R+", "R++", "E+", "E++", "S+", "S++", "U+", "U++", "cM+", "cM++", "cR+",
    "cR++", "cE+", "cE++", "cS+", "cS++", "cU+", "cU++", "mM", "mR", "mE", "mS", "mC", "mU", "r+1", "r+2",
    "r+3", "e+0", "e+1", "e+2", "e+3", "u+0", "u+1", "u+2", "u+3", "sM", "sR", "sE", "sS", "sU", ".",
    "undo",
)  # fmt: skip
_CODES: Final = {choice: code for code, choice in enumerate(_CHOICES)}

#: Other codes in format 2: a choice that is written as text, the end of the moves, and a seat in the next byte. The
#: highest bit is set if the seat is not that of the move before, but the next one.
_AS_TEXT: Final = 0x7D
_END: Final = 0x7E
_SEAT: Final = 0x7F
_NEXT_SEAT: Final = 0x80

#: Times are in milliseconds.
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(milliseconds=1)

#: A seat is a digit in format 1.
_MAX_SEAT: Final = 9

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
        key = games.c.updated_at, games.c.id
        query = select(*key).where(games.c.finished, ~games.c.archived, games.c.updated_at < before)
        if after is not None:
            query = query.where(tuple_(*key) > after)
        async with self._database.reading() as connection:
            return [(row[0], row[1]) for row in await connection.execute(query.order_by(*key).limit(limit))]

    async def archive(self, game_id: str, before: datetime) -> bool:
        """Replace the moves of a finished game with their archive, if it has not changed since `before`.

        Return whether this call archived it; of several concurrent calls, only one does. Raises ArchiveError, and
        changes nothing, if the moves are not those of a game.
        """
        async with self._database.writing() as connection:
            # The update comes first because it locks the row: no other worker can archive the game or append a move.
            due = and_(
                games.c.id == game_id, games.c.finished, ~games.c.archived, games.c.updated_at < before
            )
            if (await connection.execute(update(games).where(due).values(archived=True))).rowcount == 0:
                return False
            packed = pack(await moves_of(connection, game_id))
            await connection.execute(insert(archives).values(game=game_id, moves=packed))
            await connection.execute(delete(moves).where(moves.c.game == game_id))
            return True

    async def inconsistent(self) -> list[str]:
        """The games whose `archived` flag does not agree with their archive, their moves, or the end of the game."""
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
    """The archive of moves, without idempotency keys and with times in milliseconds.

    This is a zlib stream with three blocks, because their bytes have different frequencies: the moves (the texts of
    those without a code, separated by spaces, on a line; the number of seats; the codes), the times without their
    lowest bytes, as numbers of variable length, and these bytes. Of the times, the first number is that of the first
    move, the second is added to all differences so that none is negative, and each of the others is the difference to
    the move before.
    """
    if not all(0 <= row.seat <= _MAX_SEAT for row in rows):
        raise ArchiveError("a seat is out of range")
    ticks = [_tick_of(row) for row in rows]
    differences = [later - earlier for earlier, later in pairwise(ticks)]
    shift = -min(0, *differences, 0)
    shifted = [difference + shift for difference in differences]
    high = [*ticks[:1], shift, *(difference >> 8 for difference in shifted)] if ticks else []
    try:
        blocks = [
            _encode_moves(rows),
            bytes(_write_varints(high)),
            bytes(difference & 0xFF for difference in shifted),
        ]
    except ValueError as error:
        raise ArchiveError("a time is out of range") from error
    compressor = zlib.compressobj(9)
    packed = bytes([_FORMAT])
    for index, block in enumerate(blocks):
        if index:
            packed += compressor.flush(zlib.Z_BLOCK)
        packed += compressor.compress(block)
    packed += compressor.flush()
    if [_archived_fields(row) for row in unpack(packed)] != [_archived_fields(row) for row in rows]:
        raise ArchiveError("the moves are not those of a game")
    return packed


def unpack(packed: bytes) -> tuple[MoveRow, ...]:
    """The moves in an archive; raises ArchiveError if it is damaged."""
    read = {1: _read_format_1, 2: _read_format_2}.get(packed[0] if packed else 0)
    if read is None:
        raise ArchiveError("the format of the archive is unknown")
    decompressor = zlib.decompressobj()
    try:
        contents = decompressor.decompress(packed[1:], _MAX_SIZE)
        if not decompressor.eof or decompressor.unused_data:
            raise ArchiveError("the archive is incomplete")
        return tuple(
            MoveRow(version, seat, choice, None, _EPOCH + _TICK * tick)
            for version, (seat, choice, tick) in enumerate(read(contents), 1)
        )
    except (zlib.error, ValueError, IndexError, OverflowError) as error:
        raise ArchiveError("the archive is damaged") from error


def _read_format_1(contents: bytes) -> Iterable[tuple[int, str, int]]:
    """The seats, choices and times of format 1: texts and digits on two lines, and then whole numbers for the times."""
    choices, seats, times = contents.split(b"\n", 2)
    numbers = list(_read_varints(times))
    texts = choices.decode().split(" ") if seats else []
    return zip(map(int, seats.decode()), texts, _ticks(numbers[:2], numbers[2:]), strict=True)


def _read_format_2(contents: bytes) -> Iterable[tuple[int, str, int]]:
    """The seats, choices and times of format 2."""
    texts, coded = contents.split(b"\n", 1)
    moves, number_of_bytes = _decode_moves(coded, iter(texts.decode().split(" ")))
    times = coded[number_of_bytes:]
    lowest = len(times) - max(len(moves) - 1, 0)
    numbers = list(_read_varints(times[:lowest]))
    differences = [high << 8 | low for high, low in zip(numbers[2:], times[lowest:], strict=True)]
    ticks = _ticks(numbers[:2], differences)
    return ((seat, choice, tick) for (seat, choice), tick in zip(moves, ticks, strict=True))


def _encode_moves(rows: Sequence[MoveRow]) -> bytes:
    """The seats and choices of moves in format 2."""
    texts = " ".join(row.choice for row in rows if row.choice not in _CODES)
    seats = max((row.seat for row in rows), default=0) + 1
    codes, last = bytearray([seats]), 0
    for row in rows:
        code = _CODES.get(row.choice, _AS_TEXT)
        if row.seat == (last + 1) % seats != last:
            code |= _NEXT_SEAT
        elif row.seat != last:
            codes += bytes([_SEAT, row.seat])
        codes.append(code)
        last = row.seat
    return texts.encode() + b"\n" + bytes(codes) + bytes([_END])


def _decode_moves(coded: bytes, texts: Iterator[str]) -> tuple[list[tuple[int, str]], int]:
    """The seats and choices that are coded in format 2, and the number of their bytes."""
    moves, seat, offset = [], 0, 1
    while (code := coded[offset]) != _END:
        offset += 1
        if code == _SEAT:
            seat = coded[offset]
            offset += 1
            continue
        if code & _NEXT_SEAT:
            seat = (seat + 1) % coded[0]
            code ^= _NEXT_SEAT
        moves.append((seat, next(texts, "") if code == _AS_TEXT else _CHOICES[code]))
    return moves, offset + 1


def _archived_fields(row: MoveRow) -> tuple[int, int, str, int]:
    """The fields of a move that an archive contains."""
    return row.version, row.seat, row.choice, _tick_of(row)


def _tick_of(row: MoveRow) -> int:
    assert row.created_at is not None, "saved moves have a time"
    return (row.created_at - _EPOCH) // _TICK


def _ticks(start: Sequence[int], differences: Iterable[int]) -> Iterator[int]:
    """The times, from the first time, the shift that was added to all differences, and the shifted differences."""
    if start:
        tick, shift = start
        yield tick
        for difference in differences:
            tick += difference - shift
            yield tick


def _write_varints(numbers: Iterable[int]) -> Iterator[int]:
    """The bytes of numbers, seven bits in each, the lowest first; the highest bit is set if more follow."""
    for number in numbers:
        while number > 0x7F:
            yield number & 0x7F | 0x80
            number >>= 7
        yield number


def _read_varints(varints: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in varints:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0
    if shift:
        raise ArchiveError("the last number is incomplete")

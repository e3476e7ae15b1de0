"""Presence: a seat is present while a stream of its player is open, and for a grace period after it.

A player who thinks for a long time stays present; one whose connection is lost is absent after the grace period.
"""

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from hegemon.rules.view import SPECTATOR

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry
    from hegemon.server.tables.table import Table

#: A lost connection may come back, and a page may be reloaded.
GRACE: Final = timedelta(seconds=10)

#: Without JavaScript, a page opens no stream: its reader counts as present for this long after each request.
READING: Final = timedelta(minutes=2)

#: Seconds within which a new number of spectators is shown; changes within this time are combined.
COUNT_INTERVAL: Final = 1.0


class Presence:
    """The streams of one table."""

    def __init__(self) -> None:
        self._streams: Counter[int] = Counter()
        self._program_streams: Counter[int] = Counter()
        self._until: dict[int, datetime] = {}
        self._read_until: datetime | None = None
        self.here: frozenset[int] = frozenset()
        """The seats that were present at the last update."""
        self.on_vacation: frozenset[int] = frozenset()
        """The seats whose players were on vacation at the last update."""
        self.votes: dict[int, set[int]] = {}
        """The votes for a substitute, by the absent seat."""

    def connect(self, seats: Iterable[int]) -> None:
        """Count a stream of those seats, or of a spectator if there are none."""
        self._streams.update(tuple(seats) or (SPECTATOR,))

    def disconnect(self, seats: Iterable[int], now: datetime) -> None:
        for seat in tuple(seats) or (SPECTATOR,):
            self._streams[seat] -= 1
            self._until[seat] = now + GRACE

    def count_programs(self, seats: Iterable[int], change: int) -> None:
        """Change the count of streams that belong to programs."""
        for seat in seats:
            self._program_streams[seat] += change

    def touch(self, seats: Iterable[int], now: datetime) -> None:
        """Note a request of those seats."""
        for seat in seats:
            self._until[seat] = max(now + READING, self._until.get(seat, now))

    def note_request(self, now: datetime) -> None:
        """Note a request by anyone, with or without a seat."""
        self._read_until = now + READING

    def is_attended(self, now: datetime) -> bool:
        """Whether anyone follows the table, or has requested it recently."""
        is_read = self._read_until is not None and now < self._read_until
        return is_read or any(number > 0 for number in self._streams.values())

    def is_here(self, seat: int, now: datetime) -> bool:
        return self._streams[seat] > 0 or now < self._until.get(seat, now)

    def has_person(self, seat: int, now: datetime) -> bool:
        """Whether a person is present, rather than a program, which need not vote."""
        return self._streams[seat] > self._program_streams[seat] or now < self._until.get(seat, now)

    @property
    def spectators(self) -> int:
        return self._streams[SPECTATOR]

    def next_change(self, now: datetime) -> datetime | None:
        """When the next seat becomes absent, if nothing happens."""
        times = (
            until
            for seat, until in self._until.items()
            if until > now and seat >= 0 and not self._streams[seat] > 0
        )
        return min(times, default=None)


def connect(tables: "TableRegistry", table: "Table", seats: Sequence[int]) -> None:
    table.presence.connect(seats)
    update_presence(tables, table, counted=not seats)


def disconnect(tables: "TableRegistry", table: "Table", seats: Sequence[int]) -> None:
    table.presence.disconnect(seats, tables.now())
    if not tables.closed:
        update_presence(tables, table, counted=not seats)


def touch(tables: "TableRegistry", table: "Table", seats: Sequence[int]) -> None:
    table.presence.touch(seats, tables.now())
    update_presence(tables, table)


def update_presence(tables: "TableRegistry", table: "Table", *, counted: bool = False) -> None:
    """Notify subscribers if the seats that are present or on vacation have changed.

    If only the number of spectators has changed, they are notified after a short delay.

    Votes against present seats are dropped.
    """
    now, presence = tables.now(), table.presence
    here = frozenset(seat for seat in table.people if presence.is_here(seat, now))
    on_vacation = table.on_vacation(now)
    changed = (here, on_vacation) != (presence.here, presence.on_vacation)
    presence.here, presence.on_vacation = here, on_vacation
    for seat in here:
        presence.votes.pop(seat, None)
    if changed:
        table.notify()
    elif counted:
        table.notify_within(COUNT_INTERVAL)
    tables.scheduler.schedule(table.id, table.next_deadline(now))


async def present(
    tables: "TableRegistry",
    table: "Table",
    seats: Sequence[int],
    stream: AsyncGenerator[bytes, None],
    *,
    program: bool = False,
) -> AsyncIterator[bytes]:
    """A stream during which those seats are present."""
    table.presence.count_programs(seats if program else (), 1)
    connect(tables, table, seats)
    try:
        async for message in stream:
            yield message
    finally:
        await stream.aclose()
        table.presence.count_programs(seats if program else (), -1)
        disconnect(tables, table, seats)

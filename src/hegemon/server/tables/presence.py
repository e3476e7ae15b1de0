"""Presence: a seat is present while a stream of its player is open, and for a grace period afterwards.

A player who thinks for a long time stays present; one whose connection is lost is absent after the grace period.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from hegemon.rules.view import SPECTATOR

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry
    from hegemon.server.tables.table import Table

#: A seat stays present for this long after its connection is lost, because the player may reconnect or reload the page.
RECONNECT_PERIOD: Final = timedelta(seconds=10)

#: Without JavaScript, a page opens no stream: its reader counts as present for this long after each request.
READING_PERIOD: Final = timedelta(minutes=2)

#: The kind of the messages to other workers about who is present, and of the task that repeats them.
PRESENCE: Final = "presence"

#: Seconds between reports to other workers about the same table, in case one was lost.
REPEAT_INTERVAL: Final = 10

#: Seconds within which a new number of spectators is shown; changes within this time are shown together.
COUNT_INTERVAL: Final = 1.0


class Streams:
    """The streams of one table in one worker, with the latest requests and votes of its players."""

    def __init__(self) -> None:
        self.open: Counter[int] = Counter()
        """The number of streams by seat; SPECTATOR for spectators."""
        self.programs: Counter[int] = Counter()
        """The number of streams of programs, by seat."""
        self.present_until: dict[int, datetime] = {}
        """Until when a seat counts as present without a stream."""
        self.attended_until: datetime | None = None
        """Until when the table counts as attended without a stream."""
        self.votes: dict[int, set[int]] = {}
        """The votes for a substitute, by the absent seat."""

    def close_all(self, now: datetime) -> None:
        """Note that all streams were lost."""
        for seat, number in self.open.items():
            if number > 0:
                self.present_until[seat] = now + RECONNECT_PERIOD
        self.open.clear()
        self.programs.clear()

    def write(self, now: datetime) -> list[Any]:
        """The facts as JSON, with times as seconds from now."""

        def seconds(until: datetime) -> int:
            return round((until - now).total_seconds())

        return [
            {seat: number for seat, number in self.open.items() if number > 0},
            {seat: number for seat, number in self.programs.items() if number > 0},
            {seat: seconds(until) for seat, until in self.present_until.items() if until > now},
            seconds(self.attended_until)
            if self.attended_until is not None and self.attended_until > now
            else 0,
            {seat: sorted(voters) for seat, voters in self.votes.items()},
        ]

    @classmethod
    def read(cls, facts: list[Any], now: datetime) -> "Streams":
        streams, (is_open, programs, until, attended_until, votes) = cls(), facts
        streams.open.update({int(seat): number for seat, number in is_open.items()})
        streams.programs.update({int(seat): number for seat, number in programs.items()})
        streams.present_until = {int(seat): now + timedelta(seconds=left) for seat, left in until.items()}
        streams.attended_until = now + timedelta(seconds=attended_until) if attended_until else None
        streams.votes = {int(seat): set(voters) for seat, voters in votes.items()}
        return streams


class Presence:
    """Who is present at one table, in this worker and in others."""

    def __init__(self) -> None:
        self.own = Streams()
        self._others: dict[str, Streams] = {}
        """The last reports of other workers."""
        self._all: tuple[Streams, ...] = (self.own,)
        self.present_seats: frozenset[int] = frozenset()
        """The seats that were present at the last update."""
        self.on_vacation: frozenset[int] = frozenset()
        """The seats whose players were on vacation at the last update."""

    def connect(self, seats: Iterable[int]) -> None:
        """Count a stream of those seats, or of a spectator if there are none."""
        self.own.open.update(tuple(seats) or (SPECTATOR,))

    def disconnect(self, seats: Iterable[int], now: datetime) -> None:
        for seat in tuple(seats) or (SPECTATOR,):
            self.own.open[seat] -= 1
            self.own.present_until[seat] = now + RECONNECT_PERIOD

    def count_programs(self, seats: Iterable[int], change: int) -> None:
        """Change the count of streams that belong to programs."""
        for seat in seats:
            self.own.programs[seat] += change

    def touch(self, seats: Iterable[int], now: datetime) -> None:
        """Note a request of those seats."""
        for seat in seats:
            self.own.present_until[seat] = max(now + READING_PERIOD, self.own.present_until.get(seat, now))

    def note_request(self, now: datetime) -> None:
        """Note a request by anyone, with or without a seat."""
        self.own.attended_until = now + READING_PERIOD

    def set_report(self, worker: str, streams: Streams) -> None:
        """Replace the last report of another worker."""
        self._others[worker] = streams
        self._all = self.own, *self._others.values()

    def drop_worker(self, worker: str, now: datetime) -> bool:
        """Note that another worker has died; return whether it had streams of this table."""
        if (lost := self._others.get(worker)) is None:
            return False
        lost.close_all(now)
        return True

    @property
    def votes(self) -> dict[int, set[int]]:
        """The votes for a substitute, by the absent seat."""
        votes: dict[int, set[int]] = {}
        for streams in self._all:
            for seat, voters in streams.votes.items():
                votes.setdefault(seat, set()).update(voters)
        return votes

    def vote(self, voters: Iterable[int], seat: int) -> None:
        self.own.votes.setdefault(seat, set()).update(voters)

    def drop_votes(self, seat: int) -> None:
        for streams in self._all:
            streams.votes.pop(seat, None)

    def is_attended(self, now: datetime) -> bool:
        """Whether anyone follows the table, or has requested it recently."""
        for streams in self._all:
            if streams.attended_until is not None and now < streams.attended_until:
                return True
            if any(number > 0 for number in streams.open.values()):
                return True
        return False

    def is_present(self, seat: int, now: datetime) -> bool:
        return any(
            streams.open[seat] > 0 or now < streams.present_until.get(seat, now) for streams in self._all
        )

    def has_person(self, seat: int, now: datetime) -> bool:
        """Whether a person is present, rather than a program, which need not vote."""
        return any(
            streams.open[seat] > streams.programs[seat] or now < streams.present_until.get(seat, now)
            for streams in self._all
        )

    @property
    def spectators(self) -> int:
        return sum(streams.open[SPECTATOR] for streams in self._all)

    def next_change(self, now: datetime) -> datetime | None:
        """When the next seat will become absent, if nothing else happens."""
        times: dict[int, datetime] = {}
        for streams in self._all:
            for seat, until in streams.present_until.items():
                if until > now and seat >= 0:
                    times[seat] = max(until, times.get(seat, until))
        for streams in self._all:
            for seat, number in streams.open.items():
                if number > 0:
                    times.pop(seat, None)
        return min(times.values(), default=None)


class PresenceGossip:
    """Reports to other workers who is present at the tables here, and receives their reports."""

    def __init__(self, tables: "TableRegistry") -> None:
        self._tables = tables
        self._reported: WeakKeyDictionary[Table, list[Any]] = WeakKeyDictionary()
        """The last report about each table."""

    def report(self, table: "Table") -> None:
        """Report a table to the other workers, if anything has changed except the passing of time."""
        if not self._tables.cluster.has_others:
            return
        facts = table.presence.own.write(self._tables.now())
        if not _is_same(facts, self._reported.get(table)):
            self._send(table, facts)

    def _send(self, table: "Table", facts: list[Any]) -> None:
        self._reported[table] = facts
        self._tables.cluster.publish(PRESENCE, [table.id, facts], table.id)

    def ask(self, table: "Table") -> None:
        """Ask the other workers about a table that was not in memory."""
        self._tables.cluster.publish(PRESENCE, [table.id], ("ask", table.id))

    def receive(self, worker: str, message: list[Any]) -> None:
        """Answer another worker that asks about a table, or apply its report."""
        if (table := self._tables.get(message[0])) is None:
            return
        now = self._tables.now()
        if len(message) == 1:
            self._send(table, table.presence.own.write(now))
            return
        spectators = table.presence.spectators
        table.presence.set_report(worker, Streams.read(message[1], now))
        update_presence(self._tables, table, spectators_changed=table.presence.spectators != spectators)
        self._tables.driver.turn_changed(table)  # bots pause while no one watches

    def drop(self, worker: str) -> None:
        """Note that all streams of another worker are lost."""
        for table in self._tables.in_memory:
            if table.presence.drop_worker(worker, self._tables.now()):
                update_presence(self._tables, table, spectators_changed=True)

    async def run(self) -> None:
        """Repeat all reports regularly, in case a message was lost."""
        while True:
            self._tables.background.report_success(PRESENCE)
            await asyncio.sleep(REPEAT_INTERVAL)
            for table in self._tables.in_memory:
                if table in self._reported and self._tables.cluster.has_others:
                    self._send(table, table.presence.own.write(self._tables.now()))


def _is_same(facts: list[Any], reported: list[Any] | None) -> bool:
    """Whether two reports are equal, apart from small differences in times."""
    if reported is None or (facts[0], facts[1], facts[4]) != (reported[0], reported[1], reported[4]):
        return False
    if facts[2].keys() - reported[2].keys() or facts[3] - reported[3] > REPEAT_INTERVAL:
        return False
    return all(left - reported[2][seat] <= REPEAT_INTERVAL for seat, left in facts[2].items())


def connect(tables: "TableRegistry", table: "Table", seats: Sequence[int]) -> None:
    table.presence.connect(seats)
    update_presence(tables, table, spectators_changed=not seats)


def disconnect(tables: "TableRegistry", table: "Table", seats: Sequence[int]) -> None:
    table.presence.disconnect(seats, tables.now())
    if not tables.closed:
        update_presence(tables, table, spectators_changed=not seats)


def touch(tables: "TableRegistry", table: "Table", seats: Sequence[int]) -> None:
    table.presence.touch(seats, tables.now())
    update_presence(tables, table)


def update_presence(tables: "TableRegistry", table: "Table", *, spectators_changed: bool = False) -> None:
    """Notify subscribers if the seats that are present or on vacation have changed.

    If only the number of spectators has changed, they are notified after a short delay. Votes against present seats are
    dropped.
    """
    now, presence = tables.now(), table.presence
    here = frozenset(seat for seat in table.person_seats if presence.is_present(seat, now))
    on_vacation = table.on_vacation(now)
    changed = (here, on_vacation) != (presence.present_seats, presence.on_vacation)
    presence.present_seats, presence.on_vacation = here, on_vacation
    for seat in here:
        presence.drop_votes(seat)
    tables.gossip.report(table)
    if changed:
        table.notify()
    elif spectators_changed:
        table.notify_within(COUNT_INTERVAL)
    owned = tables.cluster.owns(table.id)
    tables.driver.scheduler.schedule(table.id, table.next_deadline(now, with_clocks=owned))


async def stream_with_presence(
    tables: "TableRegistry",
    table: "Table",
    seats: Sequence[int],
    stream: AsyncGenerator[bytes, None],
    *,
    program: bool = False,
) -> AsyncIterator[bytes]:
    """Yield the messages of a stream; those seats are present until it ends."""
    table.presence.count_programs(seats if program else (), 1)
    connect(tables, table, seats)
    try:
        async for message in stream:
            yield message
    finally:
        await stream.aclose()
        table.presence.count_programs(seats if program else (), -1)
        disconnect(tables, table, seats)

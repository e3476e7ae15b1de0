"""The tables of a server: games that are being played, the words that come in, and the bots that answer."""

import asyncio
import dataclasses
import logging
import os
import secrets
import sys
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Final, Protocol, TypeVar

from hegemon.bots import make_bot
from hegemon.notation.choices import read_choice
from hegemon.notation.record import read_record, write_record
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError, reason_against
from hegemon.play.memory import Memory
from hegemon.play.player import Player
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply
from hegemon.rules.position import Question
from hegemon.rules.view import SPECTATOR
from hegemon.server.chronicle import Chronicle, Facts
from hegemon.server.clocks import Clock, read_pace
from hegemon.server.hindsight import Hindsight
from hegemon.server.keeper import Keeper
from hegemon.server.logs import note
from hegemon.server.mailbox import Webhook
from hegemon.server.presence import Presence
from hegemon.server.store import (
    TAKE_BACK,
    USUAL_TERMS,
    AlreadyTaken,
    Entry,
    GameRow,
    Line,
    Note,
    SeatRow,
    Store,
    Summary,
)
from hegemon.server.talk import Talk, Wish
from hegemon.server.terms import Terms

#: Why a bot stands in for somebody, and that it does so no longer.
CLOCK: Final = "clock"
VOTE: Final = "vote"
BACK: Final = "back"

#: The bot that stands in for somebody who is away.
STAND_IN: Final = "normal"

#: So many tables are kept in memory; the others are laid again from the store when somebody comes.
_KEPT_TABLES: Final = 500


#: How far bots stand back behind people, as Unix counts it.
_COURTESY: Final = 10

_LOG: Final = logging.getLogger("hegemon.server")

Thought = TypeVar("Thought")


class Listener(Protocol):
    """Somebody who wants to know when something has been said."""

    def wake(self) -> None:
        """Something has been said."""
        ...

    def leave(self) -> None:
        """There will be no more to see."""
        ...


def by_the_clock() -> datetime:
    """The time of this server, the only one that counts."""
    return datetime.now(UTC)


class Stale(Exception):
    """A command that answers a question which is no longer open."""


class NotBegun(Stale):
    """A command at a table that still waits for somebody."""


class StoodIn(Stale):
    """A command for a seat on which a bot stands in for its player."""


class SeatLost(Exception):
    """A command of somebody who no longer sits there."""


class NoSuchTable(Exception):
    """There is no game of that name."""


class Table:
    """A game that is being played on this server."""

    def __init__(self, row: GameRow) -> None:
        self.id = row.id
        self.seats = row.seats
        self.host = row.host
        self.terms = row.terms
        self.public = row.public
        self.rated = row.rated
        self.following = row.following
        self.game = Game.from_record(read_record(row.record))
        self._name_players()
        self.entries: list[Entry] = []
        self.commands: dict[str, Entry] = {}
        self.lock = asyncio.Lock()
        self.listeners: set[Listener] = set()
        self.driver: asyncio.Task[None] | None = None
        self.talk = Talk(row.talk)
        self.webhook: Webhook | None = None
        """Where it is told that somebody is asked, as far as it is known here."""
        self.presence = Presence()
        self.here: frozenset[int] = frozenset()
        """The seats that were here when everybody last looked."""
        self.votes: dict[int, set[int]] = {}
        """Who wants a bot to stand in for a seat that is away."""
        self.clock = Clock(read_pace(row.terms.clock), self.game.players)
        self.spells: dict[int, int] = {}
        """Where there is a clock: for every seat that is asked, the number of the entry since which it has been."""
        self.notes: list[tuple[int, Note]] = []
        """What is noted about the seats, each with how many events there had been in the game."""
        self._bots: dict[int, Player] = {}
        self._memories: dict[int, tuple[Memory, int]] = {}
        self._chronicle: Chronicle | None = None
        self._hindsight: Hindsight | None = None
        self._waking: asyncio.Handle | None = None
        self.begin(row.begun)
        self.take_in(row.entries, row.notes)

    def begin(self, at: datetime | None) -> None:
        """The clocks begin to run, if it is known when."""
        self.begun = at
        if at is not None:
            self._ask(self.asked, at)

    def _ask(self, seats: tuple[int, ...], at: datetime) -> None:
        self.clock.ask(seats, at)
        self.spells = {seat: self.spells.get(seat, self.number) for seat in seats}

    def take_in(self, entries: Sequence[Entry], notes: Sequence[Note]) -> None:
        """Take in entries and notes that are kept, in the order in which they were made; whoever listens sees each."""
        coming = list(notes)
        for entry in (None, *entries):
            if entry is not None:
                self.tell(entry)
            while coming and coming[0].after <= self.number:
                self.note(coming.pop(0))

    def note(self, note: Note) -> None:
        """Take in a note that is kept."""
        self.notes.append((len(self.game.events), note))
        if note.what == BACK:
            self.clock.begin_again(note.seat, note.at)

    def overdue(self, now: datetime) -> list[int]:
        """The seats whose time is up and for which nobody answers yet."""
        return [
            seat
            for seat in self.asked
            if not self.seats[seat].player
            and (deadline := self.clock.deadline(seat)) is not None
            and deadline <= now
        ]

    def next_time(self, now: datetime) -> datetime | None:
        """When this table is to be looked at again: somebody's time is up, or somebody has been gone for too long."""
        waiting = tuple(seat for seat in self.asked if not self.seats[seat].player)
        deadline = self.clock.next_deadline(waiting) if self.clock.pace else None
        times = (deadline[0] if deadline is not None else None, self.presence.next_change(now))
        return min((at for at in times if at is not None), default=None)

    @property
    def number(self) -> int:
        """The number of the last entry: the one that a command answers."""
        return len(self.entries)

    def seats_of(self, holder: str) -> tuple[int, ...]:
        """The seats that somebody holds."""
        return tuple(
            seat for seat, row in enumerate(self.seats) if row.holder is not None and row.holder == holder
        )

    @property
    def people(self) -> tuple[int, ...]:
        """The seats on which people sit."""
        return tuple(seat for seat, row in enumerate(self.seats) if row.bot is None)

    @property
    def waits(self) -> bool:
        """Whether it still waits for somebody: the game begins when every seat is taken, and then goes on."""
        return not self.entries and any(row.is_open for row in self.seats)

    @property
    def asked(self) -> tuple[int, ...]:
        """The seats that may choose now."""
        if self.waits:
            return ()
        return tuple(seat for seat in range(self.game.players) if self.game.choices_of(seat))

    def take_seat(self, seat: int, row: SeatRow) -> None:
        """Somebody else sits there, or the same under another name; wake everybody who listens."""
        if not row.same_sitter(self.seats[seat]):
            self._bots.pop(seat, None)
        self.seats = (*self.seats[:seat], row, *self.seats[seat + 1 :])
        self._name_players()
        self.wake()

    def _name_players(self) -> None:
        self.game.rename([row.name or name for row, name in zip(self.seats, self.game.names, strict=True)])

    def still_asks(self, seat: int, number: int) -> bool:
        """Whether a seat is still asked what it was asked at that number.

        Draft picks are made by all at once: what others do meanwhile leaves one's own packet as it was, for the packets
        move on only when everybody has picked.
        """
        if number == self.number:
            return True
        drafting = self.game.position.question == Question.DRAFT
        return (
            drafting
            and 0 <= number < self.number
            and all(entry.seat != seat for entry in self.entries[number:])
        )

    def check(self, seat: int, word: str) -> None:
        """Refuse what the game would refuse, before anything is kept."""
        if word == TAKE_BACK:
            if self.game.undoable(seat) is None:
                raise IllegalMoveError(self.game.reason_against_undo(seat), self.game.choices_of(seat))
            return
        reason = reason_against(self.game.position, seat, read_choice(word))
        if reason is not None:
            raise IllegalMoveError(reason, self.game.choices_of(seat))

    def _take_in(self, entry: Entry) -> None:
        picked = False
        if entry.word == TAKE_BACK:
            self.game.undo(entry.seat)
            self._memories.clear()
        else:
            picked = bool(self.clock.pace) and self.game.view(SPECTATOR).question == Question.DRAFT
            self.game.play(entry.word, entry.seat)
        self.entries.append(entry)
        if entry.command is not None:
            self.commands[entry.command] = entry
        if self.clock.pace and entry.made is not None:
            asked = self.asked
            if picked:  # every pick has a time of its own, also for whoever made the last one
                self._ask(tuple(seat for seat in asked if seat != entry.seat), entry.made)
            self._ask(asked, entry.made)

    def tell(self, entry: Entry) -> None:
        """Take in an entry that is kept; whoever listens is woken when whoever made it has been answered."""
        if self._waking is not None:
            self.wake()  # so that nobody misses an entry because the next one follows at once
        self._take_in(entry)
        self._waking = asyncio.get_running_loop().call_soon(self.wake)

    def wake(self) -> None:
        """Tell everybody who listens that something has changed."""
        if self._waking is not None:
            self._waking.cancel()
            self._waking = None
        for listener in tuple(self.listeners):
            listener.wake()

    def happened(self, viewer: int, number: int) -> list[Facts]:
        """What the entry of that number did, as a seat saw it, or a spectator; 0 is the deal."""
        if self._chronicle is None:
            self._chronicle = Chronicle(self.game)
        self._chronicle.follow(self.entries)
        return self._chronicle.seen_by(viewer, number)

    def some_rounds_ago(self) -> Game | None:
        """The game as those who look on may see it with all hands open; None where they may not, or not yet."""
        if not self.terms.hands_after:
            return None
        if self._hindsight is None:
            self._hindsight = Hindsight(self.game, self.terms.hands_after)
        self._hindsight.follow(self.entries)
        return self._hindsight.game(self.game.names)

    # ---------------------------------------------------------------- bots

    def bot(self, seat: int) -> Player:
        """The bot on a seat."""
        if seat not in self._bots:
            self._bots[seat] = make_bot(self.seats[seat].player or "", secrets.randbits(32))
        return self._bots[seat]

    def memory(self, seat: int) -> Memory:
        """What a seat remembers, brought up to date."""
        memory, told = self._memories.get(seat) or (None, 0)
        if memory is None:
            memory, told = self.game.memory(seat), len(self.game.events)
        else:
            memory.see(self.game.events_seen_by(seat, since=told))
        self._memories[seat] = (memory, len(self.game.events))
        return memory


class Tables:
    """Every table of the server, in memory as long as it is needed, in the store for ever."""

    def __init__(self, store: Store, now: Callable[[], datetime] = by_the_clock) -> None:
        self.store = store
        self.now = now
        self.when_over: Callable[[Table], Awaitable[None]] | None = None
        """What is to be done when a game is over; it may be asked for again, after a fall of the server."""
        self.when_asked: Callable[[Table], None] | None = None
        """What is to be done when somebody may be asked anew; it may be asked for without need."""
        self.keeper = Keeper(lambda: self.now())
        self._keeping: asyncio.Task[None] | None = None
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._laying = asyncio.Lock()
        self._closed = False
        self._saying: set[asyncio.Future[int]] = set()
        self._thinkers = ThreadPoolExecutor(thread_name_prefix="bot", initializer=give_way)

    def start(self) -> None:
        """Look after the tables from now on."""
        self._keeping = asyncio.create_task(self.look_after())
        self._keeping.add_done_callback(_report)

    async def open(
        self,
        game: Game,
        seats: list[SeatRow],
        *,
        host: str | None = None,
        terms: Terms = USUAL_TERMS,
        public: bool = False,
        previous: str | None = None,
    ) -> str:
        """Lay a new table; says under which name it is found."""
        game_id = secrets.token_urlsafe(12)
        await self.store.add_game(
            game_id,
            write_record(game.record()),
            seats,
            host=host,
            terms=terms,
            public=public,
            previous=previous,
            at=self.now(),
        )
        note("table laid", game=game_id, seats=len(seats), bots=sum(row.bot is not None for row in seats))
        return game_id

    async def keep(self, game: Game) -> str:
        """Lay a table for a game that was played elsewhere, to look at; nobody holds a seat at it."""
        game_id, record = secrets.token_urlsafe(12), game.record()
        await self.store.add_game(
            game_id,
            write_record(dataclasses.replace(record, moves=(), result=None)),
            [SeatRow(None, None)] * game.players,
            [Entry(number, seat, CHOICES[word]) for number, (seat, word) in enumerate(record.moves, 1)],
            finished=game.over,
        )
        return game_id

    async def table(self, game_id: str) -> Table:
        """The table of that name, with its bots at work."""
        async with self._laying:
            table = self._tables.get(game_id)
            if table is None:
                row = await self.store.game(game_id)
                if row is None:
                    raise NoSuchTable
                table = self._tables[game_id] = Table(row)
                if table.game.over and self.when_over is not None:
                    await self.when_over(table)
            self._tables.move_to_end(game_id)
            self._put_away()
        if table.begun is None and not table.waits:
            async with table.lock:
                if table.begun is None:
                    table.begin(await self.store.begin(table.id, self.now()))
        self.drive(table)
        return table

    def in_memory(self, game_id: str) -> Table | None:
        """The table of that name, if it is laid already."""
        return self._tables.get(game_id)

    async def games_of(self, holder: str | None) -> list[Summary]:
        """The games in which somebody sits, the latest first; no table is laid for that."""
        return await self.store.games_of(holder) if holder is not None else []

    def _put_away(self) -> None:
        """Forget the tables that nobody has looked at for longest; the store has them."""
        for game_id, table in list(self._tables.items())[: max(0, len(self._tables) - _KEPT_TABLES)]:
            if not table.listeners and (table.driver is None or table.driver.done()):
                del self._tables[game_id]

    async def say(
        self,
        table: Table,
        seat: int,
        word: str,
        number: int,
        command: str | None,
        sitter: SeatRow | None = None,
    ) -> int:
        """A seat answers the question of that number; the word counts only when it is kept.

        Says under which number it is kept. The same command twice is the same as once. A question that is no longer
        open is Stale, and a word that the rules do not allow a Refusal; neither changes anything. Nor does a word of
        a sitter who has lost the seat meanwhile (SeatLost), or at a table that waits for somebody (NotBegun), or for
        whom a bot stands in (StoodIn): whose time is up when the word comes in, by the server's clock, is too late.
        """
        async with table.lock:
            while True:
                now = self.now()
                if command is not None and await self._stands_in(table, seat, now):
                    if (kept := kept_before(table, seat, command)) is not None:
                        return kept
                    raise StoodIn
                if sitter is not None and not sitter.same_sitter(table.seats[seat]):
                    raise SeatLost
                if (kept := kept_before(table, seat, command)) is not None:
                    return kept
                if table.waits:
                    raise NotBegun
                if not table.still_asks(seat, number):
                    raise Stale
                table.check(seat, word)
                entry = Entry(table.number + 1, seat, word, command, now)
                try:
                    await self.store.add_entry(table.id, entry, finished=self._finishes(table, seat, word))
                    break
                except AlreadyTaken:
                    await self.catch_up(table)
            table.tell(entry)
            if table.game.over and self.when_over is not None:
                await self.when_over(table)
        self.drive(table)
        return entry.number

    async def speak(self, table: Table, seat: int | None, speaker: str, wish: Wish) -> Line:
        """Somebody says something besides the game; None is the seat of somebody who looks on."""
        async with table.lock:
            line = table.talk.line(wish, seat, speaker, table.game.players, self.now())
            try:
                await self.store.add_line(table.id, line)
            except AlreadyTaken:
                row = await self.store.game(table.id)
                table.talk = Talk(row.talk if row is not None else ())
                line = table.talk.line(wish, seat, speaker, table.game.players, self.now())
                await self.store.add_line(table.id, line)
            table.talk.hear(line)
        table.wake()
        return line

    def _finishes(self, table: Table, seat: int, word: str) -> bool:
        if word == TAKE_BACK:
            return False
        position = table.game.position
        position.seat = seat
        apply(position, read_choice(word))
        return position.question == Question.OVER

    def drive(self, table: Table) -> None:
        """Let the bots at a table answer what they are asked."""
        busy = table.driver is not None and not table.driver.done()
        self.keeper.look_at(table.id, table.next_time(self.now()))
        if self.when_asked is not None:
            self.when_asked(table)
        if not self._closed and not busy and any(table.seats[seat].player for seat in table.asked):
            table.driver = asyncio.create_task(self._let_bots_answer(table))
            table.driver.add_done_callback(_report)

    async def _let_bots_answer(self, table: Table) -> None:
        loop = asyncio.get_running_loop()
        while bots := [seat for seat in table.asked if table.seats[seat].player]:
            seat, number = bots[0], table.number
            sitter = table.seats[seat]
            choose: Callable[[], str] = _thinking(table, seat)
            word = await loop.run_in_executor(self._thinkers, choose)
            try:
                await self._uninterrupted(self.say(table, seat, word, number, None, sitter))
            except (Stale, SeatLost):
                continue  # a person took a word back, or somebody else sits there now: the bots look again

    async def _uninterrupted(self, saying: Coroutine[None, None, int]) -> None:
        """Let a word be kept even if whoever waits for it is stopped: `close` waits for it."""
        task = asyncio.ensure_future(saying)
        self._saying.add(task)
        task.add_done_callback(self._saying.discard)
        await asyncio.shield(task)

    async def catch_up(self, table: Table) -> None:
        """Take in what another worker has kept: the store is believed."""
        row = await self.store.game(table.id)
        if row is None:
            raise NoSuchTable
        for seat, sitter in enumerate(row.seats):
            if sitter != table.seats[seat]:
                table.take_seat(seat, sitter)
        table.following = row.following
        table.take_in(row.entries[table.number :], row.notes[len(table.notes) :])

    # ---------------------------------------------------------------- who is here, and whose time is up

    async def look_after(self) -> None:
        """Look after the tables as their times come, those that are only in the store too, until this is stopped."""
        for game_id in await self.store.games_with_clocks():
            await self.table(game_id)
        await self.keeper.keep(self.attend)

    async def attend(self, game_id: str) -> None:
        """Look at a table: whose time is up is stood in for, and who has been gone for too long is away."""
        table = await self.table(game_id)
        async with table.lock:
            for seat in table.overdue(self.now()):
                await self.stand_in(table, seat, CLOCK, self.now())
        self.look_around(table)
        self.drive(table)

    def come(self, table: Table, seats: Sequence[int]) -> None:
        """A page follows a table for those seats; for none, it is an onlooker's."""
        table.presence.come(seats)
        self.look_around(table, always=not seats)

    def go(self, table: Table, seats: Sequence[int]) -> None:
        """That page follows the table no longer."""
        table.presence.go(seats, self.now())
        if not self._closed:
            self.look_around(table, always=not seats)

    def show(self, table: Table, seats: Sequence[int]) -> None:
        """Those seats have asked for a page, which may follow the table or not."""
        table.presence.show(seats, self.now())
        self.look_around(table)

    def look_around(self, table: Table, *, always: bool = False) -> None:
        """Notice who has come and who is away; whoever is here is no longer voted against."""
        now = self.now()
        here = frozenset(seat for seat in table.people if table.presence.is_here(seat, now))
        changed, table.here = here != table.here, here
        for seat in here:
            table.votes.pop(seat, None)
        if changed or always:
            table.wake()
        self.keeper.look_at(table.id, table.next_time(now))

    async def _stands_in(self, table: Table, seat: int, now: datetime) -> bool:
        """Whether a bot answers for a seat now; it does from the moment when the time is up."""
        if seat in table.overdue(now):
            await self.stand_in(table, seat, CLOCK, now)
        return table.seats[seat].stand_in is not None

    async def stand_in(self, table: Table, seat: int, why: str, now: datetime) -> None:
        """Let a bot stand in on a seat; its table must be locked."""
        await self.change_stand_in(table, Note(len(table.notes) + 1, now, table.number, seat, why), STAND_IN)
        table.votes.pop(seat, None)

    async def change_stand_in(self, table: Table, note: Note, stand_in: str | None) -> None:
        """Let a bot answer for a seat, or its player again; if another worker was quicker, take in what it did."""
        row = table.seats[note.seat]
        try:
            await self.store.change_stand_in(table.id, note, row, stand_in)
        except AlreadyTaken:
            await self.catch_up(table)
            return
        table.note(note)
        table.take_seat(note.seat, dataclasses.replace(row, stand_in=stand_in))

    async def think(self, work: Callable[[], Thought]) -> Thought:
        """Let something be thought out in a thread, as bots do; everybody else is answered meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self._thinkers, work)

    def dismiss(self) -> None:
        """Tell everybody who watches that there will be no more to see."""
        for table in self._tables.values():
            for listener in table.listeners:
                listener.leave()

    async def close(self) -> None:
        """Stop the bots and let go of the store."""
        self._closed = True
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
        self.dismiss()
        for table in self._tables.values():
            if table.driver is not None:
                table.driver.cancel()
        await asyncio.gather(
            *(table.driver for table in self._tables.values() if table.driver is not None),
            return_exceptions=True,
        )
        await asyncio.gather(*self._saying, return_exceptions=True)
        self._thinkers.shutdown(wait=False, cancel_futures=True)
        await self.store.close()


def kept_before(table: Table, seat: int, command: str | None) -> int | None:
    """The number under which a command of that seat is kept already; what bears another seat's name is Stale."""
    entry = table.commands.get(command) if command is not None else None
    if entry is None:
        return None
    if entry.seat != seat:
        raise Stale
    return entry.number


def give_way() -> None:
    """Let this thread come after everything else: bots think when nobody has to be answered."""
    if sys.platform == "linux":  # elsewhere that would slow the whole server down
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _COURTESY)


def _report(driver: asyncio.Task[None]) -> None:
    """Say in the log what kept bots from answering, or tables from being looked after; it is tried again some day."""
    if not driver.cancelled() and (error := driver.exception()) is not None:
        _LOG.error("bots could not answer", exc_info=error)


def _thinking(table: Table, seat: int) -> Callable[[], str]:
    """What a bot does in its thread: it is handed what its seat may know, and touches nothing of the table."""
    bot, view, memory, choices = (
        table.bot(seat),
        table.game.view(seat),
        table.memory(seat),
        table.game.choices_of(seat),
    )
    return lambda: bot.choose(view, memory, choices)

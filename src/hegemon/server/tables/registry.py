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
from datetime import datetime
from typing import Final, Protocol, TypeVar

from hegemon.notation.choices import read_choice
from hegemon.notation.record import read_record, write_record
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError, reason_against
from hegemon.play.player import Player
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply
from hegemon.rules.position import Question
from hegemon.rules.view import SPECTATOR
from hegemon.server.config import ServerConfig
from hegemon.server.db.database import ConflictError
from hegemon.server.db.options import TableOptions
from hegemon.server.db.schema import (
    DEFAULT_OPTIONS,
    UNDO,
    GameRow,
    Message,
    MoveRow,
    SeatRow,
    Substitution,
    Summary,
    Webhook,
)
from hegemon.server.db.store import Store
from hegemon.server.logging import note
from hegemon.server.tables.chat import ChatLog, MessageRequest
from hegemon.server.tables.clock import Clock, read_time_control
from hegemon.server.tables.history import Facts, History
from hegemon.server.tables.presence import Presence
from hegemon.server.tables.scheduler import Scheduler
from hegemon.server.tables.spectate import delayed_ply

#: Why a bot stands in for somebody, and that it does so no longer.
CLOCK: Final = "clock"
VOTE: Final = "vote"
BACK: Final = "back"

#: How far bots stand back behind people, as Unix counts it.
BOT_NICENESS: Final = 10

_LOG: Final = logging.getLogger("hegemon.server")

Thought = TypeVar("Thought")


class Subscriber(Protocol):
    """Somebody who wants to know when something has been said."""

    def notify(self) -> None:
        """Something has been said."""
        ...

    def close(self) -> None:
        """There will be no more to see."""
        ...


class StaleVersionError(Exception):
    """A command that answers a question which is no longer open."""


class GameNotStarted(StaleVersionError):
    """A command at a table that still waits for somebody."""


class SeatSubstituted(StaleVersionError):
    """A command for a seat on which a bot stands in for its player."""


class SeatLost(Exception):
    """A command of somebody who no longer sits there."""


class TableNotFound(Exception):
    """There is no game of that name."""


class Table:
    """A game that is being played on this server."""

    def __init__(self, row: GameRow) -> None:
        self.id = row.id
        self.seats = row.seats
        self.host = row.host
        self.options = row.options
        self.public = row.public
        self.rated = row.rated
        self.next_game = row.next_game
        self.game = Game.from_record(read_record(row.record))
        self._name_players()
        self.moves: list[MoveRow] = []
        self.idempotency_keys: dict[str, MoveRow] = {}
        self.lock = asyncio.Lock()
        self.subscribers: set[Subscriber] = set()
        self.bot_task: asyncio.Task[None] | None = None
        self.chat = ChatLog(row.messages)
        self.webhook: Webhook | None = None
        """Where it is told that somebody is asked, as far as it is known here."""
        self.presence = Presence()
        self.here: frozenset[int] = frozenset()
        """The seats that were here when everybody last looked."""
        self.votes: dict[int, set[int]] = {}
        """Who wants a bot to stand in for a seat that is away."""
        self.clock = Clock(read_time_control(row.options.clock), self.game.players)
        self.turn_started: dict[int, int] = {}
        """Where there is a clock: for every seat that is asked, the number of the entry since which it has been."""
        self.substitutions: list[tuple[int, Substitution]] = []
        """What is noted about the seats, each with how many events there had been in the game."""
        self._bots: dict[int, Player] = {}
        self._history = History(self.game)
        self._delayed_game: Game | None = None
        self._waking: asyncio.Handle | None = None
        self.begin(row.started_at)
        self.apply_moves(row.moves, row.substitutions)

    def begin(self, at: datetime | None) -> None:
        """The clocks begin to run, if it is known when."""
        self.started_at = at
        if at is not None:
            self._ask(self.to_move, at)

    def _ask(self, seats: tuple[int, ...], at: datetime) -> None:
        self.clock.ask(seats, at)
        self.turn_started = {seat: self.turn_started.get(seat, self.version) for seat in seats}

    def apply_moves(self, moves: Sequence[MoveRow], substitutions: Sequence[Substitution]) -> None:
        """Take in entries and notes that are kept, in the order in which they were made; whoever listens sees each."""
        coming = list(substitutions)
        for move in (None, *moves):
            if move is not None:
                self.apply_move(move)
            while coming and coming[0].version <= self.version:
                self.note(coming.pop(0))

    def note(self, note: Substitution) -> None:
        """Take in a note that is kept."""
        self.substitutions.append((len(self.game.events), note))
        if note.reason == BACK:
            self.clock.begin_again(note.seat, note.created_at)

    def overdue_seats(self, now: datetime) -> list[int]:
        """The seats whose time is up and for which nobody answers yet."""
        return [
            seat
            for seat in self.to_move
            if not self.seats[seat].player
            and (deadline := self.clock.deadline(seat)) is not None
            and deadline <= now
        ]

    def next_deadline(self, now: datetime) -> datetime | None:
        """When this table is to be looked at again: somebody's time is up, or somebody has been gone for too long."""
        waiting = tuple(seat for seat in self.to_move if not self.seats[seat].player)
        deadline = self.clock.next_deadline(waiting) if self.clock.pace else None
        times = (deadline[0] if deadline is not None else None, self.presence.next_change(now))
        return min((at for at in times if at is not None), default=None)

    @property
    def version(self) -> int:
        """The number of the last entry: the one that a command answers."""
        return len(self.moves)

    def seats_of(self, owner: str) -> tuple[int, ...]:
        """The seats that somebody holds."""
        return tuple(
            seat for seat, row in enumerate(self.seats) if row.owner is not None and row.owner == owner
        )

    @property
    def people(self) -> tuple[int, ...]:
        """The seats on which people sit."""
        return tuple(seat for seat, row in enumerate(self.seats) if row.bot is None)

    @property
    def is_waiting(self) -> bool:
        """Whether it still waits for somebody: the game begins when every seat is taken, and then goes on."""
        return not self.moves and any(row.is_open for row in self.seats)

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats that may choose now."""
        if self.is_waiting:
            return ()
        return tuple(seat for seat in range(self.game.players) if self.game.choices_of(seat))

    def take_seat(self, seat: int, row: SeatRow) -> None:
        """Somebody else sits there, or the same under another name; wake everybody who listens."""
        if not row.same_occupant(self.seats[seat]):
            self._bots.pop(seat, None)
        self.seats = (*self.seats[:seat], row, *self.seats[seat + 1 :])
        self._name_players()
        self.notify()

    def _name_players(self) -> None:
        self.game.rename([row.name or name for row, name in zip(self.seats, self.game.names, strict=True)])

    def still_open(self, seat: int, version: int) -> bool:
        """Whether a seat is still asked what it was asked at that number.

        Draft picks are made by all at once: what others do meanwhile leaves one's own packet as it was, for the packets
        move on only when everybody has picked.
        """
        if version == self.version:
            return True
        drafting = self.game.position.question == Question.DRAFT
        return (
            drafting
            and 0 <= version < self.version
            and all(move.seat != seat for move in self.moves[version:])
        )

    def check(self, seat: int, choice: str) -> None:
        """Refuse what the game would refuse, before anything is kept."""
        if choice == UNDO:
            if self.game.undoable(seat) is None:
                raise IllegalMoveError(self.game.reason_against_undo(seat), self.game.choices_of(seat))
            return
        reason = reason_against(self.game.position, seat, read_choice(choice))
        if reason is not None:
            raise IllegalMoveError(reason, self.game.choices_of(seat))

    def _apply(self, move: MoveRow) -> None:
        picked = False
        if move.choice == UNDO:
            self._history.undo(self.game, move.seat)
        else:
            picked = bool(self.clock.pace) and self.game.view(SPECTATOR).question == Question.DRAFT
            self._history.apply(self.game, move)
        self.moves.append(move)
        if move.idempotency_key is not None:
            self.idempotency_keys[move.idempotency_key] = move
        if self.clock.pace and move.created_at is not None:
            to_move = self.to_move
            if picked:  # every pick has a time of its own, also for whoever made the last one
                self._ask(tuple(seat for seat in to_move if seat != move.seat), move.created_at)
            self._ask(to_move, move.created_at)

    def apply_move(self, move: MoveRow) -> None:
        """Take in an entry that is kept; whoever listens is woken when whoever made it has been answered."""
        if self._waking is not None:
            self.notify()  # so that nobody misses an entry because the next one follows at once
        self._apply(move)
        self._waking = asyncio.get_running_loop().call_soon(self.notify)

    def notify(self) -> None:
        """Tell everybody who listens that something has changed."""
        if self._waking is not None:
            self._waking.cancel()
            self._waking = None
        for listener in tuple(self.subscribers):
            listener.notify()

    def happened(self, viewer: int, version: int) -> list[Facts]:
        """The events of a version as a seat saw them, or a spectator; 0 is the deal."""
        return self._history.seen_by(viewer, version)

    def delayed_game(self) -> Game | None:
        """The game as spectators may see it with all hands open; None where they may not, or not yet."""
        if not self.options.spectator_delay:
            return None
        ply = delayed_ply(self.game, self.options.spectator_delay)
        if ply is None:
            return None
        delayed = self._delayed_game
        if delayed is None or (len(delayed.moves), delayed.names) != (ply, self.game.names):
            delayed = self._delayed_game = self.game.at(ply)
        return delayed

    # ---------------------------------------------------------------- bots

    def bot(self, seat: int, make_bot: Callable[[str], Player]) -> Player:
        if seat not in self._bots:
            self._bots[seat] = make_bot(self.seats[seat].player or "")
        return self._bots[seat]


class Tables:
    """Every table of the server, in memory as long as it is needed, in the store for ever."""

    def __init__(self, store: Store, config: ServerConfig) -> None:
        self.store = store
        self.config = config
        self.now = config.now
        self.when_over: Callable[[Table], Awaitable[None]] | None = None
        """What is to be done when a game is over; it may be asked for again, after a fall of the server."""
        self.when_asked: Callable[[Table], None] | None = None
        """What is to be done when somebody may be asked anew; it may be asked for without need."""
        self.scheduler = Scheduler(lambda: self.now())
        self._keeping: asyncio.Task[None] | None = None
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._laying = asyncio.Lock()
        self._closed = False
        self._saying: set[asyncio.Future[int]] = set()
        self._bot_threads = ThreadPoolExecutor(thread_name_prefix="bot", initializer=lower_priority)

    def start(self) -> None:
        """Look after the tables from now on."""
        self._keeping = asyncio.create_task(self.run_scheduler())
        self._keeping.add_done_callback(_report)

    async def open(
        self,
        game: Game,
        seats: list[SeatRow],
        *,
        host: str | None = None,
        options: TableOptions = DEFAULT_OPTIONS,
        public: bool = False,
        previous_game: str | None = None,
    ) -> str:
        """Lay a new table; says under which name it is found."""
        game_id = secrets.token_urlsafe(12)
        await self.store.games.create(
            game_id,
            write_record(game.record()),
            seats,
            host=host,
            options=options,
            public=public,
            previous_game=previous_game,
            now=self.now(),
        )
        note("table created", game=game_id, seats=len(seats), bots=sum(row.bot is not None for row in seats))
        return game_id

    async def import_game(self, game: Game) -> str:
        """Lay a table for a game that was played elsewhere, to look at; nobody holds a seat at it."""
        game_id, record = secrets.token_urlsafe(12), game.record()
        await self.store.games.create(
            game_id,
            write_record(dataclasses.replace(record, moves=(), result=None)),
            [SeatRow(None, None)] * game.players,
            [MoveRow(number, seat, CHOICES[choice]) for number, (seat, choice) in enumerate(record.moves, 1)],
            finished=game.over,
        )
        return game_id

    async def table(self, game_id: str) -> Table:
        """The table of that name, with its bots at work."""
        async with self._laying:
            table = self._tables.get(game_id)
            if table is None:
                row = await self.store.games.load(game_id)
                if row is None:
                    raise TableNotFound
                table = self._tables[game_id] = Table(row)
                if table.game.over and self.when_over is not None:
                    await self.when_over(table)
            self._tables.move_to_end(game_id)
            self._evict()
        if table.started_at is None and not table.is_waiting:
            async with table.lock:
                if table.started_at is None:
                    table.begin(await self.store.games.start(table.id, self.now()))
        self.run_bots(table)
        return table

    def in_memory(self, game_id: str) -> Table | None:
        """The table of that name, if it is laid already."""
        return self._tables.get(game_id)

    async def games_of(self, owner: str | None) -> list[Summary]:
        """The games in which somebody sits, the latest first; no table is laid for that."""
        return await self.store.games.owned_by(owner) if owner is not None else []

    def _evict(self) -> None:
        excess = max(0, len(self._tables) - self.config.max_tables_in_memory)
        for game_id, table in list(self._tables.items())[:excess]:
            if not table.subscribers and (table.bot_task is None or table.bot_task.done()):
                del self._tables[game_id]

    async def submit_move(
        self,
        table: Table,
        seat: int,
        choice: str,
        version: int,
        idempotency_key: str | None,
        occupant: SeatRow | None = None,
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
                if idempotency_key is not None and await self._has_substitute(table, seat, now):
                    if (kept := version_of_key(table, seat, idempotency_key)) is not None:
                        return kept
                    raise SeatSubstituted
                if occupant is not None and not occupant.same_occupant(table.seats[seat]):
                    raise SeatLost
                if (kept := version_of_key(table, seat, idempotency_key)) is not None:
                    return kept
                if table.is_waiting:
                    raise GameNotStarted
                if not table.still_open(seat, version):
                    raise StaleVersionError
                table.check(seat, choice)
                move = MoveRow(table.version + 1, seat, choice, idempotency_key, now)
                try:
                    await self.store.moves.append(
                        table.id, move, finished=self._finishes(table, seat, choice)
                    )
                    break
                except ConflictError:
                    await self.reload(table)
            table.apply_move(move)
            if table.game.over and self.when_over is not None:
                await self.when_over(table)
        self.run_bots(table)
        return move.version

    async def post_message(
        self, table: Table, seat: int | None, speaker: str, request: MessageRequest
    ) -> Message:
        """Somebody says something besides the game; None is the seat of somebody who looks on."""
        async with table.lock:
            line = table.chat.line(request, seat, speaker, table.game.players, self.now())
            try:
                await self.store.messages.add(table.id, line)
            except ConflictError:
                row = await self.store.games.load(table.id)
                table.chat = ChatLog(row.messages if row is not None else ())
                line = table.chat.line(request, seat, speaker, table.game.players, self.now())
                await self.store.messages.add(table.id, line)
            table.chat.append(line)
        table.notify()
        return line

    def _finishes(self, table: Table, seat: int, choice: str) -> bool:
        if choice == UNDO:
            return False
        position = table.game.position
        position.seat = seat
        apply(position, read_choice(choice))
        return position.question == Question.OVER

    def run_bots(self, table: Table) -> None:
        """Let the bots at a table answer what they are asked."""
        busy = table.bot_task is not None and not table.bot_task.done()
        self.scheduler.look_at(table.id, table.next_deadline(self.now()))
        if self.when_asked is not None:
            self.when_asked(table)
        if not self._closed and not busy and any(table.seats[seat].player for seat in table.to_move):
            table.bot_task = asyncio.create_task(self._run_bots(table))
            table.bot_task.add_done_callback(_report)

    async def _run_bots(self, table: Table) -> None:
        loop = asyncio.get_running_loop()
        while bots := [seat for seat in table.to_move if table.seats[seat].player]:
            seat, version = bots[0], table.version
            occupant = table.seats[seat]
            choose: Callable[[], str] = self._thinking(table, seat)
            choice = await loop.run_in_executor(self._bot_threads, choose)
            try:
                await self._uninterrupted(self.submit_move(table, seat, choice, version, None, occupant))
            except (StaleVersionError, SeatLost):
                continue  # a person took a word back, or somebody else sits there now: the bots look again

    def _thinking(self, table: Table, seat: int) -> Callable[[], str]:
        """What a bot does in its thread: it is handed what its seat may know, and touches nothing of the table."""
        bot, view, memory, choices = (
            table.bot(seat, self.config.make_bot),
            table.game.view(seat),
            table.game.memory(seat),
            table.game.choices_of(seat),
        )
        return lambda: bot.choose(view, memory, choices)

    async def _uninterrupted(self, saying: Coroutine[None, None, int]) -> None:
        """Let a word be kept even if whoever waits for it is stopped: `close` waits for it."""
        task = asyncio.ensure_future(saying)
        self._saying.add(task)
        task.add_done_callback(self._saying.discard)
        await asyncio.shield(task)

    async def reload(self, table: Table) -> None:
        """Take in what another worker has kept: the store is believed."""
        row = await self.store.games.load(table.id)
        if row is None:
            raise TableNotFound
        for seat, occupant in enumerate(row.seats):
            if occupant != table.seats[seat]:
                table.take_seat(seat, occupant)
        table.next_game = row.next_game
        table.apply_moves(row.moves[table.version :], row.substitutions[len(table.substitutions) :])

    # ---------------------------------------------------------------- who is here, and whose time is up

    async def run_scheduler(self) -> None:
        """Look after the tables as their times come, those that are only in the store too, until this is stopped."""
        for game_id in await self.store.games.unfinished_with_clocks():
            await self.table(game_id)
        await self.scheduler.run(self.check_deadlines)

    async def check_deadlines(self, game_id: str) -> None:
        """Look at a table: whose time is up is stood in for, and who has been gone for too long is away."""
        table = await self.table(game_id)
        async with table.lock:
            for seat in table.overdue_seats(self.now()):
                await self.substitute(table, seat, CLOCK, self.now())
        self.update_presence(table)
        self.run_bots(table)

    def connect(self, table: Table, seats: Sequence[int]) -> None:
        """A page follows a table for those seats; for none, it is an onlooker's."""
        table.presence.connect(seats)
        self.update_presence(table, always=not seats)

    def disconnect(self, table: Table, seats: Sequence[int]) -> None:
        """That page follows the table no longer."""
        table.presence.disconnect(seats, self.now())
        if not self._closed:
            self.update_presence(table, always=not seats)

    def touch(self, table: Table, seats: Sequence[int]) -> None:
        """Those seats have asked for a page, which may follow the table or not."""
        table.presence.touch(seats, self.now())
        self.update_presence(table)

    def update_presence(self, table: Table, *, always: bool = False) -> None:
        """Notice who has come and who is away; whoever is here is no longer voted against."""
        now = self.now()
        here = frozenset(seat for seat in table.people if table.presence.is_here(seat, now))
        changed, table.here = here != table.here, here
        for seat in here:
            table.votes.pop(seat, None)
        if changed or always:
            table.notify()
        self.scheduler.look_at(table.id, table.next_deadline(now))

    async def _has_substitute(self, table: Table, seat: int, now: datetime) -> bool:
        """Whether a bot answers for a seat now; it does from the moment when the time is up."""
        if seat in table.overdue_seats(now):
            await self.substitute(table, seat, CLOCK, now)
        return table.seats[seat].substitute is not None

    async def substitute(self, table: Table, seat: int, why: str, now: datetime) -> None:
        """Let a bot stand in on a seat; its table must be locked."""
        await self.change_substitute(
            table,
            Substitution(len(table.substitutions) + 1, now, table.version, seat, why),
            self.config.substitute_bot,
        )
        table.votes.pop(seat, None)

    async def change_substitute(self, table: Table, note: Substitution, substitute: str | None) -> None:
        """Let a bot answer for a seat, or its player again; if another worker was quicker, take in what it did."""
        row = table.seats[note.seat]
        try:
            await self.store.seats.change_substitute(table.id, note, row, substitute)
        except ConflictError:
            await self.reload(table)
            return
        table.note(note)
        table.take_seat(note.seat, dataclasses.replace(row, substitute=substitute))

    async def run_in_bot_thread(self, work: Callable[[], Thought]) -> Thought:
        """Let something be thought out in a thread, as bots do; everybody else is answered meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self._bot_threads, work)

    def disconnect_all(self) -> None:
        """Tell everybody who watches that there will be no more to see."""
        for table in self._tables.values():
            for listener in table.subscribers:
                listener.close()

    async def close(self) -> None:
        """Stop the bots and let go of the store."""
        self._closed = True
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
        self.disconnect_all()
        for table in self._tables.values():
            if table.bot_task is not None:
                table.bot_task.cancel()
        await asyncio.gather(
            *(table.bot_task for table in self._tables.values() if table.bot_task is not None),
            return_exceptions=True,
        )
        await asyncio.gather(*self._saying, return_exceptions=True)
        self._bot_threads.shutdown(wait=False, cancel_futures=True)
        await self.store.close()


def version_of_key(table: Table, seat: int, idempotency_key: str | None) -> int | None:
    """The number under which a command of that seat is kept already; what bears another seat's name is Stale."""
    move = table.idempotency_keys.get(idempotency_key) if idempotency_key is not None else None
    if move is None:
        return None
    if move.seat != seat:
        raise StaleVersionError
    return move.version


def lower_priority() -> None:
    """Let this thread come after everything else: bots think when nobody has to be answered."""
    if sys.platform == "linux":  # elsewhere that would slow the whole server down
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BOT_NICENESS)


def _report(bot_task: asyncio.Task[None]) -> None:
    """Say in the log what kept bots from answering, or tables from being looked after; it is tried again some day."""
    if not bot_task.cancelled() and (error := bot_task.exception()) is not None:
        _LOG.error("bots could not answer", exc_info=error)

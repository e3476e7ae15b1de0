"""A table: its game, seats and moves, in memory."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeVar

from hegemon.notation.record import read_record
from hegemon.play.events import Event
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError, Reason
from hegemon.play.memory import Memory
from hegemon.prose.english import FORMER_PLAYER
from hegemon.rules.position import Question
from hegemon.rules.view import SPECTATOR
from hegemon.server.db.people import ERASED_BOT
from hegemon.server.db.rows import UNDO, GameRow, GameUpdate, MoveRow, SeatRow, Substitution, Webhook
from hegemon.server.db.turns import ToMove
from hegemon.server.db.vacations import Vacation
from hegemon.server.tables.chat import ChatLog
from hegemon.server.tables.clock import Clock, read_time_control
from hegemon.server.tables.history import Facts, History
from hegemon.server.tables.presence import Presence
from hegemon.server.tables.spectate import delayed_ply
from hegemon.views.table import PublicPart, TableInfo, TableView, game_table

#: The reason of a Substitution that ends one.
BACK: Final = "back"

#: The reasons of Substitutions that last to the end of the game: resignation, and withdrawal from a tournament.
RESIGNED: Final = "resigned"
WITHDRAWN: Final = "left"

#: The maximum number of values cached until the next change: readers can set arbitrary cookies.
MAX_CACHED: Final = 256

#: The maximum number of values cached across versions, usually one for each seat and language.
MAX_CACHED_ACROSS_VERSIONS: Final = 64

#: The maximum number of streams woken in one iteration of the event loop; requests are handled in between.
MAX_WAKEUPS: Final = 50

#: The number of undos per player and game, limited because every undo is saved and replayed.
MAX_UNDOS: Final = 100

Value = TypeVar("Value")


class Subscriber(Protocol):
    """A stream that follows a table."""

    def notify(self) -> None:
        """Called when the table has changed."""
        ...

    def close(self) -> None:
        """Called when the server stops."""
        ...


class Snapshot:
    """Values that depend only on one version of a game; each is computed once and shared by all readers."""

    def __init__(self, game: Game, *, waiting: bool, without_undo: frozenset[int] = frozenset()) -> None:
        self._game = game
        self._without_undo = without_undo
        self._choices = {seat: game.choices_of(seat) for seat in (SPECTATOR, *range(game.players))}
        self.to_move = () if waiting else tuple(seat for seat, choices in self._choices.items() if choices)
        self._memories: dict[int, Memory] = {}
        self._events: dict[int, tuple[Event, ...]] = {}
        self._views: dict[tuple[int, TableInfo, bool, tuple[str, ...]], TableView] = {}
        self._public: dict[tuple[TableInfo, tuple[str, ...]], PublicPart] = {}

    @cached_property
    def is_draft(self) -> bool:
        return self._game.position.question == Question.DRAFT

    def choices_of(self, seat: int) -> tuple[str, ...]:
        return self._choices[seat]

    def memory(self, seat: int) -> Memory:
        """The memory of a seat, which callers must not modify."""
        if seat not in self._memories:
            self._memories[seat] = self._game.memory(seat)
        return self._memories[seat]

    def events(self, viewer: int) -> tuple[Event, ...]:
        """All events so far, as a seat or a spectator saw them."""
        if viewer not in self._events:
            self._events[viewer] = self._game.events_seen_by(viewer)
        return self._events[viewer]

    def table_view(
        self, viewer: int, info: TableInfo, *, with_memory: bool, names: tuple[str, ...] = ()
    ) -> TableView:
        key = viewer, info, with_memory, names
        if key not in self._views:
            memory = self.memory(viewer) if with_memory else None
            public = self._public.get((info, names))
            view = game_table(self._game, viewer, info=info, memory=memory, names=names, public=public)
            self._public[info, names] = view.public
            if view.can_undo and viewer in self._without_undo:
                view = replace(view, can_undo=False)
            self._views[key] = view
        return self._views[key]


class Table:
    def __init__(
        self, row: GameRow, vacations: Mapping[str, Sequence[Vacation]] = MappingProxyType({})
    ) -> None:
        self.id = row.id
        self.host = row.host
        self.options = row.options
        self.public = row.public
        self.rated = row.rated
        self.counted = row.counted
        self.sealed = bool(row.options.tournament) and len(row.seats) > 2
        """Whether other tables of the tournament may still play the same deal; updated by `tournaments.access`."""
        self.next_game = row.next_game
        self.closed = row.closed
        self.seats = row.seats
        self._has_open_seat = any(seat.is_open for seat in row.seats)
        self.game = Game.from_record(read_record(row.record))
        self.moves: list[MoveRow] = []
        self.idempotency_keys: dict[str, MoveRow] = {}
        self.substitutions: list[tuple[int, Substitution]] = []
        """Each with the number of events before it."""
        self.revisions = row.revisions
        """The last transactions of other workers that this table includes."""
        self.clock = Clock(read_time_control(row.options.clock), self.game.players)
        self.chat = ChatLog(row.messages)
        self.presence = Presence()
        self.webhook: Webhook | None = None
        """None if there is none or it has not been loaded."""
        self.caller: str | None = None
        """The network of the latest player or host, or else of a spectator; empty for this machine."""
        self.saved_turns: ToMove | None = {} if row.finished else None
        """Whose turn it is according to the lists of games; None if unknown."""
        self.lock = asyncio.Lock()
        self.subscribers: set[Subscriber] = set()
        self._undos: Counter[int] = Counter()
        self._history = History(self.game)
        self._delayed_game: Game | None = None
        self._snapshot: Snapshot | None = None
        self._notification: asyncio.Handle | None = None
        self._delayed_notification: asyncio.TimerHandle | None = None
        self._cache: dict[Hashable, Any] = {}
        self._cache_across_versions: dict[Hashable, Any] = {}
        self._wakeups: deque[Callable[[], None]] = deque()
        self._rename_players()
        self.set_vacations(vacations)
        self.start(row.started_at)
        self.apply_moves(row.moves, row.substitutions)

    # ---------------------------------------------------------------- state

    @property
    def version(self) -> int:
        """The number of moves and undos so far; a move names the version that it was made for."""
        return len(self.moves)

    @property
    def snapshot(self) -> Snapshot:
        if self._snapshot is None:
            without_undo = frozenset(seat for seat, undos in self._undos.items() if undos >= MAX_UNDOS)
            self._snapshot = Snapshot(
                self.game, waiting=self.is_waiting or self.closed, without_undo=without_undo
            )
        return self._snapshot

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats that may choose now: in the draft there may be several."""
        return self.snapshot.to_move

    @property
    def is_waiting(self) -> bool:
        """Whether the game has not begun because a seat is open."""
        return not self.moves and self._has_open_seat

    @property
    def person_seats(self) -> tuple[int, ...]:
        """The seats that do not belong to bots."""
        return tuple(seat for seat, row in enumerate(self.seats) if row.bot is None)

    @property
    def has_person(self) -> bool:
        """Whether any person plays without a substitute."""
        return any(row.owner is not None and row.acting_bot is None for row in self.seats)

    @property
    def resigned(self) -> frozenset[int]:
        """The seats whose players have resigned."""
        return seats_with_substitute(
            self.seats, (substitution for _, substitution in self.substitutions), RESIGNED
        )

    @property
    def withdrawn(self) -> frozenset[int]:
        """The seats whose players have withdrawn from the tournament."""
        return seats_with_substitute(
            self.seats, (substitution for _, substitution in self.substitutions), WITHDRAWN
        )

    @property
    def is_driven(self) -> bool:
        """Whether the game goes on without requests: a clock runs, or a bot is to move."""
        if self.game.over or self.closed:
            return False
        return self.clock.is_limited or any(self.seats[seat].acting_bot for seat in self.to_move)

    def seats_of(self, owner: str) -> tuple[int, ...]:
        return tuple(
            seat for seat, row in enumerate(self.seats) if row.owner is not None and row.owner == owner
        )

    @property
    def charged_caller(self) -> str:
        """The caller that computations for this table are charged to, for a fair share between callers."""
        return self.caller or self.host or self.id

    def note_caller(self, owner: str | None, network: str) -> None:
        """Note the network of a request. A spectator's is noted only if there is none of a player or host."""
        if self.caller is None or (owner is not None and (owner == self.host or self.seats_of(owner))):
            self.caller = network

    def may_undo(self, seat: int) -> bool:
        return self._undos[seat] < MAX_UNDOS and self.game.undoable(seat) is not None

    def event_dicts(self, viewer: int, version: int) -> list[Facts]:
        """The events of a version as a seat or a spectator saw them, as JSON; version 0 is the deal."""
        return self._history.event_dicts(viewer, version)

    def events_seen_by(self, viewer: int, version: int) -> tuple[Event, ...]:
        """The events of a version, which are equal for viewers who saw the same; none for an undo."""
        return self._history.events_seen_by(viewer, version)

    def delayed_game(self) -> Game | None:
        """The game as spectators may see it with all hands open; None if they may not, or not yet."""
        if not self.options.spectator_delay:
            return None
        ply = delayed_ply(self.game, self.options.spectator_delay)
        if ply is None:
            return None
        delayed = self._delayed_game
        if delayed is None or (len(delayed.moves), delayed.names) != (ply, self.game.names):
            delayed = self._delayed_game = self.game.at(ply)
        return delayed

    # ---------------------------------------------------------------- time

    def start(self, now: datetime | None) -> None:
        """Start the clocks, if the time is known."""
        self.started_at = now
        if now is not None:
            self.clock.start_turns(self.to_move, now, self.version)

    def overdue_seats(self, now: datetime) -> list[int]:
        """The seats that are out of time, without a substitute yet."""
        if not self.clock.is_limited:
            return []
        return [
            seat for seat in self.to_move if not self.seats[seat].acting_bot and self.is_time_up(seat, now)
        ]

    def is_time_up(self, seat: int, now: datetime) -> bool:
        """Whether the time of a seat for this turn is up, even if a substitute plays it."""
        deadline = self.clock.deadline(seat)
        return deadline is not None and deadline <= now

    def next_deadline(self, now: datetime, *, with_clocks: bool = True) -> datetime | None:
        """When a player will next be absent or, with clocks, out of time, or a vacation begins or ends."""
        times = [self.presence.next_change(now)]
        if self.clock.is_limited and not self.game.over:
            times += [self.clock.next_pause_change(seat, now) for seat in range(self.game.players)]
        if with_clocks and self.clock.is_limited and not self.game.over:
            times += [self.clock.deadline(seat) for seat in self.to_move if not self.seats[seat].acting_bot]
        return min((time for time in times if time is not None), default=None)

    def set_vacations(self, vacations: Mapping[str, Sequence[Vacation]]) -> None:
        """Stop the clocks of the seats of these owners while they are on vacation, except in a tournament."""
        # In a tournament, everyone else would have to wait for the end of the round.
        self._vacations = {} if self.options.tournament else vacations
        for seat, row in enumerate(self.seats):
            found = self._vacations.get(row.owner or "", ())
            self.clock.set_pauses(seat, [vacation.pause for vacation in found])

    def on_vacation(self, now: datetime) -> frozenset[int]:
        """The seats whose players are on vacation."""
        return frozenset(seat for seat in self.person_seats if self.clock.pause_at(seat, now) is not None)

    # ---------------------------------------------------------------- changes

    def close(self) -> None:
        """Close the table permanently: no seat can move, and its streams end."""
        self.closed, self._snapshot = True, None
        self.notify()
        for subscriber in self.subscribers:
            subscriber.close()

    def set_seat(self, seat: int, row: SeatRow) -> None:
        self.seats = (*self.seats[:seat], row, *self.seats[seat + 1 :])
        self._has_open_seat = any(row.is_open for row in self.seats)
        self.set_vacations(self._vacations)
        self._rename_players()
        self.notify()

    def change_owner(self, old: str, new: str) -> None:
        """Replace the owner of seats, messages and the table itself."""
        if self.host == old:
            self.host = new
        self.chat.replace(
            [
                replace(message, author=new) if message.author == old else message
                for message in self.chat.messages
            ]
        )
        self._vacations = {new if owner == old else owner: rows for owner, rows in self._vacations.items()}
        for seat in self.seats_of(old):
            self.set_seat(seat, replace(self.seats[seat], owner=new))
        self._cache, self._cache_across_versions = {}, {}

    def erase(self, owner: str) -> bool:
        """Erase a person from seats, messages and the table itself; return whether there was anything to erase."""
        held = self.seats_of(owner)
        remaining = [message for message in self.chat.messages if message.author != owner]
        if not held and self.host != owner and len(remaining) == len(self.chat.messages):
            return False
        if self.host == owner:
            self.host, self.webhook = None, None
        self.chat.replace(remaining)
        for seat in held:
            bot = None if self.game.over else ERASED_BOT
            self.set_seat(seat, SeatRow(bot, None, FORMER_PLAYER, self.seats[seat].color))
        self._cache, self._cache_across_versions = {}, {}
        self.notify()
        return True

    def _rename_players(self) -> None:
        self._snapshot = None
        self.game.rename([row.name or name for row, name in zip(self.seats, self.game.names, strict=True)])

    def accepts_version(self, seat: int, version: int) -> bool:
        """Whether a seat may still submit a move for that version.

        Draft picks are simultaneous: the picks of others do not affect a seat's own packet, because packets are passed
        only when all have picked.
        """
        if version == self.version:
            return True
        return (
            self.snapshot.is_draft
            and 0 <= version < self.version
            and all(move.seat != seat for move in self.moves[version:])
        )

    def check_move(self, seat: int, choice: str | Sequence[str]) -> None:
        """Raise IllegalMoveError for a choice, or a set of cards, that the game would reject."""
        choices = self.snapshot.choices_of(seat)
        if choice == UNDO:
            if self._undos[seat] >= MAX_UNDOS:
                raise IllegalMoveError(Reason("nothing-to-undo"), choices)
            if not self.may_undo(seat):
                raise IllegalMoveError(self.game.reason_against_undo(seat), choices)
        elif choice not in choices:
            self.game.actions_of(choice, seat)

    def catch_up(self, row: GameRow | GameUpdate) -> None:
        """Apply what other workers have saved; the row has the moves after this version."""
        self.revisions = row.revisions
        self.public, self.rated, self.counted = row.public, row.rated, row.counted
        for seat, occupant in enumerate(row.seats):
            if occupant != self.seats[seat]:
                self.set_seat(seat, occupant)
        if self.started_at is None and row.started_at is not None:
            self.start(row.started_at)
        if row.closed and not self.closed:
            self.close()
        before = self.host, self.next_game, self.chat.messages
        self.host, self.next_game = row.host, row.next_game
        self.chat.replace(row.messages)
        if before != (self.host, self.next_game, self.chat.messages):
            self.notify()
        self.apply_moves(row.moves, row.substitutions[len(self.substitutions) :])

    def apply_moves(self, moves: Sequence[MoveRow], substitutions: Sequence[Substitution]) -> None:
        """Apply saved moves and substitutions, in the order in which they were made."""
        pending = list(substitutions)
        for move in (None, *moves):
            if move is not None:
                self.apply_move(move)
            while pending and pending[0].version <= self.version:
                self.add_substitution(pending.pop(0))

    def add_substitution(self, substitution: Substitution) -> None:
        self.substitutions.append((len(self.game.events), substitution))
        if substitution.reason == BACK:
            self.clock.grant_return_time(substitution.seat)

    def apply_move(self, move: MoveRow) -> None:
        """Apply a saved move; subscribers are notified after the response to its player."""
        if self._notification is not None:
            self.notify()  # subscribers must not miss a version because the next one follows immediately
        drafting = self.clock.is_limited and move.choice != UNDO and self.snapshot.is_draft
        if move.choice == UNDO:
            self._history.undo(self.game, move.seat)
            self._undos[move.seat] += 1
        else:
            self._history.apply(self.game, move)
        self.moves.append(move)
        self._snapshot = None
        self._cache = {}
        if move.idempotency_key is not None:
            self.idempotency_keys[move.idempotency_key] = move
        if self.clock.is_limited and move.created_at is not None:
            to_move = self.to_move
            if move.choice == UNDO:
                self.clock.resume_turn(move.seat, move.created_at)
            if drafting:  # each pick is a separate turn, even for the seat that made the last one
                others = tuple(seat for seat in to_move if seat != move.seat)
                self.clock.start_turns(others, move.created_at, self.version)
            self.clock.start_turns(to_move, move.created_at, self.version)
        self._notification = asyncio.get_running_loop().call_soon(self.notify)

    def notify(self) -> None:
        """Notify all subscribers of a change."""
        for timer in (self._notification, self._delayed_notification):
            if timer is not None:
                timer.cancel()
        self._notification = self._delayed_notification = None
        self._cache = {}
        for subscriber in tuple(self.subscribers):
            subscriber.notify()

    def notify_within(self, seconds: float) -> None:
        """Notify all subscribers within that time; further changes until then cause no further notification."""
        if self._delayed_notification is None:
            self._delayed_notification = asyncio.get_running_loop().call_later(seconds, self.notify)

    def cached(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """A value that is cached until the next change, for all readers with the same key."""
        if key in self._cache:
            known: Value = self._cache[key]
            return known
        value = compute()
        if len(self._cache) >= MAX_CACHED:
            self._cache.clear()
        self._cache[key] = value
        return value

    def cached_across_versions(self, key: Hashable, create: Callable[[], Value]) -> Value:
        """A value that stays cached when the table changes, such as a log that grows."""
        if key not in self._cache_across_versions:
            if len(self._cache_across_versions) >= MAX_CACHED_ACROSS_VERSIONS:
                self._cache_across_versions.clear()
            self._cache_across_versions[key] = create()
        value: Value = self._cache_across_versions[key]
        return value

    def queue_wakeup(self, wake: Callable[[], None]) -> None:
        """Queue a function that wakes a stream; each iteration of the event loop calls MAX_WAKEUPS of them."""
        self._wakeups.append(wake)
        if len(self._wakeups) == 1:
            asyncio.get_running_loop().call_soon(self._run_wakeups)

    def _run_wakeups(self) -> None:
        for _ in range(min(MAX_WAKEUPS, len(self._wakeups))):
            self._wakeups.popleft()()
        if self._wakeups:
            asyncio.get_running_loop().call_soon(self._run_wakeups)


def seats_with_substitute(
    seats: Sequence[SeatRow], substitutions: Iterable[Substitution], reason: str
) -> frozenset[int]:
    """The seats whose players were last substituted for that reason, and still are."""
    last = {substitution.seat: substitution.reason for substitution in substitutions}
    return frozenset(
        seat for seat, found in last.items() if found == reason and seats[seat].substitute is not None
    )

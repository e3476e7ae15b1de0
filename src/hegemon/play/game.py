"""A game in progress: legal choices, moves, undo, views, events and memories."""

import dataclasses
import secrets
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Final

from hegemon.notation.cards import read_deck
from hegemon.notation.choices import choices_in, read_choice
from hegemon.notation.errors import quoted
from hegemon.notation.reading import read_position
from hegemon.notation.record import (
    Move,
    Record,
    Result,
    initial_position,
    read_record,
    replay,
    result_of,
    write_record,
)
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import SetupError, check_deck, check_players, check_seed, read_variant
from hegemon.notation.variations import replay_variations, variations_until
from hegemon.notation.writing import write_position
from hegemon.play.backend import Backend, backend_at, check_speed, dealt_backend, is_compiled
from hegemon.play.commitment import commitment, new_salt
from hegemon.play.events import Event, TurnBegan, events_of_move, opening_events
from hegemon.play.legality import IllegalMoveError, Reason, choices_of, reason_against
from hegemon.play.memory import Memory
from hegemon.play.selection import SEPARATOR, Selection, actions_of_cards, cards_of_choice, selection_of
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, may_choose
from hegemon.rules.position import Position, Question, picture_of
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.shuffle import deck_shuffled_by, shuffle, stream
from hegemon.rules.view import SPECTATOR, View
from hegemon.rules.view import view as view_of

#: The number of moves between stored positions; other positions are replayed from the nearest one.
_CHECKPOINT_INTERVAL: Final = 32


class _ChoiceCache(dict[int, tuple[tuple[str, ...], dict[str, int]]]):
    """A cache of the choices in a set of actions, and the action of each choice; games have a few thousand sets."""

    def __missing__(self, actions: int) -> tuple[tuple[str, ...], dict[str, int]]:
        choices = choices_in(actions)
        self[actions] = choices, {choice: read_choice(choice) for choice in choices}
        return self[actions]


_CHOICE_CACHE: Final = _ChoiceCache()


class Game:
    """A game from the deal to its end.

    The deck comes from a seed, or is given; without either, it is shuffled by the system's random source. The same
    seed gives the same game at both speeds: `speed="compiled"` waits for the compiler once, and then plays many
    times as fast. Seats are numbered from 0, clockwise from the First Player.
    """

    def __init__(
        self,
        players: int = 3,
        variant: str = "basic",
        *,
        teams: bool = False,
        rulings: str = "standard",
        seed: int | None = None,
        deck: str | None = None,
        names: Sequence[str] | None = None,
        speed: str = "interpreted",
    ) -> None:
        check_speed(speed)
        check_players(players, teams)
        read_variant(variant)
        read_rulings(rulings)
        if deck is not None and seed is not None:
            raise SetupError("A game has a seed or a deck, not both.")
        players, names = int(players), names_of(players, names)
        if deck is None:
            kinds = shuffled_deck(players, seed, speed)
        else:
            check_deck(given := read_deck(deck), players)
            kinds = tuple(given)
        salt = new_salt() if seed is None else salt_of_seed(seed)
        self._begin(Record(names, kinds, variant=variant, teams=teams, rulings=rulings, salt=salt), speed)

    def _begin(self, start: Record, speed: str, position: Position | None = None) -> None:
        self._start = start
        self._start_position = position
        self._speed = speed
        self._moves: list[Move] = []
        self._sets: dict[int, int] = {}
        """For each set of cards chosen at once, the index of its first move by that of its last."""
        self._forced: set[int] = set()
        """The moves that were the only choice of the seat to move."""
        # Events, memories and earlier positions are computed lazily: most games need none of them.
        self._positions: dict[int, Position] = {}
        self._events: list[tuple[Event, ...]] = []
        self._turn_starts: list[int] = []
        self._memories: dict[int, tuple[Memory, int]] = {}
        self._set_backend(dealt_backend(start, speed) if position is None else backend_at(position, speed))

    def _set_backend(self, backend: Backend) -> None:
        self._backend = backend
        self._choices, self._actions = _CHOICE_CACHE[backend.initial_choices]

    @classmethod
    def from_record(cls, record: Record | str, *, speed: str = "interpreted") -> "Game":
        """The game of a record; an unfinished one can be continued."""
        check_speed(speed)
        if isinstance(record, str):
            record = read_record(record)
        # A record that was not read from text has not been checked yet.
        replay_variations(positions := list(replay(record)), record.variations)
        game = cls.__new__(cls)
        start = dataclasses.replace(record, moves=(), result=None)
        game._begin(start, speed, positions[0] if record.position else None)
        for seat, action in record.moves:
            game._apply(seat, action)
        return game

    @classmethod
    def from_position(
        cls,
        position: Position | str,
        names: Sequence[str] | None = None,
        *,
        moves: str = "",
        speed: str = "interpreted",
    ) -> "Game":
        """A game that starts at any position, even in the draft; `moves`, such as "1:M 1:R+", are played immediately.

        It has no commitment, and its memories start at the position.
        """
        check_speed(speed)
        if not isinstance(position, (Position, str)):
            raise SetupError(
                "A game starts at a position, and this is a {kind}.", kind=type(position).__name__
            )
        # A position that was not read from text has not been checked yet.
        position = read_position(position if isinstance(position, str) else write_position(position))
        game = cls.__new__(cls)
        start = Record(names_of(position.players, names), position=write_position(position))
        game._begin(start, speed, position)
        for move in moves.split():
            seat, _, choice = move.rpartition(":")
            if seat not in ("", "1", "2", "3", "4"):
                raise SetupError(
                    "A move is a choice, perhaps after a seat: M or 2:M, not {move}.", move=quoted(move)
                )
            game.play(choice, int(seat) - 1 if seat else None)
        return game

    def copy(self) -> "Game":
        """An independent game at the same point."""
        return self._with_moves(len(self._moves), self._backend.copy())

    def at(self, ply: int) -> "Game":
        """An independent copy of the game after that many moves, which can be continued."""
        self._expect_ply(ply)
        if ply == len(self._moves):
            return self.copy()
        return self._with_moves(ply, backend_at(self._position_at(ply), self._speed))

    def _with_moves(self, ply: int, backend: Backend) -> "Game":
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        other._moves = self._moves[:ply]
        other._sets = {last: first for last, first in self._sets.items() if last < ply}
        other._forced = {number for number in self._forced if number < ply}
        # Stored positions and events are immutable, so games share them.
        other._positions = {number: position for number, position in self._positions.items() if number <= ply}
        other._events = self._events[: ply + 1]
        other._turn_starts = [start for start in self._turn_starts if start <= ply]
        other._memories = {}
        other._backend = backend
        if ply < len(self._moves):
            # A comment on a move that was undone would be attached to another one, and a variation replaces a move.
            comments = {number: text for number, text in self._start.comments.items() if number <= ply}
            variations = variations_until(self._start.variations, ply)
            other._start = dataclasses.replace(self._start, comments=comments, variations=variations)
            other._set_backend(backend)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> "Game":
        return self.copy()

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return partial(Game.from_record, speed=self._speed), (self.record(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self._start, self._start_position, self._moves) == (
            other._start,
            other._start_position,
            other._moves,
        )

    __hash__ = None  # type: ignore[assignment]  # it changes with every move

    def __repr__(self) -> str:
        speed = f", speed={self._speed!r}" if self._speed != "interpreted" else ""
        if self._start != Record(self.names, position=self._start.position):
            return f"Game.from_record({write_record(self.record())!r}{speed})"
        moves = f", moves={self._moves_text()!r}" if self._moves else ""
        return f"Game.from_position({self._start.position!r}, {self.names!r}{moves}{speed})"

    def _repr_html_(self) -> str:
        """The game in a notebook, with all hands open; `game.view(seat)` shows what one seat sees."""
        return picture_of(self)

    def _moves_text(self) -> str:
        return " ".join(f"{seat + 1}:{CHOICES[action]}" for seat, action in self._moves)

    # ---------------------------------------------------------------- state

    @property
    def _position(self) -> Position:
        return self._backend.position

    @property
    def players(self) -> int:
        return len(self._start.names)

    @property
    def names(self) -> tuple[str, ...]:
        return self._start.names

    @property
    def dealt(self) -> bool:
        """Whether the game started with a deal instead of a position."""
        return self._start_position is None

    @property
    def seat(self) -> int:
        """The seat to move; in the draft, the first of those that still owe a pick."""
        return self._backend.to_move[0]

    @property
    def over(self) -> bool:
        return not self._choices

    @property
    def result(self) -> Result | None:
        """How the game ended, and who won; None while the game is in progress."""
        return result_of(self._position) if self.over else None

    @property
    def commitment(self) -> str:
        """The digest that commits to the shuffle; it can be published before the game."""
        if self._start_position is not None:
            raise TypeError("A game that starts at a position has no deal, so no commitment.")
        return commitment(self._start.deck, self._start.salt)

    @property
    def position(self) -> Position:
        """A copy of the whole position, hidden cards included."""
        return self._position.copy()

    def view(self, seat: int) -> View:
        """The view of a seat, or of a spectator (-1)."""
        self._expect_viewer(seat)
        return view_of(self._position, seat)

    @property
    def moves(self) -> tuple[str, ...]:
        """The choices played so far, in order."""
        return tuple(CHOICES[action] for _, action in self._moves)

    @property
    def movers(self) -> tuple[int, ...]:
        """The seat that made each move."""
        return tuple(seat for seat, _ in self._moves)

    def record(self) -> Record:
        """The game as a record. It contains the whole deck, so players must not see it before the game is over."""
        return dataclasses.replace(self._start, moves=tuple(self._moves), result=self.result)

    def rename(self, names: Sequence[str]) -> None:
        """Replace the players' names, as when a seat changes hands."""
        self._start = dataclasses.replace(self._start, names=names_of(self.players, names))

    def _expect_viewer(self, seat: int) -> None:
        if not -1 <= seat < self.players:
            raise IllegalMoveError(Reason("no-such-seat", {"seat": seat + 1, "players": self.players}))

    def _expect_ply(self, ply: int) -> None:
        if not 0 <= ply <= len(self._moves):
            raise IllegalMoveError(Reason("no-such-moment", {"choices": len(self._moves)}))

    # ---------------------------------------------------------------- history

    def _position_at(self, ply: int) -> Position:
        """The position after that many moves, replayed from the nearest stored one; read-only."""
        positions = self._positions
        if 0 not in positions:
            positions[0] = (
                initial_position(self._start) if self._start_position is None else self._start_position
            )
        nearest = max(number for number in positions if number <= ply)
        position = positions[nearest]
        for number in range(nearest, ply):
            position = position.copy()
            position.seat, action = self._moves[number]
            apply(position, action)
            positions[number + 1] = position
            if (number - 1) % _CHECKPOINT_INTERVAL:
                positions.pop(number - 1, None)
        return position

    def _all_events(self) -> list[tuple[Event, ...]]:
        """The events of the deal, and of each move."""
        for ply in range(len(self._events), len(self._moves) + 1):
            events = self._events_of(ply)
            self._events.append(events)
            if any(isinstance(event, TurnBegan) for event in events):
                self._turn_starts.append(ply)
        return self._events

    def _events_of(self, ply: int) -> tuple[Event, ...]:
        if not ply:
            return tuple(opening_events(self._position_at(0))) if self._start_position is None else ()
        seat, action = self._moves[ply - 1]
        before = self._position_at(ply - 1)
        if before.seat != seat:
            before = before.copy()
            before.seat = seat
        return tuple(events_of_move(before, action, self._position_at(ply)))

    @property
    def events(self) -> tuple[Event, ...]:
        """All events so far, including hidden cards."""
        return tuple(event for events in self._all_events() for event in events)

    def events_at(self, ply: int, seat: int | None = None) -> tuple[Event, ...]:
        """The events of the deal (0) or of one move, as a seat or a spectator (-1) saw them; all cards open if None."""
        self._expect_ply(ply)
        events = self._all_events()[ply]
        return events if seat is None else self._seen_by(seat, events)

    @property
    def turn_starts(self) -> tuple[int, ...]:
        """The number of moves before each turn that has begun."""
        self._all_events()
        return tuple(self._turn_starts)

    def events_seen_by(self, seat: int, since: int = 0) -> tuple[Event, ...]:
        """The events as a seat saw them, or a spectator (-1), without the first `since` of them."""
        return self._seen_by(seat, self.events[since:])

    def _seen_by(self, seat: int, events: Sequence[Event]) -> tuple[Event, ...]:
        self._expect_viewer(seat)
        backs_shown = bool(self._position.rulings & SHOW_BACKS)
        return tuple(event.seen_by(seat, backs_shown) for event in events)

    def memory(self, seat: int) -> Memory:
        """What a seat with perfect memory, or a spectator (-1), knows about the other hands."""
        self._expect_viewer(seat)
        memory, seen = self._memories.get(seat) or (self._first_memory(seat), 0)
        for events in self._all_events()[seen:]:
            memory.see(self._seen_by(seat, events))
        self._memories[seat] = memory, len(self._events)
        return memory.copy()

    def _first_memory(self, seat: int) -> Memory:
        """The memory of a seat before the first event: empty, except for its packet at a position in the draft."""
        if (
            self._start_position is None
            or self._start_position.question != Question.DRAFT
            or seat == SPECTATOR
        ):
            return Memory(seat, self.players)
        return Memory(seat, self.players, f"packet:{self._start_position.hand(seat)}")

    # ---------------------------------------------------------------- choosing

    @property
    def choices(self) -> tuple[str, ...]:
        """The legal choices of the seat to move; none when the game is over."""
        return self._choices

    def choices_of(self, seat: int) -> tuple[str, ...]:
        """The legal choices of any seat: in the draft every seat that owes a pick may choose. A spectator has none."""
        self._expect_viewer(seat)
        if seat == self.seat:
            return self._choices
        if seat == SPECTATOR or not may_choose(self._position, seat):
            return ()
        return choices_in(choices_of(self._position, seat))

    def selection(self, seat: int | None = None) -> Selection | None:
        """The cards that a seat has to choose, as many as the open question asks for; None if it asks for none."""
        return selection_of(self._position, self.seat if seat is None else seat)

    def actions_of(self, choice: str | Sequence[str], seat: int | None = None) -> tuple[int, ...]:
        """The actions of a choice: one, or one for each card of a set, which is `R,M` or a sequence of cards.

        An illegal choice raises an IllegalMoveError with the reason and the legal choices.
        """
        seat = self.seat if seat is None else seat
        if (cards := cards_of_choice(choice)) is not None:
            return actions_of_cards(self._position, seat, cards)
        action = read_choice(choice)  # type: ignore[arg-type]  # a text: sets are handled above
        if (reason := reason_against(self._position, seat, action)) is not None:
            raise IllegalMoveError(reason, self.choices_of(seat))
        return (action,)

    def play(self, choice: str | Sequence[str], seat: int | None = None) -> None:
        """Play a choice for the seat to move, or in the draft for another that owes a pick.

        Where the question asks for several cards, all of them can be one choice, in any order: `R,M` or ["R1", "M1"].
        An illegal choice raises an IllegalMoveError with the reason and the legal choices, and nothing changes.
        """
        backend = self._backend
        action = self._actions.get(choice) if isinstance(choice, str) else None
        if action is None or (seat is not None and seat != backend.to_move[0]):
            # A set of cards, the pick of another seat, or illegal.
            seat = self.seat if seat is None else seat
            first, actions = len(self._moves), self.actions_of(choice, seat)
            for action in actions:
                self._apply(seat, action)
            if len(actions) > 1:
                self._sets[len(self._moves) - 1] = first
            return
        if len(self._actions) == 1:
            self._forced.add(len(self._moves))
        self._moves.append((backend.to_move[0], action))
        self._choices, self._actions = _CHOICE_CACHE[backend.apply(action)]

    def _apply(self, seat: int, action: int) -> None:
        if len(self._actions) == 1 and seat == self._backend.to_move[0]:
            self._forced.add(len(self._moves))
        self._backend.to_move[0] = seat
        self._moves.append((seat, action))
        self._choices, self._actions = _CHOICE_CACHE[self._backend.apply(action)]

    # ---------------------------------------------------------------- undo

    def undoable(self, seat: int | None = None) -> int | None:
        """The index of the move that a seat may undo, the first one if several were one choice; None if there is none.

        A move is final if it revealed hidden cards or affected another player. A draft pick can be undone until the
        packets are passed on. The default is the seat that moved last.
        """
        if not self._moves:
            return None
        last, last_mover = len(self._moves) - 1, self._moves[-1][0]
        seat = last_mover if seat is None else seat
        if self._position.question == Question.DRAFT:
            # A seat that owes no pick has made one with this packet; other seats may have moved since.
            if not 0 <= seat < self.players or may_choose(self._position, seat):
                return None
            picks = (number for number, (chooser, _) in enumerate(self._moves) if chooser == seat)
            return max(picks, default=None)  # the pick may precede the position that the game started from
        first = self.first_of_choice(last)
        return first if seat == last_mover and can_undo(self._position_at(first), self._position) else None

    def reason_against_undo(self, seat: int | None = None) -> Reason:
        """Why a seat cannot undo: its move is final, or there is none."""
        moved_last = bool(self._moves) and seat in (None, self._moves[-1][0])
        final = moved_last and self._position.question != Question.DRAFT
        return Reason("cannot-undo" if final else "nothing-to-undo")

    def first_of_choice(self, number: int) -> int:
        """The index of the first move of the choice that ends with that move; they differ for a set of cards."""
        return self._sets.get(number, number)

    def was_forced(self, number: int) -> bool:
        """Whether a move was the only choice of the seat to move; number 0 is the first move."""
        return number in self._forced

    def undo(self, seat: int | None = None) -> str:
        """Undo the last choice of a seat, if it may be undone, and return it; a set of cards is undone as a whole."""
        number = self.undoable(seat)
        if number is None:
            raise IllegalMoveError(self.reason_against_undo(seat), self.choices)
        end = number + 1 if self._position.question == Question.DRAFT else len(self._moves)
        choice, later = SEPARATOR.join(self.moves[number:end]), self._moves[end:]
        self.rewind(number)
        for mover, action in later:
            self._apply(mover, action)
        return choice

    def rewind(self, ply: int) -> None:
        """Undo all moves after the first `ply`, even final ones: for a host that allows it."""
        vars(self).update(vars(self.at(ply)))


def names_of(players: int, names: Sequence[str] | None) -> tuple[str, ...]:
    """One name per seat: the given names, or Player 1 and so on."""
    if names is None:
        return tuple(f"Player {seat + 1}" for seat in range(players))
    if len(names) != players:
        raise SetupError("There are {players} players and {names} names.", players=players, names=len(names))
    return tuple(names)


def can_undo(before: Position, after: Position) -> bool:
    """Whether a move within a turn revealed nothing hidden and did not affect other players' cards."""
    if before.round == 0 or after.question == Question.OVER:
        return False
    if (before.seat, before.round, before.deck_size) != (after.seat, after.round, after.deck_size):
        return False
    if before.question == after.question == Question.GIVE:
        return True  # the cards change hands when the last one is chosen
    return all(
        getattr(before, place)[seat] == getattr(after, place)[seat]
        for place in ("hands", "areas", "embargoes", "democracies")
        for seat in range(before.players)
        if seat != before.seat
    )


def shuffled_deck(players: int, seed: int | None, speed: str = "interpreted") -> tuple[int, ...]:
    """The kinds of a shuffled Age deck, from the top."""
    if seed is None:
        return deck_shuffled_by(secrets.SystemRandom().shuffle, players)
    check_seed(seed)
    seed = int(seed)
    if is_compiled(speed):
        from hegemon.kernels.backend import shuffled_kinds

        return shuffled_kinds(players, seed)
    position = Position(players=players)
    shuffle(position, stream(seed, 0))
    return tuple(position.deck[: position.deck_size][::-1])


def salt_of_seed(seed: int) -> str:
    """The salt of a seeded game, which makes its record reproducible.

    The seed reveals the deck, so a game whose deck must stay secret is dealt without a seed.
    """
    return sha256(f"salt of seed {seed}".encode()).hexdigest()[:32]

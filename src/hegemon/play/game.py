"""A game being played."""

import dataclasses
import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from hegemon.notation.cards import read_deck
from hegemon.notation.choices import choices_in, read_choice
from hegemon.notation.record import (
    Move,
    Record,
    Result,
    initial_position,
    read_record,
    replay,
    result_of,
)
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import SetupError, check_deck, check_players, check_seed, read_variant
from hegemon.play.backend import Table, check_speed, is_compiled, lay_table
from hegemon.play.commitment import commitment, new_salt
from hegemon.play.events import Event, events_of_move, opening_events
from hegemon.play.legality import IllegalMoveError, Reason, choices_of, reason_against
from hegemon.play.memory import Memory
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, may_choose
from hegemon.rules.position import Position, Question
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.shuffle import MAX_SEED, shuffle, stream
from hegemon.rules.view import SPECTATOR, View
from hegemon.rules.view import view as look


class Offers(dict[int, tuple[tuple[str, ...], dict[str, int]]]):
    """The words of sets of choices, and their numbers. The sets that occur are some thousands."""

    def __missing__(self, choices: int) -> tuple[tuple[str, ...], dict[str, int]]:
        words = choices_in(choices)
        self[choices] = words, {word: read_choice(word) for word in words}
        return self[choices]


_OFFERS: Final = Offers()


class Game:
    """A game from the deal to its end: what may be chosen, choosing it, taking it back, and what is to be seen.

    The luck comes from a seed, or from a deck that is handed in; without either, from the system. The same seed gives
    the same game at every speed: `speed="compiled"` waits for the compiler once, and then plays many times as fast.
    Seats are numbered from 0, clockwise from the First Player.
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
        names = tuple(names) if names is not None else tuple(f"Player {seat + 1}" for seat in range(players))
        if len(names) != players:
            raise SetupError(f"There are {players} players and {len(names)} names.")
        if deck is not None and seed is not None:
            raise SetupError("A game has a seed or a deck, not both.")
        kinds = given_deck(players, deck) if deck is not None else shuffled_deck(players, seed, speed)
        salt = new_salt() if seed is None else salt_of_seed(seed)
        self._speed = speed
        self._begin(Record(names=names, deck=kinds, variant=variant, teams=teams, rulings=rulings, salt=salt))

    def _begin(self, record: Record) -> None:
        self._start = record
        self._table = self._lay()
        self._words, self._numbers = _OFFERS[self._table.first]
        self._moves: list[Move] = []
        # What happened is told from the words, when somebody asks for it: most games are played unwatched.
        self._telling: Position | None = None
        self._told = 0
        self._events: list[Event] = []
        self._memories: dict[int, tuple[Memory, int]] = {}

    # Where a game begins: a study begins elsewhere.

    def _lay(self) -> Table:
        return lay_table(self._start, self._speed)

    def _first_position(self) -> Position:
        return initial_position(self._start)

    def _first_events(self, position: Position) -> list[Event]:
        return opening_events(position)

    @classmethod
    def from_record(cls, record: Record | str, *, speed: str = "interpreted") -> "Game":
        """The game that a record holds, as far as it was played; it can go on from there."""
        check_speed(speed)
        if isinstance(record, str):
            record = read_record(record)
        game = cls.__new__(cls)
        game._speed = speed
        for _ in replay(record):
            pass  # a record that was not read from text has not been checked yet
        game._begin(dataclasses.replace(record, moves=(), result=None))
        for seat, word in record.moves:
            game._apply_move(seat, word)
        return game

    def copy(self) -> "Game":
        """Another game at the same moment, with the same cards; what is chosen in the one does not touch the other."""
        other = Game.__new__(type(self))
        vars(other).update(vars(self))
        other._table = self._table.copy()
        other._moves = self._moves[:]
        other._telling, other._told, other._events, other._memories = None, 0, [], {}
        return other

    def __copy__(self) -> "Game":
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> "Game":
        return self.copy()

    def __reduce__(self) -> tuple[object, tuple[Record, str]]:
        return _from_record, (self.record(), self._speed)

    # ---------------------------------------------------------------- what is to be seen

    @property
    def _position(self) -> Position:
        return self._table.position

    @property
    def players(self) -> int:
        """How many play."""
        return len(self._start.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names, by seat."""
        return self._start.names

    @property
    def seat(self) -> int:
        """The seat that is asked; in the draft, the first of those that still owe a pick."""
        return self._table.asked[0]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self._words

    @property
    def result(self) -> Result | None:
        """How the game ended, and who won; None while it goes on."""
        return result_of(self._position) if self.over else None

    @property
    def commitment(self) -> str:
        """The digest that commits the shuffle: it may be shown to everybody before the first card."""
        return commitment(self._start.deck, self._start.salt)

    @property
    def position(self) -> Position:
        """The whole position, hidden cards included; a copy, so that nobody changes the game by changing it."""
        return self._position.copy()

    def view(self, seat: int) -> View:
        """What a seat may know, or a spectator (-1)."""
        self._expect_viewer(seat)
        return look(self._position, seat)

    def _expect_viewer(self, seat: int) -> None:
        if not -1 <= seat < self.players:
            raise IllegalMoveError(Reason("no-such-seat", {"seat": seat + 1, "players": self.players}))

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that has happened, hidden cards included."""
        return tuple(self._all_events())

    def _all_events(self) -> list[Event]:
        if self._telling is None:
            self._telling = self._first_position()
            self._events = self._first_events(self._telling)
        for seat, word in self._moves[self._told :]:
            self._telling.seat = seat
            before = self._telling.copy()
            apply(self._telling, word)
            self._events += events_of_move(before, word, self._telling)
        self._told = len(self._moves)
        return self._events

    def events_seen_by(self, seat: int, since: int = 0) -> tuple[Event, ...]:
        """What has happened, from the event of that number on, as a seat saw it, or a spectator (-1)."""
        self._expect_viewer(seat)
        backs_shown = bool(self._position.rulings & SHOW_BACKS)
        return tuple(event.seen_by(seat, backs_shown) for event in self._all_events()[since:])

    def memory(self, seat: int) -> Memory:
        """What a seat that forgets nothing knows of the other hands; a spectator (-1) may remember too."""
        self._expect_viewer(seat)
        memory, seen = self._memories.get(seat) or (Memory(seat, self.players), 0)
        memory.see(self.events_seen_by(seat, since=seen))
        self._memories[seat] = memory, len(self._events)
        return memory.copy()

    # ---------------------------------------------------------------- choosing

    @property
    def choices(self) -> tuple[str, ...]:
        """The words on offer to the seat that is asked; none when the game is over."""
        return self._words

    def choices_of(self, seat: int) -> tuple[str, ...]:
        """The words on offer to any seat: in the draft everybody who owes a pick may choose. A spectator has none."""
        self._expect_viewer(seat)
        if seat == SPECTATOR or not may_choose(self._position, seat):
            return ()
        return choices_in(choices_of(self._position, seat))

    def play(self, word: str, seat: int | None = None) -> None:
        """Choose a word for the seat that is asked, or in the draft for another that owes a pick.

        A word that the rules do not allow is refused with the reason and the ways out, and nothing changes.
        """
        table = self._table
        number = self._numbers.get(word)
        if number is None or (seat is not None and seat != table.asked[0]):
            number = self._judge(read_choice(word), self.seat if seat is None else seat)
        self._moves.append((table.asked[0], number))
        self._words, self._numbers = _OFFERS[table.say(number)]

    def _judge(self, word: int, seat: int) -> int:
        """Look at a choice that is not simply one of those on offer: refused, or that of a seat that may choose now."""
        reason = reason_against(self._position, seat, word)
        if reason is not None:
            raise IllegalMoveError(reason, self.choices_of(seat) if 0 <= seat < self.players else ())
        self._table.asked[0] = seat
        return word

    def _apply_move(self, seat: int, word: int) -> None:
        self._table.asked[0] = seat
        self._moves.append((seat, word))
        self._words, self._numbers = _OFFERS[self._table.say(word)]

    def rename(self, names: Sequence[str]) -> None:
        """Name the players anew: others may take the seats while the game goes on."""
        self._start = dataclasses.replace(self._start, names=tuple(names))

    def record(self) -> Record:
        """The game as a record: while it goes on it shows the whole deck, so it is not for the players' eyes."""
        return dataclasses.replace(self._start, moves=tuple(self._moves), result=self.result)

    @property
    def moves(self) -> tuple[str, ...]:
        """The choices played so far, in order."""
        return tuple(CHOICES[word] for _, word in self._moves)

    # ---------------------------------------------------------------- taking back

    def undoable(self, seat: int | None = None) -> int | None:
        """The number of the choice that a seat may take back, counted from 0; None if there is none.

        A choice stands once something hidden was shown or another player was touched. A draft pick may be changed
        until the packets move on. Where no seat is named, it is the one that chose last.
        """
        if not self._moves:
            return None
        last = len(self._moves) - 1
        if seat is None:
            seat = self._moves[last][0]
        if self._position.question == Question.DRAFT:
            # Who owes no pick has made one since the packets moved on, and perhaps others have after it.
            if not 0 <= seat < self.players or may_choose(self._position, seat):
                return None
            return max(number for number, (chooser, _) in enumerate(self._moves) if chooser == seat)
        if self._moves[last][0] != seat:
            return None
        return last if can_undo(self._position_after(last), self._position) else None

    def reason_against_undo(self, seat: int | None = None) -> Reason:
        """Why a seat that may take nothing back may not: its choice stands, or there is none."""
        chose_last = bool(self._moves) and seat in (None, self._moves[-1][0])
        stands = chose_last and self._position.question != Question.DRAFT
        return Reason("cannot-undo" if stands else "nothing-to-undo")

    def _position_after(self, choices: int) -> Position:
        position = self._first_position()
        for seat, word in self._moves[:choices]:
            position.seat = seat
            apply(position, word)
        return position

    def undo(self, seat: int | None = None) -> str:
        """Take back the last choice of a seat, as far as that is fair; says which word it was."""
        number = self.undoable(seat)
        if number is None:
            raise IllegalMoveError(self.reason_against_undo(seat), self.choices)
        word = self.moves[number]
        self._replay(self._moves[:number], self._moves[number + 1 :])
        return word

    def rewind(self, choices: int) -> None:
        """Go back to the moment after so many choices, whatever was shown since: for a host who allows it."""
        if not 0 <= choices <= len(self._moves):
            raise IllegalMoveError(Reason("no-such-moment", {"choices": len(self._moves)}))
        self._replay(self._moves[:choices])

    def _replay(self, untouched: list[Move], later: Sequence[Move] = ()) -> None:
        # A remark on a choice that was taken back would stand by another one.
        comments = {number: text for number, text in self._start.comments.items() if number <= len(untouched)}
        self._begin(dataclasses.replace(self._start, comments=comments))
        for seat, word in (*untouched, *later):
            self._apply_move(seat, word)


def _from_record(record: Record, speed: str) -> Game:
    return Game.from_record(record, speed=speed)


def can_undo(before: Position, after: Position) -> bool:
    """Whether a choice in a turn has shown nothing hidden and left every other player's cards alone."""
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


def given_deck(players: int, deck: str) -> tuple[int, ...]:
    """The kinds of an Age deck that is written from its top card down, if this table can play with it."""
    kinds = read_deck(deck)
    check_deck(kinds, players)
    return tuple(kinds)


def shuffled_deck(players: int, seed: int | None, speed: str = "interpreted") -> tuple[int, ...]:
    """The kinds of a shuffled Age deck, from the top."""
    if seed is None:
        seed = secrets.randbelow(MAX_SEED + 1)
    check_seed(seed)
    if is_compiled(speed):
        from hegemon.kernels.backend import shuffled_kinds

        return shuffled_kinds(players, seed)
    position = Position(players=players)
    shuffle(position, stream(seed, 0))
    return tuple(position.deck[: position.deck_size][::-1])


def salt_of_seed(seed: int) -> str:
    """The salt of a seeded game, whose record is to be the same every time.

    Whoever guesses the seed knows the deck; a game whose luck is to be secret is dealt without one.
    """
    return sha256(f"salt of seed {seed}".encode()).hexdigest()[:32]

"""Scenarios for the tests of the rulebook: given a position, when these choices are made, then this is the position.

Positions, views and choices are in the notation of docs/reference/notation.md; spaces separate several choices.
`then` and `seen_by` compare the fields they name; those left out at the end may be anything.
"""

from collections.abc import Callable
from typing import TypeVar

from hegemon.notation.cards import read_deck
from hegemon.notation.choices import choices_in, read_choice
from hegemon.notation.reading import read_position
from hegemon.notation.writing import write_position, write_view
from hegemon.play.events import events_of_move
from hegemon.play.memory import Memory
from hegemon.rules.cards import LETTERS, age_of, domain_of
from hegemon.rules.engine import apply, legal, may_choose
from hegemon.rules.position import MAX_PLAYERS, Ending, Position
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.setup import Variant, deal
from hegemon.rules.shuffle import shuffle, stream
from hegemon.rules.victory import points, winners
from hegemon.rules.view import view

Test = TypeVar("Test", bound=Callable[..., object])


def ruling(*ids: str) -> Callable[[Test], Test]:
    """Name the rulings that a test shows; docs/guide/rulings.md lists them."""
    return lambda test: test


def given(text: str, rules: str = "standard") -> "Scenario":
    """A scenario that starts in this position; fields at the end may be left out."""
    fields = text.split()
    if len(fields) < 9:
        # A dash is the default round; the rules come last.
        fields = [*fields, *["-"] * (8 - len(fields)), rules]
    return Scenario(read_position(" ".join(fields)))


def shuffled(players: int, seed: int = 1, game: int = 0) -> "Scenario":
    """The shuffled Age deck of one game of a seeded series, before the deal."""
    position = Position(players=players)
    shuffle(position, stream(seed, game))
    return Scenario(position)


def with_deck(deck: str, players: int) -> "Scenario":
    """A deck, its top card first, before the deal."""
    kinds = read_deck(deck)
    position = Position(players=players, deck_size=len(kinds))
    position.deck[: len(kinds)] = kinds[::-1]
    return Scenario(position)


class Scenario:
    """A position, and the moves that led to it."""

    def __init__(self, position: Position, moves: tuple[tuple[Position, int, Position], ...] = ()) -> None:
        self.position = position
        self.moves = moves

    def __str__(self) -> str:
        return write_position(self.position)

    def deal(self, variant: str) -> "Scenario":
        """Deal the cards, basic or draft."""
        position = self.position.copy()
        deal(position, Variant[variant.upper()])
        return Scenario(position)

    def when(self, choices: str) -> "Scenario":
        """Make these choices in order; in the draft, `2:M1` is seat 2's."""
        position = self.position.copy()
        moves = self.moves
        for text in choices.split():
            seat, colon, choice = text.rpartition(":")
            if colon:
                assert may_choose(position, int(seat) - 1), f"seat {seat} may not answer now"
                position.seat = int(seat) - 1
            on_offer = choices_in(legal(position))
            assert choice in on_offer, (
                f"{choice} is not on offer, but {' '.join(on_offer)}: {Scenario(position)}"
            )
            before = position.copy()
            apply(position, read_choice(choice))
            moves = (*moves, (before, read_choice(choice), position.copy()))
            # A line holds all of a position: no rule leaves behind what the notation cannot write.
            assert read_position(write_position(position)) == position
        return Scenario(position, moves)

    def then(self, text: str) -> "Scenario":
        """Compare the position; fields left out at the end may be anything."""
        expected = text.split()
        found = str(self).split()[: len(expected)]
        assert " ".join(found) == " ".join(expected)
        return self

    def seen_by(self, seat: int, text: str) -> "Scenario":
        """Compare the view of a seat, or of a spectator for 0; fields left out at the end may be anything."""
        expected = text.split()
        found = write_view(view(self.position, seat - 1)).split()[: len(expected)]
        assert " ".join(found) == " ".join(expected)
        return self

    def looks_like(self, other: "Scenario", *seats: int) -> "Scenario":
        """None of these seats, 0 for a spectator, can distinguish this position from the other."""
        assert self.position != other.position
        assert not [seat for seat in seats if view(self.position, seat - 1) != view(other.position, seat - 1)]
        return self

    def remembers(self, seat: int, cards: str, of: int) -> "Scenario":
        """From the moves since `given`, a seat knows that another holds at least these cards."""
        memory = Memory(seat - 1, self.position.players)
        for before, action, after in self.moves:
            backs_shown = bool(before.rulings & SHOW_BACKS)
            memory.see(
                event.seen_by(seat - 1, backs_shown) for event in events_of_move(before, action, after)
            )
        assert str(memory.known(of - 1)) == cards
        return self

    def waits_for(self, *seats: int) -> "Scenario":
        """These seats may choose now, and no others."""
        waiting = [seat + 1 for seat in range(-1, MAX_PLAYERS) if may_choose(self.position, seat)]
        assert tuple(waiting) == seats
        return self

    @property
    def choices(self) -> list[str]:
        return list(choices_in(legal(self.position)))

    @property
    def deck(self) -> list[str]:
        """The cards of the Age deck, from the top."""
        kinds = self.position.deck[: self.position.deck_size][::-1]
        return [f"{LETTERS[domain_of(kind)]}{age_of(kind)}" for kind in kinds]

    def offers(self, choices: str) -> "Scenario":
        """These choices are on offer, perhaps with others."""
        missing = [choice for choice in choices.split() if choice not in self.choices]
        assert not missing, f"{' '.join(missing)} not on offer, but {' '.join(self.choices)}"
        return self

    def offers_only(self, choices: str) -> "Scenario":
        """These choices are on offer, and no others."""
        assert self.choices == sorted(choices.split(), key=read_choice)
        return self

    def refuses(self, choices: str) -> "Scenario":
        """None of these choices is on offer."""
        offered = [choice for choice in choices.split() if legal(self.position) >> read_choice(choice) & 1]
        assert not offered, f"{' '.join(offered)} should not be on offer"
        return self

    def ends(self, ending: str, *seats: int) -> "Scenario":
        """The game is over in that way, and these seats have won."""
        assert Ending(self.position.ending).name.lower() == ending, str(self)
        assert not self.choices
        won = winners(self.position)
        assert tuple(seat + 1 for seat in range(MAX_PLAYERS) if won >> seat & 1) == seats
        return self

    def scores(self, *expected: int) -> "Scenario":
        """The points that each side would score by Majority."""
        assert tuple(points(self.position, side) for side in range(len(expected))) == expected
        return self

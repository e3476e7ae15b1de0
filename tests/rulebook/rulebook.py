"""How the rulebook's tests speak: given a position, when these words are said, then that is so.

Positions, views and words are written as docs/notation.md explains. Several words stand in one text with spaces
between them. `then` and `seen_by` compare the fields they name; those left out at the end may be anything.
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
    """Name the rulings that a test shows; docs/rulings.md has them all."""
    return lambda test: test


def given(text: str, rules: str = "standard") -> "Table":
    """A table at which this position lies; fields at the end may be left out."""
    fields = text.split()
    if len(fields) < 9:
        # The round is left to its default, which a dash stands for; the rules come last.
        fields = [*fields, *["-"] * (8 - len(fields)), rules]
    return Table(read_position(" ".join(fields)))


def shuffled(players: int, seed: int = 1, game: int = 0) -> "Table":
    """A table at which the Age deck of one game of a seeded series lies, and nothing is dealt yet."""
    position = Position(players=players)
    shuffle(position, stream(seed, game))
    return Table(position)


def with_deck(deck: str, players: int) -> "Table":
    """A table at which this deck lies, its top card first, and nothing is dealt yet."""
    kinds = read_deck(deck)
    position = Position(players=players, deck_size=len(kinds))
    position.deck[: len(kinds)] = kinds[::-1]
    return Table(position)


class Table:
    """A position, the words that lead on from it, and those that led to it."""

    def __init__(self, position: Position, story: tuple[tuple[Position, int, Position], ...] = ()) -> None:
        self.position = position
        self.story = story

    def __str__(self) -> str:
        return write_position(self.position)

    def deal(self, variant: str) -> "Table":
        """The cards are dealt, basic or draft."""
        position = self.position.copy()
        deal(position, Variant[variant.upper()])
        return Table(position)

    def when(self, words: str) -> "Table":
        """These words are said one after the other; in the draft, `2:M1` is seat 2's."""
        position = self.position.copy()
        story = self.story
        for text in words.split():
            seat, colon, word = text.rpartition(":")
            if colon:
                assert may_choose(position, int(seat) - 1), f"seat {seat} may not answer now"
                position.seat = int(seat) - 1
            on_offer = choices_in(legal(position))
            assert word in on_offer, f"{word} is not on offer, but {' '.join(on_offer)}: {Table(position)}"
            before = position.copy()
            apply(position, read_choice(word))
            story = (*story, (before, read_choice(word), position.copy()))
            # A line tells all of a position: a choice leaves nothing behind that cannot be seen in it.
            assert read_position(write_position(position)) == position
        return Table(position, story)

    def then(self, text: str) -> "Table":
        """The fields that are named here are so; fields left out at the end may be anything."""
        expected = text.split()
        found = str(self).split()[: len(expected)]
        assert " ".join(found) == " ".join(expected)
        return self

    def seen_by(self, seat: int, text: str) -> "Table":
        """A seat, or for 0 somebody who only watches, sees the fields that are named here."""
        expected = text.split()
        found = write_view(view(self.position, seat - 1)).split()[: len(expected)]
        assert " ".join(found) == " ".join(expected)
        return self

    def looks_like(self, other: "Table", *seats: int) -> "Table":
        """None of these seats, with 0 for somebody who only watches, can tell this table from the other."""
        assert self.position != other.position
        assert not [seat for seat in seats if view(self.position, seat - 1) != view(other.position, seat - 1)]
        return self

    def remembers(self, seat: int, cards: str, of: int) -> "Table":
        """By what was said since `given`, a seat knows that another holds these cards at least."""
        memory = Memory(seat - 1, self.position.players)
        for before, word, after in self.story:
            backs_shown = bool(before.rulings & SHOW_BACKS)
            memory.see(event.seen_by(seat - 1, backs_shown) for event in events_of_move(before, word, after))
        assert str(memory.known(of - 1)) == cards
        return self

    def waits_for(self, *seats: int) -> "Table":
        """These seats may choose now, and no others."""
        asked = [seat + 1 for seat in range(-1, MAX_PLAYERS) if may_choose(self.position, seat)]
        assert tuple(asked) == seats
        return self

    @property
    def choices(self) -> list[str]:
        """The words on offer."""
        return list(choices_in(legal(self.position)))

    @property
    def deck(self) -> list[str]:
        """The cards of the Age deck, from the top."""
        kinds = self.position.deck[: self.position.deck_size][::-1]
        return [f"{LETTERS[domain_of(kind)]}{age_of(kind)}" for kind in kinds]

    def offers(self, words: str) -> "Table":
        """These words are on offer, perhaps with others."""
        missing = [word for word in words.split() if word not in self.choices]
        assert not missing, f"{' '.join(missing)} not on offer, but {' '.join(self.choices)}"
        return self

    def offers_only(self, words: str) -> "Table":
        """These words are on offer, and no others."""
        assert self.choices == sorted(words.split(), key=read_choice)
        return self

    def refuses(self, words: str) -> "Table":
        """None of these words is on offer."""
        offered = [word for word in words.split() if legal(self.position) >> read_choice(word) & 1]
        assert not offered, f"{' '.join(offered)} should not be on offer"
        return self

    def ends(self, ending: str, *seats: int) -> "Table":
        """The game is over in that way, and these seats have won."""
        assert Ending(self.position.ending).name.lower() == ending, str(self)
        assert not self.choices
        won = winners(self.position)
        assert tuple(seat + 1 for seat in range(MAX_PLAYERS) if won >> seat & 1) == seats
        return self

    def scores(self, *expected: int) -> "Table":
        """Each side would score so many points by Majority."""
        assert tuple(points(self.position, side) for side in range(len(expected))) == expected
        return self

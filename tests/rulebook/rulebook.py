"""How the rulebook's tests speak: given a position, when these words are said, then that is so."""

from collections.abc import Callable
from typing import TypeVar

from hegemon.notation.reading import read_position
from hegemon.notation.words import read_word, words_of
from hegemon.notation.writing import write_position
from hegemon.rules.choices import apply, legal, may_answer
from hegemon.rules.position import Ending, Position
from hegemon.rules.victory import points, winners

Test = TypeVar("Test", bound=Callable[..., object])


def ruling(*ids: str) -> Callable[[Test], Test]:
    """Name the rulings that a test shows; docs/rulings.md has them all."""
    return lambda test: test


def given(text: str, rules: str = "standard") -> "Table":
    """A table at which this position lies; fields at the end may be left out."""
    fields = [*text.split(), "-", "-", "-", "-", "-", "-", "-", "-"]
    if len(text.split()) < 9:
        # The round is left to its default, which a dash stands for; the rules come last.
        text = " ".join([*fields[:8], rules])
    return Table(read_position(text))


class Table:
    """A position, and the words that lead on from it."""

    def __init__(self, position: Position) -> None:
        self.position = position

    def when(self, *words: str) -> "Table":
        """Say these words one after the other; in the draft, `2:M1` is seat 2's."""
        position = self.position.copy()
        for text in words:
            seat, colon, word = text.rpartition(":")
            if colon:
                assert may_answer(position, int(seat) - 1), f"seat {seat} may not answer now"
                position.seat = int(seat) - 1
            number = read_word(word)
            on_offer = words_of(legal(position))
            assert word in on_offer, (
                f"{word} is not on offer, but {' '.join(on_offer)}: {write_position(position)}"
            )
            apply(position, number)
        return Table(position)

    def then(self, text: str) -> "Table":
        """The fields that are named here are so; fields left out at the end may be anything."""
        expected = text.split()
        found = write_position(self.position).split()[: len(expected)]
        assert " ".join(found) == " ".join(expected)
        return self

    @property
    def choices(self) -> tuple[str, ...]:
        """The words on offer."""
        return words_of(legal(self.position))

    def offers(self, *words: str) -> "Table":
        """These words are on offer, perhaps with others."""
        missing = [word for word in words if word not in self.choices]
        assert not missing, f"{' '.join(missing)} not on offer, but {' '.join(self.choices)}"
        return self

    def offers_only(self, *words: str) -> "Table":
        """These words are on offer, and no others."""
        assert set(self.choices) == set(words), f"on offer are {' '.join(self.choices)}"
        return self

    def does_not_offer(self, *words: str) -> "Table":
        """None of these words is on offer."""
        for word in words:
            read_word(word)
        offered = [word for word in words if word in self.choices]
        assert not offered, f"{' '.join(offered)} should not be on offer"
        return self

    def ends(self, ending: Ending, *seats: int) -> "Table":
        """The game is over in that way, and these seats, counted from 1, have won."""
        assert Ending(self.position.ending) is ending
        won = winners(self.position)
        assert tuple(seat + 1 for seat in range(self.position.players) if won >> seat & 1) == seats
        return self

    def scores(self, *expected: int) -> "Table":
        """Each side would score so many points by Majority."""
        assert tuple(points(self.position, side) for side in range(len(expected))) == expected
        return self

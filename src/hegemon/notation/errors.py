"""What is wrong with a text, where, and what would be right."""

from collections import Counter
from typing import Final

# A window around the place keeps a long deck from burying the sentence.
_WINDOW: Final = 40


class NotationError(ValueError):
    """A text that cannot be read: it names the place and what was expected there."""

    def __init__(self, what: str, text: str, place: int, problem: str) -> None:
        self.what = what
        self.text = text
        self.place = place
        self.problem = problem
        super().__init__(what, text, place, problem)

    def __str__(self) -> str:
        start = max(0, self.place - _WINDOW)
        window = printable(self.text[start : self.place + _WINDOW])
        return f"{self.what}, character {self.place + 1}: {self.problem}\n  {window}\n  {'^':>{self.place - start + 1}}"


class RecordError(ValueError):
    """A record that cannot be read or replayed: what is wrong, and what would be right."""


def printable(text: str) -> str:
    """The text with a mark for every character that a terminal could not show, or would obey."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def quoted(text: str) -> str:
    """A stranger's text within a sentence: what can be shown of its beginning."""
    return f'"{printable(text[:_WINDOW])}"'


class Scanner:
    """Walks through a text, or through a part of it, letter by letter and complains where it stands."""

    def __init__(
        self, what: str, text: str, start: int = 0, end: int | None = None, tally: Counter[int] | None = None
    ) -> None:
        self.what = what
        self.text = text
        self.start = start
        self.place = start
        self.end = len(text) if end is None else end
        #: How many cards of each kind were read so far; the fields of one line share it.
        self.tally = Counter() if tally is None else tally

    def peek(self) -> str:
        """The next letter, or nothing at the end."""
        return self.text[self.place] if self.place < self.end else ""

    def sees(self, letters: str) -> bool:
        """Whether one of these letters comes next."""
        return self.place < self.end and self.text[self.place] in letters

    def sees_digit(self) -> bool:
        """Whether a digit comes next, of whatever script: one that does not belong there is complained about."""
        return self.peek().isdecimal()

    def take(self, letters: str, expected: str) -> str:
        """The next letter, which must be one of these."""
        if not self.sees(letters):
            raise self.error(f"expected {expected}, found {self.found()}")
        letter = self.peek()
        self.place += 1
        return letter

    def skip(self, letter: str) -> bool:
        """Step over a letter if it comes next, and say whether it did."""
        if self.sees(letter):
            self.place += 1
            return True
        return False

    def number(self, expected: str, most: int) -> int:
        """A whole number from 0 to the most that is allowed."""
        start = self.place
        while self.sees("0123456789"):
            self.place += 1
        digits = self.text[start : self.place]
        if not digits:
            raise self.error(f"expected {expected}, found {self.found()}")
        if len(digits) > 6 or int(digits) > most:
            raise self.error(f"expected {expected}, at most {most}, found {digits[:12]}", start)
        return int(digits)

    def finish(self, expected: str) -> None:
        """There must be nothing left."""
        if self.place < self.end:
            raise self.error(f"expected {expected}, found {self.found()}")

    def found(self) -> str:
        """The next letter in words."""
        letter = self.peek()
        if not letter:
            return "the end"
        return f'"{letter}"' if letter.isprintable() else f"the character U+{ord(letter):04X}"

    def error(self, problem: str, place: int | None = None) -> NotationError:
        """A complaint about where the scanner stands, or about another place."""
        return NotationError(self.what, self.text, self.place if place is None else place, problem)

    def error_behind(self, problem: str) -> NotationError:
        """A complaint about the letter that was just taken."""
        return self.error(problem, self.place - 1)

"""Errors of the notation: what is wrong, where, and what was expected."""

from collections import Counter
from typing import Final

from hegemon.notation.messages import Message, MessageError, message

# The number of characters shown around the place of an error.
_WINDOW: Final = 40


class NotationError(ValueError):
    """A text that cannot be read: the place, and what was expected."""

    def __init__(self, what: str, text: str, place: int, problem: str) -> None:
        self.what = what
        self.text = text
        self.place = place
        self.problem = problem
        super().__init__(what, text, place, problem)

    @property
    def sentence(self) -> Message:
        start = max(0, self.place - _WINDOW)
        window = printable(self.text[start : self.place + _WINDOW])
        return message(
            "{what}, character {place}: {problem}\n{marked}",
            what=self.what,
            place=self.place + 1,
            problem=self.problem,
            marked=f"  {window}\n  {'^':>{self.place - start + 1}}",
        )

    def __str__(self) -> str:
        return str(self.sentence)


class RecordError(MessageError, ValueError):
    """A record that cannot be read or replayed."""


class RecordSyntaxError(RecordError):
    """A text that is not the TOML of a record."""


def printable(text: str) -> str:
    """The text with unprintable characters replaced."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def quoted(text: str) -> Message:
    """The printable beginning of a text, in quotation marks."""
    return message('"{text}"', text=printable(text[:_WINDOW]))


class Scanner:
    """Reads a text, or a part of it, letter by letter; errors contain the place."""

    def __init__(
        self, what: str, text: str, start: int = 0, end: int | None = None, tally: Counter[int] | None = None
    ) -> None:
        self.what = what
        self.text = text
        self.start = start
        self.place = start
        self.end = len(text) if end is None else end
        #: The number of cards of each kind so far; the fields of one line share it.
        self.tally = Counter() if tally is None else tally

    def peek(self) -> str:
        """The next letter, or an empty text at the end."""
        return self.text[self.place] if self.place < self.end else ""

    def sees(self, letters: str) -> bool:
        return self.place < self.end and self.text[self.place] in letters

    def sees_digit(self) -> bool:
        """Whether a digit of any script comes next: a wrong one is an error, not the end of a number."""
        return self.peek().isdecimal()

    def take(self, letters: str, expected: str) -> str:
        """The next letter, which must be one of these."""
        if not self.sees(letters):
            raise self.expected(expected)
        letter = self.peek()
        self.place += 1
        return letter

    def skip(self, letter: str) -> bool:
        """Skip a letter if it comes next, and return whether it did."""
        if self.sees(letter):
            self.place += 1
            return True
        return False

    def number(self, expected: str, maximum: int) -> int:
        """A whole number from 0 to the maximum."""
        start = self.place
        while self.sees("0123456789"):
            self.place += 1
        digits = self.text[start : self.place]
        if not digits:
            raise self.expected(expected)
        if len(digits) > 6 or int(digits) > maximum:
            problem = message(
                "expected {expected}, at most {maximum}, found {found}",
                expected=expected,
                maximum=maximum,
                found=digits[:12],
            )
            raise self.error(problem, start)
        return int(digits)

    def finish(self, expected: str) -> None:
        if self.place < self.end:
            raise self.expected(expected)

    def found(self) -> Message:
        letter = self.peek()
        if not letter:
            return message("the end")
        if letter.isprintable():
            return quoted(letter)
        return message("the character {code}", code=f"U+{ord(letter):04X}")

    def expected(self, expected: str) -> NotationError:
        """An error at the next letter, which is not what was expected."""
        return self.error(
            message("expected {expected}, found {found}", expected=expected, found=self.found())
        )

    def error(self, problem: str, place: int | None = None) -> NotationError:
        """An error at the next letter, or at another place."""
        return NotationError(self.what, self.text, self.place if place is None else place, problem)

    def error_at_previous(self, problem: str) -> NotationError:
        """An error at the last letter taken."""
        return self.error(problem, self.place - 1)

"""What is wrong with a text, where, and what would be right."""


class NotationError(ValueError):
    """A text that cannot be read: it names the place and what was expected there."""

    def __init__(self, what: str, text: str, place: int, problem: str) -> None:
        self.what = what
        self.text = text
        self.place = place
        self.problem = problem
        super().__init__(what, text, place, problem)

    def __str__(self) -> str:
        # A window around the place keeps a long deck from burying the sentence.
        start = max(0, self.place - 40)
        window = "".join(
            letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}"
            for letter in self.text[start : self.place + 40]
        )
        return f"{self.what}, character {self.place + 1}: {self.problem}\n  {window}\n  {'^':>{self.place - start + 1}}"


class Scanner:
    """Walks through a text letter by letter and complains where it stands."""

    def __init__(self, what: str, text: str, start: int = 0, end: int | None = None) -> None:
        self.what = what
        self.text = text
        self.place = start
        self.end = len(text) if end is None else end

    def peek(self) -> str:
        """The next letter, or nothing at the end."""
        return self.text[self.place] if self.place < self.end else ""

    def take(self, letters: str, expected: str) -> str:
        """The next letter, which must be one of these."""
        letter = self.peek()
        if not letter or letter not in letters:
            raise self.error(f"expected {expected}, found {self.found()}")
        self.place += 1
        return letter

    def skip(self, letter: str) -> bool:
        """Step over a letter if it comes next, and say whether it did."""
        if self.peek() == letter:
            self.place += 1
            return True
        return False

    def number(self, expected: str, most: int) -> int:
        """A whole number from 0 to the most that is allowed."""
        start = self.place
        while self.peek() and self.peek() in "0123456789":
            self.place += 1
        digits = self.text[start : self.place]
        if not digits:
            raise self.error(f"expected {expected}, found {self.found()}")
        if len(digits) > 6 or int(digits) > most:
            raise self.error(f"expected {expected} of at most {most}, found {digits[:12]}", start)
        return int(digits)

    def finish(self, expected: str) -> None:
        """There must be nothing left."""
        if self.place < self.end:
            raise self.error(f"expected {expected}, found {self.found()}")

    def found(self) -> str:
        """The next letter in words."""
        return f'"{self.peek()}"' if self.peek() else "the end"

    def error(self, problem: str, place: int | None = None) -> NotationError:
        """A complaint about where the scanner stands, or about another place."""
        return NotationError(self.what, self.text, self.place if place is None else place, problem)

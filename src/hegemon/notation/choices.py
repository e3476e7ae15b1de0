"""Choices as words."""

from typing import Final

from hegemon.notation.errors import NotationError
from hegemon.rules.actions import CHOICES

_NUMBERS: Final = {word: number for number, word in enumerate(CHOICES)}


def read_choice(text: str) -> int:
    """The number of a word."""
    number = _NUMBERS.get(text)
    if number is None:
        near = choices_like(text)
        hint = f"; did you mean {' or '.join(near)}?" if near else ", such as M, M+, mS or ."
        raise NotationError("word", text, 0, f"expected one of the {len(CHOICES)} words of the game{hint}")
    return number


def choices_like(text: str) -> list[str]:
    """The words that somebody may have meant: the same letters, large or small, or the same beginning."""
    return [word for word in CHOICES if word.lower() == text.lower()] or [
        word for word in CHOICES if word[0] == text[:1]
    ]


def choices_in(choices: int) -> tuple[str, ...]:
    """The words of a set of choices, in their frozen order."""
    words = []
    while choices:
        lowest = choices & -choices
        words.append(CHOICES[lowest.bit_length() - 1])
        choices ^= lowest
    return tuple(words)

"""Choices as words."""

from difflib import get_close_matches
from typing import Final

from hegemon.notation.errors import NotationError
from hegemon.rules.words import WORDS

_NUMBERS: Final = {word: number for number, word in enumerate(WORDS)}


def read_word(text: str) -> int:
    """The number of a word."""
    number = _NUMBERS.get(text)
    if number is None:
        near = get_close_matches(text[:8], WORDS, n=3, cutoff=0.5)
        hint = (
            f"; did you mean {' or '.join(near)}?"
            if near
            else f", such as {WORDS[0]}, {WORDS[21]} or {WORDS[-1]}"
        )
        raise NotationError("word", text, 0, f"expected one of the {len(WORDS)} words of the game{hint}")
    return number


def words_of(choices: int) -> tuple[str, ...]:
    """The words of a set of choices, in their frozen order."""
    words = []
    while choices:
        lowest = choices & -choices
        words.append(WORDS[lowest.bit_length() - 1])
        choices ^= lowest
    return tuple(words)

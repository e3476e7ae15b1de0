"""What somebody typed: which of the answers it names, in whatever way people name them."""

from collections.abc import Sequence

from hegemon.notation.choices import read_choice
from hegemon.prose.choices import effect_of_action
from hegemon.prose.english import DOMAIN_NAMES, EFFECT_NAMES
from hegemon.rules.actions import CHOICES, DRAFT, END, PERMANENT
from hegemon.rules.effects.board import Effect


def find_answer(text: str, choices: Sequence[str]) -> list[str]:
    """The choices that a text could mean: by number, by word in any case, by the name of a Domain or an effect."""
    if text.isascii() and text.isdecimal():
        # A number counts the answers; in the draft no word is a number, so nothing is hidden by that.
        place = int(text) if len(text) < 4 else 0
        return [choices[place - 1]] if 1 <= place <= len(choices) else []
    if text in choices:
        return [text]
    folded = text.casefold()
    same = [word for word in choices if word.casefold() == folded]
    return same or [word for word in choices if folded in names_of(word)]


def names_of(word: str) -> tuple[str, ...]:
    """What else a word is called."""
    number = read_choice(word)
    if number < PERMANENT:
        domain = next(name for domain, name in DOMAIN_NAMES.items() if domain.letter == word[0])
        return (
            (domain.casefold(),)
            if number < DRAFT
            else (domain.casefold(), f"{domain} {'I' * int(word[1])}".casefold())
        )
    if number == END:
        return ("end", "end turn", "done", "pass")
    return (EFFECT_NAMES[effect_of_action(number)].casefold(),)


def find_word(text: str) -> str | None:
    """The word of the game that a text names, whether or not it may be chosen."""
    if text in CHOICES:
        return text
    folded = text.casefold()
    return next((word for word in CHOICES if word.casefold() == folded), None)


def find_effect(text: str) -> Effect | None:
    """The effect that a text names."""
    folded = text.casefold()
    return next((effect for effect, name in EFFECT_NAMES.items() if name.casefold() == folded), None)


def find_domain(text: str) -> int | None:
    """The Domain that a text names."""
    folded = text.casefold()
    return next((int(domain) for domain, name in DOMAIN_NAMES.items() if name.casefold() == folded), None)

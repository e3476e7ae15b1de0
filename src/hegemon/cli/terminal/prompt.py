"""Reading what a person typed: a choice by number, text or name."""

from collections.abc import Sequence

from hegemon.notation.choices import read_choice
from hegemon.prose.english import DOMAIN_NAMES, EFFECT_NAMES
from hegemon.rules.actions import ACTIONS, CHOICES, Effect


def matching_choices(text: str, choices: Sequence[str]) -> list[str]:
    """The choices that a text could mean: by number, by text in any case, by the name of a Domain or an effect."""
    if text.isascii() and text.isdecimal():
        number = int(text) if len(text) < 4 else 0
        return [choices[number - 1]] if 1 <= number <= len(choices) else []
    if text in choices:
        return [text]
    folded = text.casefold()
    same = [choice for choice in choices if choice.casefold() == folded]
    return same or [choice for choice in choices if folded in names_of(choice)]


def names_of(choice: str) -> tuple[str, ...]:
    """Other names of a choice, casefolded."""
    action = ACTIONS[read_choice(choice)]
    if action.effect is not None:
        return (EFFECT_NAMES[action.effect].casefold(),)
    if action.domain is None:
        return ("end", "end turn", "done", "pass")
    domain = DOMAIN_NAMES[action.domain].casefold()
    return (domain,) if action.age is None else (domain, f"{domain} {'i' * action.age}")


def find_choice(text: str) -> str | None:
    """The choice that a text names, legal or not."""
    folded = text.casefold()
    return text if text in CHOICES else next((c for c in CHOICES if c.casefold() == folded), None)


def find_effect(text: str) -> Effect | None:
    folded = text.casefold()
    return next((effect for effect, name in EFFECT_NAMES.items() if name.casefold() == folded), None)


def find_domain(text: str) -> int | None:
    folded = text.casefold()
    return next((int(domain) for domain, name in DOMAIN_NAMES.items() if name.casefold() == folded), None)

"""Parsing of input: a choice by number, text or name."""

from collections.abc import Sequence
from typing import Final

from hegemon.cli.prose import translator, typed_words
from hegemon.notation.choices import read_choice
from hegemon.play.selection import SEPARATOR
from hegemon.prose.english import DOMAIN_NAMES, EFFECT_NAMES
from hegemon.rules.actions import ACTIONS, CHOICES, ActionKind, Effect
from hegemon.rules.cards import LETTERS, Domain

#: The texts of cards: a Domain, with or without an Age.
_CARDS: Final = {action.text for action in ACTIONS if action.kind in (ActionKind.CARD, ActionKind.DRAFT)}


def matching_choices(text: str, choices: Sequence[str]) -> list[str]:
    """The choices that match a text: a number, a choice in any case, or the name of a Domain or an effect."""
    if text.isascii() and text.isdecimal():
        number = int(text) if len(text) < 4 else 0
        return [choices[number - 1]] if 1 <= number <= len(choices) else []
    if text in choices:
        return [text]
    folded = text.casefold()
    same = [choice for choice in choices if choice.casefold() == folded]
    return same or [choice for choice in choices if folded in names_of(choice)]


def names_of(choice: str) -> set[str]:
    """Other names of a choice, casefolded, in the chosen language and in English."""
    action = ACTIONS[read_choice(choice)]
    if action.effect is not None:
        return effect_names(action.effect)
    if action.domain is None:
        return typed_words("end")
    domains = domain_names(action.domain)
    return domains if action.age is None else domains | {f"{name} {'i' * action.age}" for name in domains}


def effect_names(effect: Effect) -> set[str]:
    return {translator().effects[effect].casefold(), EFFECT_NAMES[effect].casefold()}


def domain_names(domain: Domain) -> set[str]:
    return {translator().domains[domain].casefold(), DOMAIN_NAMES[domain].casefold()}


def find_choice(text: str) -> str | None:
    """The choice that a text names, legal or not."""
    folded = text.casefold()
    return text if text in CHOICES else next((c for c in CHOICES if c.casefold() == folded), None)


def find_cards(text: str) -> list[str]:
    """The cards that a text names, by letter, by letter and Age, or by Domain; empty unless all words are cards."""
    words = text.replace(SEPARATOR, " ").split()
    found = [card for word in words if (card := find_card(word)) is not None]
    return found if len(found) == len(words) > 1 else []


def find_card(text: str) -> str | None:
    if text.upper() in _CARDS:
        return text.upper()
    domain = find_domain(text)
    return LETTERS[domain] if domain is not None else None


def find_effect(text: str) -> Effect | None:
    folded = text.casefold()
    return next((effect for effect in Effect if folded in effect_names(effect)), None)


def find_domain(text: str) -> int | None:
    folded = text.casefold()
    return next((int(domain) for domain in Domain if folded in domain_names(domain)), None)

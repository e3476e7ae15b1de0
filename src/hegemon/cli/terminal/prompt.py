"""Reading what a person typed: a choice by number, text or name."""

from collections.abc import Sequence

from hegemon.cli.prose import translator, typed_words
from hegemon.notation.choices import read_choice
from hegemon.prose.english import DOMAIN_NAMES, EFFECT_NAMES
from hegemon.rules.actions import ACTIONS, CHOICES, Effect
from hegemon.rules.cards import Domain


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


def find_effect(text: str) -> Effect | None:
    folded = text.casefold()
    return next((effect for effect in Effect if folded in effect_names(effect)), None)


def find_domain(text: str) -> int | None:
    folded = text.casefold()
    return next((int(domain) for domain in Domain if folded in domain_names(domain)), None)

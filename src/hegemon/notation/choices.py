"""Choices as text, and their actions."""

from typing import Final

from hegemon.notation.errors import NotationError
from hegemon.notation.messages import message
from hegemon.rules.actions import ACTIONS, CHOICES

_ACTION_OF: Final = {action.text: action.code for action in ACTIONS}


def read_choice(text: str) -> int:
    action = _ACTION_OF.get(text)
    if action is None:
        near = choices_like(text)
        problem = message(
            "expected one of the {number} choices of the game, such as M, M+, mS or .", number=len(CHOICES)
        )
        if near:
            problem = message(
                "expected one of the {number} choices of the game; did you mean {near}?",
                number=len(CHOICES),
                near=" / ".join(near),
            )
        raise NotationError(message("choice"), text, 0, problem)
    return action


def choices_like(text: str) -> list[str]:
    """Suggestions for a misspelled choice: the same letters in another case, or the same first letter."""
    return [choice for choice in CHOICES if choice.lower() == text.lower()] or [
        choice for choice in CHOICES if choice[0] == text[:1]
    ]


def choices_in(actions: int) -> tuple[str, ...]:
    """The choices of a set of actions, in their frozen order."""
    choices = []
    while actions:
        lowest = actions & -actions
        choices.append(CHOICES[lowest.bit_length() - 1])
        actions ^= lowest
    return tuple(choices)

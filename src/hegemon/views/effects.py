"""The reference board for one viewer: the choices that apply each effect, or the reason why there are none."""

from dataclasses import dataclass
from typing import Final

from hegemon.notation.choices import read_choice
from hegemon.play.legality import Reason, reason_against
from hegemon.rules.actions import ACTIONS, DISCARD_EFFECTS, PERMANENT_EFFECTS, Action, ActionKind, Effect
from hegemon.rules.cards import Domain
from hegemon.rules.engine import legal
from hegemon.rules.position import Position, Question


def _is_special(action: Action) -> bool:
    """Whether an action is aimed at its own player, or pays for a Breakthrough with a card other than Science."""
    other_payment = action.kind is ActionKind.BREAKTHROUGH and action.domain is not Domain.SCIENCE
    return other_payment or action.distance == 0


#: The actions that apply each effect; the first one determines the reason if none is legal.
_ACTIONS_OF_EFFECTS: Final = {
    effect: tuple(action for action in sorted(ACTIONS, key=_is_special) if action.effect is effect)
    for effect in (*PERMANENT_EFFECTS, *DISCARD_EFFECTS)
}


@dataclass(frozen=True)
class EffectRow:
    """An effect with the choices that apply it now, or the reason why none does."""

    effect: Effect
    choices: tuple[str, ...]
    reason: Reason | None


def effect_rows(position: Position, viewer: int, legal_actions: int) -> tuple[EffectRow, ...]:
    ahead = at_effects(position, viewer)
    legal_ahead = legal_actions if ahead is position else legal(ahead)
    rows = []
    for effect, actions in _ACTIONS_OF_EFFECTS.items():
        choices = tuple(action.text for action in actions if legal_actions >> action.code & 1)
        reason, code = None, actions[0].code
        if not choices:
            # A missing card is a more useful reason than "not now".
            reason = reason_against(ahead, viewer, code, legal_ahead) or reason_against(
                position, viewer, code, legal_actions
            )
        rows.append(EffectRow(effect, choices, reason))
    return tuple(rows)


def at_effects(position: Position, viewer: int) -> Position:
    """The position as if it were step 2 of the viewer's turn."""
    if position.question == Question.EFFECTS and position.seat == viewer:
        return position
    ahead = position.copy()
    ahead.seat, ahead.question, ahead.left = viewer, Question.EFFECTS, 0
    if position.seat != viewer or position.question == Question.PLAY:
        ahead.used = 0
    return ahead


def domain_of_choice(choice: str) -> Domain | None:
    """The Domain whose emblem is shown next to a choice; None for the end of the turn."""
    action = ACTIONS[read_choice(choice)]
    return action.effect.domain if action.effect is not None else action.domain

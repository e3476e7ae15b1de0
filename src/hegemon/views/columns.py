"""The effects of the viewer's own columns, their targets, and the cards that would move."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from hegemon.notation.choices import choices_in, read_choice
from hegemon.play.legality import Reason
from hegemon.rules.actions import ACTIONS, Action, Effect
from hegemon.rules.cards import COUNT, Domain
from hegemon.rules.effects.culture import leads_culture
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position, Question
from hegemon.rules.turn import threshold, to_the_left
from hegemon.views.effects import EffectRow
from hegemon.views.previews import CardMove, Previews
from hegemon.views.table import TableView

State = Literal["usable", "used", "short", "blocked"]

#: The state of an effect by the reason why it is unavailable.
_STATES: Final[dict[str, State]] = {
    "permanent-used": "used",
    "discard-used": "used",
    "inspired-already": "used",
    "below-threshold": "short",
    "no-card": "short",
    "no-lead": "short",
}


@dataclass(frozen=True)
class Target:
    """A player or a Domain that an effect can be aimed at, and the choices that do so, in order."""

    choices: tuple[str, ...]
    seat: int | None
    domain: Domain | None
    moves: tuple[CardMove, ...]
    """The cards that would move; none if the effect asks for cards first."""


@dataclass(frozen=True)
class ColumnEffect:
    """An effect at one of the viewer's columns, with its possible targets or the reason why it is unavailable."""

    effect: Effect
    needed: int
    """The number of cards in the column that it requires."""
    state: State
    reason: Reason | None
    targets: tuple[Target, ...]
    copied: bool = False
    """Whether it is copied from another player by Inspiration."""


def column_effects(table: TableView) -> dict[Domain, tuple[ColumnEffect, ...]]:
    """The effects at each of the viewer's columns; those that Inspiration copies are also at the Culture column."""
    effects: dict[Domain, list[ColumnEffect]] = {domain: [] for domain in Domain}
    needed = cards_by_level(table.position)
    for row in table.effects:
        for effect in _effects_of(row, table, needed[row.effect.level]):
            effects[row.effect.domain].append(effect)
            if effect.copied:
                effects[Domain.CULTURE].append(effect)
    return {domain: tuple(found) for domain, found in effects.items()}


def holders(effect: Effect, position: Position, needed: int) -> tuple[int, ...]:
    """The seats that have enough cards for an effect; the reference board shows their colors."""
    seats = range(position.players)
    if effect is Effect.INSPIRATION:
        return tuple(seat for seat in seats if leads_culture(position, seat))
    domain = effect.domain
    return tuple(seat for seat in seats if position.areas[seat][domain] & COUNT >= needed)


def cards_by_level(position: Position) -> tuple[int, int, int]:
    """The number of cards in a column that an effect of each level requires; level 0 requires one."""
    return 1, threshold(position, 1), threshold(position, 2)


def _effects_of(row: EffectRow, table: TableView, needed: int) -> Iterator[ColumnEffect]:
    """An effect as the viewer's own, and as a copy if available."""
    own: list[Action] = []
    copies: list[Action] = []
    for choice in row.choices:
        if choice in table.choices:
            action = ACTIONS[read_choice(choice)]
            (copies if action.copied else own).append(action)
    if own or not copies:
        state: State = (
            "usable" if own else _STATES.get(row.reason.code, "blocked") if row.reason else "blocked"
        )
        yield ColumnEffect(row.effect, needed, state, row.reason, _targets(own, table))
    if copies:
        yield ColumnEffect(row.effect, needed, "usable", None, _targets(copies, table), copied=True)


def _targets(actions: list[Action], table: TableView) -> tuple[Target, ...]:
    if not actions:
        return ()
    previews = Previews(table.view)
    return tuple(target for action in actions for target in _targets_of(action, table, previews))


def _targets_of(action: Action, table: TableView, previews: Previews) -> Iterator[Target]:
    """The targets of an action; a marker needs two choices, a player and a Domain."""
    after = table.position.copy()
    apply(after, action.code)
    seat = to_the_left(table.position, action.distance) if action.distance is not None else None
    if after.question in (Question.EMBARGO, Question.DEMOCRACY):
        for choice in choices_in(legal(after)):
            choices = action.text, choice
            yield Target(choices, seat, ACTIONS[read_choice(choice)].domain, previews.preview(choices))
    else:
        domain = action.domain if action.effect is Effect.ATTACK else None
        yield Target((action.text,), seat, domain, previews.preview((action.text,)))

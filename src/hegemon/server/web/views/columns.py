"""The actions at the reader's own columns, and the reference board, in the reader's language."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from hegemon.prose.choices import ChoiceDescriber, explained_effects
from hegemon.prose.translator import Translator
from hegemon.rules.actions import Effect
from hegemon.rules.cards import Domain
from hegemon.rules.position import Position, Question
from hegemon.server.tables.page_moves import TARGET_SEPARATOR
from hegemon.views import TableView
from hegemon.views.columns import ColumnEffect, Target, cards_by_level, column_effects, holders

#: Where a card of the hand is dropped to answer a question: `area` is its column, `hand` another player's.
_DROPS: Final = {
    Question.PLAY: "area",
    Question.PLAY_MORE: "area",
    Question.DISCARD_FROM_HAND: "pile",
    Question.GIVE: "hand",
}


class ActionButton(NamedTuple):
    """A choice at a column, with its target: the number of a seat, the letter of a Domain, or both."""

    choice: str
    text: str
    seat: int | None
    domain: Domain | None
    preview: str
    """The cards that would move: `M1 area-0 pile, E1 area-1 pile`."""

    @property
    def at(self) -> str:
        return f"{'' if self.seat is None else self.seat}{'' if self.domain is None else self.domain.letter}"


class ColumnAction(NamedTuple):
    """An effect at one of the reader's columns."""

    effect: int
    name: str
    level: int
    """0 for a discard effect, which costs a card."""
    needed: int
    state: str
    why: str
    buttons: tuple[ActionButton, ...]
    own: bool
    """Whether it belongs to the Domain of the column."""


class Power(NamedTuple):
    """An effect of a column's Domain, as shown at the head of the column."""

    state: str
    needed: str
    name: str


class ColumnState(NamedTuple):
    """The contents of a column in a panel in addition to its cards and markers."""

    change: int
    """The change of its number of cards since the reader's last move."""
    why: str
    """Why it cannot be chosen."""
    coin_of: str
    """The name of the player whose coin lies there; empty for none."""
    actions: tuple[ColumnAction, ...] = ()
    powers: tuple[Power, ...] = ()
    usable: bool = False
    has_key: bool = False
    """Whether its letter opens it, if it is usable."""


#: The effects of each level, by Domain.
_EFFECTS_BY_LEVEL: Final = tuple(
    sorted((effect for effect in Effect if effect.level == level), key=lambda effect: effect.domain)
    for level in (0, 1, 2)
)


class BoardCell(NamedTuple):
    """An effect on the reference board: who has it, what it does, its choices now or why there are none."""

    effect: Effect
    domain: Domain
    name: str
    text: str
    colors: tuple[int, ...]
    """The colors of the players who have it."""
    held: str
    now: tuple[str, ...]
    why: str


def column_actions(
    model: TableView, describer: ChoiceDescriber, reasons: Mapping[Effect, str]
) -> tuple[tuple[ColumnAction, ...], ...]:
    """The effects at each of the reader's columns, with the reasons against those that cannot be applied."""

    def button(target: Target) -> ActionButton:
        moves = ", ".join(f"{move.card} {move.origin} {move.destination}" for move in target.moves)
        text = describer.describe_with_target(target.choices)
        return ActionButton(TARGET_SEPARATOR.join(target.choices), text, target.seat, target.domain, moves)

    def action(effect: ColumnEffect, domain: Domain) -> ColumnAction:
        return ColumnAction(
            effect=effect.effect,
            name=describer.tr.effects[effect.effect],
            level=effect.effect.level,
            needed=effect.needed,
            state=effect.state,
            why=reasons[effect.effect] if effect.reason is not None else "",
            buttons=tuple(button(target) for target in effect.targets),
            own=effect.effect.domain is domain,
        )

    return tuple(
        tuple(action(effect, domain) for effect in effects)
        for domain, effects in column_effects(model).items()
    )


def powers_of(actions: Sequence[ColumnAction]) -> tuple[Power, ...]:
    """The effects of a column's own Domain, the discard effect first."""
    own = sorted((action for action in actions if action.own), key=attrgetter("level"))
    return tuple(
        Power(action.state, str(action.needed) if action.level else "−1", action.name) for action in own
    )


def board_rows(
    model: TableView, describer: ChoiceDescriber, reasons: Mapping[Effect, str]
) -> tuple[tuple[int, tuple[BoardCell, ...]], ...]:
    """The rows of the reference board, each with the number of cards that its effects take."""
    on_offer, position, tr = {row.effect: row for row in model.effects}, model.position, describer.tr
    needed, explanations = cards_by_level(position), explained_effects(position, tr)

    def cell(effect: Effect) -> BoardCell:
        row = on_offer.get(effect)
        seats = holders(effect, position, needed[effect.level])
        return BoardCell(
            effect,
            effect.domain,
            tr.effects[effect],
            explanations[effect],
            tuple(model.panels[seat].color for seat in seats),
            tr.text("has it: {names}", names=tr.listing([model.names[seat] for seat in seats]))
            if seats
            else "",
            now=tuple(map(describer.describe, row.choices)) if row else (),
            why=reasons.get(effect, ""),
        )

    return tuple(
        (needed[level], tuple(map(cell, effects))) for level, effects in enumerate(_EFFECTS_BY_LEVEL)
    )


def drop_of(model: TableView) -> str:
    """Where cards of the hand are dropped now; empty if nowhere."""
    drop = _DROPS.get(model.question, "") if model.choices else ""
    return f"hand-{model.view.target}" if drop == "hand" else drop


def need_of(effect: Effect, position: Position, tr: Translator) -> str:
    """The cards that an effect requires, for the page of rules."""
    if effect is Effect.INSPIRATION:
        return tr.text("the most Culture")
    return tr.numbered("{number} card", "{number} cards", cards_by_level(position)[effect.level])

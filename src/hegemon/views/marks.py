"""Marked cards of a set that is chosen together."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from hegemon.views.table import CardView, PlayerPanel, TableView


def with_marks(table: TableView, cards: Sequence[str]) -> TableView:
    """The table with these cards marked, if possible, so that a rejected set is not lost."""
    left = Counter(cards)

    def marked(row: Iterable[CardView]) -> tuple[CardView, ...]:
        return tuple(replace(card, marked=card.markable and take(card.kind)) for card in row)

    def take(kind: str) -> bool:
        left[kind] -= 1
        return left[kind] >= 0

    def panel(panel: PlayerPanel) -> PlayerPanel:
        columns = (replace(column, cards=marked(column.cards)) for column in panel.columns)
        return replace(panel, columns=tuple(columns)) if panel.own else panel

    return replace(
        table,
        hand=marked(table.hand),
        discard_pile=marked(table.discard_pile),
        panels=tuple(map(panel, table.panels)),
    )

"""A table view as plain data for JSON; seats count from 1."""

from typing import Any

from hegemon.play.serialization import result_to_dict
from hegemon.rules.view import SPECTATOR
from hegemon.views.table import ColumnView, TableView

_AGES = ("I", "II", "III")


def table_to_dict(table: TableView) -> dict[str, Any]:
    """Everything that is shown of a table, as JSON."""
    view = table.view
    discarded: dict[str, list[int]] = {column.domain.letter: [] for column in table.panels[0].columns}
    for card in table.discard_pile:
        discarded[card.domain.letter].append(card.age)
    return {
        "players": view.players,
        "teams": bool(view.teams),
        "viewer": table.viewer + 1 if table.viewer != SPECTATOR else None,
        "seat": view.seat + 1,
        "to_move": [seat + 1 for seat in table.to_move],
        "question": table.question.name.lower(),
        "round": view.round,
        "choices": list(table.choices),
        "deck": dict(zip(_AGES, table.deck, strict=True)),
        "discard_pile": discarded,
        "center": [card.kind for card in table.center],
        "seats": [
            {
                "seat": panel.seat + 1,
                "name": panel.name,
                "columns": {column.domain.letter: _column_to_dict(column) for column in panel.columns},
                "hand": list(table.hand_of(panel.seat)),
                "kept": list(table.kept_of(panel.seat)),
                "points": panel.points,
            }
            for panel in table.panels
        ],
        "majority": [
            {"seats": [seat + 1 for seat in row.seats], "points": row.points, "ahead": row.ahead}
            for row in table.majority
        ],
        "effects": [
            {
                "effect": row.effect.name.lower(),
                "choices": list(row.choices),
                "reason": row.reason.code if row.reason is not None else None,
            }
            for row in table.effects
        ],
        "result": result_to_dict(table.result),
    }


def _column_to_dict(column: ColumnView) -> dict[str, Any]:
    return {
        "cards": list(column.ages),
        "needed": column.needed,
        "embargoes": len(column.embargoes),
        "democracies": column.democracies,
        "coin_of": column.coin_of + 1 if column.coin_of is not None else None,
        "leads": column.leads,
    }

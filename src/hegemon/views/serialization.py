"""A table view as plain data for JSON; seats count from 1."""

from typing import TypedDict

from hegemon.play.serialization import ResultData, result_to_dict
from hegemon.rules.view import SPECTATOR
from hegemon.views.table import ColumnView, TableView

_AGES = ("I", "II", "III")


class ColumnData(TypedDict):
    """The cards of one Domain in a player's area, by Age, with the markers on them."""

    cards: list[int]
    needed: int
    embargoes: int
    democracies: int
    coin_of: int | None
    leads: bool


class SeatData(TypedDict):
    """A player's side of the table; a hidden card is `?`, or `?2` if its Age is known."""

    seat: int
    name: str
    columns: dict[str, ColumnData]
    hand: list[str]
    kept: list[str]
    points: int


class MajorityData(TypedDict):
    """The Domains in which a side leads."""

    seats: list[int]
    points: int
    ahead: bool


class EffectData(TypedDict):
    """An effect, with the choices that apply it now or the reason why there are none."""

    effect: str
    choices: list[str]
    reason: str | None


class TableData(TypedDict):
    """Everything that is shown of a table to one viewer."""

    players: int
    teams: bool
    viewer: int | None
    seat: int
    to_move: list[int]
    question: str
    round: int
    choices: list[str]
    deck: dict[str, int]
    discard_pile: dict[str, list[int]]
    center: list[str]
    seats: list[SeatData]
    majority: list[MajorityData]
    effects: list[EffectData]
    result: ResultData | None


def table_to_dict(table: TableView) -> TableData:
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


def _column_to_dict(column: ColumnView) -> ColumnData:
    return {
        "cards": list(column.ages),
        "needed": column.needed,
        "embargoes": len(column.embargoes),
        "democracies": column.democracies,
        "coin_of": column.coin_of + 1 if column.coin_of is not None else None,
        "leads": column.leads,
    }

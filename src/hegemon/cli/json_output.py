"""The output of `--json`: tables, games and rulings."""

import json
import sys
from typing import Any

from hegemon.notation.cards import write_cards
from hegemon.notation.record import Record, Variation, replay
from hegemon.notation.rulings import read_rulings, write_rulings
from hegemon.notation.writing import write_position
from hegemon.play.game import Game
from hegemon.play.serialization import event_to_dict, result_to_dict
from hegemon.rules.actions import CHOICES
from hegemon.rules.rulings import EXPLANATIONS, PRESETS, SWITCHES


def write_json(data: Any) -> None:
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")


def game_to_dict(record: Record) -> dict[str, Any]:
    """A whole game: its setup, its deck, and every move with its events and the position after it."""
    game = Game.from_record(record)
    start, *later = (
        {
            "events": [event_to_dict(event) for event in game.events_at(ply)],
            "position": write_position(position),
        }
        for ply, position in enumerate(replay(record))
    )
    moves = [
        {
            "ply": ply,
            "seat": seat + 1,
            "choice": CHOICES[action],
            **after,
            "comment": record.comments.get(ply),
        }
        for ply, ((seat, action), after) in enumerate(zip(record.moves, later, strict=True), 1)
    ]
    return {
        "players": list(record.names),
        "variant": record.variant,
        "teams": record.teams,
        "rulings": record.rulings,
        "deck": write_cards(list(record.deck)),
        "start": start,
        "moves": moves,
        "result": result_to_dict(record.result),
        "variations": [variation_to_dict(variation) for variation in record.variations],
    }


def variation_to_dict(variation: Variation) -> dict[str, Any]:
    """A variation: the line and the move that it branches from, and its moves."""
    moves = [
        {"ply": ply, "seat": seat + 1, "choice": CHOICES[action], "comment": variation.comments.get(ply)}
        for ply, (seat, action) in enumerate(variation.moves, variation.move)
    ]
    return {"line": variation.line, "move": variation.move, "moves": moves}


def rulings_to_dict(text: str | None) -> dict[str, Any]:
    """All switches and presets, or the switches of one set of rulings."""
    if text is None:
        switches = {name: EXPLANATIONS[name] for name in SWITCHES}
        return {"switches": switches, "presets": {name: states(preset) for name, preset in PRESETS.items()}}
    rulings = read_rulings(text)
    return {"rulings": write_rulings(rulings), "switches": states(rulings)}


def states(rulings: int) -> dict[str, bool]:
    return {name: bool(rulings & switch) for name, switch in SWITCHES.items()}

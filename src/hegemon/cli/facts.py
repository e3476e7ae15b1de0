"""The table, games and rulings as plain data, for programs: what `--json` prints."""

from typing import Any

from hegemon.cli.drawing import Scene
from hegemon.notation.cards import write_ages, write_cards
from hegemon.notation.choices import choices_in
from hegemon.notation.record import Record, initial_position, replay
from hegemon.notation.rulings import read_rulings, write_rulings
from hegemon.notation.writing import write_position, write_view
from hegemon.play.events import events_of_move, opening_events
from hegemon.play.serialization import event_to_dict, result_to_dict
from hegemon.rules.cards import DOMAINS, LETTERS
from hegemon.rules.engine import legal
from hegemon.rules.position import Position, Question
from hegemon.rules.rulings import EXPLANATIONS, PRESETS, SWITCHES
from hegemon.rules.victory import hegemony_threshold, points, side_of


def facts_of_scene(
    scene: Scene, line: str, choices: tuple[str, ...], problems: list[str] | None
) -> dict[str, Any]:
    """Everything that is to be seen of a position or a view."""
    view, table = scene.view, scene.table
    seats = []
    for seat in range(view.players):
        columns = {}
        for domain in range(DOMAINS):
            ages = write_ages(view.areas[seat][domain])
            columns[LETTERS[domain]] = {
                "cards": [int(age) for age in ages],
                "needed": hegemony_threshold(table, seat, domain),
                "embargoes": len(write_ages(view.embargoes[seat][domain])),
                "democracies": view.democracies[seat][domain],
            }
        seats.append(
            {
                "seat": seat + 1,
                "columns": columns,
                "hand": list(scene.hands[seat]),
                "kept": list(scene.kept[seat]),
                "points": points(table, side_of(table, seat)),
            }
        )
    return {
        "line": line,
        "players": view.players,
        "teams": bool(view.teams),
        "seat": view.seat + 1,
        "question": Question(view.question).name.lower(),
        "round": view.round,
        "choices": list(choices),
        "deck": dict(zip(("I", "II", "III"), view.deck_backs, strict=True)),
        "discard_pile": {
            LETTERS[domain]: [int(age) for age in write_ages(view.discard_pile[domain])]
            for domain in range(DOMAINS)
        },
        "seats": seats,
        "problems": problems,
    }


def facts_of_game(record: Record) -> dict[str, Any]:
    """A whole game: its table, its deck, and every choice with the position and the events that follow it."""
    start = initial_position(record)
    choices = []
    before: Position | None = None
    for number, after in enumerate(replay(record)):
        if before is not None:
            seat, word = record.moves[number - 1]
            before.seat = seat
            choices.append(
                {
                    "number": number,
                    "seat": seat + 1,
                    "word": choices_in(1 << word)[0],
                    "events": [event_to_dict(event) for event in events_of_move(before, word, after)],
                    "position": write_position(after),
                    "comment": record.comments.get(number),
                }
            )
        before = after
    return {
        "players": list(record.names),
        "variant": record.variant,
        "teams": record.teams,
        "rulings": record.rulings,
        "deck": write_cards(list(record.deck)),
        "start": {
            "events": [event_to_dict(event) for event in opening_events(start)],
            "position": write_position(start),
        },
        "choices": choices,
        "result": result_to_dict(record.result),
    }


def facts_of_position(scene: Scene, position: Position, problems: list[str]) -> dict[str, Any]:
    """Everything that is to be seen of a whole position."""
    return facts_of_scene(scene, write_position(position), choices_in(legal(position)), problems)


def facts_of_view(scene: Scene) -> dict[str, Any]:
    """Everything that is to be seen of a view; what may be chosen depends on hidden cards, unless it is one's own."""
    return facts_of_scene(scene, write_view(scene.view), own_choices(scene), None)


def own_choices(scene: Scene) -> tuple[str, ...]:
    """The viewer's choices; none if it is somebody else's turn."""
    view = scene.view
    if view.viewer not in view.owing and view.viewer != view.seat:
        return ()
    table = scene.table
    table.seat = view.viewer
    table.deck_size = view.deck_size
    return choices_in(legal(table))


def facts_of_rulings(text: str | None) -> dict[str, Any]:
    """The switches, and what each preset says of them; or what one text says."""
    switches = {name: EXPLANATIONS[name] for name in SWITCHES}
    if text is None:
        return {"switches": switches, "presets": {name: states(preset) for name, preset in PRESETS.items()}}
    rulings = read_rulings(text)
    return {"rulings": write_rulings(rulings), "switches": states(rulings)}


def states(rulings: int) -> dict[str, bool]:
    """Which switches are on."""
    return {name: bool(rulings & switch) for name, switch in SWITCHES.items()}

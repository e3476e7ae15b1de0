"""Whole games as their players read them, in every language: the files of `tests/golden/narrations`.

    .venv/bin/python tests/golden/narrations.py    # write them again, after a sentence has changed

Then read the diff: each changed line is a sentence as a player will see it. A file has the log and the questions of one
seat with all choices, the chosen one marked with *, and then what a spectator reads.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from hegemon.notation.record import Result, read_record
from hegemon.play.events import Event, GameEnded, TurnBegan
from hegemon.play.game import Game
from hegemon.prose.choices import ChoiceDescriber, explain_effect
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import LANGUAGES, Translator, get_translator
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import Domain
from hegemon.rules.position import Ending
from hegemon.rules.view import SPECTATOR, View

FOLDER = Path(__file__).parent / "narrations"

#: The games, each with the seat whose point of view is shown. They were chosen from thousands of random ones, because
#: together they show the most sentences.
SEATS = {"two-players": 1, "three-players": 1, "four-players": 3, "teams": 3, "draft": 0}

#: Rare situations: a position, and the choices of its player.
RARE = {
    "level 2": ("E11112S11112U33333(M1R1)/C1(R1)/M1(R1) 1e - - - S3333 M1R2", ("U++", "M", "R", ".")),
    "copied": ("C22E1M1(M1)/E11112U33333(R1)/(R1) 1e - - - S3333 M1R2", ("cE++", "M", "E", "M", ".")),
    "attack on one": ("M11E1(R1)/E1(R1)/M1(R1) 1e - - - S3333 -", ("mE", ".")),
    "attack on all": ("M11E1(R1)/E1(R1)/E1(R1)/E1(R1) 1e - - - S3333 -", ("mE", ".")),
    "one card": ("R11(M1)/M1(S1)/(R1) 1e - - - S3333 -", ("r+1", "M", ".")),
}

#: Every way in which a game of four can end, and whether it is one of teams.
ENDINGS = {
    "Hegemony": (Result(Ending.HEGEMONY, (0,), Domain.MILITARY), False),
    "Hegemony, teams": (Result(Ending.HEGEMONY, (0, 2), Domain.UTOPIA), True),
    "Majority": (Result(Ending.MAJORITY, (0,)), False),
    "Majority, teams": (Result(Ending.MAJORITY, (0, 2)), True),
    "Majority, shared": (Result(Ending.MAJORITY, (0, 1, 3)), False),
    "stall": (Result(Ending.STALL, (0,)), False),
    "stall, teams": (Result(Ending.STALL, (0, 2)), True),
    "stall, shared": (Result(Ending.STALL, (0, 3)), False),
}

#: Names of both genders, and with different first and last letters, show where a sentence would need another form.
NAMES = {
    "en": ("Ada", "James", "Olivia", "Seth"),
    "de": ("Ute", "Hans", "Anna", "Max"),
    "el": ("Άννα", "Νίκος", "Ελένη", "Γιάννης"),
    "hu": ("Ágnes", "Béla", "Zsófi", "Ödön"),
    "pl": ("Ewa", "Marek", "Ola", "Jerzy"),
}


def narrations() -> dict[Path, str]:
    """Every file, with what it has to contain."""
    kinds = {**{kind: partial(whole_game, kind) for kind in SEATS}, "rare": rare}
    return {
        FOLDER / code / f"{kind}.txt": "\n".join(lines(get_translator(code))) + "\n"
        for code in LANGUAGES
        for kind, lines in kinds.items()
    }


def whole_game(kind: str, tr: Translator) -> Iterator[str]:
    """A game as one seat reads it, then as a spectator does."""
    yield from as_read_by(kind, SEATS[kind], tr)
    yield ""
    yield from as_read_by(kind, SPECTATOR, tr)


def rare(tr: Translator) -> Iterator[str]:
    """The reference board, rare choices, and how games end: as a winner, another player and a spectator read it."""
    position = Game().position
    for effect, name in tr.effects.items():
        yield f"{name}: {explain_effect(effect, position, tr)}"
    yield ""
    describer = ChoiceDescriber(Game().view(0), names_in(tr, Game().players), tr)
    for effect in ("e+0", "e+1", "u+0", "u+1"):
        yield describer.describe_with_target((effect, "M"))
    for kind in RARE:
        for viewer in (0, 1, SPECTATOR):
            yield ""
            yield from as_read_by(kind, viewer, tr)
    names = names_in(tr, 4)
    for kind, (result, teams) in ENDINGS.items():
        yield ""
        for reader in (0, 1, None):
            yield f"## {kind}: {heading(names, reader)}"
            yield Narrator(names, reader, teams=teams, tr=tr).ending(GameEnded(result))


# ------------------------------------------------------------------ what a viewer sees


@dataclass(frozen=True)
class Moment:
    """What has happened since the last one, and what may be chosen."""

    events: tuple[Event, ...]
    view: View
    choices: tuple[str, ...]
    chosen: str
    """The next move if it is the viewer's; empty otherwise."""


def start_of(kind: str) -> tuple[Game, list[tuple[int, str]]]:
    """A game before its moves, and the moves."""
    if kind in RARE:
        line, choices = RARE[kind]
        return Game.from_position(line), [(0, choice) for choice in choices]
    record = read_record((FOLDER / f"{kind}.toml").read_text(encoding="utf-8"))
    moves = [(seat, CHOICES[action]) for seat, action in record.moves]
    return Game.from_record(replace(record, moves=(), result=None)), moves


@cache
def moments(kind: str, viewer: int) -> list[Moment]:
    """A game as a viewer sees it; the same in every language."""
    game, moves = start_of(kind)
    seen = []
    for ply, (seat, choice) in enumerate([*moves, (None, "")]):
        chosen = choice if seat == viewer else ""
        seen.append(Moment(game.events_at(ply, viewer), game.view(viewer), game.choices_of(viewer), chosen))
        if seat is not None:
            game.play(choice, seat)
    return seen


# ------------------------------------------------------------------ what a reader reads


def as_read_by(kind: str, viewer: int, tr: Translator) -> Iterator[str]:
    """The log as it grows, and the questions: with the choices if the viewer has to choose."""
    seen = moments(kind, viewer)
    names = names_in(tr, seen[0].view.players)
    reader = viewer if viewer != SPECTATOR else None
    narrator = Narrator(names, reader, teams=bool(seen[0].view.teams), tr=tr)
    yield f"## {kind}: {heading(names, reader)}"
    turn: list[Event] = []
    log: list[str] = []
    asked = ""
    for moment in seen:
        # A sentence of the log may change until its turn is over: "played A", then "played A and B".
        turn += moment.events
        sentences = narrator.narrate(turn)
        yield from sentences[common_length(log, sentences) :]
        starts = [number for number, event in enumerate(turn) if isinstance(event, TurnBegan)]
        turn = turn[starts[-1] :] if starts else turn
        log = narrator.narrate(turn)
        describer = ChoiceDescriber(moment.view, names, tr)
        if moment.chosen or (reader is None and describer.question() != asked):
            asked = describer.question()
            yield f"? {asked}"
        if moment.chosen:
            for choice in moment.choices:
                yield f"  {'*' if choice == moment.chosen else '-'} {describer.describe(choice)}"


def names_in(tr: Translator, players: int) -> tuple[str, ...]:
    return NAMES.get(tr.code, NAMES["en"])[:players]


def heading(names: Sequence[str], reader: int | None) -> str:
    return "-" if reader is None else names[reader]


def common_length(before: Sequence[str], after: Sequence[str]) -> int:
    shorter = min(len(before), len(after))
    return next((i for i in range(shorter) if before[i] != after[i]), shorter)


if __name__ == "__main__":
    for path, text in narrations().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

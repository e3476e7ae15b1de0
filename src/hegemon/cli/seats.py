"""Names of players and bots, and the moves of bots.

A record stores players by name only, so the name of a bot includes its kind: `Zenobia (bot greedy)`.
"""

import dataclasses
import hashlib
import re
import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

from hegemon.bots import ProgramError, make_bot
from hegemon.bots.registry import is_third_party, specifies_code
from hegemon.cli.prose import ERRORS, SCREEN, translator
from hegemon.notation.record import Record, RecordError
from hegemon.notation.setup import SetupError
from hegemon.notation.writing import write_position
from hegemon.play.game import Game
from hegemon.play.player import Player

_BOT: Final = re.compile(r"(?P<own>.+?) \(bot (?P<kind>.+)\)")

BOT_NAMES: Final = ("Zenobia", "Ashoka", "Livia", "Pericles")

#: A person who gives no name.
GUEST: Final = "Guest"

MAX_NAME_LENGTH: Final = 24


def bot_kind(name: str) -> str | None:
    """The kind of the bot of that name; None for a person."""
    match = _BOT.fullmatch(name)
    return match["kind"] if match else None


def display_name(name: str) -> str:
    """A name for display; names of bots and guests are translated."""
    if name == GUEST:
        return SCREEN["guest"]
    match = _BOT.fullmatch(name)
    return printable(translator().player_name(match["own"]) if match else name)


def printable(text: str) -> str:
    """An untrusted text with control characters replaced."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def check_name(name: str) -> str:
    """A person's name, if it is short enough and not like a bot's."""
    name = name.strip()
    if not (name.isprintable() and 0 < len(name) <= MAX_NAME_LENGTH and bot_kind(name) is None):
        raise SetupError(ERRORS["name"].format(most=MAX_NAME_LENGTH))
    return name


def kinds_in(text: str) -> list[str]:
    """The kinds in an option, separated by commas."""
    return [kind.strip() for kind in text.split(",")]


def bot_names(kinds: str, number: int) -> list[str]:
    """Names for that many bots: one kind for all, or a kind each."""
    named = kinds_in(kinds)
    for kind in named:
        make_bot(kind)  # raises if the kind is unknown
    if len(named) == 1:
        named *= number
    if len(named) != number:
        raise SetupError(ERRORS.numbered("bots", number, named=len(named)))
    return [f"{own} (bot {kind})" for own, kind in zip(BOT_NAMES, named, strict=False)]


def read_seat(text: str, players: int, chance: int) -> int:
    """Read a seat, counted from 1, or `random`; seats in the code count from 0."""
    if text == "random":
        return chance % players
    if text not in [str(seat) for seat in range(1, players + 1)]:
        raise SetupError(ERRORS["seat"].format(players=players, seat=text[:20]))
    return int(text) - 1


def record_to_resume(
    record: Record, path: Path, seat: str | None, kinds: str, ply: int | None = None
) -> tuple[Record, int]:
    """A saved game to resume, optionally after some of its moves, and the person's seat; bots play the other seats."""
    if ply is not None:
        if ply > (most := len(record.moves) - (record.result is not None)):
            raise SetupError(ERRORS["resume-at"].format(most=most, ply=ply))
        record = Game.from_record(record).at(ply).record()
    if record.result is not None:
        raise RecordError(ERRORS["resume-finished"].format(path=path))
    # The file may be untrusted, so it must not decide which code is run.
    for code in filter(None, map(bot_kind, record.names)):
        if specifies_code(code) and code not in kinds_in(kinds):
            raise SetupError(ERRORS["resume-code"].format(bot=printable(code), option=shlex.quote(code)))
    people = [place for place, name in enumerate(record.names) if bot_kind(name) is None]
    if seat is not None:
        own = read_seat(seat, record.players, chance=0)
        if own not in people:
            raise SetupError(ERRORS["resume-seat"].format(seat=own + 1))
    elif len(people) == 1:
        own = people[0]
    else:
        raise SetupError(ERRORS["resume-who"].format(players=record.players))
    absent = [place for place in people if place != own]
    substitutes = [bot_kind(name) for name in bot_names(kinds, len(absent))] if absent else []
    names = list(record.names)
    for place, kind in zip(absent, substitutes, strict=True):
        names[place] = f"{names[place]} (bot {kind})"
    return dataclasses.replace(record, names=tuple(names)), own


def seat_bots(game: Game) -> dict[int, Player]:
    """A bot for every seat with a bot's name, seeded by the game and its ply."""
    bots = {}
    for seat, name in enumerate(game.names):
        if (kind := bot_kind(name)) is not None:
            start = game.commitment if game.dealt else write_position(game.at(0).position)
            text = f"{start}:{seat}:{len(game.moves)}"
            bots[seat] = make_bot(kind, int(hashlib.sha256(text.encode()).hexdigest()[:12], 16))
    return bots


def let_bots_play(
    game: Game,
    bots: dict[int, Player],
    interruptible: Callable[[], AbstractContextManager[None]] = nullcontext,
    *,
    once: bool = False,
) -> None:
    """Let bots move until it is a person's turn, or only once; in the draft, all that owe a pick.

    A bot chooses inside `interruptible()`.
    """
    while (seat := next((seat for seat in bots if game.choices_of(seat)), None)) is not None:
        try:
            with interruptible():
                choice = bots[seat].choose(game.view(seat), game.memory(seat), game.choices_of(seat))
            game.play(choice, seat)
        except ProgramError:
            raise  # its message explains the problem
        except Exception as error:
            kind = bot_kind(game.names[seat])
            if kind is None or not is_third_party(kind):
                raise
            reason = f"{type(error).__name__}: {error}"
            raise SetupError(ERRORS["bot-failed"].format(bot=kind, error=reason)) from error
        if once:
            return

"""Who sits where: a person or a bot, and letting the bots play.

A record knows players by name alone, so the name of a bot tells what it is: `Zenobia (bot greedy)`.
"""

import dataclasses
import hashlib
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

from hegemon.bots import make_bot
from hegemon.bots.registry import from_outside
from hegemon.cli.prose import ERRORS
from hegemon.notation.record import Record, RecordError
from hegemon.notation.setup import SetupError
from hegemon.play.game import Game
from hegemon.play.player import Player

_BOT: Final = re.compile(r"(?P<own>.+) \(bot (?P<kind>[^\s()]+)\)")

#: What bots are called at the table.
BOT_NAMES: Final = ("Zenobia", "Ashoka", "Livia", "Pericles")

LONGEST_NAME: Final = 24


# ------------------------------------------------------------------ names


def bot_kind(name: str) -> str | None:
    """The kind of bot that bears a name; None for a person."""
    match = _BOT.fullmatch(name)
    return match["kind"] if match else None


def display_name(name: str) -> str:
    """A player's name as the table shows it."""
    match = _BOT.fullmatch(name)
    return printable(match["own"] if match else name)


def printable(text: str) -> str:
    """A text from a file, without letters that would command the terminal."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def check_name(name: str) -> str:
    """A person's name: it must fit on the table, and not be taken for a bot's."""
    name = name.strip()
    if not (name.isprintable() and 0 < len(name) <= LONGEST_NAME and bot_kind(name) is None):
        raise SetupError(ERRORS["name"].format(most=LONGEST_NAME))
    return name


def bot_names(kinds: str, number: int) -> list[str]:
    """Names for so many bots: one kind for all, or a kind each."""
    named = [kind.strip() for kind in kinds.split(",")]
    for kind in named:
        make_bot(kind)  # whoever is unknown is refused with the names of those who are known
    if len(named) == 1:
        named *= number
    if len(named) != number:
        raise SetupError(ERRORS["bots"].format(number=number, named=len(named)))
    return [f"{own} (bot {kind})" for own, kind in zip(BOT_NAMES, named, strict=False)]


def read_seat(text: str, players: int, chance: int) -> int:
    """A seat that somebody named, counted from 1, or one by chance; from 0 as in the code."""
    if text == "random":
        return chance % players
    if text not in [str(seat) for seat in range(1, players + 1)]:
        raise SetupError(ERRORS["seat"].format(players=players, seat=text[:20]))
    return int(text) - 1


def resumed(record: Record, path: Path, seat: str | None, kinds: str) -> tuple[Record, int]:
    """A saved game to go on with, and the person's seat; people of the record who are not here are played by bots."""
    if record.result is not None:
        raise RecordError(ERRORS["resume-finished"].format(path=path))
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
    stand_ins = [bot_kind(name) for name in bot_names(kinds, len(absent))] if absent else []
    names = list(record.names)
    for place, kind in zip(absent, stand_ins, strict=True):
        names[place] = f"{names[place]} (bot {kind})"
    return dataclasses.replace(record, names=tuple(names)), own


# ------------------------------------------------------------------ bots at the table


def seat_bots(game: Game) -> dict[int, Player]:
    """A bot for every seat whose name is a bot's, seeded by the game and by how far it has come."""
    bots = {}
    for seat, name in enumerate(game.names):
        kind = bot_kind(name)
        if kind is not None:
            text = f"{game.commitment}:{seat}:{len(game.moves)}"
            bots[seat] = make_bot(kind, int(hashlib.sha256(text.encode()).hexdigest()[:12], 16))
    return bots


def let_bots_play(
    game: Game,
    bots: dict[int, Player],
    heard: Callable[[], AbstractContextManager[None]] = nullcontext,
    *,
    once: bool = False,
) -> None:
    """Let bots choose until somebody else is asked, in the draft all that owe a pick; or let only one choose.

    While a bot thinks, an interruption is heard.
    """
    while True:
        seat = next((seat for seat in bots if game.choices_of(seat)), None)
        if seat is None:
            return
        try:
            with heard():
                word = bots[seat].choose(game.view(seat), game.memory(seat), game.choices_of(seat))
            game.play(word, seat)
        except Exception as error:
            kind = bot_kind(game.names[seat])
            if kind not in from_outside():
                raise
            reason = f"{type(error).__name__}: {error}"
            raise SetupError(ERRORS["bot-failed"].format(bot=kind, error=reason)) from error
        if once:
            return

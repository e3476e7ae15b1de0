"""Playing one deal: what a worker does, here or far away."""

import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from hegemon.arena.tournament import Deal, Tournament
from hegemon.bots import Search, make_bot, warm_up
from hegemon.notation.record import Move, Record
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.play.memory import Memory
from hegemon.play.player import Player
from hegemon.rules.actions import (
    ATTACK,
    BREAKTHROUGH,
    COPY,
    DEMOCRACY,
    EMBARGO,
    END,
    INQUISITION,
    PERMANENT,
)
from hegemon.rules.effects.board import Effect
from hegemon.rules.victory import side_of
from hegemon.rules.view import View


class BotFailed(Exception):
    """A bot raised an error, or said a word that was not on offer."""


@dataclass(frozen=True)
class GamePlayed:
    """One game, as plain data: it travels between machines and is kept as one line of a file."""

    deal: int
    table: int
    seating: int
    bots: tuple[str, ...]
    """Who sat where."""
    shares: tuple[float, ...]
    """What each seat got of the win: all of it, nothing, or its side's part of a shared one."""
    ending: str
    domain: str | None
    """The Domain of the Hegemony."""
    rounds: int
    words: str
    """Every word that was said, in order."""
    effects: tuple[dict[str, int], ...]
    """How often each seat applied each effect."""
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    """How long each seat thought in all."""
    slowest: tuple[float, ...]
    """How long each seat thought about the choice that took it longest."""

    @property
    def identity(self) -> tuple[int, int, int]:
        """What tells this game from all others of its tournament."""
        return self.deal, self.table, self.seating

    def to_data(self) -> dict[str, Any]:
        """The game for a file."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "GamePlayed":
        """The game from a file."""
        facts: dict[str, Any] = {
            name: tuple(fact) if isinstance(fact, list) else fact for name, fact in data.items()
        }
        return cls(**facts)


def thinks(names: tuple[str, ...]) -> bool:
    """Whether one of these bots searches, so that there is something to compile before they play."""
    return any(isinstance(make_bot(name), Search) for name in names)


class Watched:
    """A bot whose thinking is timed."""

    def __init__(self, name: str, bot: Player) -> None:
        self.name = name
        self.bot = bot
        self.decisions = 0
        self.seconds = 0.0
        self.slowest = 0.0

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        """What the bot chooses."""
        began = time.perf_counter()
        word = self.bot.choose(view, memory, choices)
        seconds = time.perf_counter() - began
        self.decisions += 1
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        return word


def effect_of(word: int) -> Effect | None:
    """The effect that a word applies; None if it applies none. A copied one counts as itself."""
    if PERMANENT <= word < COPY:
        return Effect(word - PERMANENT)
    if COPY <= word < ATTACK:
        return Effect(word - COPY)
    for first, effect in (
        (END, None),
        (BREAKTHROUGH, Effect.BREAKTHROUGH),
        (DEMOCRACY, Effect.DEMOCRACY),
        (EMBARGO, Effect.EMBARGO),
        (INQUISITION, Effect.INQUISITION),
        (ATTACK, Effect.ATTACK),
    ):
        if word >= first:
            return effect
    return None


def effects_of(said: tuple[Move, ...], seat: int) -> dict[str, int]:
    """How often a seat applied each effect, and how often it did so by Inspiration."""
    used: Counter[str] = Counter()
    for chooser, word in said:
        if chooser == seat:
            effect = effect_of(word)
            if effect is not None:
                used[effect.name.lower()] += 1
            if COPY <= word < ATTACK:
                used[Effect.INSPIRATION.name.lower()] += 1
    return dict(used)


def play_deal(tournament: Tournament, deal: Deal) -> list[GamePlayed]:
    """Play one deal in every seating."""
    if thinks(tournament.names):
        warm_up()  # who thinks against the clock must not lose time to the compiler
    seatings = tournament.tables[deal.table]
    return [play_seating(tournament, deal, seating) for seating in range(len(seatings))]


def new_game(tournament: Tournament, deal: int, names: tuple[str, ...]) -> Game:
    """The table of a deal, before the first choice."""
    return Game(
        tournament.players,
        tournament.variant,
        teams=tournament.teams,
        rulings=tournament.rulings,
        seed=tournament.seed_of(deal),
        names=[f"{name} {seat + 1}" for seat, name in enumerate(names)],
    )


def play_seating(tournament: Tournament, deal: Deal, seating: int) -> GamePlayed:
    """Play one game of a deal."""
    names = tournament.tables[deal.table][seating]
    seats = [
        Watched(name, make_bot(name, tournament.seed_of(deal.number, deal.table, seating, seat)))
        for seat, name in enumerate(names)
    ]
    game = new_game(tournament, deal.number, names)
    while (result := game.result) is None:
        seat = game.seat
        try:
            game.play(seats[seat].choose(game.view(seat), game.memory(seat), game.choices))
        except IllegalMoveError as refusal:
            raise BotFailed(f"{names[seat]} was refused in deal {deal.number}: {refusal}") from None
        except Exception as error:
            where = f"in deal {deal.number}, after {len(game.moves)} words"
            raise BotFailed(f"{names[seat]} failed {where}: {type(error).__name__}: {error}") from error
    position = game.position
    sides = {side_of(position, seat) for seat in result.winners}
    said = game.record().moves
    return GamePlayed(
        deal=deal.number,
        table=deal.table,
        seating=seating,
        bots=names,
        shares=tuple(1 / len(sides) if seat in result.winners else 0.0 for seat in range(game.players)),
        ending=result.ending.name.lower(),
        domain=result.domain.name.lower() if result.domain is not None else None,
        rounds=position.round,
        words=" ".join(game.moves),
        effects=tuple(effects_of(said, seat) for seat in range(game.players)),
        decisions=tuple(seat.decisions for seat in seats),
        seconds=tuple(round(seat.seconds, 6) for seat in seats),
        slowest=tuple(round(seat.slowest, 6) for seat in seats),
    )


def record_of(tournament: Tournament, game: GamePlayed) -> Record:
    """The record of a game: it replays to the card."""
    again = new_game(tournament, game.deal, game.bots)
    for word in game.words.split():
        again.play(word)
    return again.record()

"""Play one deal: the unit of work of a worker."""

import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from hegemon.arena.tournament import Deal, Tournament
from hegemon.bots import Search, make_bot, warm_up
from hegemon.notation.messages import MessageError
from hegemon.notation.record import Move, Record
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.play.memory import Memory
from hegemon.play.player import Player
from hegemon.rules.actions import ACTIONS, Effect
from hegemon.rules.victory import side_of
from hegemon.rules.view import View


class BotFailed(MessageError):
    """A bot raised an error or made an illegal move."""


@dataclass(frozen=True)
class GameResult:
    """One finished game as plain data, sent between machines and stored in the journal."""

    deal: int
    table: int
    seating: int
    bots: tuple[str, ...]
    """The bot of each seat."""
    shares: tuple[float, ...]
    """Each seat's share of the win; sides that win together have equal shares."""
    ending: str
    domain: str | None
    """The Domain of the Hegemony."""
    rounds: int
    moves: str
    """The choices that were played, in order."""
    effects: tuple[dict[str, int], ...]
    """Uses of each effect by each seat."""
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    """Total thinking time of each seat."""
    slowest: tuple[float, ...]
    """Longest thinking time for one choice."""

    @property
    def identity(self) -> tuple[int, int, int]:
        return self.deal, self.table, self.seating

    def to_data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "GameResult":
        lists: dict[str, Any] = {name: tuple(fact) for name, fact in data.items() if isinstance(fact, list)}
        return cls(**{**data, **lists})


def uses_search(names: tuple[str, ...]) -> bool:
    """Whether one of these bots searches, so that kernels have to be compiled first."""
    return any(isinstance(make_bot(name), Search) for name in names)


class TimedBot:
    """A bot with a stopwatch."""

    def __init__(self, name: str, bot: Player) -> None:
        self.name = name
        self.bot = bot
        self.decisions = 0
        self.seconds = 0.0
        self.slowest = 0.0

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        began = time.perf_counter()
        choice = self.bot.choose(view, memory, choices)
        seconds = time.perf_counter() - began
        self.decisions += 1
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        return choice


def effects_of(moves: tuple[Move, ...], seat: int) -> dict[str, int]:
    """How often a seat applied each effect; a copied effect also counts as an Inspiration."""
    used: Counter[str] = Counter()
    for chooser, action in moves:
        if chooser == seat:
            if (effect := ACTIONS[action].effect) is not None:
                used[effect.name.lower()] += 1
            if ACTIONS[action].copied:
                used[Effect.INSPIRATION.name.lower()] += 1
    return dict(used)


def play_deal(tournament: Tournament, deal: Deal) -> list[GameResult]:
    """Play one deal in every seating."""
    if uses_search(tournament.names):
        warm_up()  # bots with a time limit must not lose time to the compiler
    seatings = tournament.tables[deal.table]
    return [play_seating(tournament, deal, seating) for seating in range(len(seatings))]


def game_of_deal(tournament: Tournament, deal: int, names: tuple[str, ...]) -> Game:
    """The game of a deal before the first move."""
    return Game(
        tournament.players,
        tournament.variant,
        teams=tournament.teams,
        rulings=tournament.rulings,
        seed=tournament.seed_of(deal),
        names=[f"{name} {seat + 1}" for seat, name in enumerate(names)],
    )


def play_seating(tournament: Tournament, deal: Deal, seating: int) -> GameResult:
    names = tournament.tables[deal.table][seating]
    seats = [
        TimedBot(name, make_bot(name, tournament.seed_of(deal.number, deal.table, seating, seat)))
        for seat, name in enumerate(names)
    ]
    game = game_of_deal(tournament, deal.number, names)
    while (result := game.result) is None:
        seat = game.seat
        try:
            game.play(seats[seat].choose(game.view(seat), game.memory(seat), game.choices))
        except IllegalMoveError as error:
            raise BotFailed(
                "{bot} made an illegal move in deal {deal}: {error}",
                bot=names[seat],
                deal=deal.number,
                error=str(error),
            ) from None
        except Exception as error:
            raise BotFailed(
                "{bot} failed in deal {deal}, after {moves} moves: {error}",
                bot=names[seat],
                deal=deal.number,
                moves=len(game.moves),
                error=f"{type(error).__name__}: {error}",
            ) from error
    position = game.position
    sides = {side_of(position, seat) for seat in result.winners}
    moves = game.record().moves
    return GameResult(
        deal=deal.number,
        table=deal.table,
        seating=seating,
        bots=names,
        shares=tuple(1 / len(sides) if seat in result.winners else 0.0 for seat in range(game.players)),
        ending=result.ending.name.lower(),
        domain=result.domain.name.lower() if result.domain is not None else None,
        rounds=position.round,
        moves=" ".join(game.moves),
        effects=tuple(effects_of(moves, seat) for seat in range(game.players)),
        decisions=tuple(seat.decisions for seat in seats),
        seconds=tuple(round(seat.seconds, 6) for seat in seats),
        slowest=tuple(round(seat.slowest, 6) for seat in seats),
    )


def record_of_result(tournament: Tournament, game: GameResult) -> Record:
    replayed = game_of_deal(tournament, game.deal, game.bots)
    for choice in game.moves.split():
        replayed.play(choice)
    return replayed.record()

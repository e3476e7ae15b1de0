"""The standings of a tournament: win rates by side, pair and seat, ratings, endings, lengths."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations, permutations
from typing import Any

import numpy as np

from hegemon.arena.bootstrap import Bootstrap, Score
from hegemon.arena.games import GameResult
from hegemon.arena.ratings import Rating, rate
from hegemon.arena.tournament import Tournament
from hegemon.rules.actions import Effect


@dataclass
class BotFigures:
    """The figures of a bot over all of its seats."""

    seats: int = 0
    """The number of seats it played: one or more per game."""
    effects: Counter[str] = field(default_factory=Counter)
    decisions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    forfeits: Counter[str] = field(default_factory=Counter)
    """Games that it lost by forfeit, by `seats.TIME` and `seats.EXIT`."""
    first_forfeit: str = ""
    """Details of the first of them."""

    def add(self, game: GameResult, seat: int) -> None:
        if game.forfeit is not None and game.forfeit[0] == seat:
            _, reason, detail = game.forfeit
            self.forfeits[reason] += 1
            self.first_forfeit = self.first_forfeit or detail
        self.seats += 1
        self.effects.update(game.effects[seat])
        self.decisions += game.decisions[seat]
        self.seconds += game.seconds[seat]
        self.slowest = max(self.slowest, game.slowest[seat])

    @property
    def seconds_per_decision(self) -> float:
        return self.seconds / self.decisions if self.decisions else 0.0

    def to_data(self) -> dict[str, Any]:
        keys = (effect.name.lower() for effect in Effect)
        return {
            "seats": self.seats,
            "effects": {key: self.effects[key] for key in keys if self.effects[key]},
            "decisions": self.decisions,
            "seconds_a_decision": round(self.seconds_per_decision, 6),
            "slowest_decision": round(self.slowest, 6),
            "forfeits": dict(self.forfeits),
        }


@dataclass
class Standings:
    """Statistics over the games of a tournament. A side is a bot, or in team games two teammates."""

    tournament: Tournament
    games: int
    deals: int
    sides: dict[str, Score]
    ratings: dict[str, Rating]
    """Empty if there is only one side, or no game."""
    pairs: dict[tuple[str, str], Score]
    """Wins of the first side over the second, in games that exactly one of the two won."""
    seats: list[Score]
    """Wins by seat, for all sides together."""
    sides_by_seat: dict[str, list[Score]]
    bots: dict[str, BotFigures]
    endings: Counter[str]
    domains: Counter[str]
    rounds: list[int]
    moves: list[int]

    @classmethod
    def of(cls, tournament: Tournament, games: Sequence[GameResult]) -> "Standings":
        tally = Tally(tournament, games)
        bots = {name: BotFigures() for name in tournament.names}
        for game in games:
            for seat, name in enumerate(game.bots):
                bots[name].add(game, seat)
        return cls(
            tournament,
            games=len(games),
            deals=len({game.deal for game in games}),
            sides=tally.sides_scores(),
            ratings=tally.ratings(),
            pairs=tally.pairs(),
            seats=tally.seats(),
            sides_by_seat=tally.sides_by_seat(),
            bots=bots,
            endings=Counter(game.ending for game in games),
            domains=Counter(game.domain for game in games if game.domain is not None),
            rounds=[game.rounds for game in games],
            moves=[len(game.moves.split()) for game in games],
        )

    def to_data(self) -> dict[str, Any]:
        return {
            "tournament": asdict(self.tournament),
            "games": self.games,
            "deals": self.deals,
            "sides": {name: self._side(name) for name in self.sides},
            "pairs": [{"side": a, "against": b, **score.to_data()} for (a, b), score in self.pairs.items()],
            "seats": [{"seat": seat, **score.to_data()} for seat, score in enumerate(self.seats, 1)],
            "bots": {name: figures.to_data() for name, figures in self.bots.items()},
            "endings": dict(self.endings),
            "domains": dict(self.domains),
            "length": {"rounds": spread(self.rounds), "moves": spread(self.moves)},
        }

    def _side(self, name: str) -> dict[str, Any]:
        return {
            **self.sides[name].to_data(),
            **(self.ratings[name].to_data() if name in self.ratings else {}),
            "by_seat": [score.to_data() for score in self.sides_by_seat[name]],
        }


class Tally:
    """The games of a tournament as arrays with a row per game, and their scores with intervals from one bootstrap."""

    def __init__(self, tournament: Tournament, games: Sequence[GameResult]) -> None:
        self.names = list(dict.fromkeys(tournament.sides.values()))
        self.players = tournament.players
        self.bootstrap = Bootstrap([game.deal for game in games])
        side_of_seat = tournament.side_of_seat
        tables = len(games), len(set(side_of_seat))
        key_of = {side: self.names.index(name) for side, name in tournament.sides.items()}
        keys = [[key_of[side] for side in tournament.sides_at(game.bots)] for game in games]
        self.sides = np.array(keys, np.int64).reshape(tables)
        self.sides_on_seats = self.sides[:, side_of_seat]
        self.shares_of_seats = np.array([game.shares for game in games]).reshape(len(games), self.players)
        self.shares = self.shares_of_seats[:, [side_of_seat.index(side) for side in range(tables[1])]]

    def sides_scores(self) -> dict[str, Score]:
        scores = self.bootstrap.scores(self.sides, len(self.names), self.shares)
        return dict(zip(self.names, scores, strict=True))

    def ratings(self) -> dict[str, Rating]:
        return dict(
            zip(self.names, rate(self.bootstrap, self.sides, self.shares, len(self.names)), strict=False)
        )

    def pairs(self) -> dict[tuple[str, str], Score]:
        """The scores of each side against each other one, in the games that exactly one of the two won."""
        number = len(self.names)
        one, other = np.array(list(permutations(range(self.sides.shape[1]), 2))).T
        sides, opponents = self.sides[:, one], self.sides[:, other]
        ahead = self.shares[:, one] - self.shares[:, other]
        keys = np.where((sides < opponents) & (ahead != 0), sides * number + opponents, -1)
        scores = self.bootstrap.scores(keys, number**2, (ahead > 0).astype(float))
        pairs: dict[tuple[str, str], Score] = {}
        for (key, name), (against, opponent) in combinations(enumerate(self.names), 2):
            score = scores[key * number + against]
            pairs |= {(name, opponent): score, (opponent, name): score.reversed()}
        return pairs

    def seats(self) -> list[Score]:
        seats = np.broadcast_to(np.arange(self.players), self.shares_of_seats.shape)
        return self.bootstrap.scores(seats, self.players, self.shares_of_seats)

    def sides_by_seat(self) -> dict[str, list[Score]]:
        keys = self.sides_on_seats * self.players + np.arange(self.players)
        scores = self.bootstrap.scores(keys, len(self.names) * self.players, self.shares_of_seats)
        return {
            name: scores[key * self.players : (key + 1) * self.players] for key, name in enumerate(self.names)
        }


def spread(numbers: Sequence[int]) -> dict[str, float] | None:
    """Mean, minimum, median and maximum; None without numbers."""
    if not numbers:
        return None
    ordered = sorted(numbers)
    return {
        "mean": round(sum(ordered) / len(ordered), 3),
        "least": ordered[0],
        "median": ordered[len(ordered) // 2],
        "most": ordered[-1],
    }

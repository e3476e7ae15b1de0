"""The standings of a tournament: win rates by bot, pair and seat, ratings, endings, lengths."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from math import sqrt
from typing import Any, Final

from hegemon.arena.games import GameResult
from hegemon.arena.tournament import Tournament
from hegemon.rules.actions import Effect

# 95 % of a normal distribution lie within this many standard deviations.
_Z: Final = 1.959963984540054


def interval(wins: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a win rate."""
    if games == 0:
        return 0.0, 1.0
    rate = wins / games
    scale = 1 + _Z**2 / games
    middle = (rate + _Z**2 / (2 * games)) / scale
    half = _Z * sqrt(rate * (1 - rate) / games + _Z**2 / (4 * games**2)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass
class Score:
    """Wins and games; a shared win counts as a fraction."""

    games: int = 0
    wins: float = 0.0

    def add(self, share: float) -> None:
        self.games += 1
        self.wins += share

    @property
    def win_rate(self) -> float:
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return interval(self.wins, self.games)

    def to_data(self) -> dict[str, Any]:
        low, high = self.interval
        rates = {"wins": self.wins, "win_rate": self.win_rate, "low": low, "high": high}
        return {"games": self.games, **{name: round(rate, 6) for name, rate in rates.items()}}


@dataclass
class Thinking:
    decisions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    @property
    def mean(self) -> float:
        return self.seconds / self.decisions if self.decisions else 0.0


@dataclass
class Rating:
    """An OpenSkill rating: the skill and its uncertainty."""

    mu: float
    sigma: float


@dataclass
class Standings:
    """Statistics over the games of a tournament."""

    tournament: Tournament
    games: int = 0
    deals: int = 0
    bots: dict[str, Score] = field(default_factory=dict)
    seats: list[Score] = field(default_factory=list)
    """Wins by seat, for all bots together."""
    bots_by_seat: dict[str, list[Score]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], Score] = field(default_factory=dict)
    """Wins of the first bot over the second, in games that exactly one of the two won."""
    endings: Counter[str] = field(default_factory=Counter)
    domains: Counter[str] = field(default_factory=Counter)
    rounds: list[int] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    effects: dict[str, Counter[str]] = field(default_factory=dict)
    thinking: dict[str, Thinking] = field(default_factory=dict)
    ratings: dict[str, Rating] = field(default_factory=dict)
    """Empty where OpenSkill is not installed."""

    @classmethod
    def of(cls, tournament: Tournament, games: Sequence[GameResult]) -> "Standings":
        standings = cls(tournament, len(games), len({game.deal for game in games}))
        standings.seats = [Score() for _ in range(tournament.players)]
        for name in tournament.names:
            standings.bots[name] = Score()
            standings.bots_by_seat[name] = [Score() for _ in range(tournament.players)]
            standings.effects[name] = Counter()
            standings.thinking[name] = Thinking()
        pairs: defaultdict[tuple[str, str], Score] = defaultdict(Score)
        for game in games:
            standings._count(game)
            for one, own in zip(game.bots, game.shares, strict=True):
                for other, share in zip(game.bots, game.shares, strict=True):
                    if one != other and own != share:
                        pairs[one, other].add(float(own > share))
        standings.pairs = dict(pairs)
        standings.ratings = rate(tournament, games)
        return standings

    def _count(self, game: GameResult) -> None:
        self.endings[game.ending] += 1
        if game.domain is not None:
            self.domains[game.domain] += 1
        self.rounds.append(game.rounds)
        self.moves.append(len(game.moves.split()))
        for seat, (name, share) in enumerate(zip(game.bots, game.shares, strict=True)):
            self.bots[name].add(share)
            self.seats[seat].add(share)
            self.bots_by_seat[name][seat].add(share)
            self.effects[name].update(game.effects[seat])
            thinking = self.thinking[name]
            thinking.decisions += game.decisions[seat]
            thinking.seconds += game.seconds[seat]
            thinking.slowest = max(thinking.slowest, game.slowest[seat])

    def to_data(self) -> dict[str, Any]:
        return {
            "tournament": asdict(self.tournament),
            "games": self.games,
            "deals": self.deals,
            "bots": {name: self._bot(name) for name in self.bots},
            "pairs": [{"bot": a, "against": b, **score.to_data()} for (a, b), score in self.pairs.items()],
            "seats": [{"seat": seat, **score.to_data()} for seat, score in enumerate(self.seats, 1)],
            "endings": dict(self.endings),
            "domains": dict(self.domains),
            "length": {"rounds": spread(self.rounds), "moves": spread(self.moves)},
        }

    def _bot(self, name: str) -> dict[str, Any]:
        rating, thinking, effects = self.ratings.get(name), self.thinking[name], self.effects[name]
        keys = (effect.name.lower() for effect in Effect)
        return {
            **self.bots[name].to_data(),
            "rating": round(rating.mu, 3) if rating else None,
            "sigma": round(rating.sigma, 3) if rating else None,
            "by_seat": [score.to_data() for score in self.bots_by_seat[name]],
            "effects": {key: effects[key] for key in keys if effects[key]},
            "decisions": thinking.decisions,
            "seconds_a_decision": round(thinking.mean, 6),
            "slowest_decision": round(thinking.slowest, 6),
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


def rate(tournament: Tournament, games: Sequence[GameResult]) -> dict[str, Rating]:
    """OpenSkill ratings (Plackett-Luce) over the games in the order of the deals."""
    if find_spec("openskill") is None or len(tournament.names) < 2:
        return {}
    from openskill.models import PlackettLuce

    # The skill of a bot does not drift, hence tau is 0 and the order of games hardly matters.
    model = PlackettLuce(tau=0.0)
    ratings: dict[str, Any] = {name: model.rating(name=name) for name in tournament.names}
    for game in games:
        if len(set(game.bots)) > 1:
            rate_game(model, ratings, game, teams=tournament.teams)
    return {name: Rating(rating.mu, rating.sigma) for name, rating in ratings.items()}


def rate_game(model: Any, ratings: dict[str, Any], game: GameResult, *, teams: bool) -> None:
    """Update the ratings by one game; a bot on several seats gets the mean of their new ratings."""
    sides = ((0, 2), (1, 3)) if teams else tuple((seat,) for seat in range(len(game.bots)))
    rated = model.rate(
        [[ratings[game.bots[seat]] for seat in side] for side in sides],
        ranks=[-game.shares[side[0]] for side in sides],
    )
    new: defaultdict[str, list[Any]] = defaultdict(list)
    for side, members in zip(sides, rated, strict=True):
        for seat, rating in zip(side, members, strict=True):
            new[game.bots[seat]].append(rating)
    for name, found in new.items():
        mu = sum(rating.mu for rating in found) / len(found)
        sigma = sum(rating.sigma for rating in found) / len(found)
        ratings[name] = model.rating(mu=mu, sigma=sigma, name=name)

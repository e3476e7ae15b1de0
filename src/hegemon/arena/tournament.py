"""The schedule of a tournament: which bots play which deals in which seats."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain, combinations, permutations
from typing import Final

from hegemon.bots import make_bot
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import SetupError, check_players, check_seed, read_variant
from hegemon.rules.position import MAX_PLAYERS, Position
from hegemon.rules.shuffle import MAX_SEED
from hegemon.rules.victory import side_of

Seating = tuple[str, ...]

MAX_SECONDS_PER_MOVE: Final = 86_400


@dataclass(frozen=True, order=True)
class Deal:
    """The unit of work: one shuffle, played by one set of bots in every seating."""

    number: int
    table: int
    """The set of bots that plays it, if there are more bots than seats."""


@dataclass(frozen=True)
class Tournament:
    """A duplicate tournament, reproducible from these values.

    Every shuffle is played in every seating, so that all bots have the same luck with cards and seats. With more
    bots than seats, every combination plays every deal; with fewer, the last bot takes the remaining seats. In team
    games the bots are sides: `A` is two of that bot, `A+B` one of each, and every side plays every other.
    """

    bots: tuple[str, ...]
    players: int = 0
    """Seats of a game; 0 for one per bot, or four in team games."""
    variant: str = "basic"
    teams: bool = False
    rulings: str = "standard"
    seed: int = 0
    seconds_per_move: float | None = None
    """A bot that takes longer loses the game; by default only third-party bots have a limit, of a minute."""

    def __post_init__(self) -> None:
        if not all(self.names):
            raise SetupError("Name the bots that play, such as greedy,chance.")
        for name in self.bots:
            self._check_side(name)
        if self.seconds_per_move is not None and not 0 < self.seconds_per_move <= MAX_SECONDS_PER_MOVE:
            raise SetupError(
                "A bot has more than 0 and at most {most} seconds for a move, not {seconds}.",
                most=MAX_SECONDS_PER_MOVE,
                seconds=f"{self.seconds_per_move:g}",
            )
        if self.players == 0:
            if len(self.bots) > MAX_PLAYERS and not self.teams:
                raise SetupError(
                    "{bots} bots do not fit at one table. Set the number of players, 2 to {most}, and every "
                    "combination of bots plays every deal.",
                    bots=len(self.bots),
                    most=MAX_PLAYERS,
                )
            object.__setattr__(self, "players", MAX_PLAYERS if self.teams else max(len(self.bots), 2))
        check_players(self.players, self.teams)
        read_variant(self.variant)
        read_rulings(self.rulings)
        check_seed(self.seed)

    def _check_side(self, name: str) -> None:
        members = self._members(name)
        if len(members) > 2:
            raise SetupError("A team has two bots, not {bots}: {name}", bots=len(members), name=name)
        for member in members:
            try:
                make_bot(member)  # an unknown name raises an error that lists the known ones
            except SetupError:
                if "+" in member:
                    raise SetupError(
                        "{name} is a team, and this tournament is not played in teams.", name=name
                    ) from None
                raise

    def _members(self, name: str) -> list[str]:
        """The bots of a side; the command of a program may contain a +."""
        return name.split("+") if self.teams else [name]

    @property
    def names(self) -> tuple[str, ...]:
        """The bots without repetitions."""
        return tuple(dict.fromkeys(bot for side in self.bots or ("",) for bot in self._members(side)))

    @cached_property
    def sides(self) -> dict[Seating, str]:
        """The name of every side, a bot or two teammates, by its members in alphabetical order."""
        sides = (self._members(name) for name in self.bots)
        sorted_sides = (tuple(sorted([side[0], side[-1]] if self.teams else side)) for side in sides)
        return {side: "+".join(dict.fromkeys(side)) for side in sorted_sides}

    @cached_property
    def side_of_seat(self) -> tuple[int, ...]:
        position = Position(players=self.players, teams=int(self.teams))
        return tuple(side_of(position, seat) for seat in range(self.players))

    def sides_at(self, seating: Seating) -> list[Seating]:
        """The members of each side in a seating."""
        seated = list(zip(self.side_of_seat, seating, strict=True))
        return [
            tuple(sorted(bot for own, bot in seated if own == side))
            for side in sorted(set(self.side_of_seat))
        ]

    @cached_property
    def tables(self) -> tuple[tuple[Seating, ...], ...]:
        """All seatings of every combination of bots; in team games, of every pair of sides."""
        if self.teams:
            sides = tuple(self.sides)
            return tuple(map(self._team_seatings, combinations(sides if sides[1:] else sides * 2, 2)))
        filled = self.bots + self.bots[-1:] * (self.players - len(self.bots))
        sets = dict.fromkeys(combinations(filled, self.players))
        return tuple(tuple(dict.fromkeys(permutations(bots))) for bots in sets)

    def _team_seatings(self, sides: tuple[Seating, ...]) -> tuple[Seating, ...]:
        """The seatings of two sides in which both stay together."""
        seatings = dict.fromkeys(permutations(chain.from_iterable(sides)))
        return tuple(seating for seating in seatings if sorted(self.sides_at(seating)) == sorted(sides))

    @property
    def games_per_deal(self) -> int:
        return sum(map(len, self.tables))

    def deals(self, games: int) -> Iterator[Deal]:
        """Enough deals for that many games; a deal is always played in full."""
        for number in range(-(-games // self.games_per_deal)):
            for table in range(len(self.tables)):
                yield Deal(number, table)

    def number_of_games(self, games: int) -> int:
        """The number of games rounded up to full deals."""
        return -(-games // self.games_per_deal) * self.games_per_deal

    def seed_of(self, *parts: int) -> int:
        """The seed of a deal, or of a bot in one of its games."""
        text = ":".join(map(str, (self.seed, *parts)))
        return int.from_bytes(sha256(text.encode()).digest()[:8], "big") & MAX_SEED

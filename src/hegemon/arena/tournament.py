"""The schedule of a tournament: which bots play which deals in which seats."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import combinations, permutations

from hegemon.bots import make_bot
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import SetupError, check_players, check_seed, read_variant
from hegemon.rules.position import MAX_PLAYERS
from hegemon.rules.shuffle import MAX_SEED

Seating = tuple[str, ...]


@dataclass(frozen=True, order=True)
class Deal:
    """The unit of work: one shuffle, played by one set of bots in every seating."""

    number: int
    table: int
    """Which set of bots plays it, where there are more bots than seats."""


@dataclass(frozen=True)
class Tournament:
    """A duplicate tournament, reproducible from these values.

    Every shuffle is played in every seating, so that the luck of cards and seats is the same for all bots. With more
    bots than seats, every combination plays every deal; with fewer, the last bot takes the remaining seats.
    """

    bots: tuple[str, ...]
    players: int = 0
    """Seats of a game; 0 for as many as there are bots."""
    variant: str = "basic"
    teams: bool = False
    rulings: str = "standard"
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.bots or not all(self.bots):
            raise SetupError("Name the bots that play, such as greedy,chance.")
        for name in self.bots:
            make_bot(name)  # an unknown name raises an error that lists the known ones
        if self.players == 0:
            if len(self.bots) > MAX_PLAYERS:
                raise SetupError(
                    "{bots} bots do not fit at one table. Set the number of players, 2 to {most}, and every "
                    "combination of bots plays every deal.",
                    bots=len(self.bots),
                    most=MAX_PLAYERS,
                )
            object.__setattr__(self, "players", max(len(self.bots), 2))
        check_players(self.players, self.teams)
        read_variant(self.variant)
        read_rulings(self.rulings)
        check_seed(self.seed)

    @property
    def names(self) -> tuple[str, ...]:
        """The bots without repetitions."""
        return tuple(dict.fromkeys(self.bots))

    @cached_property
    def tables(self) -> tuple[tuple[Seating, ...], ...]:
        """All seatings of every combination of bots."""
        filled = self.bots + self.bots[-1:] * (self.players - len(self.bots))
        sets = dict.fromkeys(combinations(filled, self.players))
        return tuple(tuple(dict.fromkeys(permutations(bots))) for bots in sets)

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

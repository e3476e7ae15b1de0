"""A tournament: who sits down with whom, how often, and with which cards."""

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
    """Bots that play each other. Everything that is played follows from these few facts.

    Every deal is a shuffle that is played in every seating, so that the luck of the cards and of the seat is the same
    for everybody. Where more bots come than there are seats, every set of them that fits plays every deal; where fewer
    come, the last one takes the seats that are left.
    """

    bots: tuple[str, ...]
    players: int = 0
    """How many play at a table; 0 for as many as there are bots."""
    variant: str = "basic"
    teams: bool = False
    rulings: str = "standard"
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.bots or not all(self.bots):
            raise SetupError("Name the bots that play, such as greedy,chance.")
        for name in self.bots:
            make_bot(name)  # whoever is unknown is refused with the names of those who are known
        if self.players == 0:
            if len(self.bots) > MAX_PLAYERS:
                raise SetupError(
                    f"{len(self.bots)} bots do not fit one table. Say how many players play, 2 to {MAX_PLAYERS}, and "
                    "every set of so many bots will play every deal."
                )
            object.__setattr__(self, "players", max(len(self.bots), 2))
        check_players(self.players, self.teams)
        read_variant(self.variant)
        read_rulings(self.rulings)
        check_seed(self.seed)

    @property
    def names(self) -> tuple[str, ...]:
        """Every bot once, in the order in which they were named."""
        return tuple(dict.fromkeys(self.bots))

    @cached_property
    def tables(self) -> tuple[tuple[Seating, ...], ...]:
        """For every set of bots that fits a table, all its seatings."""
        filled = self.bots + self.bots[-1:] * (self.players - len(self.bots))
        sets = dict.fromkeys(combinations(filled, self.players))
        return tuple(tuple(dict.fromkeys(permutations(bots))) for bots in sets)

    @property
    def games_a_deal(self) -> int:
        """How many games one shuffle makes."""
        return sum(map(len, self.tables))

    def deals(self, games: int) -> Iterator[Deal]:
        """The deals that make so many games, or a few more: a deal is always played in full."""
        for number in range(-(-games // self.games_a_deal)):
            for table in range(len(self.tables)):
                yield Deal(number, table)

    def number_of_games(self, games: int) -> int:
        """How many games those are."""
        return -(-games // self.games_a_deal) * self.games_a_deal

    def seed_of(self, *parts: int) -> int:
        """A seed for a deal, or for a bot in one of its games."""
        text = ":".join(map(str, (self.seed, *parts)))
        return int.from_bytes(sha256(text.encode()).digest()[:8], "big") & MAX_SEED

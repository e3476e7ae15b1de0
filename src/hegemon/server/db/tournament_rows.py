"""The rows of the tables in `tournament_schema`, as values, and a tournament as a whole."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import msgspec

#: The states of a tournament.
OPEN: Final = "open"
RUNNING: Final = "running"
OVER: Final = "over"


class Outcome(msgspec.Struct, frozen=True):
    """The result of a game of a tournament, by seat."""

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    """A win counts ten, and a majority in a Domain one."""


@dataclass(frozen=True)
class TournamentRow:
    id: str
    host: str | None
    title: str
    format: str
    players: int
    """The number of players at each table."""
    variant: str
    rounds: int
    clock: str
    pause: int
    """Seconds between two rounds."""
    bot: str
    """The level of the bots that fill the remaining places."""
    seed: int
    """The seed of the draw."""
    created_at: datetime
    public: bool = False
    league: str | None = None
    """The week of the league, such as `2030-W01`."""
    language: str = ""
    starts_at: datetime | None = None
    """None if the host starts it."""
    state: str = OPEN
    revision: int = 0
    """The number of changes so far."""


@dataclass(frozen=True)
class Entry:
    number: int
    name: str
    owner: str | None = None
    bot: str | None = None
    withdrawn: bool = False


@dataclass(frozen=True)
class Round:
    number: int
    started_at: datetime
    ended_at: datetime | None = None
    deal: str = ""
    """The record of the deal that all tables play; empty if each has its own."""


@dataclass(frozen=True)
class Pairing:
    """The entries at a table of a round, by seat; one alone has a bye."""

    round: int
    number: int
    entries: tuple[int, ...]
    game: str | None = None
    outcome: Outcome | None = None
    has_table: bool = False
    """Whether the table of the game exists: it is created after the pairing is saved, and may expire."""
    is_withheld: bool = False
    """Whether the game is over but its outcome is not public yet."""

    @property
    def table(self) -> str | None:
        """The game, if its table can be viewed."""
        return self.game if self.has_table else None

    @property
    def is_bye(self) -> bool:
        return len(self.entries) == 1

    @property
    def is_open(self) -> bool:
        """Whether its game is not over."""
        return not self.is_bye and self.outcome is None and not self.is_withheld


@dataclass(frozen=True)
class TournamentSnapshot:
    """A tournament with everything that is saved about it."""

    tournament: TournamentRow
    entries: tuple[Entry, ...]
    rounds: tuple[Round, ...]
    pairings: tuple[Pairing, ...]

    def entry_of(self, owner: str | None) -> Entry | None:
        return next((entry for entry in self.entries if owner is not None and entry.owner == owner), None)

    @property
    def current(self) -> Round | None:
        """The round that is played, or was played last."""
        return self.rounds[-1] if self.rounds else None

    def pairings_of(self, number: int) -> list[Pairing]:
        return [pairing for pairing in self.pairings if pairing.round == number]

    def games_of(self, owner: str | None) -> list[Pairing]:
        """The games that a person has to play now."""
        entry = self.entry_of(owner)
        if entry is None or entry.withdrawn:
            return []
        return [
            pairing
            for pairing in self.pairings
            if entry.number in pairing.entries and pairing.is_open and pairing.has_table
        ]

    def public_view(self) -> "TournamentSnapshot":
        """The public state of the tournament, without outcomes that reveal a deal still being played."""
        sealed = {found.number for found in self.rounds if found.deal and found.ended_at is None}
        return replace(
            self,
            pairings=tuple(
                replace(pairing, outcome=None, is_withheld=True)
                if pairing.round in sealed and pairing.outcome is not None
                else pairing
                for pairing in self.pairings
            ),
        )

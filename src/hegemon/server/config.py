"""The configuration of a server, including the clock, randomness and bots, which tests replace."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from hegemon.analysis import Item, analyze
from hegemon.bots import BOTS, make_bot
from hegemon.play.game import Game
from hegemon.play.player import Player
from hegemon.server.monotonic_clock import MonotonicClock


@dataclass(frozen=True)
class Limit:
    """A token bucket: `rate` requests per second, with bursts of up to `burst` requests."""

    rate: float
    burst: float


@dataclass(frozen=True)
class Limits:
    """Rate limits of one caller: by token, by address, and by address for costly requests and sign-ins."""

    token: Limit = Limit(rate=50, burst=1_000)
    address: Limit = Limit(rate=500, burst=10_000)
    tables: Limit = Limit(rate=1, burst=200)
    uploads: Limit = Limit(rate=0.1, burst=30)
    analyses: Limit = Limit(rate=0.1, burst=30)
    reports: Limit = Limit(rate=0.01, burst=20)
    pictures: Limit = Limit(rate=1, burst=60)
    sign_ins: Limit = Limit(rate=0.5, burst=60)


@dataclass(frozen=True)
class ConnectionLimits:
    """The maximum number of connections, and timeouts for the head and the body of a request.

    Behind a proxy, the limit per address applies to concurrent requests instead.
    """

    total: int = 4096
    address: int = 256
    head_timeout: float = 10
    body_timeout: float = 30


@dataclass(frozen=True)
class MetricsConfig:
    """Access to the metrics of a server, and the folder through which its workers share them."""

    token: str = ""
    """The bearer token that requests must have; empty for none."""
    folder: str = ""
    """The folder for the snapshots of several workers; empty if there is only one process."""


#: How long the moves of a finished game keep their idempotency keys, for clients that repeat a request.
GRACE_PERIOD: Final = timedelta(minutes=10)


def new_idempotency_key() -> str:
    return secrets.token_urlsafe(12)


def no_seed() -> None:
    """Leave the shuffle to the system's random source."""


def make_seeded_bot(level: str) -> Player:
    return make_bot(level, secrets.randbits(63))


@dataclass(frozen=True)
class ServerConfig:
    database: str
    base_url: str = ""
    """The public URL behind a proxy, without a trailing slash; empty if there is no proxy."""
    lobby: bool = False
    """Whether tables may be listed publicly and games may be rated."""
    league: bool = False
    """Whether a league opens automatically every week."""
    private_webhooks: bool = False
    """Whether webhooks may be sent to private network addresses."""
    metrics: MetricsConfig | None = None
    """None switches `/metrics` off."""
    limits: Limits | None = Limits()
    """None switches rate limits off."""
    connections: ConnectionLimits = ConnectionLimits()
    substitute_bot: str = "normal"
    """The level of the bot that plays for an absent player, or for a bot that fails."""
    allowed_bots: Mapping[str, str] = field(default_factory=dict)
    """Further bots that players may seat: the names shown to players, mapped to names for `make_bot`."""
    thinkers: int = 0
    """The number of processes for the searches of bots; with 0, they run in threads of the server."""
    max_tables_in_memory: int = 500
    """Tables without streams beyond this number are evicted, the least recently used first."""
    vacation_days: int = 30
    """The number of vacation days per person and year, in correspondence games; 0 switches vacations off."""
    archive_after: timedelta = GRACE_PERIOD
    """How long the moves of a finished game keep their rows after its last change."""
    expire_after: timedelta | None = None
    """How long finished and imported games are kept after their last change; None means forever."""
    now: Callable[[], datetime] = field(default_factory=MonotonicClock)
    new_idempotency_key: Callable[[], str] = new_idempotency_key
    """Creates the key of the move that a page will submit next."""
    new_seed: Callable[[], int | None] = no_seed
    """The seed of a new game; None leaves the shuffle to the system's random source."""
    make_bot: Callable[[str], Player] = make_seeded_bot
    analyze: Callable[[Game], Iterator[Item]] = analyze
    """Analyzes a finished game."""

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of all bots that players may seat."""
        return (*BOTS, *self.allowed_bots)

    def make_allowed_bot(self, name: str) -> Player:
        """The bot with a name that players see; the substitute bot if the host no longer allows it."""
        return self.make_bot(self.allowed_bots.get(name, name if name in BOTS else self.substitute_bot))

    @property
    def secure(self) -> bool:
        """Whether cookies are for encrypted connections only."""
        return self.base_url.startswith("https://")

"""Rate limits by token and by address.

A caller is counted by the token in a cookie or an Authorization header, and also by address, because tokens are
free; the limit per address is high enough for a whole school. In IPv6 an address is counted as a network of 64
bits, because a household can use any number of addresses. Loopback addresses are not counted: with a proxy that
does not forward the client's address, all clients would share one limit.
"""

import asyncio
import ipaddress
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from litestar import Request
from litestar.exceptions import HTTPException

from hegemon.server.cluster.cluster import Cluster
from hegemon.server.config import Limit, Limits
from hegemon.server.security import tokens
from hegemon.server.texts import FAILURES

#: The kind of the messages about spending, and of the task that sends them; and the seconds between them.
SPENDING: Final = "spending"
_SHARING_INTERVAL: Final = 1.0

#: The share of a burst that a caller may spend at one worker before the worker reports it to the others.
_UNREPORTED_SHARE: Final = 0.25

#: Beyond this number, the least recently seen callers of a kind are forgotten.
_MAX_CALLERS: Final = 20_000

#: The maximum number of addresses whose networks are cached.
_MAX_NETWORKS: Final = 4096

#: The key in a request's state for an error that rejects it regardless of its route.
REJECTION: Final = "rejection"

#: Suffixes of paths with a separate limit, and the kind of that limit.
_LIMITED_PATHS: Final = {
    "/games": "tables",
    "/play-on": "tables",
    "/daily": "tables",
    "/tournaments": "tables",
    "/replays": "uploads",
    "/study": "tables",
    "/copy": "tables",
    "/study/upload": "uploads",
    "/me/sign-in": "sign_ins",
    "/me/sign-in/options": "sign_ins",
    "/me/passkeys": "sign_ins",
    "/me/passkeys/options": "sign_ins",
    "/me/recover": "sign_ins",
    "/me/export": "uploads",
    "/report": "reports",
    "/admin/login": "sign_ins",
}

#: Paths without limits.
UNLIMITED_PATHS: Final = ("/static/", "/health", "/ready", "/metrics")


@dataclass
class Bucket:
    """The requests that a caller may still make, as of some time, and those not yet reported to other workers."""

    remaining: float
    updated_at: float
    unreported: int = 0


class RateLimiter:
    """Token buckets of all callers, by the kind of limit."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # By kind, so that tokens, which are free, do not crowd out addresses.
        self._buckets: dict[str, OrderedDict[str, Bucket]] = {}
        self._busy: set[tuple[str, str]] = set()
        """The callers, by kind, that have used much of a burst, which is reported to the other workers."""

    def spend(self, kind: str, caller: str, limit: Limit) -> float:
        """Count a request; return the seconds to wait if it exceeds the limit, otherwise 0."""
        bucket = self._bucket(kind, caller, limit)
        wait = max(0.0, (1 - bucket.remaining) / limit.rate)
        if not wait:
            bucket.remaining -= 1
            bucket.unreported += 1
            if bucket.remaining < limit.burst * (1 - _UNREPORTED_SHARE):
                self._busy.add((kind, caller))
        return wait

    def _bucket(self, kind: str, caller: str, limit: Limit) -> Bucket:
        """The bucket of a caller as of now."""
        now, buckets = self._clock(), self._buckets.setdefault(kind, OrderedDict())
        bucket = buckets.pop(caller, None) or Bucket(limit.burst, now)
        bucket.remaining = min(limit.burst, bucket.remaining + (now - bucket.updated_at) * limit.rate)
        bucket.updated_at = now
        if bucket.remaining >= limit.burst:
            bucket.unreported = 0
        buckets[caller] = bucket
        if len(buckets) > _MAX_CALLERS:
            buckets.popitem(last=False)
        return bucket

    def take_spending(self) -> list[tuple[str, str, int]]:
        """The requests of busy callers since the last call, by kind and caller."""
        busy, self._busy = self._busy, set()
        spent = []
        for kind, caller in busy:
            bucket = self._buckets[kind].get(caller)
            if bucket is not None and bucket.unreported:
                spent.append((kind, caller, bucket.unreported))
                bucket.unreported = 0
        return spent

    def charge(self, kind: str, caller: str, number: int, limit: Limit) -> None:
        """Count requests that another worker has answered."""
        bucket = self._bucket(kind, caller, limit)
        bucket.remaining = max(0.0, bucket.remaining - number)


async def share_spending(cluster: Cluster, rate_limiter: RateLimiter, limits: Limits) -> None:
    """Report the requests of busy callers every second, so that limits apply to all workers together."""

    def charge(_worker: str, facts: list[Any]) -> None:
        kind, caller, number = facts
        rate_limiter.charge(kind, caller, number, getattr(limits, kind))

    cluster.subscribe(SPENDING, charge)
    while True:
        for facts in rate_limiter.take_spending():
            cluster.publish(SPENDING, facts)
        await asyncio.sleep(_SHARING_INTERVAL)


class OpenCounts:
    """The number of open connections or requests of each network; local ones count towards the total only."""

    def __init__(self, max_per_network: int) -> None:
        self._max_per_network = max_per_network
        self._networks: Counter[str | None] = Counter()
        self.total = 0

    def enter(self, network: str | None) -> bool:
        """Count one more; return whether it is permitted."""
        self.total += 1
        self._networks[network] += 1
        return network is None or self._networks[network] <= self._max_per_network

    def leave(self, network: str | None) -> None:
        self.total -= 1
        self._networks[network] -= 1
        if not self._networks[network]:
            del self._networks[network]


def applicable_limits(request: Request[Any, Any, Any]) -> list[tuple[str, str]]:
    """The kinds of limits that apply to a request, each with the caller that it counts."""
    if request.scope["path"].startswith(UNLIMITED_PATHS):
        return []
    counted = []
    if (token := token_in(request)) is not None:
        counted.append(("token", tokens.digest(token)))
    network = network_in(request)
    if network is not None:
        counted.append(("address", network))
        path = request.scope["path"].rstrip("/")
        if request.method == "POST":
            counted += [(kind, network) for end, kind in _LIMITED_PATHS.items() if path.endswith(end)]
    return counted


def token_in(request: Request[Any, Any, Any]) -> str | None:
    """The key in an Authorization header, or the key or session token in a cookie; None if malformed."""
    bearer = request.headers.get("authorization", "").rpartition(" ")[2]
    if tokens.owner_of(bearer) is not None:
        return bearer
    token = request.cookies.get(tokens.COOKIE)
    return token if tokens.owner_of(token) is not None or tokens.is_session(token) else None


def network_in(request: Request[Any, Any, Any]) -> str | None:
    """The network of the client of a request, as in `network_of`."""
    return network_of(request.client.host) if request.client is not None else None


@lru_cache(_MAX_NETWORKS)
def network_of(host: str) -> str | None:
    """The network by which an address is counted; None for a loopback address or an empty one.

    All malformed addresses, which only a careless proxy forwards, share one limit.
    """
    if not host:
        return None
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "malformed"
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback:
        return None
    return str(address if address.version == 4 else ipaddress.IPv6Address(int(address) >> 64 << 64))


def check_limits(request: Request[Any, Any, Any]) -> None:
    """Raise the error stored in the request's state, if any, or 429 with Retry-After if a limit is exceeded."""
    rejection: HTTPException | None = request.scope["state"].get(REJECTION)
    if rejection is not None:
        raise rejection
    limits: Limits | None = request.app.state.config.limits
    if limits is None:
        return
    rate_limiter: RateLimiter = request.app.state.rate_limiter
    wait = max(
        (
            rate_limiter.spend(kind, caller, getattr(limits, kind))
            for kind, caller in applicable_limits(request)
        ),
        default=0,
    )
    if wait > 0:
        raise too_many_requests(wait)


def check_limit(request: Request[Any, Any, Any], kind: str) -> None:
    """Count an action against a kind of limit; raise 429 with Retry-After if it is exceeded."""
    limits: Limits | None = request.app.state.config.limits
    network = network_in(request)
    if limits is not None and network is not None:
        wait = request.app.state.rate_limiter.spend(kind, network, getattr(limits, kind))
        if wait > 0:
            raise too_many_requests(wait)


def too_many_requests(seconds: float) -> HTTPException:
    return HTTPException(FAILURES[429], status_code=429, headers={"Retry-After": str(math.ceil(seconds))})

"""Rate limits by token and by address.

A caller is counted by the token in a cookie or an Authorization header, and by address too, because tokens are free;
but a whole school behind one address can play. Loopback addresses are not counted: a proxy that does not forward the
client's address would share one limit among all.
"""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from litestar import Request
from litestar.exceptions import HTTPException

from hegemon.server.config import Limit, Limits
from hegemon.server.security import tokens as identity
from hegemon.server.texts import FAILURES

#: The least recently seen callers beyond this number are forgotten.
_MAX_CALLERS: Final = 20_000

#: Paths without limits.
_UNLIMITED: Final = ("/static/", "/health")


class Counters:
    """Token buckets of all callers."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def spend(self, kind: str, caller: str, limit: Limit) -> float:
        """Count a request; return how many seconds too early it comes, or 0."""
        now = self._clock()
        left, since = self._left.pop((kind, caller), (limit.burst, now))
        left = min(limit.burst, left + (now - since) * limit.rate)
        early = max(0.0, (1 - left) / limit.rate)
        self._left[kind, caller] = (left if early else left - 1), now
        if len(self._left) > _MAX_CALLERS:
            self._left.popitem(last=False)
        return early


def callers(request: Request[Any, Any, Any]) -> list[tuple[str, str]]:
    """The buckets of a request: the kind of limit, and the caller."""
    if request.url.path.startswith(_UNLIMITED):
        return []
    counted = []
    bearer = request.headers.get("authorization", "").rpartition(" ")[2]
    owner = identity.owner_of(bearer) or identity.owner_of(request.cookies.get(identity.COOKIE))
    if owner is not None:
        counted.append(("token", owner))
    address = request.client.host if request.client is not None else ""
    if not is_local(address):
        counted.append(("address", address))
        if request.method == "POST" and request.url.path.rstrip("/").endswith("/games"):
            counted.append(("tables", address))
    return counted


def is_local(address: str) -> bool:
    """Whether an address is a loopback address, or none."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return True


def check_limits(request: Request[Any, Any, Any]) -> None:
    """Raise 429 with Retry-After for a request that comes too early."""
    limits: Limits | None = request.app.state.config.limits
    if limits is None:
        return
    counters: Counters = request.app.state.counters
    early = max(
        (counters.spend(kind, who, getattr(limits, kind)) for kind, who in callers(request)), default=0
    )
    if early > 0:
        raise HTTPException(FAILURES[429], status_code=429, headers={"Retry-After": str(math.ceil(early))})

"""Limits on how much one caller may ask for. A shared address is not punished for what one of many does.

Whoever shows a token, in a cookie or as a bearer, is counted by it; what comes from one address is counted too, for
tokens cost nothing, but so generously that a school behind one address can play. This machine itself is not counted by
address: a proxy that does not say for whom it asks would otherwise stand for everybody.
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

#: So many callers are remembered; those who have not come for longest are forgotten first.
_MOST_CALLERS: Final = 20_000

#: What is not counted: it costs nothing, or somebody else asks to see whether we are well.
_FREE: Final = ("/static/", "/health")


class Counters:
    """How much every caller has asked for lately."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def spend(self, kind: str, caller: str, limit: Limit) -> float:
        """Count a request; says how many seconds too early it comes, 0 if it does not."""
        now = self._clock()
        left, since = self._left.pop((kind, caller), (limit.burst, now))
        left = min(limit.burst, left + (now - since) * limit.rate)
        early = max(0.0, (1 - left) / limit.rate)
        self._left[kind, caller] = (left if early else left - 1), now
        if len(self._left) > _MOST_CALLERS:
            self._left.popitem(last=False)
        return early


def callers(request: Request[Any, Any, Any]) -> list[tuple[str, str]]:
    """As whom a request is counted: by kind of limit, and who it is."""
    if request.url.path.startswith(_FREE):
        return []
    counted = []
    bearer = request.headers.get("authorization", "").rpartition(" ")[2]
    owner = identity.owner_of(bearer) or identity.owner_of(request.cookies.get(identity.COOKIE))
    if owner is not None:
        counted.append(("token", owner))
    address = request.client.host if request.client is not None else ""
    if not is_here(address):
        counted.append(("address", address))
        if request.method == "POST" and request.url.path.rstrip("/").endswith("/games"):
            counted.append(("tables", address))
    return counted


def is_here(address: str) -> bool:
    """Whether that is this machine, or no address at all."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return True


def check_limits(request: Request[Any, Any, Any]) -> None:
    """Refuse a request that comes too early, and say when to come again."""
    limits: Limits | None = request.app.state.config.limits
    if limits is None:
        return
    counters: Counters = request.app.state.counters
    early = max(
        (counters.spend(kind, who, getattr(limits, kind)) for kind, who in callers(request)), default=0
    )
    if early > 0:
        raise HTTPException(FAILURES[429], status_code=429, headers={"Retry-After": str(math.ceil(early))})

"""Waiting for a condition, rather than for a fixed time that a busy machine may exceed."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

#: Seconds after which a test fails because its condition has not become true.
WAIT_TIMEOUT = 300

Found = TypeVar("Found")


async def wait_until(condition: Callable[[], Found]) -> Found:
    """Let the event loop run until a condition is true; return its value."""
    async with asyncio.timeout(WAIT_TIMEOUT):
        while not (found := condition()):
            await asyncio.sleep(0.002)
    return found


def block_until(condition: Callable[[], Found]) -> Found:
    """Block this thread until a condition is true; return its value."""
    deadline = time.monotonic() + WAIT_TIMEOUT
    while not (found := condition()):
        assert time.monotonic() < deadline, "the condition has not become true"
        time.sleep(0.02)
    return found

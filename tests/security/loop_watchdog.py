"""A watchdog for the event loop: the CPU time of its longest callback, whatever else the machine does."""

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from hostile_requests import finished_record

from hegemon import Game
from hegemon.notation.record import read_record
from tracing import without_tracing

#: Seconds of CPU time that replaying the yardstick takes on a machine of 2024.
YARDSTICK_SECONDS = 0.0029


@cache
def slowness() -> float:
    """How many times slower than the reference this machine runs our code; at least 1."""
    record = read_record(finished_record(players=4))
    times = []
    for _ in range(20):
        began = time.thread_time()
        Game.from_record(record)
        times.append(time.thread_time() - began)
    return max(1.0, min(times) / YARDSTICK_SECONDS)


@contextmanager
def watched_loop() -> Iterator[list[float]]:
    """The CPU time of each callback that the event loop runs meanwhile."""
    run, times = asyncio.Handle._run, []

    def measured(handle: asyncio.Handle) -> None:
        began = time.thread_time()
        run(handle)
        times.append(time.thread_time() - began)

    asyncio.Handle._run = measured
    gc.collect()
    gc.freeze()  # collecting the garbage of earlier tests is not the fault of a callback
    try:
        with without_tracing():
            yield times
    finally:
        asyncio.Handle._run = run
        gc.unfreeze()

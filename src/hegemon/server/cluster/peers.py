"""The cluster as one worker sees it: its leases on shards, and the messages and changes of the others."""

import asyncio
import contextlib
import time
import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime
from typing import Any, Final

from sqlalchemy.exc import SQLAlchemyError

from hegemon.server.background import BackgroundTasks
from hegemon.server.cluster.cluster import Handler
from hegemon.server.cluster.notifications import Notifications
from hegemon.server.db.changes import GameChange
from hegemon.server.db.errors import ConflictError, DatabaseInUse, StorageError
from hegemon.server.db.leases import LEASE_SECONDS, SHARDS
from hegemon.server.db.store import Store
from hegemon.server.logging import log_event

#: Seconds between renewals of the leases. Another worker takes over within LEASE_SECONDS and this.
RENEWAL_INTERVAL: Final = 0.75

#: Seconds for which other workers are presumed alive after they were last seen, or after this worker has started: after
#: an outage of the database, all leases have expired, and the first worker that renews its leases sees no others.
_PRESUMED_ALIVE_SECONDS: Final = 60

#: Seconds before the end of a lease at which this worker stops using it.
_LEASE_MARGIN: Final = 0.5

#: Seconds between polls for changes whose notification was missed.
POLL_INTERVAL: Final = 0.75

#: Seconds after which `run_while_owner` notices that the owner has changed.
_OWNER_INTERVAL: Final = 0.2

#: Seconds for which changes stay in the database, so that each worker can find them, and between deletions.
_CHANGE_LIFETIME: Final = 600
_PRUNE_INTERVAL: Final = 60

#: The owner of this key deletes old changes.
_PRUNING_KEY: Final = "changes"

_FAILURES: Final = (ConflictError, DatabaseInUse, StorageError, SQLAlchemyError)


def shard_of(key: str) -> int:
    return zlib.crc32(key.encode()) % SHARDS


class Peers:
    """The cluster of a worker that shares a PostgreSQL database with others."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self.worker = store.database.worker
        self.has_others = False
        self._others_until = -float("inf")
        self.on_change: Callable[[GameChange], None] = lambda change: None
        """Called for each game that another worker has changed; may be called several times."""
        self.on_reconnect: Callable[[], None] = lambda: None
        """Called when notifications may have been missed."""
        self.on_shards_gained: Callable[[frozenset[int]], None] = lambda shards: None
        """Called with the shards that this worker has gained."""
        self.on_worker_lost: Callable[[str], None] = lambda worker: None
        self.on_database_time: Callable[[datetime], None] = lambda now: None
        """Called with the time of the database."""
        self._store = store
        self._clock = clock
        self._notifications = Notifications(store.database.url, self.worker, lambda: self.on_reconnect())
        self._tasks = BackgroundTasks()
        self._shards: frozenset[int] = frozenset()
        self._valid_until = -float("inf")
        self._workers: frozenset[str] = frozenset({self.worker})
        self._floor = 0
        self._floors: deque[tuple[float, int]] = deque()
        """Earlier values of the floor, each with its time."""

    # ---------------------------------------------------------------- lifecycle

    async def start(self) -> None:
        """Join the cluster, and claim a share of the shards."""
        self._floor, _ = await self._store.changes.since(2**62)
        self._others_until = self._clock() + _PRESUMED_ALIVE_SECONDS
        await self._renew_leases()
        self._tasks.start("leases", self._run_renewals)
        self._tasks.start("notifications", self._notifications.run)
        self._tasks.start("changes", self._run_polls)

    async def close(self) -> None:
        """Leave the cluster, so that others take over immediately."""
        await self._tasks.close()
        self._shards = frozenset()
        with contextlib.suppress(*_FAILURES):
            await self._store.leases.leave()

    # ---------------------------------------------------------------- ownership

    def owns(self, key: str) -> bool:
        return shard_of(key) in self._shards and self._clock() < self._valid_until

    async def run_while_owner(self, key: str, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            while not self.owns(key):
                await asyncio.sleep(_OWNER_INTERVAL)
            task = asyncio.ensure_future(work())
            try:
                while self.owns(key) and not task.done():
                    await asyncio.wait([task], timeout=_OWNER_INTERVAL)
                if task.done():
                    return task.result()
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def _run_renewals(self) -> None:
        while True:
            await asyncio.sleep(RENEWAL_INTERVAL)
            try:
                await self._renew_leases()
                if self._store.database.lock is not None:
                    await self._store.database.lock.restore()
            except _FAILURES:  # logged by the database; leases that are not renewed expire
                continue

    async def _renew_leases(self) -> None:
        sent_at, had = self._clock(), self._shards if self._clock() < self._valid_until else frozenset()
        renewed = await self._store.leases.renew(self._drop)
        self._shards, self._valid_until = renewed.shards, sent_at + LEASE_SECONDS - _LEASE_MARGIN
        lost, joined = self._workers - renewed.workers, renewed.workers - self._workers
        self._workers = renewed.workers
        if len(renewed.workers) > 1:
            self._others_until = sent_at + _PRESUMED_ALIVE_SECONDS
        self.has_others = sent_at < self._others_until
        if lost or joined:
            log_event("workers changed", workers=len(renewed.workers), shards=len(renewed.shards))
        self.on_database_time(renewed.now)
        for worker in lost - {self.worker}:
            self.on_worker_lost(worker)
        if gained := renewed.shards - had:
            self.on_shards_gained(gained)

    def _drop(self, shards: frozenset[int]) -> None:
        self._shards -= shards

    # ---------------------------------------------------------------- messages and changes

    def publish(self, kind: str, data: Any, key: Hashable = None) -> None:
        if self.has_others:
            self._notifications.publish(kind, data, key)

    def subscribe(self, kind: str, handler: Handler) -> None:
        self._notifications.subscribe(kind, handler)

    async def _run_polls(self) -> None:
        while True:
            await asyncio.sleep(POLL_INTERVAL)
            with contextlib.suppress(*_FAILURES):
                await self.poll()

    async def poll(self) -> None:
        """Find the changes of other workers, whether they were announced or not, and delete old ones."""
        self._floor, changes = await self._store.changes.since(self._floor)
        for change in changes:
            self.on_change(change)
        now = self._clock()
        if not self._floors or self._floors[-1][0] <= now - _PRUNE_INTERVAL:
            self._floors.append((now, self._floor))
            if self._floors[0][0] <= now - _CHANGE_LIFETIME:
                _, floor = self._floors.popleft()
                if self.owns(_PRUNING_KEY):
                    await self._store.changes.prune(floor)

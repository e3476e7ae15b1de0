"""Leases on shards: each shard of the games belongs to one worker at a time, which has to renew its lease.

All times are those of the database, so the clocks of the workers do not matter.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Final

from sqlalchemy import TextClause

from hegemon.server.db.database import Database

#: Games and other duties are divided into this many shards; migration 0023 has the same number.
SHARDS: Final = 32

#: Seconds for which a lease is valid.
LEASE_SECONDS: Final = 3.5

_LEASE: Final = f"now() + interval '{LEASE_SECONDS} seconds'"

_FILL: Final = TextClause(
    f"INSERT INTO shards SELECT shard, '', 'epoch' FROM generate_series(0, {SHARDS - 1}) shard "
    "ON CONFLICT DO NOTHING"
)
_REGISTER: Final = TextClause(
    f"INSERT INTO workers VALUES (:worker, {_LEASE}) ON CONFLICT (id) DO UPDATE SET until = EXCLUDED.until"
)
_FORGET: Final = TextClause("DELETE FROM workers WHERE until < now() - interval '1 minute'")
_LIVE: Final = TextClause("SELECT id, now() AS now FROM workers WHERE until > now()")
_RENEW: Final = TextClause(f"UPDATE shards SET until = {_LEASE} WHERE holder = :worker RETURNING shard")
_RELEASE: Final = TextClause(
    "UPDATE shards SET holder = '', until = 'epoch' WHERE holder = :worker AND shard = ANY(:shards)"
)
_CLAIM: Final = TextClause(
    f"""
    UPDATE shards SET holder = :worker, until = {_LEASE} WHERE shard IN (
        SELECT shard FROM shards WHERE until < now() ORDER BY shard LIMIT :number FOR UPDATE SKIP LOCKED
    ) RETURNING shard
    """
)
_LEAVE: Final = TextClause("DELETE FROM workers WHERE id = :worker")


@dataclass(frozen=True)
class LeaseState:
    """The leases of a worker after a renewal, and the cluster at that moment."""

    shards: frozenset[int]
    workers: frozenset[str]
    """All workers that are alive, including this one."""
    now: datetime
    """The time of the database."""


class Leases:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def renew(self, drop: Callable[[frozenset[int]], None]) -> LeaseState:
        """Renew the leases of this worker, and claim or release shards so that all workers have equally many.

        Shards to release are passed to `drop` first, before another worker can claim them.
        """
        worker = {"worker": self._database.worker}
        async with self._database.writing() as connection:
            await connection.execute(_REGISTER, worker)
            await connection.execute(_FORGET)
            live = (await connection.execute(_LIVE)).all()
            held = list(await connection.scalars(_RENEW, worker))
            share = ceil(SHARDS / len(live))
            if surplus := frozenset(held[share:]):
                drop(surplus)
                await connection.execute(_RELEASE, worker | {"shards": list(surplus)})
            elif len(held) < share:
                if not held:  # the table is empty after a crash of the database
                    await connection.execute(_FILL)
                held += await connection.scalars(_CLAIM, worker | {"number": share - len(held)})
        return LeaseState(frozenset(held) - surplus, frozenset(row.id for row in live), live[0].now)

    async def leave(self) -> None:
        """Release all shards of this worker, so that others can claim them immediately."""
        worker = {"worker": self._database.worker}
        async with self._database.writing() as connection:
            await connection.execute(_RELEASE, worker | {"shards": list(range(SHARDS))})
            await connection.execute(_LEAVE, worker)

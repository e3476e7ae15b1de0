"""Jobs for thinkers on other hosts, and the registered thinkers; only PostgreSQL has these tables.

A thinker claims a job with a lease, which it has to renew; when the lease expires, another thinker takes over. All
times come from the database, so the clocks of the hosts do not matter.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import RowMapping
from sqlalchemy import text as sql  # catalogs collect the arguments of `text`

from hegemon.server.db.database import Database

#: The channels on which the database announces jobs to thinkers, and answers to servers.
JOBS: Final = "hegemon_thinking_jobs"
ANSWERS: Final = "hegemon_thinking_answers"

#: Seconds for which a claim and the registration of a thinker are valid.
LEASE_SECONDS: Final = 5

_LEASE: Final = f"now() + interval '{LEASE_SECONDS} seconds'"

_PLACES: Final = sql(
    "SELECT coalesce(sum(places), 0) FROM thinkers WHERE until > now() AND version = :version"
)
_PUT: Final = sql(
    "INSERT INTO thinking_jobs (id, server, version, job, created_at) VALUES (:id, :server, :version, :job, now())"
)
_NOTIFY: Final = sql("SELECT pg_notify(:channel, :payload)")
_COLLECT: Final = sql(
    "DELETE FROM thinking_jobs WHERE server = :server AND answer IS NOT NULL RETURNING id, answer"
)
_WITHDRAW: Final = sql("DELETE FROM thinking_jobs WHERE server = :server AND id = ANY(:ids)")

_REGISTER: Final = sql(
    f"""
    INSERT INTO thinkers (id, version, places, until) VALUES (:thinker, :version, :places, {_LEASE})
    ON CONFLICT (id) DO UPDATE SET places = EXCLUDED.places, until = EXCLUDED.until
    """
)
_RENEW: Final = sql(
    f"UPDATE thinking_jobs SET claimed_until = {_LEASE} WHERE thinker = :thinker AND answer IS NULL"
)
_CLAIM: Final = sql(
    f"""
    UPDATE thinking_jobs SET thinker = :thinker, claimed_until = {_LEASE} WHERE id IN (
        SELECT id FROM thinking_jobs
        WHERE answer IS NULL AND version = :version AND (claimed_until IS NULL OR claimed_until < now())
        ORDER BY created_at LIMIT :number FOR UPDATE SKIP LOCKED
    ) RETURNING id, job
    """
)
_ANSWER: Final = sql(
    "UPDATE thinking_jobs SET answer = :answer WHERE id = :id AND thinker = :thinker RETURNING server"
)
_RELEASE: Final = sql(
    "UPDATE thinking_jobs SET thinker = NULL, claimed_until = NULL "
    "WHERE thinker = :thinker AND answer IS NULL AND (:id = '' OR id = :id)"
)
_LEAVE: Final = sql("DELETE FROM thinkers WHERE id = :thinker")
_PRUNE_JOBS: Final = sql("DELETE FROM thinking_jobs WHERE created_at < now() - interval '5 minutes'")
_PRUNE_THINKERS: Final = sql("DELETE FROM thinkers WHERE until < now() - interval '1 minute'")


class ThinkingJobs:
    def __init__(self, database: Database) -> None:
        self._database = database

    # ---------------------------------------------------------------- for servers

    async def places(self, version: str) -> int:
        """The number of jobs that the live thinkers of a version can run at a time."""
        async with self._database.reading() as connection:
            return int((await connection.execute(_PLACES, {"version": version})).scalar_one())

    async def put(self, job_id: str, server: str, version: str, job: str) -> None:
        """Offer a job to thinkers of a version, and announce it."""
        async with self._database.writing() as connection:
            facts = {"id": job_id, "server": server, "version": version, "job": job}
            await connection.execute(_PUT, facts)
            await connection.execute(_NOTIFY, {"channel": JOBS, "payload": ""})

    async def collect(self, server: str) -> dict[str, str]:
        """Delete the answered jobs of a server, and return their answers by id."""
        async with self._database.writing() as connection:
            found = await connection.execute(_COLLECT, {"server": server})
            return {row.id: row.answer for row in found}

    async def withdraw(self, server: str, job_ids: Sequence[str]) -> None:
        """Delete jobs whose answers are no longer needed."""
        async with self._database.writing() as connection:
            await connection.execute(_WITHDRAW, {"server": server, "ids": list(job_ids)})

    # ---------------------------------------------------------------- for thinkers

    async def heartbeat(self, thinker: str, version: str, places: int) -> None:
        """Register a thinker, renew its claims, and delete expired jobs and thinkers."""
        async with self._database.writing() as connection:
            facts = {"thinker": thinker, "version": version, "places": places}
            await connection.execute(_REGISTER, facts)
            await connection.execute(_RENEW, {"thinker": thinker})
            await connection.execute(_PRUNE_JOBS)
            await connection.execute(_PRUNE_THINKERS)

    async def claim(self, thinker: str, version: str, number: int) -> Sequence[RowMapping]:
        """Claim up to that many jobs, the oldest first; return their `id` and `job`."""
        async with self._database.writing() as connection:
            facts = {"thinker": thinker, "version": version, "number": number}
            return (await connection.execute(_CLAIM, facts)).mappings().all()

    async def answer(self, thinker: str, job_id: str, answer: str) -> None:
        """Save an answer and announce it, if the job is still this thinker's."""
        async with self._database.writing() as connection:
            facts = {"thinker": thinker, "id": job_id, "answer": answer}
            server = (await connection.execute(_ANSWER, facts)).scalar_one_or_none()
            if server is not None:
                await connection.execute(_NOTIFY, {"channel": ANSWERS, "payload": server})

    async def release(self, thinker: str, job_id: str = "") -> None:
        """Release a job, or all jobs of a thinker, so that others can claim them."""
        async with self._database.writing() as connection:
            await connection.execute(_RELEASE, {"thinker": thinker, "id": job_id})
            await connection.execute(_NOTIFY, {"channel": JOBS, "payload": ""})

    async def leave(self, thinker: str) -> None:
        """Unregister a thinker, and release its jobs."""
        await self.release(thinker)
        async with self._database.writing() as connection:
            await connection.execute(_LEAVE, {"thinker": thinker})

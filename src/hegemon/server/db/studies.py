"""Studies: records with variations, each with an owner."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row, delete, func, insert, select, update

from hegemon.server.db.database import Database
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import StudyRow, in_utc
from hegemon.server.db.schema import studies

#: The number of studies that are deleted at a time.
_MAX_EXPIRED: Final = 100


class Studies:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, study: StudyRow, limit: int) -> None:
        """Insert a study; raise ConflictError if the owner already has `limit` studies."""
        async with self._database.writing() as connection:
            owned = select(func.count()).select_from(studies).where(studies.c.owner == study.owner)
            if (await connection.scalar(owned) or 0) >= limit:
                raise ConflictError
            await connection.execute(insert(studies).values(created_at=study.updated_at, **_values(study)))

    async def load(self, study_id: str) -> StudyRow | None:
        async with self._database.reading() as connection:
            found = await connection.execute(select(studies).where(studies.c.id == study_id))
            return _study(row) if (row := found.one_or_none()) is not None else None

    async def save(self, study: StudyRow) -> None:
        """Save the next version of a study; raise ConflictError if another one was saved first."""
        async with self._database.writing() as connection:
            stored = await connection.execute(
                update(studies)
                .where(studies.c.id == study.id, studies.c.version == study.version - 1)
                .values(**_values(study))
            )
            if stored.rowcount == 0:
                raise ConflictError

    async def delete(self, study_id: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(studies).where(studies.c.id == study_id))

    async def owned_by(self, owner: str | None) -> list[StudyRow]:
        """The studies of an owner, the most recent first; none without a token."""
        if owner is None:
            return []
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(studies).where(studies.c.owner == owner).order_by(studies.c.updated_at.desc())
            )
            return [_study(row) for row in found]

    async def ids(self) -> list[str]:
        async with self._database.reading() as connection:
            return list(await connection.scalars(select(studies.c.id).order_by(studies.c.created_at)))

    async def expire(self, before: datetime) -> int:
        """Delete a batch of studies that have not changed since; return their number."""
        async with self._database.writing() as connection:
            old = select(studies.c.id).where(studies.c.updated_at < before).limit(_MAX_EXPIRED)
            ids = list(await connection.scalars(old))
            await connection.execute(delete(studies).where(studies.c.id.in_(ids)))
        return len(ids)


def _values(study: StudyRow) -> dict[str, Any]:
    return {
        "id": study.id,
        "owner": study.owner,
        "title": study.title,
        "record": study.record,
        "version": study.version,
        "updated_at": study.updated_at,
    }


def _study(row: Row[Any]) -> StudyRow:
    return StudyRow(row.id, row.owner, row.title, row.record, row.version, in_utc(row.updated_at))

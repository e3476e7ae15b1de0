"""Migrating a database to the current schema."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import String, inspect, literal_column, select, table
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.notation.messages import message
from hegemon.server.db.database import Database
from hegemon.server.db.errors import DatabaseError, StorageError, cannot_open
from hegemon.server.db.schema import SCHEMA_REVISION
from hegemon.server.db.sqlite_files import FIRST_TABLES, prepare_file

if TYPE_CHECKING:
    from alembic.config import Config

_REVISION: Final = select(literal_column("version_num", String)).select_from(table("alembic_version"))

#: The key of PostgreSQL's advisory lock for the process that migrates the schema.
_MIGRATION_LOCK: Final = 4_201_066_151


async def migrate(database: Database, *, exclusive: bool = False) -> None:
    """Upgrade the schema to SCHEMA_REVISION, and lock a PostgreSQL database: exclusively, or with other servers.

    A schema is upgraded only while no other process uses the database.
    """
    try:
        if database.path is not None:
            prepare_file(database.path)
            database.remember_file()
        async with database.reading() as connection, connection.begin():
            if database.is_shared:
                await connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
                await connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
                await connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
            names = set(await connection.run_sync(lambda sync: inspect(sync).get_table_names()))
            if names and not names >= FIRST_TABLES:
                raise DatabaseError(
                    "{location} has tables of another program. Choose another place with --database.",
                    location=database.location,
                )
            needs_upgrade = not names or await connection.scalar(_REVISION) != SCHEMA_REVISION
            lock = database.lock
            if lock is not None and not lock.is_held:
                await lock.acquire(exclusive=exclusive or needs_upgrade)
            if needs_upgrade:
                await _upgrade(connection, database.location)
            if lock is not None and lock.is_exclusive and not exclusive:
                await lock.share()
    except (DBAPIError, StorageError, OSError) as error:
        raise cannot_open(database.location, getattr(error, "orig", error)) from error


async def _upgrade(connection: AsyncConnection, location: str) -> None:
    from alembic import command
    from alembic.util import CommandError

    def upgrade(sync: Any) -> None:
        config = alembic_config()
        config.attributes["connection"] = sync
        command.upgrade(config, "head")

    try:
        await connection.run_sync(upgrade)
    except CommandError as error:
        raise DatabaseError(
            "The database {location} belongs to another version: {error}. Update hegemon, or choose another place.",
            location=location,
            error=error,
        ) from error


def alembic_config() -> "Config":
    """The configuration of Alembic, which is imported only for migrations."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


async def schema_mismatch(database: Database) -> str:
    """A message if the revision of the schema is not SCHEMA_REVISION, and otherwise empty; changes nothing."""
    async with database.reading() as connection:
        revision = await connection.scalar(_REVISION)
    if revision == SCHEMA_REVISION:
        return ""
    return message(
        "the schema has revision {revision}, not {wanted}; `hegemon serve` upgrades older ones",
        revision=revision,
        wanted=SCHEMA_REVISION,
    )

"""Upkeep of a SQLite database: references between its tables, and the space of deleted rows."""

from hegemon.notation.messages import message
from hegemon.server.db.database import Database


async def broken_references(database: Database) -> list[str]:
    """Messages about rows that belong to a game that does not exist."""
    if not database.is_sqlite:
        return []
    async with database.reading() as connection:
        found = await connection.exec_driver_sql("PRAGMA foreign_key_check")
        return [
            message("row {row} of {table} does not belong to a game", row=row.rowid, table=row.table)
            for row in found
        ]


async def compact(database: Database) -> None:
    """Release the space of deleted rows, and leave no trace of them in the file."""
    if database.is_sqlite:
        async with database.reading() as connection:
            await connection.exec_driver_sql("VACUUM")
    await truncate_log(database)


async def truncate_log(database: Database) -> None:
    """Move everything from SQLite's write-ahead log to the file, so that no erased data remains in the log."""
    if database.is_sqlite:
        async with database.reading() as connection:
            await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

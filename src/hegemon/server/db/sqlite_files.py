"""Files of SQLite databases: permissions, locks, and checks for damage."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from hegemon.notation.messages import message
from hegemon.server.db.errors import DatabaseError, DatabaseInUse, cannot_open

_SQLITE_MAGIC: Final = b"SQLite format 3\0"

#: Tables that exist in every revision of the schema.
FIRST_TABLES: Final = {"alembic_version", "games", "seats"}

#: Tokens are stored as digests, but invitations, webhook secrets and hidden cards are not.
_PRIVATE: Final = 0o600

#: Files up to this size are checked thoroughly at startup, which takes about a second.
_MAX_THOROUGH_BYTES: Final = 64 * 1024 * 1024


def file_of(url: str) -> Path | None:
    """The file of a SQLite database; None for a database in memory or of another kind."""
    parts = make_url(url)
    name = parts.database or ""
    in_file = parts.drivername.startswith("sqlite") and name and not name.startswith((":", "file:"))
    return Path(name).resolve() if in_file else None


def prepare_file(path: Path) -> None:
    """Create the file if there is none, and reject one that is not a database; only its owner may read it."""
    _check_location(path)
    if not path.exists():
        _create(path)
    with path.open("rb") as file:
        magic = file.read(len(_SQLITE_MAGIC))
    if not magic:
        raise OSError(message("it is empty, and a database never is; restore a backup, or delete the file"))
    if magic != _SQLITE_MAGIC:
        raise OSError(message("it is a file of another kind"))
    with suppress(PermissionError):  # the file may belong to another user who has given us access
        for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            if name.exists() and name.stat().st_mode & 0o777 != _PRIVATE:
                name.chmod(_PRIVATE)


def _check_location(path: Path) -> None:
    if not path.parent.is_dir():
        raise FileNotFoundError(message("there is no folder {folder}", folder=path.parent))
    if path.is_dir():
        raise OSError(message("it is a folder"))


def _create(path: Path) -> None:
    """Create a database without tables, atomically: an empty file would look like a damaged one."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(descriptor)
    with closing(sqlite3.connect(name)) as connection:
        connection.execute("PRAGMA user_version = 1")
    Path(name).rename(path)


@contextmanager
def lock_file(url: str) -> Iterator[None]:
    """Lock a database; other processes that try to lock it get DatabaseInUse.

    This is a SQLite lock on a file next to the database. The system releases it when the process ends.
    """
    path = file_of(url)
    if path is None:
        yield
        return
    try:
        _check_location(path)
        file = Path(f"{path}-lock")
        file.touch(_PRIVATE)
        lock = sqlite3.connect(file, timeout=0)
    except (OSError, sqlite3.Error) as error:
        raise cannot_open(path, error) from error
    with closing(lock):
        try:
            lock.execute("PRAGMA journal_mode = MEMORY")  # creates no journal file
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise DatabaseInUse(
                "A server already uses {path} ({error}). Stop it first, or choose another place with --database.",
                path=path,
                error=str(error),
            ) from error
        yield


def check_file(path: Path) -> None:
    """Raise DatabaseError for a file that is not a database or is damaged; create it if there is none."""
    try:
        prepare_file(path)
    except OSError as error:
        raise cannot_open(path, error) from error
    if found := find_damage(path, thorough=path.stat().st_size <= _MAX_THOROUGH_BYTES):
        raise DatabaseError(
            "The database {path} is damaged: {damage}. Nothing was changed. Look closer with `hegemon check`, and "
            "restore a backup with `hegemon restore`.",
            path=path,
            damage=found[0],
        )


def find_damage(path: Path, *, thorough: bool = False) -> list[str]:
    """The problems in the pages of a database; a thorough check also compares tables with their indexes."""
    pragma = "integrity_check" if thorough else "quick_check"
    try:
        with closing(open_read_only(path)) as connection:
            rows = connection.execute(f"PRAGMA {pragma}(20)")
            found = [line for row in rows for line in row[0].splitlines() if not line.startswith("***")]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def open_read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)

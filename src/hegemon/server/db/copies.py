"""Backing up a SQLite database while the server runs, and restoring it."""

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import make_url

from hegemon.server.db.files import FIRST_TABLES, DatabaseError, damage, exclusive, file_of, open_read_only


def back_up(url: str, copy: Path) -> Path:
    """Copy a database with all acknowledged moves, even while people play; return the file.

    Copying the file itself would leave out the newest moves, which are in SQLite's write-ahead log. A folder gets a
    file named after the time; a file that exists is not replaced.
    """
    path = sqlite_file(url)
    if copy.is_dir():
        copy /= f"{path.stem}-{datetime.now(UTC):%Y%m%d-%H%M%S}{path.suffix}"
    if copy.exists():
        raise DatabaseError("{file} already exists. Choose another file, or a folder.", file=copy)
    _copy(path, copy)
    return copy


def restore(url: str, copy: Path) -> Path | None:
    """Replace a database with a copy; return the path to which the former one was moved.

    No server may use the database meanwhile.
    """
    path = sqlite_file(url, new=True)
    if found := damage(copy, thorough=True):
        raise DatabaseError(
            "The backup {file} is damaged: {damage}. Nothing was changed.", file=copy, damage=found[0]
        )
    with closing(open_read_only(copy)) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    if not tables >= FIRST_TABLES:
        raise DatabaseError("{file} is not a backup of a server. Nothing was changed.", file=copy)
    with exclusive(url):
        fresh = path.with_name(f".{path.name}.restored")
        fresh.unlink(missing_ok=True)
        _copy(copy, fresh)
        former = None
        if path.exists():
            former = path.with_name(f"{path.name}.replaced-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}")
            path.rename(former)
            for log in ("-wal", "-shm"):  # they belong to the former database and would corrupt the copy
                with suppress(FileNotFoundError):
                    Path(f"{path}{log}").rename(f"{former}{log}")
        fresh.rename(path)
    return former


def sqlite_file(url: str, *, new: bool = False) -> Path:
    """The file of a database, which must exist unless it may be new."""
    path = file_of(url)
    if path is None:
        raise DatabaseError(
            "This is for SQLite files. Use the tools of the database {kind}.",
            kind=make_url(url).get_backend_name(),
        )
    if not new and not path.is_file():
        raise DatabaseError("There is no database {path}. Choose it with --database.", path=path)
    return path


def _copy(path: Path, copy: Path) -> None:
    """Copy a database into a single file atomically; only its owner may read it."""
    try:
        descriptor, name = tempfile.mkstemp(dir=copy.parent, prefix=f".{copy.name}.")
    except FileNotFoundError as error:
        raise DatabaseError("There is no folder {folder}.", folder=copy.parent) from error
    os.close(descriptor)
    unfinished = Path(name)
    try:
        with closing(open_read_only(path)) as source, closing(sqlite3.connect(unfinished)) as target:
            source.backup(target)  # in one step: a snapshot, which does not block writers
            target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log next to it
        if found := damage(unfinished):
            raise DatabaseError(
                "The database {path} is damaged: {damage}. Nothing was copied.", path=path, damage=found[0]
            )
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        unfinished.rename(copy)
    except sqlite3.Error as error:
        raise DatabaseError(
            "The database {path} cannot be copied: {error}.", path=path, error=error
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)

"""Backing up a database while the server runs, and restoring it.

A backup is always a SQLite file, so it can be restored into SQLite as well as PostgreSQL.
"""

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import make_url

from hegemon.server.db.errors import DatabaseError
from hegemon.server.db.schema import SCHEMA_REVISION
from hegemon.server.db.sqlite_files import FIRST_TABLES, file_of, find_damage, lock_file, open_read_only
from hegemon.server.db.transfers import Progress, export, load, no_progress, upgrade


def back_up(url: str, copy: Path, progress: Progress = no_progress) -> Path:
    """Copy a database with all acknowledged moves, even while people play; return the file.

    Copying the file itself would leave out the newest moves, which are in SQLite's write-ahead log. A folder gets a
    file named after the time; a file that exists is not replaced.
    """
    path = Path(f"{make_url(url).database or 'games'}.db") if is_postgresql(url) else sqlite_file(url)
    if copy.is_dir():
        copy /= f"{path.stem}-{datetime.now(UTC):%Y%m%d-%H%M%S}{path.suffix}"
    if copy.exists():
        raise DatabaseError("{file} already exists. Choose another file, or a folder.", file=copy)
    if is_postgresql(url):
        _export(url, copy, progress)
    else:
        _copy(path, copy)
    return copy


def restore(url: str, copy: Path, *, replace: bool = False, progress: Progress = no_progress) -> Path | None:
    """Replace a database with a copy; return the path to which the former file was moved.

    The contents of a PostgreSQL database are deleted only with `replace`. No server may be using the database.
    """
    path = None if is_postgresql(url) else sqlite_file(url, new=True)
    if found := find_damage(copy, thorough=True):
        raise DatabaseError(
            "The backup {file} is damaged: {damage}. Nothing was changed.", file=copy, damage=found[0]
        )
    with closing(open_read_only(copy)) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    if not tables >= FIRST_TABLES:
        raise DatabaseError("{file} is not a backup of a server. Nothing was changed.", file=copy)
    if path is None:
        _load(url, copy, replace, progress)
        return None
    with lock_file(url):
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


def is_postgresql(url: str) -> bool:
    return make_url(url).get_backend_name() == "postgresql"


def _export(url: str, copy: Path, progress: Progress) -> None:
    """Copy a PostgreSQL database into a single file atomically; only its owner may read it."""
    try:
        folder = tempfile.TemporaryDirectory(dir=copy.parent, prefix=f".{copy.name}.")
    except FileNotFoundError as error:
        raise DatabaseError("There is no folder {folder}.", folder=copy.parent) from error
    with folder:
        unfinished = Path(folder.name, copy.name)
        export(url, unfinished, progress)
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        unfinished.rename(copy)


def _load(url: str, copy: Path, replace: bool, progress: Progress) -> None:
    """Load a backup into PostgreSQL, after upgrading a copy of it if it was made by an older version."""
    with closing(open_read_only(copy)) as connection:
        revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if revision == (SCHEMA_REVISION,):
        load(url, copy, replace=replace, progress=progress)
        return
    with tempfile.TemporaryDirectory() as folder:
        upgraded = Path(folder, "upgraded.db")
        _copy(copy, upgraded)
        upgrade(upgraded)
        load(url, upgraded, replace=replace, progress=progress)


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
        if found := find_damage(unfinished):
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

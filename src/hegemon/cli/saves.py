"""Saved games: where they are, and how they are written atomically."""

import errno
import os
import re
import tempfile
import time
from itertools import chain, count
from pathlib import Path
from typing import Final

from hegemon.cli.prose import ERRORS, sentence_of
from hegemon.notation.record import Record, RecordError, read_record, write_record

_MAX_BYTES: Final = 1_000_000


class SaveError(Exception):
    """There is no game to resume, or no folder to save one in."""


def folder() -> Path:
    """The folder of saved games, in the user's data folder (XDG)."""
    data = Path(os.environ.get("XDG_DATA_HOME", ""))
    if data.is_absolute():
        return data / "hegemon" / "games"
    try:
        return Path.home() / ".local" / "share" / "hegemon" / "games"
    except RuntimeError:
        raise SaveError(ERRORS["no-home"]) from None


def new_path(name: str) -> Path:
    """A path for a new game, named after the time and the player."""
    slug = re.sub(r"[^\w]+", "-", name.lower()).strip("-") or "game"
    stem = f"{time.strftime('%Y-%m-%d-%H%M%S')}-{slug}"
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(path for name in names if not (path := folder() / f"{name}.toml").exists())


def make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None


def check_path(path: Path) -> None:
    """Create the folder of a file, and raise an error before the game if the file cannot be written."""
    make_folder(path.absolute().parent)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def write(path: Path, record: Record) -> None:
    """Write a record atomically."""
    check_path(path)
    text = write_record(record)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink()
            raise


def write_with_fallback(path: Path, record: Record) -> tuple[Path, OSError | None]:
    """Write a record to a path, or else to the folder for temporary files; return the path and the error."""
    try:
        write(path, record)
    except OSError as error:
        fallback = Path(tempfile.gettempdir()) / path.name
        write(fallback, record)
        return fallback, error
    return path, None


def read(path: Path) -> Record:
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise RecordError(ERRORS["too-large"].format(path=path))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise RecordError(ERRORS["not-text"].format(path=path)) from None
    try:
        return read_record(text)
    except RecordError as error:
        raise RecordError(ERRORS["record"].format(path=path, problem=sentence_of(error))) from None


def latest_unfinished() -> Path:
    """The unfinished game that was saved last; files that cannot be read are skipped."""
    try:
        files = sorted(folder().glob("*.toml"), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        files = []
    for path in files:
        try:
            if read(path).result is None:
                return path
        except (OSError, RecordError):
            continue
    raise SaveError(ERRORS["nothing-to-resume"].format(folder=folder()))

"""Games on disk: where they are kept, and how they are written so that none is ever half there."""

import errno
import os
import re
import tempfile
import time
from pathlib import Path
from typing import Final

from hegemon.cli.prose import ERRORS
from hegemon.notation.record import Record, RecordError, read_record, write_record

_LARGEST: Final = 1_000_000


class NothingSaved(Exception):
    """There is no game to go on with, or no place to keep one."""


def folder() -> Path:
    """Where games are kept: in the user's data folder, as the XDG specification names it."""
    data = Path(os.environ.get("XDG_DATA_HOME", ""))
    if data.is_absolute():
        return data / "hegemon" / "games"
    try:
        return Path.home() / ".local" / "share" / "hegemon" / "games"
    except RuntimeError:
        raise NothingSaved(ERRORS["no-home"]) from None


def new_path(name: str) -> Path:
    """A path for a new game: its moment, and who plays."""
    who = re.sub(r"[^\w]+", "-", name.lower()).strip("-") or "game"
    stem = f"{time.strftime('%Y-%m-%d-%H%M%S')}-{who}"
    path = folder() / f"{stem}.toml"
    number = 2
    while path.exists():
        path = path.with_name(f"{stem}-{number}.toml")
        number += 1
    return path


def make_folder(path: Path) -> None:
    """Make a folder, unless it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None


def expect_place(path: Path) -> None:
    """A file that will be written needs a folder and a name of its own: better said before a game than after."""
    make_folder(path.absolute().parent)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def write(path: Path, record: Record) -> None:
    """Write a record in one stroke: whoever looks sees the old file or the new one, whatever happens meanwhile."""
    expect_place(path)
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


def write_somewhere(path: Path, record: Record) -> tuple[Path, OSError | None]:
    """Write a record where it belongs, or else where temporary files go; says where, and what was wrong."""
    try:
        write(path, record)
    except OSError as error:
        elsewhere = Path(tempfile.gettempdir()) / path.name
        write(elsewhere, record)
        return elsewhere, error
    return path, None


def read(path: Path) -> Record:
    """The record in a file."""
    with path.open("rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise RecordError(ERRORS["too-large"].format(path=path))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise RecordError(ERRORS["not-text"].format(path=path)) from None
    try:
        return read_record(text)
    except RecordError as error:
        raise RecordError(ERRORS["record"].format(path=path, problem=error)) from None


def latest_unfinished() -> Path:
    """The game that was saved last and is not over; a file that cannot be read is passed over."""
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
    raise NothingSaved(ERRORS["nothing-to-resume"].format(folder=folder()))

"""Occasional tasks of the host of a server: check the database, delete old games, erase a person's data."""

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from hegemon.notation.messages import message
from hegemon.notation.record import RecordError, read_record
from hegemon.server.config import GRACE_PERIOD, ServerConfig
from hegemon.server.db import upkeep
from hegemon.server.db.archives import ArchiveError
from hegemon.server.db.backups import back_up, sqlite_file
from hegemon.server.db.errors import DatabaseError, DatabaseInUse, StorageError
from hegemon.server.db.games import DAMAGED
from hegemon.server.db.migrate import schema_mismatch
from hegemon.server.db.moderation import recorded_name
from hegemon.server.db.sqlite_files import file_of, find_damage
from hegemon.server.db.store import Store, run_exclusively
from hegemon.server.security import tokens
from hegemon.server.tables import moderation
from hegemon.server.tables.archiving import archive_games
from hegemon.server.tables.errors import BrokenGame, ReportRejected, SeatRejected, TableNotFound
from hegemon.server.tables.moderation import ModerationTarget
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table


@dataclass
class CheckResult:
    """The result of a check."""

    games: int = 0
    moves: int = 0
    problems: list[str] = field(default_factory=list)


def check(url: str) -> CheckResult:
    """Check every page of a database, and replay every game in it; the server may be running."""
    if file_of(url) is None:
        return asyncio.run(_replay_all(url))
    if found := find_damage(sqlite_file(url), thorough=True):
        return CheckResult(problems=found)
    with tempfile.TemporaryDirectory() as folder:  # a copy does not change between two queries
        copy = back_up(url, Path(folder))
        return asyncio.run(_replay_all(f"sqlite+aiosqlite:///{copy}"))


async def _replay_all(url: str) -> CheckResult:
    result, store = CheckResult(), Store(url)
    try:
        if problem := await schema_mismatch(store.database):
            return CheckResult(problems=[problem])
        result.problems += await upkeep.broken_references(store.database)
        inconsistent = set(await store.archives.inconsistent())
        for game_id in await store.games.ids():
            if problem := await _replay(store, game_id, result):
                result.problems.append(problem)
            elif game_id in inconsistent:
                result.problems.append(message("the archived moves of game {game} are damaged", game=game_id))
        await _replay_studies(store, result)
    except StorageError as error:
        result.problems.append(str(error))
    finally:
        await store.close()
    return result


async def _replay(store: Store, game_id: str, result: CheckResult) -> str:
    """Replay a game, and count its moves; return a message if something is wrong."""
    try:
        row = await store.games.load(game_id)
        if row is None:  # deleted since its id was read, because only SQLite databases are copied
            return ""
        result.games += 1
        result.moves += len(row.moves)
        table = Table(row)
    except (SQLAlchemyError, StorageError):
        raise
    except ArchiveError:
        result.games += 1
        return message("the archived moves of game {game} are damaged", game=game_id)
    except Exception as error:
        return message("game {game} cannot be replayed: {error}", game=game_id, error=type(error).__name__)
    if (table.game.over or row.closed) != row.finished:
        return message("game {game} is over in one place and not in another", game=game_id)
    return ""


async def _replay_studies(store: Store, result: CheckResult) -> None:
    for study_id in await store.studies.ids():
        row = await store.studies.load(study_id)
        try:
            if row is not None:  # otherwise deleted since its id was read
                read_record(row.record)
        except RecordError:
            result.problems.append(message("study {study} cannot be replayed", study=study_id))


def purge(url: str, days: int) -> int:
    """Delete finished and imported games, and studies, unchanged for `days` days; return the number of games."""
    before = datetime.now(UTC) - timedelta(days=days)

    async def work(store: Store) -> int:
        number = 0
        while expired := await store.games.expire(before):
            number += len(expired)
        while await store.puzzles.expire(before) or await store.studies.expire(before):
            pass
        await upkeep.compact(store.database)
        return number

    _check_exists(url)
    return run_exclusively(url, work)


def compact(url: str) -> int:
    """Archive the finished games, and release the space of deleted rows; return the number of archived games."""

    async def work(store: Store) -> int:
        number = await archive_games(store, datetime.now(UTC) - GRACE_PERIOD, set())
        await upkeep.compact(store.database)
        return number

    _check_exists(url)
    return run_exclusively(url, work)


def erase(url: str, who: str) -> int:
    """Erase the data of a person; return the number of seats. `who` is a personal link, its key, or GAME/SEAT."""
    _check_exists(url)

    async def work(store: Store) -> int:
        owner, _ = await _find_person(store, who.strip())
        seats = await store.people.erase(owner)
        await upkeep.compact(store.database)
        return seats

    return run_exclusively(url, work)


def new_host_token(url: str) -> str:
    """Create a new host token, and store its digest; the server may be running, or not exist yet."""
    token = tokens.new_token()

    async def work(store: Store) -> None:
        await store.moderation.set_host_token(tokens.digest(token), datetime.now(UTC))

    try:
        run_exclusively(url, work)
    except DatabaseInUse:
        asyncio.run(_run_on_live_database(url, work))
    return token


async def _run_on_live_database(url: str, work: Callable[[Store], Awaitable[None]]) -> None:
    """Run a short task on the database of a running server."""
    store = Store(url)
    try:
        if problem := await schema_mismatch(store.database):
            raise DatabaseError("The server is of another version: {problem}", problem=problem)
        await work(store)
    finally:
        await store.close()


def moderate(url: str, action: str, what: str) -> None:
    """Mute, unmute or remove a person, close a table, or block or unblock a name, while the server is stopped."""
    _check_exists(url)

    async def work(store: Store) -> None:
        tables = TableRegistry(store, ServerConfig(url))
        tables.closed = True  # so that no bot plays
        try:
            await _moderate(tables, action, what)
        finally:
            await tables.close()

    run_exclusively(url, work)


async def _moderate(tables: TableRegistry, action: str, what: str) -> None:
    store = tables.store
    try:
        match action:
            case "mute":
                await moderation.mute(tables, (await _find_person(store, what))[1])
            case "unmute":
                await store.moderation.unmute_owner((await _find_person(store, what))[0])
            case "remove":
                await moderation.remove(tables, (await _find_person(store, what))[1])
            case "close":
                await moderation.close(tables, ModerationTarget(what.rstrip("/").rpartition("/")[2]))
            case "block":
                await moderation.block(tables, what, ModerationTarget())
            case _:
                await moderation.unblock(tables, what)
    except (BrokenGame, TableNotFound):
        raise DatabaseError("There is no such game.") from None
    except SeatRejected:
        raise DatabaseError("This game is over.") from None
    except ReportRejected as error:
        raise _moderation_error(error.key) from None


def _moderation_error(key: str) -> DatabaseError:
    """The error for a table that cannot be closed or a name that cannot be blocked."""
    match key:
        case "tournament":
            return DatabaseError("A table of a tournament cannot be closed.")
        case "patterns":
            return DatabaseError("Too many names are blocked: unblock some of them first.")
        case _:
            return DatabaseError("Give a name to block, or a part of one, such as *spam*.")


async def _find_person(store: Store, who: str) -> tuple[str, ModerationTarget]:
    """The owner behind a personal link, its key, or GAME/SEAT, and the seat if it is known."""
    owner = tokens.owner_of(who.rpartition("#")[2])
    if owner is not None:
        return owner, ModerationTarget(owner=owner)
    if match := re.fullmatch(r"(?:.*/)?([\w-]+)/([1-4])", who):
        seat = int(match[2]) - 1
        try:
            row = await store.games.load(match[1])
        except DAMAGED:
            row = None
        if row is not None and seat < len(row.seats) and (owner := row.seats[seat].owner) is not None:
            name = row.seats[seat].name or recorded_name(row.record, seat)
            return owner, ModerationTarget(row.id, seat, owner, name)
    raise DatabaseError(
        "No person was found. Give a personal link, the key in it, or a game and a seat, such as vJ3…/2."
    )


def _check_exists(url: str) -> None:
    if file_of(url) is not None:
        sqlite_file(url)

"""What the host of a server does now and then: check the database, delete old games, erase a person's data."""

import asyncio
import re
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hegemon.notation.messages import message
from hegemon.notation.record import RecordError, read_record
from hegemon.server.db.copies import back_up, sqlite_file
from hegemon.server.db.database import StorageError
from hegemon.server.db.files import DatabaseError, damage, file_of
from hegemon.server.db.store import Store, use_alone
from hegemon.server.security import tokens
from hegemon.server.tables.table import Table


@dataclass
class Report:
    """What a check has found."""

    games: int = 0
    moves: int = 0
    problems: list[str] = field(default_factory=list)


def check(url: str) -> Report:
    """Check every page of a database, and replay every game in it; people may go on playing meanwhile."""
    if file_of(url) is None:
        return asyncio.run(_replay_all(url))
    if found := damage(sqlite_file(url), thorough=True):
        return Report(problems=found)
    with tempfile.TemporaryDirectory() as folder:  # a copy does not change between two queries
        copy = back_up(url, Path(folder))
        return asyncio.run(_replay_all(f"sqlite+aiosqlite:///{copy}"))


async def _replay_all(url: str) -> Report:
    report, store = Report(), Store(url)
    try:
        if problem := await store.database.foreign_revision():
            return Report(problems=[problem])
        report.problems += await store.database.broken_references()
        for game_id in await store.games.ids():
            row = await store.games.load(game_id)
            if row is None:  # it was deleted meanwhile, in another kind of database
                continue
            report.games += 1
            report.moves += len(row.moves)
            try:
                table = Table(row)
            except Exception as error:
                report.problems.append(
                    message(
                        "game {game} cannot be replayed: {error}", game=game_id, error=type(error).__name__
                    )
                )
            else:
                if table.game.over != row.finished:
                    report.problems.append(
                        message("game {game} is over in one place and not in another", game=game_id)
                    )
        await _replay_studies(store, report)
    except StorageError as error:
        report.problems.append(str(error))
    finally:
        await store.close()
    return report


async def _replay_studies(store: Store, report: Report) -> None:
    for study_id in await store.studies.ids():
        row = await store.studies.load(study_id)
        try:
            if row is not None:  # it was not deleted meanwhile
                read_record(row.record)
        except RecordError:
            report.problems.append(message("study {study} cannot be replayed", study=study_id))


def purge(url: str, days: int) -> int:
    """Delete finished and imported games, and studies, that have not changed for days; return how many games."""
    before = datetime.now(UTC) - timedelta(days=days)

    async def work(store: Store) -> int:
        number = 0
        while expired := await store.games.expire(before):
            number += len(expired)
        while await store.puzzles.expire(before) or await store.studies.expire(before):
            pass
        await store.database.compact()
        return number

    _check_exists(url)
    return use_alone(url, work)


def erase(url: str, who: str) -> int:
    """Erase the data of a person; return the number of seats. `who` is a personal link, its key, or GAME/SEAT."""
    _check_exists(url)

    async def work(store: Store) -> int:
        seats = await store.players.erase(await _owner(store, who.strip()))
        await store.database.compact()
        return seats

    return use_alone(url, work)


async def _owner(store: Store, who: str) -> str:
    owner = tokens.owner_of(who.rpartition("#")[2])
    if owner is None and (place := re.fullmatch(r"(?:.*/)?([\w-]+)/([1-4])", who)):
        row = await store.games.load(place[1])
        seat = int(place[2]) - 1
        if row is not None and seat < len(row.seats):
            owner = row.seats[seat].owner
    if owner is None:
        raise DatabaseError(
            "No person was found. Give a personal link, the key in it, or a game and a seat, such as vJ3…/2."
        )
    return owner


def _check_exists(url: str) -> None:
    if file_of(url) is not None:
        sqlite_file(url)

"""Everything that belongs to a person: transfer to another key, merge, export, erase."""

import dataclasses
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from sqlalchemy import Column, Row, Select, UniqueConstraint, delete, exists, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.notation.record import Record, read_record, write_record
from hegemon.prose.english import FORMER_PLAYER, PERSON_NAMES
from hegemon.server.db.calendars import calendars
from hegemon.server.db.database import Database
from hegemon.server.db.devices import arrivals, passkeys, recovery_codes, sessions
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.moderation import OWNER_COLUMNS, reports
from hegemon.server.db.plans import plans
from hegemon.server.db.players import delete_rating_history, rated_players
from hegemon.server.db.profiles import Profiles, profiles
from hegemon.server.db.schema import (
    daily_entries,
    games,
    messages,
    outbox,
    players,
    puzzle_attempts,
    results,
    seats,
    solvers,
    studies,
    webhooks,
)
from hegemon.server.db.subscriptions import subscriptions
from hegemon.server.db.tournament_rows import OVER
from hegemon.server.db.tournament_schema import tournament_entries, tournaments
from hegemon.server.db.tournaments import erase_entrant, mark_tournaments_changed
from hegemon.server.db.vacations import vacations

#: All columns with owners; those that are missing here would be left out when a key is changed, merged or erased.
OWNERS: Final[tuple[Column[Any], ...]] = (
    seats.c.owner,
    games.c.host,
    players.c.owner,
    messages.c.author,
    daily_entries.c.owner,
    results.c.owner,
    studies.c.owner,
    solvers.c.owner,
    puzzle_attempts.c.owner,
    profiles.c.owner,
    plans.c.owner,
    vacations.c.owner,
    calendars.c.owner,
    tournaments.c.host,
    tournament_entries.c.owner,
    sessions.c.owner,
    passkeys.c.owner,
    recovery_codes.c.owner,
    arrivals.c.owner,
    *OWNER_COLUMNS,
    subscriptions.c.owner,
)

#: The columns in an export of a person's data: no secrets, no digests of keys, and nothing that is hidden
#: during a game or a tournament, such as records and seeds.
_EXPORTED: Final = {
    "accuracy", "attempts", "best_days", "best_row", "browser", "color", "comment", "created_at", "created_on", "date",
    "day", "days", "deadline", "device", "domain", "ending", "ends_at", "finished", "finished_at", "format", "game",
    "games", "id", "kinds", "language", "league", "level", "mu", "name", "number", "opening", "outcome", "phrase",
    "players", "public", "public_id", "puzzle", "round", "row", "score", "seat", "seen_at", "seen_on",
    "settings", "sigma", "solved", "started_at", "starts_at", "state", "system", "target", "teams", "text",
    "title", "tournament", "turns", "updated_at", "used_on", "variant", "version", "withdrawn", "won",
}  # fmt: skip

#: Finds the salt in a record without parsing the record.
_SALT: Final = re.compile(r'^salt = "(.+)"$', re.MULTILINE)

#: The level of the bot that plays on for a person whose data was erased.
ERASED_BOT: Final = "normal"


class People:
    def __init__(self, database: Database, profiles: Profiles) -> None:
        self._database = database
        self._profiles = profiles

    async def has_data(self, owner: str) -> bool:
        async with self._database.reading() as connection:
            return await _has_data(connection, owner)

    async def change_owner(self, old: str, new: str, session: int | None = None) -> list[int]:
        """Transfer everything to an owner who has nothing yet; repeating the call has no effect.

        End and return all sessions except `session`, and end arrivals, which would become sessions. Raise
        ConflictError if both owners have something, or neither has: of two concurrent changes, only one succeeds.
        """
        async with self._database.writing() as connection:
            if await _has_data(connection, new) == await _has_data(connection, old):
                raise ConflictError
            others = sessions.c.owner == old, sessions.c.id != (session or 0)
            ended = list(await connection.scalars(select(sessions.c.id).where(*others)))
            await connection.execute(delete(sessions).where(*others))
            await connection.execute(delete(arrivals).where(arrivals.c.owner == old))
            await _transfer(connection, old, new)
        self._profiles.invalidate(old, new)
        return ended

    async def drop_key(self, owner: str, keyless: str) -> None:
        """Transfer everything to a keyless owner; sessions, passkeys and the recovery code stay valid."""
        async with self._database.writing() as connection:
            await _transfer(connection, owner, keyless)
        self._profiles.invalidate(owner, keyless)

    async def merge(self, old: str, new: str) -> None:
        """Transfer everything to another owner, who may already have something.

        Where only one can be kept, such as a rating, the new owner's is kept. Raise ConflictError if the two
        play against each other in an unfinished game or tournament.
        """
        if old == new:  # every row would be a duplicate of itself
            return
        running = select(seats.c.game).join(games).where(~games.c.finished)
        entered = select(tournament_entries.c.tournament).join(tournaments).where(tournaments.c.state != OVER)
        async with self._database.writing() as connection:
            for held, owner in ((running, seats.c.owner), (entered, tournament_entries.c.owner)):
                both = held.where(owner == old).intersect(held.where(owner == new))
                if (await connection.execute(both)).first() is not None:
                    raise ConflictError
            await connection.execute(
                update(messages).where(messages.c.author == old).values(idempotency_key=None)
            )
            await _prefer_rating_and_name(connection, old, new)
            for column in OWNERS:
                await _delete_duplicates(connection, column, old, new)
            await _transfer(connection, old, new)
        self._profiles.invalidate(old, new)

    async def export(self, owner: str) -> dict[str, list[dict[str, Any]]]:
        """The rows that belong to an owner, by table, without keys and secrets.

        Records of games are not included, because the deck is hidden during a game.
        """
        found: dict[str, list[dict[str, Any]]] = {}
        async with self._database.reading() as connection:
            for column in OWNERS:
                table = column.table
                if column is reports.c.subject:  # a person may not know who has reported them
                    continue
                if shown := [other for other in table.c if other.name in _EXPORTED]:
                    rows = await connection.execute(select(*shown).where(column == owner))
                    found[table.name] = [dict(row._mapping) for row in rows]
        return found

    async def erase(self, owner: str) -> int:
        """Erase a person: names, ratings, results, messages, devices, webhooks, seats; return the number of seats.

        A bot takes over in unfinished games. Messages of other people are kept, including reports about them.
        """
        async with self._database.writing() as connection:
            held = (await connection.execute(_held_seats(owner))).all()
            await _erase_in_studies(connection, [await _erase_seat(connection, row) for row in held])
            await erase_entrant(connection, owner)
            hosted = select(games.c.id).where(games.c.host == owner)
            for table in (webhooks, outbox):
                await connection.execute(delete(table).where(table.c.game.in_(hosted)))
            await connection.execute(update(games).where(games.c.host == owner).values(host=None))
            about = update(reports).where(reports.c.subject == owner)
            await connection.execute(about.values(subject=None, name=FORMER_PLAYER, text=""))
            for column in OWNERS:
                if column.table not in (seats, games):
                    await connection.execute(delete(column.table).where(column == owner))
        self._profiles.invalidate(owner)
        return len(held)

    async def remove_blocked_names(self, owner: str, is_blocked: Callable[[str], bool]) -> None:
        """Remove a person's blocked names: from the profile, which becomes private, the rating and results."""
        changes: dict[Any, dict[str, Any]] = {
            profiles: {"name": "", "public": False},
            players: {"name": PERSON_NAMES[0]},
            results: {"name": ""},
            daily_entries: {"name": ""},
            tournament_entries: {"name": PERSON_NAMES[0]},
        }
        async with self._database.writing() as connection:
            for table, values in changes.items():
                own = table.c.owner == owner
                names = await connection.scalars(select(table.c.name).where(own).distinct())
                blocked = table.c.name.in_([name for name in names if is_blocked(name)])
                await connection.execute(update(table).where(own, blocked).values(**values))
            await mark_tournaments_changed(connection, owner)
        self._profiles.invalidate(owner)


async def _has_data(connection: AsyncConnection, owner: str) -> bool:
    return any([await connection.scalar(select(exists().where(column == owner))) for column in OWNERS])


async def _transfer(connection: AsyncConnection, old: str, new: str) -> None:
    for column in OWNERS:
        await connection.execute(update(column.table).where(column == old).values({column: new}))
    await mark_tournaments_changed(connection, new)


async def _prefer_rating_and_name(connection: AsyncConnection, old: str, new: str) -> None:
    """Keep the history of the remaining rating only, and a profile with a name rather than one without."""
    if len(await rated_players(connection, [old, new])) == 2:
        await delete_rating_history(connection, old)
    named = select(profiles.c.owner).where(profiles.c.owner == old, profiles.c.name != "")
    if await connection.scalar(named) is not None:
        await connection.execute(delete(profiles).where(profiles.c.owner == new, profiles.c.name == ""))


async def _delete_duplicates(connection: AsyncConnection, column: Column[Any], old: str, new: str) -> None:
    """Delete an owner's rows that would clash with a key of the new owner, or clear their owner."""
    table = column.table
    keys = [table.primary_key, *(key for key in table.constraints if isinstance(key, UniqueConstraint))]
    for key in keys:
        if column.name in key.columns:
            other = table.alias()
            same = [other.c[part.name] == part for part in key.columns if part.name != column.name]
            duplicate = exists().where(other.c[column.name] == new, *same).correlate(table)
            remove = update(table).values({column: None}) if column.nullable else delete(table)
            await connection.execute(remove.where(column == old, duplicate))


def _held_seats(owner: str) -> Select[Any]:
    held = select(seats.c.game, seats.c.seat, seats.c.name, games.c.finished)
    return held.join(games).where(seats.c.owner == owner)


def _with_names(record: Record, names: tuple[str, ...]) -> str:
    return write_record(dataclasses.replace(record, names=names))


async def _erase_in_studies(connection: AsyncConnection, erased: Iterable[tuple[str, int, str]]) -> None:
    """Erase the names of players in studies of their games, identified by salt, seat and name."""
    gone = set(erased)
    salts = {salt for salt, _, _ in gone}
    async with connection.stream(select(studies.c.id, studies.c.record)) as rows:
        found = [row async for row in rows if (salt := _SALT.search(row.record)) and salt[1] in salts]
    for row in found:
        record = read_record(row.record)
        names = tuple(  # other games of the same deal, with other players, have the same salt
            FORMER_PLAYER if (record.salt, seat, name) in gone else name
            for seat, name in enumerate(record.names)
        )
        await connection.execute(
            update(studies).where(studies.c.id == row.id).values(record=_with_names(record, names))
        )


async def _erase_seat(connection: AsyncConnection, row: Row[Any]) -> tuple[str, int, str]:
    """Replace the player of a seat with a former player, and with a bot if the game is not over.

    Return what identifies the player in studies: the salt of the game, the seat and the name.
    """
    # Erasing another seat of the same person may have changed the record.
    found = await connection.execute(select(games.c.record).where(games.c.id == row.game))
    record = read_record(found.scalar_one())
    names = (*record.names[: row.seat], FORMER_PLAYER, *record.names[row.seat + 1 :])
    renamed = _with_names(record, names)
    await connection.execute(update(games).where(games.c.id == row.game).values(record=renamed))

    await connection.execute(
        update(seats)
        .where(seats.c.game == row.game, seats.c.seat == row.seat)
        .values(
            owner=None,
            name=FORMER_PLAYER,
            invite=None,
            substitute=None,
            bot=None if row.finished else ERASED_BOT,
        )
    )
    # Notifications contain names. The key of one that was sent is kept, so that it is not sent again.
    await connection.execute(delete(outbox).where(outbox.c.game == row.game, outbox.c.due_at.is_not(None)))
    await connection.execute(update(outbox).where(outbox.c.game == row.game).values(body=""))
    return record.salt, row.seat, row.name or record.names[row.seat]

"""Tournaments: their entries, rounds and pairings."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Row, Select, Table, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.prose.english import FORMER_PLAYER
from hegemon.server.db.database import Database
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import in_utc, in_utc_or_none
from hegemon.server.db.schema import games
from hegemon.server.db.tournament_rows import (
    OPEN,
    OVER,
    RUNNING,
    Entry,
    Outcome,
    Pairing,
    Round,
    TournamentRow,
    TournamentSnapshot,
)
from hegemon.server.db.tournament_schema import pairings, tournament_entries, tournament_rounds, tournaments

#: The maximum length of the lists of a person's tournaments and of public ones.
MAX_LISTED: Final = 50

#: The number of tournaments that are deleted at a time.
_MAX_EXPIRED: Final = 100


class Tournaments:
    def __init__(self, database: Database) -> None:
        self._database = database

    # ---------------------------------------------------------------- reading

    async def load(self, tournament_id: str) -> TournamentSnapshot | None:
        """A tournament; one that changes while it is read is read again."""
        snapshot = await self._load(tournament_id)
        while snapshot is not None and await self.revision(tournament_id) != snapshot.tournament.revision:
            snapshot = await self._load(tournament_id)
        return snapshot

    async def _load(self, tournament_id: str) -> TournamentSnapshot | None:
        async with self._database.reading() as connection:
            found = select(tournaments).where(tournaments.c.id == tournament_id)
            row = (await connection.execute(found)).one_or_none()
            if row is None:
                return None
            return TournamentSnapshot(
                _tournament(row),
                tuple(
                    Entry(row.number, row.name, row.owner, row.bot, row.withdrawn)
                    for row in await _rows(connection, tournament_entries, tournament_id)
                ),
                tuple(
                    Round(row.number, in_utc(row.started_at), in_utc_or_none(row.ended_at), row.deal)
                    for row in await _rows(connection, tournament_rounds, tournament_id)
                ),
                tuple(_pairing(row) for row in await _pairing_rows(connection, tournament_id)),
            )

    async def revision(self, tournament_id: str) -> int | None:
        async with self._database.reading() as connection:
            found = select(tournaments.c.revision).where(tournaments.c.id == tournament_id)
            number: int | None = await connection.scalar(found)
            return number

    async def active(self) -> list[str]:
        """The tournaments that advance without their host: running ones, and those with a start time."""
        advances = (tournaments.c.state == RUNNING) | (
            (tournaments.c.state == OPEN) & tournaments.c.starts_at.is_not(None)
        )
        async with self._database.reading() as connection:
            return list(await connection.scalars(select(tournaments.c.id).where(advances)))

    async def of_person(self, owner: str | None) -> list[TournamentRow]:
        """The tournaments that a person hosts or plays in, the most recent first."""
        if owner is None:
            return []
        entered = select(tournament_entries.c.tournament).where(tournament_entries.c.owner == owner)
        return await self._list(
            select(tournaments).where(or_(tournaments.c.host == owner, tournaments.c.id.in_(entered)))
        )

    async def listed(self) -> list[TournamentRow]:
        """The public tournaments, the most recent first."""
        return await self._list(select(tournaments).where(tournaments.c.public))

    async def of_league(self, first: str, last: str) -> list[TournamentSnapshot]:
        """The tournaments of the league, from the first week to the last."""
        async with self._database.reading() as connection:
            found = select(tournaments.c.id).where(tournaments.c.league.between(first, last))
            ids = list(await connection.scalars(found.order_by(tournaments.c.league)))
        snapshots = [await self.load(tournament_id) for tournament_id in ids]
        return [snapshot for snapshot in snapshots if snapshot is not None]

    async def _list(self, found: Select[Any]) -> list[TournamentRow]:
        async with self._database.reading() as connection:
            rows = await connection.execute(found.order_by(tournaments.c.created_at.desc()).limit(MAX_LISTED))
            return [_tournament(row) for row in rows]

    async def is_sealed(self, tournament_id: str, number: int) -> bool:
        """Whether the tables of a round share a deal that one of them may still be playing."""
        async with self._database.reading() as connection:
            found = select(tournament_rounds.c.number).where(
                tournament_rounds.c.tournament == tournament_id,
                tournament_rounds.c.number == number,
                tournament_rounds.c.deal != "",
                tournament_rounds.c.ended_at.is_(None),
            )
            return await connection.scalar(found) is not None

    # ---------------------------------------------------------------- changing

    async def create(self, tournament: TournamentRow, entries: Sequence[Entry], limit: int) -> bool:
        """Save a new tournament; return False if its host already has `limit` unfinished ones.

        Raise ConflictError if another tournament has the same week of the league.
        """
        async with self._database.writing() as connection:
            unfinished = tournaments.c.host == tournament.host, tournaments.c.state != OVER
            number = await connection.scalar(select(func.count()).where(*unfinished))
            if tournament.host is not None and (number or 0) >= limit:
                return False
            await connection.execute(insert(tournaments).values(**asdict(tournament)))
            await _insert_entries(connection, tournament.id, entries)
            return True

    async def enter(self, tournament_id: str, entry: Entry, limit: int) -> Entry | None:
        """Add an entry with the next number; return None if the tournament is full or not open.

        An entry without a name gets that of a bot. Raise ConflictError if the person is already entered or the
        name is taken.
        """
        async with self._database.writing() as connection:
            if not await _change(connection, tournament_id, OPEN):
                return None
            rows = await _rows(connection, tournament_entries, tournament_id)
            if len(rows) >= limit:
                return None
            number, taken = max((row.number for row in rows), default=0) + 1, [row.name for row in rows]
            entered = replace(entry, number=number, name=entry.name or bot_name(taken))
            if _folded([entered.name]) & _folded(taken):
                raise ConflictError
            await _insert_entries(connection, tournament_id, [entered])
            return entered

    async def withdraw(self, tournament_id: str, number: int) -> None:
        """Take an entry out of a tournament: before the start it disappears, later it is marked."""
        of_it = (
            (tournament_entries.c.tournament == tournament_id)
            & (tournament_entries.c.number == number)
        )  # fmt: skip
        async with self._database.writing() as connection:
            if await _change(connection, tournament_id, OPEN):
                await connection.execute(delete(tournament_entries).where(of_it))
            elif await _change(connection, tournament_id, RUNNING):
                await connection.execute(update(tournament_entries).where(of_it).values(withdrawn=True))

    async def start(self, tournament: TournamentRow, rounds: int, more: Sequence[Entry]) -> bool:
        """Start an open tournament with additional bots; return False if it has changed since it was read."""
        async with self._database.writing() as connection:
            if not await _change_unchanged(connection, tournament, state=RUNNING, rounds=rounds):
                return False
            await _insert_entries(connection, tournament.id, more)
            return True

    async def start_round(self, tournament_id: str, started: Round, paired: Sequence[Pairing]) -> None:
        """Save the pairings of a round; raise ConflictError if it already has pairings."""
        async with self._database.writing() as connection:
            if not await _change(connection, tournament_id, RUNNING):
                raise ConflictError
            await connection.execute(
                insert(tournament_rounds).values(tournament=tournament_id, **asdict(started))
            )
            for pairing in paired:
                await connection.execute(
                    insert(pairings).values(
                        tournament=tournament_id,
                        round=pairing.round,
                        number=pairing.number,
                        entries=",".join(map(str, pairing.entries)),
                        game=pairing.game,
                    )
                )

    async def note_tables_created(self, tournament_id: str) -> None:
        """Increase the revision, because tables of the round can now be viewed."""
        async with self._database.writing() as connection:
            await _change(connection, tournament_id, RUNNING)

    async def save_outcome(self, tournament_id: str, pairing: Pairing, outcome: Outcome) -> None:
        """Save the result of a game; only the first call has an effect."""
        async with self._database.writing() as connection:
            saved = await connection.execute(
                update(pairings)
                .where(pairings.c.game == pairing.game, pairings.c.outcome.is_(None))
                .values(outcome=msgspec.json.encode(outcome).decode())
            )
            if saved.rowcount:
                await _change(connection, tournament_id, RUNNING)

    async def end_round(self, tournament_id: str, number: int, now: datetime, *, last: bool) -> None:
        """Save the end of a round, and of the tournament if it was the last round."""
        async with self._database.writing() as connection:
            await connection.execute(
                update(tournament_rounds)
                .where(
                    tournament_rounds.c.tournament == tournament_id,
                    tournament_rounds.c.number == number,
                    tournament_rounds.c.ended_at.is_(None),
                )
                .values(ended_at=now)
            )
            await _change(connection, tournament_id, RUNNING, **{"state": OVER} if last else {})

    async def end(self, tournament: TournamentRow) -> None:
        """End a tournament without games, unless it has changed since it was read."""
        async with self._database.writing() as connection:
            await _change_unchanged(connection, tournament, state=OVER)

    async def delete(self, tournament_id: str) -> None:
        """Delete a tournament that has not started."""
        async with self._database.writing() as connection:
            unstarted = tournaments.c.id == tournament_id, tournaments.c.state == OPEN
            await connection.execute(delete(tournaments).where(*unstarted))

    async def expire_open(self, before: datetime) -> None:
        """Delete some of the tournaments that were opened before that time and never started."""
        await self._expire(tournaments.c.created_at < before, OPEN)

    async def expire_over(self, before: datetime) -> None:
        """Delete some of the tournaments whose last round ended before that time."""
        rounds = tournament_rounds.c
        ended = select(func.max(rounds.ended_at)).where(rounds.tournament == tournaments.c.id)
        await self._expire(ended.scalar_subquery() < before, OVER)

    async def _expire(self, old: ColumnElement[bool], state: str) -> None:
        # Games expire separately, and the tournaments of the league never do.
        expired = select(tournaments.c.id).where(
            old, tournaments.c.state == state, tournaments.c.league.is_(None)
        )
        async with self._database.writing() as connection:
            ids = list(await connection.scalars(expired.limit(_MAX_EXPIRED)))
            await connection.execute(delete(tournaments).where(tournaments.c.id.in_(ids)))


def bot_name(taken: Iterable[str]) -> str:
    """The first bot name that is not taken."""
    names = _folded(taken)
    return next(name for at in itertools.count(1) if (name := f"Bot {at}").casefold() not in names)


def _folded(names: Iterable[str]) -> set[str]:
    return {name.casefold() for name in names}


async def _change(connection: AsyncConnection, tournament_id: str, state: str, /, **values: Any) -> bool:
    """Update a tournament if it is in that state, and lock it for this transaction; return whether it is."""
    return await _update(
        connection, tournaments.c.id == tournament_id, tournaments.c.state == state, **values
    )


async def _change_unchanged(connection: AsyncConnection, read: TournamentRow, /, **values: Any) -> bool:
    """Update a tournament if it is unchanged since it was read; return whether it is."""
    return await _update(
        connection, tournaments.c.id == read.id, tournaments.c.revision == read.revision, **values
    )


async def _update(connection: AsyncConnection, /, *where: ColumnElement[bool], **values: Any) -> bool:
    changed = await connection.execute(
        update(tournaments).where(*where).values(revision=tournaments.c.revision + 1, **values)
    )
    return bool(changed.rowcount)


async def _insert_entries(connection: AsyncConnection, tournament_id: str, entries: Sequence[Entry]) -> None:
    for entry in entries:
        row = asdict(entry) | {"tournament": tournament_id}
        await connection.execute(insert(tournament_entries).values(**row))


async def mark_tournaments_changed(connection: AsyncConnection, owner: str) -> None:
    """Mark all tournaments that a person hosts or plays in as changed."""
    entered = select(tournament_entries.c.tournament).where(tournament_entries.c.owner == owner)
    await connection.execute(
        update(tournaments)
        .where(or_(tournaments.c.host == owner, tournaments.c.id.in_(entered)))
        .values(revision=tournaments.c.revision + 1)
    )


async def erase_entrant(connection: AsyncConnection, owner: str) -> None:
    """Replace a person in tournaments with a former player, for whom a bot plays on."""
    await mark_tournaments_changed(connection, owner)
    held = tournament_entries.c.owner == owner
    await connection.execute(
        update(tournament_entries).where(held).values(owner=None, name=FORMER_PLAYER, withdrawn=True)
    )
    await connection.execute(update(tournaments).where(tournaments.c.host == owner).values(host=None))


async def _rows(connection: AsyncConnection, table: Table, tournament_id: str) -> Sequence[Row[Any]]:
    found = select(table).where(table.c.tournament == tournament_id)
    return (await connection.execute(found.order_by(*table.primary_key))).all()


async def _pairing_rows(connection: AsyncConnection, tournament_id: str) -> Sequence[Row[Any]]:
    found = select(pairings, games.c.id.label("existing_game")).outerjoin(
        games, pairings.c.game == games.c.id
    )
    found = found.where(pairings.c.tournament == tournament_id)
    return (await connection.execute(found.order_by(*pairings.primary_key))).all()


def _tournament(row: Row[Any]) -> TournamentRow:
    facts = dict(row._mapping)
    return TournamentRow(
        **facts | {"created_at": in_utc(row.created_at), "starts_at": in_utc_or_none(row.starts_at)}
    )


def _pairing(row: Row[Any]) -> Pairing:
    entries = tuple(map(int, row.entries.split(",")))
    outcome = msgspec.json.decode(row.outcome, type=Outcome) if row.outcome else None
    return Pairing(row.round, row.number, entries, row.game, outcome, row.existing_game is not None)

"""Operations on a person: changing the key, merging, erasing, and signing devices in and out."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from hegemon.server.db.upkeep import truncate_log
from hegemon.server.security import tokens
from hegemon.server.tables.session_streams import SessionStreams
from hegemon.server.tables.vacations import apply_vacations

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: Messages to other workers: sessions have ended; something about a person has changed.
SESSIONS: Final = "sessions"
PEOPLE: Final = "people"

#: Seconds between checks whether the sessions of open streams are still valid.
_SESSION_INTERVAL: Final = 10


class PeopleService:
    def __init__(self, tables: "TableRegistry") -> None:
        self._tables = tables
        self._store = tables.store
        self.session_streams = SessionStreams()
        self.on_sign_out: Callable[[], None] | None = None
        """Called when a device may have been signed out."""
        tables.cluster.subscribe(SESSIONS, lambda _, ids: self._sessions_ended(ids))
        tables.cluster.subscribe(PEOPLE, lambda _, owners: self._people_changed(owners))
        tables.store.profiles.on_change = lambda owners: tables.cluster.publish(PEOPLE, owners)

    def start(self) -> None:
        self._tables.background.start(SESSIONS, self._check_sessions)

    async def change_owner(self, old: str, new: str, session: int | None = None) -> None:
        """Transfer everything from a key to a new one; all sessions except `session` end."""
        async with self._tables.loading:  # no table may be loaded with the old owner
            ended = await self._store.people.change_owner(old, new, session)
            self._change_owner(old, new)
        self.end_sessions(ended)

    async def drop_key(self, owner: str) -> None:
        """Remove the key of a person, whose sessions stay valid."""
        keyless = tokens.keyless_owner()
        async with self._tables.loading:
            await self._store.people.drop_key(owner, keyless)
            self._change_owner(owner, keyless)

    async def merge(self, old: str, new: str) -> None:
        """Transfer everything from one person to another; raise ConflictError if they play against each other."""
        async with self._tables.loading:
            await self._store.people.merge(old, new)
            await self._store.vacations.limit(new, self._tables.config.vacation_days)
            self._change_owner(old, new)
        await apply_vacations(self._tables, new)

    def _change_owner(self, old: str, new: str) -> None:
        for table in self._tables.in_memory:
            table.change_owner(old, new)
        self._tables.cluster.publish(PEOPLE, [old])
        self.note_sign_out()

    async def erase(self, owner: str) -> None:
        """Erase a person; a bot takes over in unfinished games."""
        async with self._tables.loading:
            ended = [session.id for session in await self._store.devices.sessions_of(owner)]
            await self._store.people.erase(owner)
            await truncate_log(self._store.database)
            erased = [table for table in self._tables.in_memory if table.erase(owner)]
        self._tables.cluster.publish(PEOPLE, [owner])
        self.end_sessions(ended)
        for table in erased:
            self._tables.changed(table)

    def _people_changed(self, owners: Sequence[str]) -> None:
        self._store.profiles.drop_cached(owners)
        for owner in owners:
            for table in self._tables.with_seat_of(owner):
                self._tables.replicas.mark_stale(table.id)

    # ---------------------------------------------------------------- sessions

    async def start_session(
        self, token: str, owner: str, browser: str, system: str, code: str | None = None
    ) -> None:
        """Sign in a device by the digest of its token; this uses up the recovery code, if one is given."""
        today = self._tables.now().date()
        ended = await self._store.devices.start_session(token, owner, browser, system, today, code)
        self.end_sessions(ended)
        self.note_sign_out()

    async def end_session(self, owner: str, session_id: int) -> None:
        """Sign out a device of a person, and end its streams."""
        if await self._store.devices.end_session(owner, session_id):
            self.end_sessions([session_id])
            self.note_sign_out()

    def end_sessions(self, session_ids: Iterable[int]) -> None:
        """End the streams of sessions that are over, in all workers."""
        ended = list(session_ids)
        self.session_streams.end(ended)
        if ended:
            self._tables.cluster.publish(SESSIONS, ended)

    def note_sign_out(self) -> None:
        """Withdraw notices from devices that may have been signed out."""
        self._tables.cluster.publish(SESSIONS, [])
        if self.on_sign_out is not None:
            self.on_sign_out()

    def _sessions_ended(self, session_ids: Iterable[int]) -> None:
        self.session_streams.end(session_ids)
        if self.on_sign_out is not None:
            self.on_sign_out()

    async def _check_sessions(self) -> None:
        """End the streams of sessions that were ended at another worker, in case its message was lost."""
        while True:
            self._tables.background.report_success(SESSIONS)
            await asyncio.sleep(_SESSION_INTERVAL)
            if self._tables.cluster.has_others and (sessions := self.session_streams.open):
                self.session_streams.end(await self._store.devices.ended(sessions))

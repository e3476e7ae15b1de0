"""The registry of tables: always in the store, and in memory while they are in use.

Several workers may have the same table in memory. Each applies what the others save (`catch_up`); what happens without
a request, such as a bot's move, is up to the worker that owns the table (`hegemon.server.cluster`).
"""

import asyncio
import contextlib
import dataclasses
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from hegemon.notation.errors import NotationError
from hegemon.notation.record import write_record
from hegemon.play.game import Game
from hegemon.server.background import BackgroundTasks
from hegemon.server.cluster.cluster import Alone, Cluster
from hegemon.server.config import ServerConfig
from hegemon.server.db.database import ConflictError, StorageError
from hegemon.server.db.games import RunningClock
from hegemon.server.db.options import TableOptions
from hegemon.server.db.schema import DEFAULT_OPTIONS, MoveRow, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.logging import note
from hegemon.server.security import tokens
from hegemon.server.tables.analyst import Analyst
from hegemon.server.tables.bots import BotRunner
from hegemon.server.tables.clock import read_time_control
from hegemon.server.tables.errors import BrokenGame, TableNotFound
from hegemon.server.tables.names import with_allowed_names
from hegemon.server.tables.plans import Planner
from hegemon.server.tables.presence import PRESENCE, PresenceGossip, update_presence
from hegemon.server.tables.replicas import Replicas
from hegemon.server.tables.scheduler import Scheduler
from hegemon.server.tables.session_streams import SessionStreams
from hegemon.server.tables.substitutes import substitute_overdue
from hegemon.server.tables.table import Subscriber, Table
from hegemon.server.tables.turns import TURNS, TurnWriter
from hegemon.server.tables.vacations import apply_vacations, refresh_vacations

#: The name of the background task that checks deadlines, and of the one that takes over tables of other workers.
CLOCKS: Final = "clocks"
TAKEOVER: Final = "takeover"

#: Messages to other workers: sessions have ended; something about a person has changed.
SESSIONS: Final = "sessions"
PEOPLE: Final = "people"

#: Seconds between checks whether the sessions of open streams are still valid.
_SESSION_INTERVAL: Final = 10

#: Imported games beyond this number or age are deleted, the oldest first.
MAX_IMPORTS: Final = 5_000
_MAX_IMPORT_AGE: Final = timedelta(days=30)

_LOG: Final = logging.getLogger("hegemon.server")


class TableRegistry:
    def __init__(self, store: Store, config: ServerConfig, cluster: Cluster | None = None) -> None:
        self.store = store
        self.config = config
        self.cluster = cluster or Alone()
        self.now = config.now
        self.on_turn: Callable[[Table], None] | None = None
        """Called when the turn may have changed; may also be called when it has not."""
        self.on_game_over: Callable[[Table], Awaitable[None]] | None = None
        """Called when a game is over, and again when such a table is loaded."""
        self.on_sign_out: Callable[[], None] | None = None
        """Called when a device may have been signed out."""
        self.on_catch_up: Callable[[Table], None] | None = None
        """Called when a table includes changes of other workers."""
        self.scheduler = Scheduler(lambda: self.now())
        self.bots = BotRunner(self)
        self.planner = Planner(self)
        self.analyst = Analyst(self)
        self.turns = TurnWriter(self)
        self.closed = False
        self._gained = asyncio.Event()
        """Set when there may be tables that this worker has to look after."""
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._loading = asyncio.Lock()
        self.session_streams = SessionStreams()
        self.background = BackgroundTasks()
        self.followers: set[Subscriber] = set()
        """Streams that follow something other than a table."""
        self.broken: set[str] = set()
        """The games that could not be loaded."""
        self.replicas = Replicas(self)
        self.gossip = PresenceGossip(self)
        self.cluster.subscribe(SESSIONS, lambda _, ids: self._sessions_ended(ids))
        self.cluster.subscribe(PEOPLE, lambda _, owners: self._people_changed(owners))
        self.cluster.subscribe(PRESENCE, self.gossip.receive)
        store.profiles.on_change = lambda owners: self.cluster.publish(PEOPLE, owners)

    async def start(self) -> None:
        """Find the deadlines of all games before any request changes one, and start the background tasks."""
        with contextlib.suppress(StorageError, SQLAlchemyError):  # the background task tries again
            await self._find_deadlines()
        self.background.start(CLOCKS, self.run_scheduler)
        self.background.start(TAKEOVER, self._run_takeovers)
        self.background.start(TURNS, self.turns.run)
        self.background.start(PRESENCE, self.gossip.run)
        self.background.start(SESSIONS, self._check_sessions)
        self.bots.start()

    async def create(
        self,
        game: Game,
        seats: Sequence[SeatRow],
        *,
        host: str | None = None,
        options: TableOptions = DEFAULT_OPTIONS,
        public: bool = False,
        previous_game: str | None = None,
        game_id: str = "",
    ) -> str:
        """Create a table for a game in its current position; return its id, by default a random one."""
        game_id = game_id or secrets.token_urlsafe(12)
        seats = await with_allowed_names(self.store, game.names, seats)
        await self.store.games.create(
            game_id,
            *_rows_of(game, seats),
            host=host,
            options=options,
            public=public,
            previous_game=previous_game,
            now=self.now(),
        )
        note("table created", game=game_id, seats=len(seats), bots=sum(row.bot is not None for row in seats))
        return game_id

    async def import_game(self, game: Game) -> str:
        """Create a table without players for a game that was played elsewhere; return its id."""
        game_id = secrets.token_urlsafe(12)
        seats = await with_allowed_names(self.store, game.names, [SeatRow(None, None)] * game.players)
        await self.store.games.create(
            game_id,
            *_rows_of(game, seats),
            finished=game.over,
            now=self.now(),
        )
        self.forget(await self.store.games.limit_imported(self.now() - _MAX_IMPORT_AGE, MAX_IMPORTS))
        return game_id

    async def load(self, game_id: str, *, requested: bool = True) -> Table:
        """The table with that id; its bots run if a person plays there or has requested it.

        A request gets the table as this worker knows it (see `refresh`), anything else as it is in the store.
        """
        table, is_new = self._tables.get(game_id), False
        if table is None:
            async with self._loading:
                table = self._tables.get(game_id)
                if table is None:
                    table, is_new = await self._replayed(game_id), True
                    self._tables[game_id] = table
                    await self.game_may_be_over(table)
        if game_id in self._tables:
            self._tables.move_to_end(game_id)
        self._evict()
        if table.started_at is None and not table.is_waiting:
            async with table.lock:
                if table.started_at is None:
                    table.start(await self.store.games.start(table.id, self.now()))
        if requested:
            table.presence.note_request(self.now())
        if is_new:
            self.gossip.ask(table)
        elif not requested:
            await self.refresh(table)
        if self.cluster.has_others and (is_new or not table.clock.is_limited):
            self._wake_owner(table)
        self.turn_changed(table)
        return table

    def _wake_owner(self, table: Table) -> None:
        """Tell the owner of a table, who may not have it in memory, that someone waits for a bot."""
        if table.is_driven and not self.cluster.owns(table.id):
            self.announce(table)

    async def refresh(self, table: Table) -> None:
        """Make sure that a table includes everything that other workers had saved before this call."""
        if self.cluster.has_others:
            revisions = await self.store.changes.of_game(table.id)
            if any(table.revisions.get(writer) != revision for writer, revision in revisions.items()):
                await self.catch_up(table)

    async def _replayed(self, game_id: str) -> Table:
        """The table of a game in the store; raises BrokenGame if it cannot be replayed."""
        try:
            row = await self.store.games.load(game_id)
            if row is None:
                raise TableNotFound
            owners = {seat.owner for seat in row.seats if seat.owner is not None and row.options.clock}
            table = Table(row, await self.store.vacations.of(*owners) if owners else {})
        except (TableNotFound, SQLAlchemyError, StorageError):
            raise
        except Exception as error:
            if game_id not in self.broken:
                _LOG.exception("a game cannot be loaded", extra={"facts": {"game": game_id}})
            self.broken.add(game_id)
            raise BrokenGame from error
        self.broken.discard(game_id)
        return table

    async def game_may_be_over(self, table: Table) -> None:
        """Update ratings and results if a game is over; if that fails, the next load of the table tries again."""
        if table.game.over and self.on_game_over is not None:
            try:
                await self.on_game_over(table)
            except Exception:
                _LOG.exception(
                    "ratings and results could not be updated", extra={"facts": {"game": table.id}}
                )

    def get(self, game_id: str) -> Table | None:
        """The table with that id, if it is in memory."""
        return self._tables.get(game_id)

    @property
    def in_memory(self) -> tuple[Table, ...]:
        return tuple(self._tables.values())

    def with_seat_of(self, owner: str) -> list[Table]:
        """The tables in memory at which a person has a seat."""
        return [table for table in self._tables.values() if table.seats_of(owner)]

    async def reload(self, table: Table) -> None:
        """Apply what other workers have saved; the caller holds the lock of the table."""
        row = await self.store.games.load(table.id, after=table.version)
        if row is None:
            raise TableNotFound
        table.catch_up(row)
        await refresh_vacations(self, table)
        if self.on_catch_up is not None:
            self.on_catch_up(table)

    # ---------------------------------------------------------------- other workers

    async def catch_up(self, table: Table) -> None:
        """Apply what other workers have saved, and do what follows from it."""
        async with table.lock:
            await self.reload(table)
        self.turn_changed(table)

    def announce(self, table: Table) -> None:
        """Tell the other workers that a table was changed here."""
        self.replicas.announce(table)

    def changed(self, table: Table) -> None:
        """Announce a change that was made here, and do what follows from it."""
        if self.cluster.has_others:
            self.announce(table)
        self.turn_changed(table, here=True)

    def worker_lost(self, worker: str) -> None:
        """Note that another worker has died, perhaps in the middle of something."""
        self.gossip.drop(worker)
        self._gained.set()

    def gained(self) -> None:
        """Note that this worker may own tables that it did not own before."""
        self._gained.set()

    async def _run_takeovers(self) -> None:
        while True:
            await self._gained.wait()
            await self._find_deadlines()
            self.background.works(TAKEOVER)

    def _sessions_ended(self, session_ids: Iterable[int]) -> None:
        self.session_streams.end(session_ids)
        if self.on_sign_out is not None:
            self.on_sign_out()

    async def _check_sessions(self) -> None:
        """End the streams of sessions that were ended at another worker, in case its message was lost."""
        while True:
            self.background.works(SESSIONS)
            await asyncio.sleep(_SESSION_INTERVAL)
            if self.cluster.has_others and (sessions := self.session_streams.open):
                self.session_streams.end(await self.store.devices.ended(sessions))

    def _people_changed(self, owners: Sequence[str]) -> None:
        self.store.profiles.drop(owners)
        for owner in owners:
            for table in self.with_seat_of(owner):
                self.replicas.note_change(table.id)

    def _evict(self) -> None:
        """Drop the least recently used tables that have neither streams nor bots at work."""
        excess = max(0, len(self._tables) - self.config.max_tables_in_memory)
        for game_id, table in list(self._tables.items())[:excess]:
            if not (table.subscribers or self.bots.is_running(table) or self.planner.is_running(table)):
                del self._tables[game_id]

    # ---------------------------------------------------------------- people

    async def change_owner(self, old: str, new: str, session: int | None = None) -> None:
        """Transfer everything from a key to a new one; all sessions except `session` end."""
        async with self._loading:  # so that no table is loaded with the old owner meanwhile
            ended = await self.store.players.change_owner(old, new, session)
            self._change_owner(old, new)
        self._end_sessions(ended)

    async def drop_key(self, owner: str) -> None:
        """Remove the key of a person, whose sessions stay valid."""
        keyless = tokens.keyless_owner()
        async with self._loading:
            await self.store.players.drop_key(owner, keyless)
            self._change_owner(owner, keyless)

    async def merge(self, old: str, new: str) -> None:
        """Transfer everything from one person to another; raise ConflictError if they play against each other."""
        async with self._loading:
            await self.store.players.merge(old, new)
            await self.store.vacations.limit(new, self.config.vacation_days)
            self._change_owner(old, new)
        await apply_vacations(self, new)

    def _change_owner(self, old: str, new: str) -> None:
        for table in self._tables.values():
            table.change_owner(old, new)
        self.cluster.publish(PEOPLE, [old])
        self.signed_out()

    async def erase(self, owner: str) -> None:
        """Erase a person; a bot takes over in unfinished games."""
        async with self._loading:
            ended = [session.id for session in await self.store.devices.sessions_of(owner)]
            await self.store.players.erase(owner)
            await self.store.database.empty_log()
            erased = [table for table in self._tables.values() if table.erase(owner)]
        self.cluster.publish(PEOPLE, [owner])
        self._end_sessions(ended)
        for table in erased:
            self.changed(table)

    async def start_session(
        self, token: str, owner: str, browser: str, system: str, code: str | None = None
    ) -> None:
        """Sign in a device by the digest of its token; this uses up the recovery code, if one is given."""
        today = self.now().date()
        ended = await self.store.devices.start_session(token, owner, browser, system, today, code)
        self._end_sessions(ended)
        self.signed_out()

    async def end_session(self, owner: str, session_id: int) -> None:
        """Sign out a device of a person, and end its streams."""
        if await self.store.devices.end_session(owner, session_id):
            self._end_sessions([session_id])
            self.signed_out()

    def _end_sessions(self, session_ids: Iterable[int]) -> None:
        """End the streams of sessions that are over, in all workers."""
        ended = list(session_ids)
        self.session_streams.end(ended)
        if ended:
            self.cluster.publish(SESSIONS, ended)

    def signed_out(self) -> None:
        """Withdraw notices from devices that may have been signed out."""
        self.cluster.publish(SESSIONS, [])
        if self.on_sign_out is not None:
            self.on_sign_out()

    # ---------------------------------------------------------------- what happens without a request

    def forget(self, game_ids: Iterable[str]) -> None:
        """Drop tables that are no longer in the store, and end their streams."""
        for game_id in game_ids:
            if (table := self._tables.pop(game_id, None)) is not None:
                for subscriber in table.subscribers:
                    subscriber.close()

    def turn_changed(self, table: Table, *, here: bool = False) -> None:
        """Schedule the next deadline and note whose turn it is; as the owner, play plans, notify players, run bots.

        The players of a table without clocks are notified by the worker where the turn was changed.
        """
        owned = self.cluster.owns(table.id)
        if owned or here:
            self.turns.note(table)
        self.scheduler.schedule(table.id, table.next_deadline(self.now(), with_clocks=owned))
        notifies = owned or (here and not table.clock.is_limited)
        if not (owned and self.planner.run(table)) and notifies and self.on_turn is not None:
            self.on_turn(table)
        if owned:
            self.bots.run(table)

    async def _find_deadlines(self) -> None:
        """Schedule the games that this worker owns: those with clocks, and those that were changed last.

        A server that was killed may have missed a moment of the latter.
        """
        self._gained.clear()
        try:
            for running in await self.store.games.running_clocks():
                if self.cluster.owns(running.game):
                    self.scheduler.schedule(running.game, first_check(running, self.now()))
            for game_id in {*await self.store.games.changed_last(), *self._tables}:
                if self.cluster.owns(game_id):
                    self.scheduler.schedule(game_id, self.now())
        except BaseException:
            self._gained.set()
            raise

    async def run_scheduler(self) -> None:
        """Check deadlines as they come, also of tables that are not in memory."""
        self.background.works(CLOCKS)
        await self.scheduler.run(self.check_deadlines)

    async def check_deadlines(self, game_id: str) -> None:
        """Substitute players who are out of time, and notice who has become absent."""
        owned = self.cluster.owns(game_id)
        if not owned and game_id not in self._tables:
            return
        table = await self.load(game_id, requested=False)
        if owned:
            await substitute_overdue(self, table)
        update_presence(self, table)
        self.turn_changed(table)

    def disconnect_all(self) -> None:
        """End all streams."""
        for follower in tuple(self.followers):
            follower.close()
        for table in self._tables.values():
            for subscriber in table.subscribers:
                subscriber.close()

    async def close(self) -> None:
        self.closed = True
        await self.background.close()
        await self.replicas.close()
        self.disconnect_all()
        await self.planner.close()
        await self.bots.close()
        await self.analyst.close()
        try:
            await self.turns.save()
        except (ConflictError, StorageError, SQLAlchemyError):
            _LOG.exception("the last turns could not be saved")
        await self.store.close()


def first_check(running: RunningClock, now: datetime) -> datetime:
    """When a server that starts has to look at a game: when a player is to be reminded, or at once."""
    if running.deadline is not None:
        with contextlib.suppress(NotationError):  # a damaged game, whose load will show it
            return max(now, running.deadline - read_time_control(running.clock).reminder_lead)
    return now


def _rows_of(game: Game, seats: Sequence[SeatRow]) -> tuple[str, Sequence[SeatRow], list[MoveRow]]:
    """What is stored of a game: its record without moves, its seats, and its moves."""
    record = dataclasses.replace(game.record(), moves=(), result=None)
    moves = [
        MoveRow(version, *move) for version, move in enumerate(zip(game.movers, game.moves, strict=True), 1)
    ]
    return write_record(record), seats, moves

"""The registry of tables: always in the store, and in memory while they are in use.

Several workers may have the same table in memory. Each applies the changes that the others save (`catch_up`); what
happens without a request, such as a bot's move, is done by the worker that owns the table (`hegemon.server.cluster`).
"""

import asyncio
import dataclasses
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import timedelta
from itertools import islice
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from hegemon.notation.record import write_record
from hegemon.play.game import Game
from hegemon.server.background import BackgroundTasks
from hegemon.server.cluster.cluster import Cluster, SingleWorker
from hegemon.server.config import ServerConfig
from hegemon.server.db.errors import ConflictError, StorageError
from hegemon.server.db.options import DEFAULT_OPTIONS, TableOptions
from hegemon.server.db.rows import GameRow, GameUpdate, MoveRow, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.logging import log_event
from hegemon.server.tables.analyst import Analyst
from hegemon.server.tables.bots import BotRunner
from hegemon.server.tables.driver import TableDriver
from hegemon.server.tables.errors import BrokenGame, TableNotFound
from hegemon.server.tables.names import with_allowed_names
from hegemon.server.tables.people import PeopleService
from hegemon.server.tables.plans import Planner
from hegemon.server.tables.presence import PRESENCE, PresenceGossip
from hegemon.server.tables.replicas import Replicas
from hegemon.server.tables.table import Subscriber, Table
from hegemon.server.tables.turns import TURNS, TurnWriter
from hegemon.server.tables.vacations import refresh_vacations

#: Imported games beyond this number or age are deleted, the oldest first.
MAX_IMPORTS: Final = 5_000
_MAX_IMPORT_AGE: Final = timedelta(days=30)

_LOG: Final = logging.getLogger("hegemon.server")


class TableRegistry:
    def __init__(self, store: Store, config: ServerConfig, cluster: Cluster | None = None) -> None:
        self.store = store
        self.config = config
        self.cluster = cluster or SingleWorker()
        self.now = config.now
        self.on_game_over: Callable[[Table], Awaitable[None]] | None = None
        """Called when a game is over, and again when such a table is loaded."""
        self.on_catch_up: Callable[[Table], None] | None = None
        """Called when a table includes changes of other workers."""
        self.bots = BotRunner(self)
        self.planner = Planner(self)
        self.analyst = Analyst(self)
        self.turns = TurnWriter(self)
        self.closed = False
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self.loading = asyncio.Lock()
        """Held while a table is loaded, or while the owner of seats changes in the store and in memory."""
        self.background = BackgroundTasks()
        self.followers: set[Subscriber] = set()
        """Streams that follow something other than a table."""
        self.broken: set[str] = set()
        """The games that could not be loaded."""
        self.replicas = Replicas(self)
        self.gossip = PresenceGossip(self)
        self.driver = TableDriver(self)
        self.people = PeopleService(self)
        self.cluster.subscribe(PRESENCE, self.gossip.receive)

    async def start(self) -> None:
        """Find the deadlines of all games before any request changes one, and start the background tasks."""
        await self.driver.start()
        self.background.start(TURNS, self.turns.run)
        self.background.start(PRESENCE, self.gossip.run)
        self.people.start()
        self.bots.start()

    def start_owned_task(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Start a background task that runs only at the worker that owns its name."""
        self.background.start(name, lambda: self.cluster.run_while_owner(name, work))

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
        log_event(
            "table created", game=game_id, seats=len(seats), bots=sum(row.bot is not None for row in seats)
        )
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
            async with self.loading:
                table = self._tables.get(game_id)
                if table is None:
                    table, is_new = await self._replay(game_id), True
                    self._tables[game_id] = table
                    await self.record_result_if_over(table)
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
        self.driver.turn_changed(table)
        return table

    def _wake_owner(self, table: Table) -> None:
        """Notify the owner of a table, which may not have it in memory, that a bot is to move."""
        if table.is_driven and not self.cluster.owns(table.id):
            self.announce(table)

    async def refresh(self, table: Table) -> None:
        """Apply all changes that any worker had saved before this call."""
        if self.cluster.has_others:
            # Others may have shown a change of this worker before it got the response of the database: wait for it.
            async with table.lock:
                pass
            revisions = await self.store.changes.of_game(table.id)
            if any(table.revisions.get(writer) != revision for writer, revision in revisions.items()):
                await self.catch_up(table)

    async def _replay(self, game_id: str) -> Table:
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

    async def record_result_if_over(self, table: Table) -> None:
        """Save results and ratings if a game is over; if that fails, the next load of the table tries again."""
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
        await self.apply_update(table, row)

    async def apply_update(self, table: Table, row: GameRow | GameUpdate) -> None:
        """Apply changes of other workers that were loaded under the lock of the table, which the caller still holds."""
        table.catch_up(row)
        await refresh_vacations(self, table)
        if self.on_catch_up is not None:
            self.on_catch_up(table)

    # ---------------------------------------------------------------- other workers

    async def catch_up(self, table: Table) -> None:
        """Apply what other workers have saved, and act on it."""
        async with table.lock:
            await self.reload(table)
        self.driver.turn_changed(table)

    def announce(self, table: Table) -> None:
        """Tell the other workers that a table was changed here."""
        self.replicas.announce(table)

    def changed(self, table: Table) -> None:
        """Announce a change that was made here, and act on it."""
        if self.cluster.has_others:
            self.announce(table)
        self.driver.turn_changed(table, changed_here=True)

    def _evict(self) -> None:
        """Drop the least recently used tables that have neither streams nor bots at work."""
        excess = len(self._tables) - self.config.max_tables_in_memory
        for game_id, table in list(islice(self._tables.items(), max(0, excess))):
            if not (table.subscribers or self.bots.is_running(table) or self.planner.is_running(table)):
                del self._tables[game_id]

    def forget(self, game_ids: Iterable[str]) -> None:
        """Drop tables that are no longer in the store, and end their streams."""
        for game_id in game_ids:
            if (table := self._tables.pop(game_id, None)) is not None:
                for subscriber in table.subscribers:
                    subscriber.close()

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


def _rows_of(game: Game, seats: Sequence[SeatRow]) -> tuple[str, Sequence[SeatRow], list[MoveRow]]:
    """The values to store for a game: its record without moves, its seats, and its moves."""
    moves = [
        MoveRow(version, *move) for version, move in enumerate(zip(game.movers, game.moves, strict=True), 1)
    ]
    return stored_record(game), seats, moves


def stored_record(game: Game) -> str:
    """The record of a game without its moves, and without comments, which would take a quarter of the space."""
    record = write_record(dataclasses.replace(game.record(), moves=(), result=None))
    return "\n".join(line for line in record.split("\n") if not line.startswith("#"))

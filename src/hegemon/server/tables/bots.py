"""Bots at tables: they think in other processes or in low-priority threads, and see only what their seats may know.

Callers take turns, and the bots at a table without people pause until a spectator arrives.
"""

import asyncio
import logging
import os
import secrets
import sys
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakKeyDictionary

from hegemon.bots import BOTS, LEVELS, make_bot, warm_up
from hegemon.bots.search import Search, turn_id
from hegemon.play.memory import Memory
from hegemon.play.player import Player
from hegemon.rules.shuffle import stream
from hegemon.rules.view import View
from hegemon.server.db.rows import SeatRow
from hegemon.server.tables.errors import SeatLost, StaleVersionError
from hegemon.server.tables.fair_queue import FairQueue
from hegemon.server.tables.moves import submit_move
from hegemon.server.tables.table import Table
from hegemon.server.thinking.jobs import JobFailed, is_search, job_of
from hegemon.server.thinking.process import NICENESS
from hegemon.server.thinking.thinkers import Thinkers

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The niceness of bot threads: requests come first.
BOT_NICENESS: Final = NICENESS

#: The bots that replace levels with a time limit where bots have a seed: a number of iterations is deterministic.
DETERMINISTIC_BOTS: Final = {"expert": "learned:30", "champion": "learned:3000"}

#: The number of concurrent searches, in total and per caller.
MAX_SEARCHES: Final = min(32, (os.cpu_count() or 1) + 4)
MAX_SEARCHES_OF_CALLER: Final = MAX_SEARCHES // 2

#: The places in the queue for thinkers while there are none: all callers proceed to the queue for threads.
_NO_LIMIT: Final = 1_000_000

#: The caller of all tournament tables at which only bots play.
UNATTENDED: Final = "tournaments"

_LOG: Final = logging.getLogger("hegemon.server")

Result = TypeVar("Result")

#: Everything that a bot gets for a choice: the view of its seat, its memory and the legal choices.
Knowledge = tuple[View, Memory, tuple[str, ...]]


@dataclass
class BotTurn:
    """A turn of a bot; some of its choices may be made by thinkers."""

    occupant: SeatRow
    key: tuple[int, int, int]
    """What `turn_of` returns for all choices of the turn."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    spent: float = 0.0
    """The seconds that the bot has thought in this turn."""

    def choose(self, player: Player, known: Knowledge) -> str:
        """Let a player choose, in the time that is left."""
        if self.spent and isinstance(player, Search):
            player.continue_turn(known[0], self.spent)
        began = time.perf_counter()
        choice = player.choose(*known)
        self.spent += time.perf_counter() - began
        return choice


class BotRunner:
    def __init__(self, tables: "TableRegistry") -> None:
        self._tables = tables
        self._threads = ThreadPoolExecutor(MAX_SEARCHES, thread_name_prefix="bot", initializer=lower_priority)
        self._queue = FairQueue(MAX_SEARCHES, MAX_SEARCHES_OF_CALLER, "threads")
        config = tables.config
        self._thinkers = Thinkers(
            config.thinkers, tables.store.thinking, config.database, self._thinkers_changed
        )
        self._jobs = FairQueue(_NO_LIMIT, _NO_LIMIT, "thinkers")
        self._turns: WeakKeyDictionary[Table, dict[int, BotTurn]] = WeakKeyDictionary()
        self._tasks: WeakKeyDictionary[Table, asyncio.Task[None]] = WeakKeyDictionary()
        self._players: WeakKeyDictionary[Table, dict[int, tuple[SeatRow, Player]]] = WeakKeyDictionary()
        self._submissions: set[asyncio.Future[int]] = set()
        self._warm: set[str] = set()
        """The levels whose compiled search has been loaded, or is being loaded."""
        self._closed = False

    def start(self) -> None:
        """Start thinking processes, and look for thinkers on other hosts; until one is ready, bots think in threads."""
        self._thinkers.start()

    def _thinkers_changed(self) -> None:
        places = self._thinkers.places or _NO_LIMIT
        self._jobs.resize(places, max(1, places // 2))

    def run(self, table: Table) -> None:
        """Run the bots that are to move."""
        if self._closed or self._tables.closed or self.is_running(table):
            return
        self._warm_up(table)
        if table.game.over and (players := self._players.pop(table, None)):
            self._threads.submit(players.clear)  # a bot in another process may take a moment to exit
        if any(table.seats[seat].acting_bot for seat in table.to_move) and not self._is_paused(table):
            task = self._tasks[table] = asyncio.create_task(self._run(table))
            task.add_done_callback(_log_failure)

    def _warm_up(self, table: Table) -> None:
        """Load the search that the bots of a table need; a server without bots needs half the memory."""
        levels = {row.acting_bot for row in table.seats if row.acting_bot in LEVELS} - self._warm
        if levels and not self._tables.config.thinkers:
            self._warm |= levels
            self._threads.submit(warm_up, levels, wait=False)

    @property
    def waiting(self) -> int:
        """The number of waiting computations."""
        return self._queue.waiting + self._jobs.waiting

    def is_running(self, table: Table) -> bool:
        return table in self._tasks and not self._tasks[table].done()

    async def wait(self, table: Table) -> None:
        """Wait until no bot at the table is to move, or one has failed."""
        if table in self._tasks:
            await asyncio.wait([self._tasks[table]])

    def _is_paused(self, table: Table) -> bool:
        """Whether no person plays at a table, watches it, or waits for its result."""
        if table.options.tournament:
            return False
        return not table.has_person and not table.presence.is_attended(self._tables.now())

    async def _run(self, table: Table) -> None:
        while seats := [seat for seat in table.to_move if table.seats[seat].acting_bot]:
            if self._is_paused(table) or not self._tables.cluster.owns(table.id):
                return
            seat, version, occupant = seats[0], table.version, table.seats[seats[0]]
            choice = await self._choose(table, seat)
            try:
                await self._submit_shielded(
                    submit_move(self._tables, table, seat, choice, version, None, occupant)
                )
            except (StaleVersionError, SeatLost):
                continue  # an undo, or another player took the seat: start over

    async def _choose(self, table: Table, seat: int) -> str:
        """The choice of the bot on a seat."""
        # A bot gets a copy of the view and memory of its seat, and never accesses the table.
        known = table.game.view(seat), table.game.memory(seat), table.snapshot.choices_of(seat)
        if table.seats[seat].acting_bot in self._tables.config.allowed_bots:
            return await self._choose_with_allowed_bot(table, seat, known)
        turn = self._turn(table, seat, known[0])
        choice = await self._choose_with_thinker(table, seat, turn, known)
        if choice is not None:
            return choice
        return await self.run_in_thread(table, partial(turn.choose, self._player(table, seat), known))

    async def _choose_with_allowed_bot(self, table: Table, seat: int, known: Knowledge) -> str:
        """The choice of a bot that the host of the server has allowed; if it fails, a substitute takes over."""
        name, config = table.seats[seat].acting_bot, self._tables.config
        *_, choices = known
        try:
            choice = await self.run_in_thread(table, partial(self._player(table, seat).choose, *known))
            if choice in choices:
                return choice
            failure: Exception | None = None
        except Exception as error:
            failure = error
        _LOG.error("the bot %s failed, and %s plays on", name, config.substitute_bot, exc_info=failure)
        substitute = config.make_bot(config.substitute_bot)
        self._players[table][seat] = table.seats[seat], substitute
        return await self.run_in_thread(table, partial(substitute.choose, *known))

    async def _choose_with_thinker(
        self, table: Table, seat: int, turn: BotTurn, known: Knowledge
    ) -> str | None:
        """The choice of a thinker; None if the bot has to think in a thread of the server."""
        row, options = table.seats[seat], table.options
        if options.bot_seed and row.bot is not None:
            name, seed = deterministic_bot(row.bot, options.bot_seed, seat, table.game.movers.count(seat))
            facts: tuple[str, float] = "", 0.0
        else:
            name = row.acting_bot if row.acting_bot in BOTS else self._tables.config.substitute_bot
            seed, facts = secrets.randbits(63), (turn.id, turn.spent)
        if not self._thinkers.places or not is_search(name):
            return None
        job = job_of(name, seed, *known, *facts)
        caller = _caller(table)
        await self._jobs.enter(caller)
        try:
            answer = await self._thinkers.think(job)
        except JobFailed as failure:
            _LOG.error("a thinker failed, and the server thinks itself: %s", failure)
            return None
        finally:
            self._jobs.leave(caller)
        if answer is None:
            return None
        turn.spent += answer.seconds
        if answer.choice not in job.choices:
            _LOG.error("a thinker made an illegal choice for the bot %s, and the server thinks itself", name)
            return None
        return answer.choice

    def _turn(self, table: Table, seat: int, view: View) -> BotTurn:
        turns, occupant, key = self._turns.setdefault(table, {}), table.seats[seat], turn_id(view)
        turn = turns.get(seat)
        if turn is None or turn.key != key or not occupant.same_occupant(turn.occupant):
            turn = turns[seat] = BotTurn(occupant, key)
        return turn

    def _player(self, table: Table, seat: int) -> Player:
        """The bot on a seat: one instance for as long as it has the seat, or one per choice if there is a seed."""
        players, row = self._players.setdefault(table, {}), table.seats[seat]
        if table.options.bot_seed and row.bot is not None:
            return make_bot(
                *deterministic_bot(row.bot, table.options.bot_seed, seat, table.game.movers.count(seat))
            )
        if seat not in players or not row.same_occupant(players[seat][0]):
            players[seat] = row, self._tables.config.make_allowed_bot(row.acting_bot or "")
        return players[seat][1]

    async def _submit_shielded(self, submission: Coroutine[None, None, int]) -> None:
        """Finish a submission even if the bots are stopped; `close` waits for it."""
        task = asyncio.ensure_future(submission)
        self._submissions.add(task)
        task.add_done_callback(self._submissions.discard)
        await asyncio.shield(task)

    async def run_in_thread(self, table: Table, work: Callable[[], Result]) -> Result:
        """Run a computation for a table in a low-priority thread, when it is its caller's turn."""
        return await self.run_for(_caller(table), work)

    async def run_for(self, caller: str, work: Callable[[], Result]) -> Result:
        """Run a computation in a low-priority thread, when it is the caller's turn."""
        await self._queue.enter(caller)
        result = asyncio.get_running_loop().run_in_executor(self._threads, work)
        result.add_done_callback(lambda _: self._queue.leave(caller))
        return await result

    async def close(self) -> None:
        self._closed = True  # a move that is still being saved starts no other bot
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*self._submissions, return_exceptions=True)
        await self._thinkers.close()
        self._threads.shutdown(wait=False, cancel_futures=True)


def _caller(table: Table) -> str:
    """The caller that is charged for the thinking at a table."""
    # The tables of a tournament count as one caller, and so do all without people, so as not to crowd out others.
    tournament = table.options.tournament and (table.options.tournament if table.has_person else UNATTENDED)
    return tournament or table.charged_caller


def deterministic_bot(level: str, seed: int, seat: int, moves: int) -> tuple[str, int]:
    """The name and seed of the bot for the next choice of a seat that has made that many moves.

    The bot makes the same choice in the same situation.
    """
    return DETERMINISTIC_BOTS.get(level, level), stream(seed, 4 * moves + seat)


def lower_priority() -> None:
    if sys.platform == "linux":  # elsewhere it would slow down the whole process
        os.nice(BOT_NICENESS)  # relative to the niceness of the server, for this thread only


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _LOG.error("bots could not answer", exc_info=error)

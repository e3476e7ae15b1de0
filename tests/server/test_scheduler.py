"""The scheduler of all tables: each table has one deadline, and is checked when it is due."""

import asyncio
from datetime import timedelta
from types import SimpleNamespace

import pytest
from server_clock import NOON
from server_config import config_at
from waiting import wait_until

from hegemon import Game
from hegemon.server.db.errors import StorageError
from hegemon.server.db.games import RunningClock
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables.driver import first_check
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.scheduler import RETRY_INTERVAL, Scheduler

SECOND = timedelta(seconds=1)


@pytest.fixture
def scheduler(hands):
    return Scheduler(hands)


async def due(scheduler):
    """The tables that are checked now, in order."""
    checked = []

    async def check(game_id):
        checked.append(game_id)

    await scheduler.run_due(check)
    return checked


async def test_tables_are_checked_when_they_are_due_the_earliest_first(scheduler, hands):
    for game_id, seconds in (("late", 3), ("early", 1), ("middle", 2)):
        scheduler.schedule(game_id, NOON + seconds * SECOND)
    assert await due(scheduler) == []
    hands.go(2)
    assert await due(scheduler) == ["early", "middle"]
    assert await due(scheduler) == []
    hands.go(1)
    assert await due(scheduler) == ["late"]


async def test_a_deadline_is_replaced_or_removed(scheduler, hands):
    scheduler.schedule("moved", NOON + SECOND)
    scheduler.schedule("moved", NOON + 3 * SECOND)
    scheduler.schedule("removed", NOON + SECOND)
    scheduler.schedule("removed", None)
    scheduler.schedule("unknown", None)
    scheduler.schedule("same", NOON + SECOND)
    scheduler.schedule("same", NOON + SECOND)
    hands.go(2)
    assert await due(scheduler) == ["same"]
    hands.go(1)
    assert await due(scheduler) == ["moved"]


def test_a_deadline_that_does_not_change_takes_no_memory(scheduler):
    """Every request schedules the deadline of its table."""
    for _ in range(100):
        scheduler.schedule("one", NOON)
        scheduler.schedule("two", NOON)
    assert sorted(scheduler._queue) == [(NOON, "one"), (NOON, "two")]


async def test_a_failed_check_is_retried_and_does_not_affect_other_tables(scheduler, hands, caplog):
    async def fail(game_id):
        raise RuntimeError(game_id)

    for game_id in ("one", "two"):
        scheduler.schedule(game_id, NOON)
    await scheduler.run_due(fail)
    assert [record.getMessage() for record in caplog.records] == [
        "the deadlines of a table could not be checked"
    ] * 2
    assert [str(record.exc_info[1]) for record in caplog.records] == ["one", "two"]
    hands.now += RETRY_INTERVAL - SECOND
    assert await due(scheduler) == []
    hands.go(1)
    assert await due(scheduler) == ["one", "two"]


async def test_a_table_that_is_scheduled_while_it_is_checked_is_checked_again(scheduler, hands):
    checked = []

    async def check(game_id):
        checked.append(hands())
        scheduler.schedule(game_id, NOON + len(checked) * SECOND)

    scheduler.schedule("one", NOON)
    for _ in range(3):
        await scheduler.run_due(check)
        hands.go(1)
    assert checked == [NOON, NOON + SECOND, NOON + 2 * SECOND]


class Alarm:
    """Runs a scheduler, and knows for how long it sleeps."""

    def __init__(self, scheduler, monkeypatch):
        self.naps, self.checked = [], []

        def timeout(seconds):
            self.naps.append(seconds)
            return asyncio.timeout(seconds)

        monkeypatch.setattr("hegemon.server.tables.scheduler.asyncio", SimpleNamespace(timeout=timeout))
        self._task = asyncio.create_task(scheduler.run(self.check))

    async def check(self, game_id):
        self.checked.append(game_id)

    async def settle(self):
        for _ in range(20):
            await asyncio.sleep(0)

    async def stop(self):
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def test_the_timer_sleeps_until_the_first_deadline_and_wakes_for_an_earlier_one(
    scheduler, hands, monkeypatch
):
    alarm = Alarm(scheduler, monkeypatch)
    await alarm.settle()
    scheduler.schedule("b", NOON + 3600 * SECOND)
    await alarm.settle()
    scheduler.schedule("a", NOON + 1800 * SECOND)
    await alarm.settle()
    scheduler.schedule("c", NOON + 7200 * SECOND)
    await alarm.settle()
    assert (alarm.naps, alarm.checked) == ([None, 3600, 1800], [])
    hands.go(1800)
    scheduler.schedule("now", NOON)
    await alarm.settle()
    assert (alarm.naps[3:], alarm.checked) == ([1800], ["now", "a"])
    await alarm.stop()


async def test_the_timer_wakes_at_the_deadline(scheduler, hands, monkeypatch):
    scheduler.schedule("one", NOON + timedelta(milliseconds=1))
    alarm = Alarm(scheduler, monkeypatch)
    await alarm.settle()
    hands.go(1)
    await wait_until(lambda: alarm.checked)
    await alarm.stop()
    assert alarm.checked == ["one"]
    assert alarm.naps[0] == 0.001


async def test_a_server_that_starts_loads_no_game_before_its_player_is_to_be_reminded(database, hands):
    """Replaying a game takes much longer than reading its deadline, and a server may have thousands of them."""
    settings = config_at(database, now=hands, substitute_bot="chance")
    first = TableRegistry(Store(database), settings)
    seats = [SeatRow(None, "ada"), SeatRow(None, "ben")]
    game = await first.create(Game(2, seed=1), seats, options=TableOptions(clock="3d a move"))
    deadline = (await first.load(game)).clock.deadline(0)
    await first.close()
    tables = TableRegistry(Store(database), settings)
    hands.go(days=1)
    await tables.create(Game(2, seed=1), seats)  # another game is the one that was changed last
    await tables.driver.find_deadlines()
    assert tables.driver.scheduler._times[game] == deadline - timedelta(hours=12)
    assert tables.get(game) is None
    hands.now = deadline
    await tables.driver.run_due()
    assert tables.get(game).seats[0].substitute == "chance"
    await tables.close()


async def test_deadlines_that_cannot_be_read_at_the_start_are_read_later(database, hands, monkeypatch):
    tables = TableRegistry(Store(database), config_at(database, now=hands))
    monkeypatch.setattr("hegemon.server.background.RESTART_INTERVAL", 0)
    seats = [SeatRow(None, "ada"), SeatRow(None, "ben")]
    game = await tables.create(Game(2, seed=1), seats, options=TableOptions(clock="3d a move"))
    running_clocks, failures = tables.store.games.running_clocks, iter((StorageError, StorageError))

    async def fails_twice():
        for failure in failures:
            raise failure
        return await running_clocks()

    monkeypatch.setattr(tables.store.games, "running_clocks", fails_twice)
    await tables.start()
    while tables.get(game) is None:
        await asyncio.sleep(0)
    assert not tables.background.failing
    await tables.close()


@pytest.mark.parametrize(
    ("clock", "left", "first"),
    [
        ("3d a move", timedelta(days=2), timedelta(days=1.5)),
        ("3d a move", timedelta(hours=6), timedelta(0)),
        ("3d a move", timedelta(days=-1), timedelta(0)),
        ("1d a move", timedelta(days=1), timedelta(hours=18)),
        ("90s a move", timedelta(seconds=60), timedelta(seconds=60)),
        ("3d a move", None, timedelta(0)),
        ("", timedelta(days=2), timedelta(days=2)),
        ("damaged", timedelta(days=2), timedelta(0)),
    ],
)
def test_the_first_check_of_a_game_after_a_start(clock, left, first):
    deadline = None if left is None else NOON + left
    assert first_check(RunningClock("game", clock, deadline), NOON) == NOON + first

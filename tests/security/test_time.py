"""Time: no player gains anything when the system's clock is set."""

import asyncio
import time
from datetime import timedelta

import pytest
from server_browser import visiting
from server_clock import NOON, Hands
from server_config import config_at
from server_program import Program

from hegemon.server.config import Limit, ServerConfig
from hegemon.server.monotonic_clock import MAX_SETBACK, MonotonicClock, seconds_passed, utc_now
from hegemon.server.runner import check_database
from hegemon.server.security.rate_limit import RateLimiter

CLOCK = {"seats": [{}, {}], "clock": "90s a move"}


class System:
    """A machine: its clock can be set, and time passes."""

    def __init__(self):
        self.time_of_day = Hands()
        self.passed = 0.0

    def go(self, seconds: float) -> None:
        self.time_of_day.go(seconds)
        self.passed += seconds

    def clock(self, not_before=None) -> MonotonicClock:
        return MonotonicClock(not_before, time_of_day=self.time_of_day, seconds=lambda: self.passed)


@pytest.mark.parametrize("hours", [-1, 1, 1_000])
async def test_setting_the_clock_gives_and_takes_no_time(database, hours):
    system = System()
    async with visiting(database, config_at(database, now=system.clock(), substitute_bot="chance")) as client:
        first, _ = await Program.create(client, **CLOCK)
        before = (await first.state())["seats"][0]["deadline"]
        system.go(60)
        system.time_of_day.go(hours=hours)
        assert (await first.state())["seats"][0]["deadline"] == before
        tables = client.app.state.tables
        table = await tables.load(first.game)
        assert table.clock.time_left(0, tables.now()) == timedelta(seconds=30)
        system.go(29)
        assert table.overdue_seats(tables.now()) == []
        system.go(1)
        assert table.overdue_seats(tables.now()) == [0]
        await tables.driver.check_deadlines(table.id)
        assert table.seats[0].substitute is not None


async def test_a_clock_that_was_set_back_during_a_restart_gives_no_time(database):
    """The time continues from the last saved move: the downtime is lost, and nothing is gained."""
    system = System()
    async with visiting(database, config_at(database, now=system.clock(), substitute_bot="chance")) as client:
        (program, _) = await Program.create(client, **CLOCK)
        system.go(80)
        state = await program.state()
        assert (await program.submit_move(state["choices"][0]["choice"], 0, "key")).status_code == 200
    system.time_of_day.go(hours=-1)
    last_change = await asyncio.to_thread(check_database, database)
    assert last_change == NOON + timedelta(seconds=80)
    async with visiting(database, config_at(database, now=system.clock(last_change))) as client:
        tables = client.app.state.tables
        table = await tables.load(program.game)
        (seat,) = table.to_move
        assert table.clock.time_left(seat, tables.now()) <= timedelta(seconds=90)


@pytest.mark.parametrize(
    ("saved", "begins"),
    [(timedelta(0), timedelta(0)), (MAX_SETBACK, MAX_SETBACK), (MAX_SETBACK + timedelta(1), timedelta(0))],
)
def test_a_saved_time_far_in_the_future_was_wrong(saved, begins):
    """A wrong year that a machine without a clock battery once had does not stick forever."""
    assert System().clock(NOON + saved)() == NOON + begins


def test_the_time_of_a_server_is_steady_by_default(database):
    assert isinstance(ServerConfig(database).now, MonotonicClock)
    assert abs(ServerConfig(database).now() - utc_now()) < timedelta(minutes=1)


def test_seconds_never_go_back():
    assert seconds_passed() <= seconds_passed()


def test_a_server_agrees_with_the_clock_of_the_database_unless_that_is_set():
    seconds = [0.0]
    clock = MonotonicClock(time_of_day=lambda: NOON, seconds=lambda: seconds[0])
    clock.follow(NOON - timedelta(hours=1))
    assert clock() == NOON - timedelta(hours=1)
    seconds[0] = 10
    clock.follow(NOON - timedelta(hours=1) + timedelta(seconds=11))
    assert clock() == NOON - timedelta(hours=1) + timedelta(seconds=11)
    clock.follow(NOON - timedelta(hours=1) + timedelta(seconds=10))  # it is ahead, and waits
    assert clock() == NOON - timedelta(hours=1) + timedelta(seconds=11)
    clock.follow(NOON + timedelta(days=1))
    seconds[0] = 20
    assert clock() == NOON - timedelta(hours=1) + timedelta(seconds=20)


def test_limits_do_not_follow_the_time_of_day(monkeypatch):
    counters, limit = RateLimiter(), Limit(rate=0.001, burst=1)
    assert counters.spend("tables", "ada", limit) == 0
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + 3600)
    assert counters.spend("tables", "ada", limit) > 0


@pytest.mark.parametrize("clock", ["90s a move", "5m a game + 30s"])
async def test_a_pick_that_is_made_and_undone_gives_no_time(database, clock):
    """In the draft a pick ends a turn, and an undo opens it again: with the time that was left."""
    hands = Hands()
    async with visiting(database, config_at(database, now=hands)) as client:
        ada, _ = await Program.create(client, seats=[{}, {}], variant="draft", clock=clock)
        state = await ada.state()
        table = await client.app.state.tables.load(ada.game)
        full = table.clock.time_left(0, hands())
        for version in range(0, 6, 2):
            hands.go(10)
            assert (
                await ada.submit_move(state["choices"][0]["choice"], version, f"{version}")
            ).status_code == 200
            hands.go(5)  # the others think
            assert (await ada.submit_move("undo", version + 1, f"{version + 1}")).status_code == 200
        assert table.clock.time_left(0, hands()) == full - timedelta(seconds=30)
        hands.go(full.total_seconds() - 30)
        assert 0 in table.overdue_seats(hands())

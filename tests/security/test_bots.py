"""Bots that think for a long time: a caller with many tables does not delay others, and clocks still run out."""

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from server_browser import visiting
from server_config import config_at
from server_program import Program
from waiting import WAIT_TIMEOUT, wait_until

from hegemon import Game
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables.bots import BOT_NICENESS, MAX_SEARCHES, MAX_SEARCHES_OF_CALLER, lower_priority
from hegemon.server.tables.errors import SeatRejected, SeatSubstituted
from hegemon.server.tables.fair_queue import FairQueue
from hegemon.server.tables.moves import submit_move
from hegemon.server.tables.presence import READING_PERIOD
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.substitutes import VOTE, return_to_seat, substitute

ALONE = [SeatRow("easy", None), SeatRow("expert", None)]


class Thinkers:
    """Bots; those called `expert` think until a test lets them answer."""

    def __init__(self):
        self.may_answer = threading.Event()
        self.thinking = 0
        self._lock = threading.Lock()

    def make(self, level):
        return Thinker(self, level)

    def wait(self):
        with self._lock:
            self.thinking += 1
        self.may_answer.wait(60)


class Thinker:
    def __init__(self, thinkers, level):
        self._thinkers, self._level = thinkers, level

    def choose(self, view, memory, choices):
        if self._level == "expert":
            self._thinkers.wait()
        return "." if "." in choices else choices[0]


@pytest.fixture
def thinkers():
    thinkers = Thinkers()
    yield thinkers
    thinkers.may_answer.set()


@pytest.fixture
async def tables(database, hands, thinkers):
    config = config_at(database, now=hands, make_bot=thinkers.make, substitute_bot="expert")
    tables = TableRegistry(Store(database), config)
    yield tables
    thinkers.may_answer.set()
    await tables.close()


async def create_table(tables, rows, host=None, caller="", clock="", seed=1):
    """A table in memory with that host and caller, and with its bots running."""
    game_id = await tables.create(
        Game(len(rows), seed=seed), rows, host=host, options=TableOptions(clock=clock)
    )
    table = await tables.load(game_id)
    table.caller = caller
    return table


# ------------------------------------------------------------------ whose turn it is to think


async def test_a_caller_with_many_tables_does_not_delay_others(tables, thinkers):
    rows = [SeatRow("expert", None), SeatRow(None, "eve")]
    for _ in range(3 * MAX_SEARCHES):
        await create_table(tables, rows, caller="203.0.113.7")
    await wait_until(lambda: thinkers.thinking == MAX_SEARCHES_OF_CALLER)
    table = await create_table(tables, [SeatRow("easy", None), SeatRow(None, "ada")], caller="203.0.113.8")
    async with asyncio.timeout(WAIT_TIMEOUT):
        await tables.bots.wait(table)
    assert table.version > 0
    assert thinkers.thinking == MAX_SEARCHES_OF_CALLER


async def test_callers_take_turns():
    queue, order = FairQueue(1, 1), []

    async def think(caller, what):
        await queue.enter(caller)
        order.append(what)
        await asyncio.sleep(0)
        queue.leave(caller)

    work = [("eve", f"eve {number}") for number in range(4)] + [("ada", "ada 0"), ("ada", "ada 1")]
    await asyncio.gather(*(think(*each) for each in work))
    assert order == ["eve 0", "eve 1", "ada 0", "eve 2", "ada 1", "eve 3"]


async def test_callers_that_no_longer_wait_release_their_places():
    queue = FairQueue(1, 1)
    await queue.enter("eve")
    waiting, admitted = (asyncio.create_task(queue.enter("ada")) for _ in range(2))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    queue.leave("eve")
    admitted.cancel()  # after it has got the place
    await asyncio.gather(admitted, return_exceptions=True)
    async with asyncio.timeout(WAIT_TIMEOUT):
        await queue.enter("ben")
    assert not queue._waiting
    assert queue._busy == {"ben": 1}


async def test_the_caller_of_a_table_is_a_player_not_a_spectator(client):
    ada, _ = await Program.create(client, seats=[{"name": "Ada"}, {"bot": "easy"}, {"name": "Ben"}])
    table = await client.app.state.tables.load(ada.game)
    assert table.caller is None
    for owner, network, caller in (
        (None, "203.0.113.9", "203.0.113.9"),
        (table.seats[0].owner, "203.0.113.7", "203.0.113.7"),
        (None, "203.0.113.9", "203.0.113.7"),
        ("eve", "203.0.113.9", "203.0.113.7"),
        (table.host, "203.0.113.8", "203.0.113.8"),
        (table.host, "", ""),
        (None, "203.0.113.9", ""),
    ):
        table.note_caller(owner, network)
        assert table.caller == caller


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a niceness for each thread")
@pytest.mark.parametrize("before", [0, 12])
def test_only_the_threads_of_bots_have_a_lower_priority(before):
    """Also if the server itself is niced: a process may not lower its niceness again."""

    def lower():
        os.nice(before)
        lower_priority()
        return niceness()

    def niceness():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    here = niceness()
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(lower).result() == min(19, here + before + BOT_NICENESS)
    assert niceness() == here


class SlowDisk:
    """The moves of a store, which are saved, or fail, when a test lets them."""

    def __init__(self, store):
        self.may_save, self.waiting, self.failure = asyncio.Event(), 0, None
        self._append, store.moves.append = store.moves.append, self.append

    async def append(self, *arguments, **facts):
        self.waiting += 1
        await self.may_save.wait()
        if self.failure:
            raise self.failure
        await self._append(*arguments, **facts)


@pytest.mark.parametrize("failure", [None, OSError("the disk is full")])
async def test_a_move_that_is_being_saved_is_waited_for(tables, failure):
    disk = SlowDisk(tables.store)
    table = await create_table(tables, [SeatRow("easy", None), SeatRow(None, "ada")])
    await wait_until(lambda: disk.waiting)
    closing = asyncio.create_task(tables.bots.close())
    for _ in range(20):
        await asyncio.sleep(0)
    assert not closing.done()
    disk.failure = failure
    disk.may_save.set()
    await closing
    assert (table.version, len((await tables.store.games.load(table.id)).moves)) == (
        (0, 0) if failure else (1, 1)
    )


# ------------------------------------------------------------------ tables without people


async def test_bots_wait_at_a_table_without_people_until_someone_looks(tables, hands):
    game_id = await tables.create(Game(2, seed=1), [SeatRow("easy", None), SeatRow("easy", None)])
    table = await tables.load(game_id, requested=False)
    await tables.bots.wait(table)
    assert table.version == 0
    await tables.load(game_id)
    await tables.bots.wait(table)
    assert table.game.over


async def test_bots_stop_when_the_last_person_has_left(tables, hands, thinkers):
    table = await create_table(tables, ALONE)
    await wait_until(lambda: thinkers.thinking == 1)
    hands.now += READING_PERIOD
    thinkers.may_answer.set()
    await tables.bots.wait(table)
    version = table.version
    assert not table.game.over
    table.presence.connect([])
    tables.bots.run(table)
    await tables.bots.wait(table)
    assert table.version > version
    assert table.game.over


async def test_bots_play_on_for_a_player_who_is_away(tables, hands):
    game = Game(2, seed=1)
    game_id = await tables.create(game, [SeatRow("easy", None), SeatRow(None, "ada")])
    table = await tables.load(game_id, requested=False)
    await tables.bots.wait(table)
    assert table.to_move == (1,)


# ------------------------------------------------------------------ time


async def test_time_runs_out_while_bots_think_and_a_return_gives_no_more(tables, hands, thinkers):
    for _ in range(2 * MAX_SEARCHES):
        await create_table(tables, [SeatRow("expert", None), SeatRow(None, "eve")])
    await wait_until(lambda: thinkers.thinking == MAX_SEARCHES)
    table = await create_table(tables, [SeatRow(None, "ada"), SeatRow(None, "ben")], clock="60s a move")
    (seat,) = table.to_move
    owner = table.seats[seat].owner
    for _ in range(3):
        hands.go(60)
        await tables.driver.check_deadlines(table.id)
        assert table.seats[seat].substitute
        with pytest.raises(SeatRejected, match=r"^time-up$"):
            await return_to_seat(tables, table, seat, owner)
        with pytest.raises(SeatSubstituted):
            await submit_move(
                tables, table, seat, table.game.choices_of(seat)[0], 0, "key", table.seats[seat]
            )
    assert len(table.substitutions) == 1
    thinkers.may_answer.set()
    await tables.bots.wait(table)
    assert table.version > 0
    await return_to_seat(tables, table, seat, owner)
    assert table.seats[seat].substitute is None


async def test_a_player_who_was_voted_away_returns_to_the_time_that_is_left(tables, hands):
    table = await create_table(tables, [SeatRow(None, "ada"), SeatRow(None, "ben")], clock="60s a move")
    (seat,) = table.to_move
    deadline = table.clock.deadline(seat)
    hands.go(50)
    async with table.lock:
        await substitute(tables, table, seat, VOTE, hands())
    await return_to_seat(tables, table, seat, table.seats[seat].owner)
    assert table.clock.deadline(seat) == deadline


async def test_the_page_says_that_the_bot_finishes_the_turn(database, hands, thinkers):
    config = config_at(database, now=hands, make_bot=thinkers.make, substitute_bot="expert")
    async with visiting(database, config) as client:
        programs = await Program.create(client, seats=[{"name": "Ada"}, {"name": "Ben"}], clock="1m a move")
        table = await client.app.state.tables.load(programs[0].game)
        (seat,) = table.to_move
        hands.go(60)
        await client.app.state.tables.driver.check_deadlines(table.id)
        cookie = {"cookie": f"hegemon={programs[seat].token}"}
        page = await client.post(f"/games/{table.id}/return", data={"seat": str(seat + 1)}, headers=cookie)
        assert (page.status_code, "The bot finishes the turn first." in page.text) == (409, True)
        answer = await client.post(
            f"/api/games/{table.id}/return", headers={"authorization": f"Bearer {programs[seat].token}"}
        )
        assert (answer.status_code, "The bot finishes the turn first." in answer.json()["why"]) == (409, True)
        thinkers.may_answer.set()

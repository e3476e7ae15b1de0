"""Bots that search outside the server: the contents of jobs, the processes, and fallbacks."""

import asyncio
import io
import logging
import os
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random

import msgspec
import pytest
from server_config import config_at
from waiting import wait_until

from hegemon import Game
from hegemon.bots import BOTS, make_bot
from hegemon.rules.actions import CHOICES
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables.bots import DETERMINISTIC_BOTS, deterministic_bot
from hegemon.server.tables.fair_queue import FairQueue
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.thinking import jobs, pool
from hegemon.server.thinking.jobs import Answer, JobFailed, JobResult, Thinker, ThinkingJob, is_search, job_of
from hegemon.server.thinking.pool import ThinkerPool
from hegemon.server.thinking.process import JOBS_OF_PROCESS, JobReply, JobRequest, JobServer
from random_games import new_game, play_by_chance

#: A search that takes a moment, and chooses the same everywhere.
BOT = "learned:30"

EXPERT_AND_ADA = [SeatRow("expert", None), SeatRow(None, "ada")]

MIDDLE = Game(3, seed=4)


def known(game, seat=None):
    seat = game.seat if seat is None else seat
    return game.view(seat), game.memory(seat), game.choices_of(seat)


JOB = job_of(BOT, 7, *known(MIDDLE))


@cache
def right_choice():
    """What the bot chooses; afterwards, what it needs is compiled."""
    return make_bot(BOT, 7).choose(*known(MIDDLE))


# ------------------------------------------------------------------ jobs


def test_only_built_in_bots_that_search_become_jobs():
    assert {name for name in BOTS if is_search(name)} == {"search", "expert", "champion"}
    assert all(map(is_search, (*DETERMINISTIC_BOTS.values(), "search:5", "learned:0.1s")))
    for name in ("", "no one", "program:true", "json:loads", "os.path:join", "champion:x", "learned:0s"):
        assert not is_search(name)


@pytest.mark.parametrize("number", range(0, 96, 7))
def test_a_job_contains_all_that_the_bot_needs(number):
    """Read from its text, the bot knows the same and chooses the same; in all variants and with all memories."""
    chance, game = Random(number), new_game(number)
    for _ in zip(range(3 * number % 80), play_by_chance(game, chance), strict=False):
        pass
    seats = [seat for seat in range(game.players) if game.choices_of(seat)]
    for seat in seats:
        job = job_of("search:20", 9, *known(game, seat))
        sent = msgspec.json.decode(msgspec.json.encode(job), type=ThinkingJob)
        assert sent == job
        assert Thinker().answer(sent).choice == make_bot("search:20", 9).choose(*known(game, seat))


@pytest.mark.parametrize("name", ["easy", "program:touch pwned", "json:loads", "no one"])
def test_a_thinker_runs_no_other_code(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(JobFailed, match="no bot"):
        Thinker().answer(msgspec.structs.replace(JOB, bot=name))
    assert not list(tmp_path.iterdir())


def test_a_thinker_continues_a_turn_with_the_same_bot_and_the_time_that_is_left(monkeypatch):
    made, budgets = [], []

    class Spy:
        def continue_turn(self, view, seconds):
            budgets.append(seconds)

        def choose(self, view, memory, choices):
            return choices[0]

    def make(name, seed):
        made.append(seed)
        return Spy()

    monkeypatch.setattr(jobs, "is_search", lambda name: True)
    monkeypatch.setattr(jobs, "make_bot", make)
    monkeypatch.setattr(jobs, "Search", Spy)
    monkeypatch.setattr(jobs, "MAX_BOTS", 2)
    thinker = Thinker()
    for number, (turn, spent) in enumerate(
        [("a", 0.0), ("a", 0.5), ("", 0.0), ("", 0.0), ("b", 0.0), ("c", 0.0)]
    ):
        thinker.answer(msgspec.structs.replace(JOB, seed=number, turn=turn, spent=spent))
    assert made == [0, 2, 3, 4, 5]
    assert budgets == [0.0, 0.5, 0.0, 0.0, 0.0, 0.0]
    thinker.answer(msgspec.structs.replace(JOB, seed=6, turn="b"))
    thinker.answer(msgspec.structs.replace(JOB, seed=7, turn="a"))  # its bot has made way for that of c
    assert made == [0, 2, 3, 4, 5, 7]


def test_a_job_server_answers_every_job_and_reports_failures():
    questions = [
        JobRequest(1, JOB),
        JobRequest(2, msgspec.structs.replace(JOB, bot="easy")),
        JobRequest(3, msgspec.structs.replace(JOB, view="nonsense")),
    ]
    replies = io.BytesIO()
    lines = io.BytesIO(b"".join(msgspec.json.encode(question) + b"\n" for question in questions))
    JobServer(replies).serve(lines).shutdown()
    first, *others = [msgspec.json.decode(line, type=JobReply) for line in replies.getvalue().splitlines()]
    by_number = {reply.number: reply for reply in others}
    assert first == JobReply(0)
    assert by_number[1].result.get().choice == right_choice()
    assert by_number[2].result == JobResult(failure="there is no bot 'easy' that searches")
    assert "NotationError in " in by_number[3].result.failure
    assert "nonsense" not in by_number[3].result.failure


# ------------------------------------------------------------------ processes


@pytest.fixture
async def processes(monkeypatch):
    """Two thinking processes that are ready."""
    right_choice()
    monkeypatch.setattr(pool, "RESTART_INTERVAL", 0.01)
    thinkers = ThinkerPool(2)
    thinkers.start()
    await wait_until(lambda: len(thinkers.ready) == 2)
    yield thinkers
    await thinkers.close()


def stop(thinkers):
    """Stop all processes, so that whatever they are given waits."""
    for process in thinkers.ready:
        os.kill(process.pid, signal.SIGSTOP)


@pytest.mark.slow
async def test_processes_answer_jobs(processes):
    assert processes.places == 2 * JOBS_OF_PROCESS
    answers = await asyncio.gather(*(processes.think(JOB) for _ in range(10)))
    assert {answer.choice for answer in answers} == {right_choice()}
    with pytest.raises(JobFailed, match="no bot 'greedy'"):
        await processes.think(msgspec.structs.replace(JOB, bot="greedy"))


@pytest.mark.slow
async def test_the_choices_of_a_turn_go_to_one_process_and_those_of_others_to_the_one_with_fewer(processes):
    stop(processes)
    names = ["a", "a", "b", "a", "", "b"]
    given = [asyncio.create_task(processes.think(msgspec.structs.replace(JOB, turn=turn))) for turn in names]
    await wait_until(lambda: sum(process.load for process in processes.ready) == len(given))
    assert sorted(process.load for process in processes.ready) == [3, 3]
    for process in processes.ready:
        os.kill(process.pid, signal.SIGCONT)
    assert {answer.choice for answer in await asyncio.gather(*given)} == {right_choice()}


@pytest.mark.slow
async def test_the_job_of_a_killed_process_is_done_by_another_and_a_new_one_is_started(processes, caplog):
    stop(processes)
    first = asyncio.create_task(processes.think(JOB))
    await wait_until(lambda: any(process.load for process in processes.ready))
    (victim,) = (process for process in processes.ready if process.load)
    (other,) = (process for process in processes.ready if process is not victim)
    os.kill(other.pid, signal.SIGCONT)
    with caplog.at_level(logging.WARNING):
        os.kill(victim.pid, signal.SIGKILL)
        assert (await first).choice == right_choice()
        await wait_until(lambda: len(processes.ready) == 2)
    assert victim not in processes.ready
    assert "a thinking process ended with status -9, and is started again" in caplog.text
    assert (await processes.think(JOB)).choice == right_choice()


@pytest.mark.slow
async def test_if_all_processes_die_there_is_no_answer(processes, monkeypatch):
    monkeypatch.setattr(pool, "_PROGRAM", ("/bin/false",))
    stop(processes)
    given = asyncio.create_task(processes.think(JOB))
    await wait_until(lambda: any(process.load for process in processes.ready))
    for process in processes.ready:
        os.kill(process.pid, signal.SIGKILL)
    assert await given is None
    assert processes.places == 0
    assert await processes.think(JOB) is None


@pytest.mark.slow
async def test_a_process_that_does_not_answer_in_time_is_killed(processes, monkeypatch):
    stop(processes)
    monkeypatch.setattr(pool, "ANSWER_TIMEOUT", 0.05)
    before = {process.pid for process in processes.ready}
    assert await processes.think(JOB) is None
    await wait_until(lambda: len(processes.ready) == 2)
    assert before.isdisjoint(process.pid for process in processes.ready)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (("/bin/echo", "hello"), "something else than an answer"),
        (("/bin/false",), "ended with status 1"),
    ],
)
async def test_processes_that_cannot_run_are_tried_again_and_no_one_waits_for_them(
    monkeypatch, caplog, program, reason
):
    monkeypatch.setattr(pool, "_PROGRAM", program)
    monkeypatch.setattr(pool, "RESTART_INTERVAL", 0.001)
    thinkers = ThinkerPool(1)
    with caplog.at_level(logging.WARNING):
        thinkers.start()
        assert await thinkers.think(JOB) is None
        await wait_until(lambda: sum(reason in record.getMessage() for record in caplog.records) > 1)
    assert thinkers.places == 0
    await thinkers.close()


async def test_processes_that_cannot_be_started_are_tried_again(monkeypatch, caplog):
    tries = []

    async def too_many(*program, **options):
        tries.append(program)
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", too_many)
    monkeypatch.setattr(pool, "RESTART_INTERVAL", 0.001)
    thinkers = ThinkerPool(1)
    with caplog.at_level(logging.ERROR):
        thinkers.start()
        await wait_until(lambda: len(tries) > 1)
    await thinkers.close()
    assert "a thinking process could not be started: [Errno 11] Resource temporarily" in caplog.text


@pytest.mark.parametrize("moments", range(12))
async def test_processes_that_are_starting_or_ending_are_waited_for(monkeypatch, moments):
    """At whatever moment a pool is closed, nothing is left; pytest reports what is."""
    monkeypatch.setattr(pool, "_PROGRAM", ("/bin/false",))
    monkeypatch.setattr(pool, "RESTART_INTERVAL", 0.0)
    thinkers = ThinkerPool(2)
    thinkers.start()
    for _ in range(moments):
        await asyncio.sleep(0)
    await thinkers.close()


PARENT = """
import asyncio, sys
from hegemon.server.thinking.pool import ThinkerPool

async def main():
    thinkers = ThinkerPool(1)
    thinkers.start()
    while not thinkers.ready:
        await asyncio.sleep(0.01)
    print(thinkers.ready[0].pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_a_process_is_nice_and_ends_with_the_one_that_started_it():
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        pid = int(await asyncio.to_thread(parent.stdout.readline))
        niceness = os.getpriority(os.PRIO_PROCESS, pid) - os.getpriority(os.PRIO_PROCESS, parent.pid)
        assert niceness == min(10, 19 - os.getpriority(os.PRIO_PROCESS, parent.pid))
        parent.kill()
    await wait_until(
        lambda: not Path(f"/proc/{pid}").exists() or "Z (" in Path(f"/proc/{pid}/status").read_text()
    )


# ------------------------------------------------------------------ tables


class Thinkers:
    """What a table sees of thinkers; a test decides how they answer."""

    def __init__(self, answer, places=2):
        self._answer = answer
        self.places = places
        self.jobs = []
        self.running = 0

    async def think(self, job):
        self.jobs.append(job)
        self.running += 1
        try:
            return await self._answer(job)
        finally:
            self.running -= 1

    async def close(self):
        pass


async def first_choice(job):
    return Answer(job.choices[0], 0.25)


def install(tables, thinkers):
    tables.bots._thinkers = thinkers
    tables.bots._thinkers_changed()
    return thinkers


@pytest.fixture
async def tables(database):
    tables = TableRegistry(Store(database), config_at(database))
    yield tables
    await tables.close()


async def played(tables, rows=EXPERT_AND_ADA, **options):
    """A table after the turn of its first bot."""
    game_id = await tables.create(Game(len(rows), seed=1), rows, options=TableOptions(**options))
    table = await tables.load(game_id)
    await tables.bots.wait(table)
    assert table.to_move == (1,)
    return table


def no_threads(tables):
    async def run_for(caller, work):
        pytest.fail("a thread has thought")

    tables.bots.run_for = run_for


async def test_thinkers_choose_for_a_bot_that_searches(tables):
    thinkers = install(tables, Thinkers(first_choice))
    no_threads(tables)
    table = await played(tables)
    assert len(thinkers.jobs) == table.version > 1
    views = [Game(2, seed=1)]
    for move in table.game.moves[:-1]:
        views.append(views[-1].copy())
        views[-1].play(move)
    assert [job.view for job in thinkers.jobs] == [job_of("", 0, *known(game, 0)).view for game in views]
    assert {job.bot for job in thinkers.jobs} == {"expert"}
    assert len({job.seed for job in thinkers.jobs}) == len(thinkers.jobs)
    assert len({job.turn for job in thinkers.jobs}) == 1
    assert [job.spent for job in thinkers.jobs] == [0.25 * number for number in range(len(thinkers.jobs))]


async def test_bots_that_do_not_search_choose_in_the_server(tables):
    thinkers = install(tables, Thinkers(first_choice))
    await played(tables, [SeatRow("easy", None), SeatRow(None, "ada")])
    assert not thinkers.jobs


async def test_a_bot_that_the_host_allows_thinks_here(database):
    config = config_at(database, allowed_bots={"solon": "learned:5"})
    tables = TableRegistry(Store(database), config)
    thinkers = install(tables, Thinkers(first_choice))
    await played(tables, [SeatRow("solon", None), SeatRow(None, "ada")])
    assert not thinkers.jobs
    await tables.close()


async def illegal(job):
    return Answer(next(choice for choice in CHOICES if choice not in job.choices), 0.0)


async def failing(job):
    raise JobFailed("out of memory")


async def nothing(job):
    return None


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(illegal, "made an illegal choice for the bot expert"), (failing, "out of memory"), (nothing, "")],
)
async def test_without_a_legal_answer_the_server_thinks_itself(tables, caplog, answer, reason):
    thinkers = install(tables, Thinkers(answer))
    with caplog.at_level(logging.ERROR):
        table = await played(tables)
    assert len(thinkers.jobs) == table.version
    said = [record.getMessage() for record in caplog.records if record.name == "hegemon.server"]
    assert len(said) == (table.version if reason else 0)
    assert all(reason in line for line in said)


async def test_the_server_has_only_the_time_that_thinkers_have_left(database):
    """A turn that thinkers have begun is finished in its own time, and the other way round."""
    heard = []

    class Bot(type(make_bot("expert"))):
        def continue_turn(self, view, seconds):
            heard.append(seconds)

        def choose(self, view, memory, choices):
            return choices[0]

    tables = TableRegistry(Store(database), config_at(database, make_bot=lambda name: Bot(iterations=1)))

    async def every_second(job):
        return await first_choice(job) if len(thinkers.jobs) % 2 else None

    thinkers = install(tables, Thinkers(every_second))
    await played(tables)
    assert len(thinkers.jobs) > 2
    assert 0.25 <= heard[0] < thinkers.jobs[2].spent
    await tables.close()


async def test_waiting_bots_think_in_the_server_when_the_last_thinker_ends(tables):
    may_answer = asyncio.Event()

    async def waiting(job):
        await may_answer.wait()

    thinkers = install(tables, Thinkers(waiting, places=1))
    games = []
    for _ in range(3):
        game_id = await tables.create(Game(2, seed=1), EXPERT_AND_ADA)
        games.append(await tables.load(game_id))
    await wait_until(lambda: thinkers.running == 1 and len(tables.bots._jobs._waiting) == 2)
    thinkers.places = 0
    tables.bots._thinkers_changed()
    await wait_until(lambda: thinkers.running == 3)
    may_answer.set()
    for table in games:
        await tables.bots.wait(table)
        assert table.to_move == (1,)


async def test_a_caller_with_many_tables_does_not_block_others(tables):
    may_answer = asyncio.Event()

    async def waiting(job):
        await may_answer.wait()
        return await first_choice(job)

    thinkers = install(tables, Thinkers(waiting, places=4))
    for caller, number in (("eve", 6), ("ada", 1)):
        for _ in range(number):
            table = await tables.load(await tables.create(Game(2, seed=1), EXPERT_AND_ADA, host=caller))
    await wait_until(lambda: thinkers.running == 3)
    turn = tables.bots._turns[table][0]
    assert [job.turn == turn.id for job in thinkers.jobs] == [False, False, True]
    may_answer.set()


async def test_a_queue_grows_and_shrinks():
    queue = FairQueue(2, 2)
    for _ in range(2):
        await queue.enter("eve")
    queue.resize(1, 1)
    waiting = asyncio.create_task(queue.enter("ada"))
    await asyncio.sleep(0)
    queue.leave("eve")
    await asyncio.sleep(0)
    assert not waiting.done()
    queue.leave("eve")
    await waiting
    more = asyncio.create_task(queue.enter("ben"))
    await asyncio.sleep(0)
    assert not more.done()
    queue.resize(2, 1)
    await more


async def test_a_bot_with_a_seed_chooses_the_same_in_the_server_and_in_a_thinker(tables):
    async def really(job):
        assert (job.turn, job.spent) == ("", 0.0)
        return await asyncio.to_thread(Thinker().answer, job)

    here = await played(tables, bot_seed=5)
    thinkers = install(tables, Thinkers(really))
    there = await played(tables, bot_seed=5)
    assert thinkers.jobs
    assert there.game.moves == here.game.moves
    assert [(job.bot, job.seed) for job in thinkers.jobs] == [
        deterministic_bot("expert", 5, 0, number) for number in range(len(thinkers.jobs))
    ]


@pytest.mark.slow
async def test_real_processes_play_at_a_table_and_the_server_plays_on_without_them(database, monkeypatch):
    tables = TableRegistry(Store(database), config_at(database, thinkers=1))
    await tables.start()
    thinkers = tables.bots._thinkers._pool
    await wait_until(lambda: thinkers.ready)
    run_for = tables.bots.run_for
    no_threads(tables)
    await played(tables)
    tables.bots.run_for = run_for
    monkeypatch.setattr(pool, "_PROGRAM", ("/bin/false",))
    (process,) = thinkers.ready
    os.kill(process.pid, signal.SIGSTOP)
    game_id = await tables.create(Game(2, seed=1), EXPERT_AND_ADA)
    table = await tables.load(game_id)
    await wait_until(lambda: process.load)
    os.kill(process.pid, signal.SIGKILL)
    await tables.bots.wait(table)
    assert table.to_move == (1,)
    await tables.close()
    assert not thinkers.ready

"""Thinkers on other hosts, which share only the PostgreSQL database with a server."""

import asyncio
import signal
import subprocess
import sys
from functools import cache

import msgspec
import pytest
from server_config import config_at
from sqlalchemy import make_url, text
from waiting import WAIT_TIMEOUT, wait_until

from hegemon import Game
from hegemon.bots import make_bot
from hegemon.server.db.asyncpg_connections import connect
from hegemon.server.db.errors import DatabaseError
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.thinking import remote
from hegemon.server.thinking.host import ThinkingHost
from hegemon.server.thinking.jobs import Answer, JobFailed, ThinkingJob, job_of
from hegemon.server.thinking.listener import Listener
from hegemon.server.thinking.process import JOBS_OF_PROCESS
from hegemon.server.thinking.remote import VERSION, RemoteThinkers
from hegemon.server.thinking.thinkers import Thinkers

pytestmark = [pytest.mark.slow, pytest.mark.workers]

GAME = Game(3, seed=4)
KNOWN = GAME.view(0), GAME.memory(0), GAME.choices_of(0)
JOB = job_of("learned:30", 7, *KNOWN)


@cache
def right_choice():
    """What the bot chooses; afterwards, what it needs is compiled."""
    return make_bot("learned:30", 7).choose(*KNOWN)


@pytest.fixture
def database(postgresql_database):
    return postgresql_database


@pytest.fixture
async def store(database):
    store = Store(database)
    yield store
    await store.close()


@pytest.fixture
def jobs(store):
    return store.thinking


@pytest.fixture
async def server(store, database):
    """A server that looks for thinkers."""
    thinkers = RemoteThinkers(store.thinking, database)
    thinkers.start()
    yield thinkers
    await thinkers.close()


async def rows(store, table="thinking_jobs"):
    async with store.database.reading() as connection:
        return (await connection.execute(text(f"SELECT * FROM {table}"))).mappings().all()


async def execute(store, statement):
    async with store.database.writing() as connection:
        await connection.execute(text(statement))


class Bench:
    """Stands in for processes: bots think in a thread of the test, when it lets them."""

    def __init__(self, places=2):
        self.places = places
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.done = []

    def start(self):
        pass

    async def close(self):
        pass

    async def think(self, job):
        await self.may_answer.wait()
        self.done.append(job)
        if not self.places:
            return None
        if job.bot == "broken":
            raise JobFailed("out of memory")
        return Answer(make_bot(job.bot, job.seed).choose(*KNOWN), 0.5)


class Host:
    """A host that thinks on a bench, until it stops or dies."""

    def __init__(self, database, places=2):
        self.host = ThinkingHost(database, 1)
        self.bench = self.host._pool = Bench(places)
        self.task = asyncio.create_task(self.host.run())

    async def stop(self):
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


@pytest.fixture
async def new_host(database):
    hosts = []

    def new(**facts):
        hosts.append(Host(database, **facts))
        return hosts[-1]

    yield new
    for host in hosts:
        await host.stop()


# ------------------------------------------------------------------ the table of jobs


async def test_each_job_is_claimed_once_and_the_oldest_first(jobs):
    for number in range(20):
        await jobs.put(f"job {number:02}", "server", VERSION, str(number))
    assert [row["id"] for row in await jobs.claim("first", VERSION, 2)] == ["job 00", "job 01"]
    claims = await asyncio.gather(*(jobs.claim(f"thinker {number}", VERSION, 5) for number in range(6)))
    claimed = [row["id"] for rows in claims for row in rows]
    assert len(claimed) == len(set(claimed))
    claimed += [
        row["id"] for row in await jobs.claim("last", VERSION, 20)
    ]  # those that were locked meanwhile
    assert sorted(claimed) == [f"job {number:02}" for number in range(2, 20)]


async def test_a_claim_that_is_not_renewed_goes_to_another_and_late_answers_are_not_taken(jobs, store):
    await jobs.put("job", "server", VERSION, "")
    await jobs.claim("first", VERSION, 1)
    await execute(store, "UPDATE thinking_jobs SET claimed_until = now() - interval '1 second'")
    await jobs.heartbeat("first", VERSION, 1)
    assert await jobs.claim("second", VERSION, 1) == []
    await execute(store, "UPDATE thinking_jobs SET claimed_until = now() - interval '1 second'")
    assert [row["id"] for row in await jobs.claim("second", VERSION, 1)] == ["job"]
    await jobs.answer("first", "job", "late")
    assert await jobs.collect("server") == {}
    await jobs.answer("second", "job", "an answer")
    assert await jobs.collect("another server") == {}
    assert await jobs.collect("server") == {"job": "an answer"}
    assert await rows(store) == []


async def test_thinkers_count_while_they_are_alive_and_have_the_same_version(jobs, store):
    await jobs.heartbeat("first", VERSION, 3)
    await jobs.heartbeat("second", VERSION, 2)
    await jobs.heartbeat("second", VERSION, 4)
    await jobs.heartbeat("foreign", "0.0.1", 100)
    assert await jobs.places(VERSION) == 7
    await jobs.put("job", "server", "0.0.1", "")
    assert await jobs.claim("first", VERSION, 1) == []
    await execute(store, "UPDATE thinkers SET until = now() WHERE id = 'first'")
    assert await jobs.places(VERSION) == 4
    await jobs.leave("second")
    assert await jobs.places(VERSION) == 0


async def test_jobs_and_registrations_of_dead_hosts_are_deleted(jobs, store):
    await jobs.put("old", "dead server", VERSION, "")
    await jobs.heartbeat("dead", VERSION, 1)
    await execute(store, "UPDATE thinking_jobs SET created_at = now() - interval '1 hour'")
    await execute(store, "UPDATE thinkers SET until = now() - interval '1 hour'")
    await jobs.put("new", "server", VERSION, "")
    await jobs.heartbeat("alive", VERSION, 1)
    assert [row["id"] for row in await rows(store)] == ["new"]
    assert [row["id"] for row in await rows(store, "thinkers")] == ["alive"]


async def test_released_jobs_can_be_claimed_immediately(jobs):
    for name in ("one", "two"):
        await jobs.put(name, "server", VERSION, "")
    await jobs.claim("first", VERSION, 2)
    await jobs.release("first", "two")
    assert [row["id"] for row in await jobs.claim("second", VERSION, 2)] == ["two"]
    await jobs.leave("first")
    assert [row["id"] for row in await jobs.claim("second", VERSION, 2)] == ["one"]


# ------------------------------------------------------------------ a server and its hosts


async def test_a_host_answers_the_jobs_of_a_server(server, new_host, store):
    host = new_host()
    await wait_until(lambda: server.places == 2)
    answers = await asyncio.gather(*(server.think(JOB) for _ in range(5)))
    assert answers == [Answer(right_choice(), 0.5)] * 5
    assert host.bench.done == [JOB] * 5
    with pytest.raises(JobFailed, match="out of memory"):
        await server.think(msgspec.structs.replace(JOB, bot="broken"))
    assert await rows(store) == []
    await host.stop()
    await wait_until(lambda: server.places == 0)
    assert await rows(store, "thinkers") == []


async def test_a_choice_without_an_alternative_needs_no_thinker(server, store):
    assert await server.think(msgspec.structs.replace(JOB, choices=("x",))) == Answer("x", 0.0)
    assert server.load == 0


async def test_several_hosts_share_the_jobs_and_none_is_done_twice(server, new_host):
    hosts = [new_host(places=3) for _ in range(3)]
    await wait_until(lambda: server.places == 9)
    seeds = range(40)
    await asyncio.gather(*(server.think(msgspec.structs.replace(JOB, seed=seed)) for seed in seeds))
    assert sorted(job.seed for host in hosts for job in host.bench.done) == list(seeds)


async def test_a_missed_announcement_is_harmless(store, database, new_host, monkeypatch):
    async def deaf(self):
        await asyncio.Event().wait()

    monkeypatch.setattr(Listener, "run", deaf)
    server = RemoteThinkers(store.thinking, database)
    server.start()
    new_host()
    await wait_until(lambda: server.places == 2)
    assert (await server.think(JOB)).choice == right_choice()
    await server.close()


async def test_the_job_of_a_host_that_stops_is_done_by_another(server, new_host):
    first = new_host()
    first.bench.may_answer.clear()
    await wait_until(lambda: server.places)
    answer = asyncio.create_task(server.think(JOB))
    await wait_until(lambda: first.host._running)
    second = new_host()
    await wait_until(lambda: server.places == 4)
    await first.stop()
    assert (await answer).choice == right_choice()
    assert second.bench.done == [JOB]


async def test_a_host_whose_processes_have_ended_leaves_the_job_to_another(server, new_host):
    first = new_host()
    first.bench.may_answer.clear()
    await wait_until(lambda: server.places)
    answer = asyncio.create_task(server.think(JOB))
    await wait_until(lambda: first.host._running)
    new_host()
    await wait_until(lambda: server.places == 4)
    first.bench.places = 0
    first.bench.may_answer.set()
    assert (await answer).choice == right_choice()


async def test_without_live_thinkers_the_server_takes_its_jobs_back(server, jobs, store):
    await jobs.heartbeat("dead soon", VERSION, 1)
    await wait_until(lambda: server.places)
    answer = asyncio.create_task(server.think(JOB))
    while not await rows(store):
        await asyncio.sleep(0.005)
    assert await jobs.claim("dead soon", VERSION, 1)
    await execute(store, "UPDATE thinkers SET until = now()")
    assert await answer is None
    assert await rows(store) == []


async def test_a_live_thinker_that_does_not_answer_times_out(server, jobs, store, monkeypatch):
    monkeypatch.setattr(remote, "ANSWER_TIMEOUT", 0.05)
    assert await server.think(JOB) is None
    assert (server.load, await rows(store)) == (0, [])


async def test_an_answer_that_cannot_be_read_is_a_failure(server, jobs, store):
    answer = asyncio.create_task(server.think(JOB))
    while not (claimed := await jobs.claim("fool", VERSION, 1)):
        await asyncio.sleep(0.005)
    assert msgspec.json.decode(claimed[0]["job"], type=ThinkingJob) == JOB
    await jobs.answer("fool", claimed[0]["id"], '{"answer": 5}')
    with pytest.raises(JobFailed, match="ValidationError"):
        await answer


async def test_a_job_that_cannot_be_read_is_a_failure(jobs, new_host):
    new_host()
    await jobs.put("job", "server", VERSION, "{}")
    async with asyncio.timeout(WAIT_TIMEOUT):
        while not (answers := await jobs.collect("server")):
            await asyncio.sleep(0.005)
    assert "ValidationError" in answers["job"]


async def test_a_host_and_a_server_survive_a_restart_of_the_database(
    postgresql, database, server, new_host, store
):
    """Sessions end as they do when the database restarts."""
    new_host()
    await wait_until(lambda: server.places == 2)
    name = database.rpartition("/")[2]
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    await asyncio.to_thread(postgresql.execute, end)
    async with asyncio.timeout(WAIT_TIMEOUT):
        while True:
            await wait_until(lambda: server.places)
            if (answer := await server.think(JOB)) is not None:
                break
    assert answer.choice == right_choice()


async def test_a_listener_ignores_other_payloads(database):
    listener = Listener(database, "hegemon_test", "mine")
    heard = []
    listener.wake_up = lambda: heard.append(True)
    task = asyncio.create_task(listener.run())
    await wait_until(lambda: heard)  # it is connected
    connection = await connect(make_url(database))
    for payload in ("others", "mine", "others"):
        await connection.execute("SELECT pg_notify('hegemon_test', $1)", payload)
    await wait_until(lambda: len(heard) == 2)
    await connection.close()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert len(heard) == 2


async def test_hosts_come_before_the_processes_of_the_server(store, database, new_host):
    thinkers = Thinkers(0, store.thinking, database)
    own = thinkers._pool = Bench(places=1)
    thinkers.start()
    assert (await thinkers.think(JOB)).choice == right_choice()
    assert len(own.done) == 1
    host = new_host(places=1)
    await wait_until(lambda: thinkers.places == 2)
    host.bench.may_answer.clear()
    first = asyncio.create_task(thinkers.think(JOB))
    await wait_until(lambda: host.host._running)
    assert (await thinkers.think(JOB)).choice == right_choice()  # the only place of the host is taken
    assert len(own.done) == 2
    await host.stop()
    assert (await first).choice == right_choice()
    assert len(own.done) == 3
    await thinkers.close()


# ------------------------------------------------------------------ tables and real processes

ROWS = [SeatRow("expert", None), SeatRow(None, "ada")]


async def test_a_table_is_played_by_a_host_and_by_the_server_when_it_has_gone(database, new_host):
    tables = TableRegistry(Store(database), config_at(database))
    await tables.start()
    host = new_host()
    host.bench.think = choose_first
    await wait_until(lambda: tables.bots._thinkers.places == 2)
    run_for = tables.bots.run_for
    tables.bots.run_for = None
    table = await tables.load(await tables.create(Game(2, seed=1), ROWS))
    await tables.bots.wait(table)
    assert table.to_move == (1,)
    tables.bots.run_for = run_for
    await host.stop()
    await wait_until(lambda: tables.bots._thinkers.places == 0)
    table = await tables.load(await tables.create(Game(2, seed=1), ROWS))
    await tables.bots.wait(table)
    assert table.to_move == (1,)
    await tables.close()


async def choose_first(job):
    return Answer(job.choices[0], 0.1)


def think_command(database, *options):
    return [
        *(sys.executable, "-c", "from hegemon.cli import main; main()"),
        *("think", "--database", database, "--processes", "1", *options),
    ]


async def test_the_command_thinks_until_it_is_stopped_or_killed(database, server, store):
    right_choice()

    def start():
        return subprocess.Popen(
            think_command(database), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    with start() as process:
        assert "Thinking for postgresql+asyncpg://" in await asyncio.to_thread(process.stdout.readline)
        await wait_until(lambda: server.places == JOBS_OF_PROCESS)
        assert (await server.think(JOB)).choice == right_choice()
        process.send_signal(signal.SIGINT)
        _, errors = await asyncio.to_thread(process.communicate)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert await rows(store, "thinkers") == []
    with start() as process:
        await wait_until(lambda: server.places == JOBS_OF_PROCESS)
        process.send_signal(signal.SIGSTOP)  # so that it does not answer before it dies
        answer = asyncio.create_task(server.think(JOB))
        process.kill()
        assert await answer is None
        await wait_until(lambda: server.places == 0)
        process.communicate()


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE alembic_version SET version_num = '0001'", "the schema has revision 0001, not"),
        ("DROP TABLE alembic_version", "does not exist"),
    ],
)
async def test_a_database_of_another_revision_is_refused(database, store, statement, reason):
    await execute(store, statement)
    host = ThinkingHost(database, 1)
    with pytest.raises(DatabaseError, match=reason):
        await host.run()

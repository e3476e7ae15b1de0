"""Several workers on one PostgreSQL database: each serves every table, and each table has one owner."""

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import pytest
from postgresql_server import PostgresqlServer
from server_browser import visiting
from server_clock import NOON, Hands
from server_config import config_at
from server_program import Program
from sqlalchemy import event, text
from waiting import WAIT_TIMEOUT, wait_until

from hegemon.play.game import Game
from hegemon.server.cluster.cluster import SingleWorker
from hegemon.server.cluster.peers import Peers, shard_of
from hegemon.server.config import Limit
from hegemon.server.db import moves
from hegemon.server.db.database import Database
from hegemon.server.db.errors import DatabaseInUse, StorageError
from hegemon.server.db.leases import SHARDS
from hegemon.server.db.migrate import migrate
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store, run_exclusively
from hegemon.server.runner import check_database
from hegemon.server.security.rate_limit import RateLimiter
from hegemon.server.tables import presence
from hegemon.server.tables.chat import MessageRequest, post_message
from hegemon.server.tables.errors import SeatLost, SeatSubstituted, StaleVersionError, TableNotFound
from hegemon.server.tables.moves import submit_move
from hegemon.server.tables.rematch import create_rematch
from hegemon.server.tables.seats import open_seat_row, reassign_seat, take_seat
from hegemon.server.tables.substitutes import VOTE, substitute

pytestmark = [pytest.mark.slow, pytest.mark.workers]

SEATS = [SeatRow(None, "ada"), SeatRow(None, "ben")]


async def wait_for_value(read, expected):
    """Wait until something that has to be awaited has a value."""
    async with asyncio.timeout(WAIT_TIMEOUT):
        while await read() != expected:
            await asyncio.sleep(0.01)


def peers_of(client):
    return client.app.state.tables.cluster


@pytest.fixture
def database(postgresql_database):
    return postgresql_database


@pytest.fixture
async def workers(database):
    """The clients of two workers that share the shards equally."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(visiting(database)) for _ in range(2)]
        await wait_until(lambda: [len(peers_of(client)._shards) for client in clients] == [SHARDS // 2] * 2)
        await wait_until(lambda: all(peers_of(client).has_others for client in clients))
        yield clients


@pytest.fixture
def registries(workers):
    return [client.app.state.tables for client in workers]


async def game_owned_by(registry):
    """An id of a game that belongs to a worker; on a busy machine, its leases may have lapsed for a moment."""
    ids = [f"game-{number}" for number in range(1000)]
    await wait_until(lambda: any(map(registry.cluster.owns, ids)))
    return next(filter(registry.cluster.owns, ids))


async def tables_of(registries, game_id):
    return [await registry.load(game_id) for registry in registries]


async def cut_off(registry):
    """Cut a worker off from changes: it neither gets messages nor looks for changes by itself."""
    await registry.cluster._tasks.stop("notifications")
    await registry.cluster._tasks.stop("changes")


async def first_choice(registry, table, key="key"):
    return await submit_move(registry, table, 0, table.game.choices[0], table.version, key)


# ------------------------------------------------------------------ moves


async def test_a_move_at_one_worker_arrives_at_the_other(registries):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    assert await first_choice(here, table) == 1
    await wait_until(lambda: same.version == 1)
    assert same.game == table.game
    assert await first_choice(there, same, "another") == 2
    await wait_until(lambda: table.version == 2)


async def test_a_stream_at_another_worker_shows_the_move_and_resumes_there(workers):
    here, there = workers
    ada, _ = await Program.create(here, seats=[{"name": "Ada"}, {"name": "Ben"}])
    elsewhere = Program(there, ada.game, ada.token)
    assert (await elsewhere.state())["version"] == 0
    events = there.app.state.tables.get(ada.game)
    choice = (await ada.state())["choices"][0]["choice"]
    assert (await ada.submit_move(choice, 0, "key")).status_code == 200
    await wait_until(lambda: events.version == 1)
    assert events.event_dicts(0, 1) == here.app.state.tables.get(ada.game).event_dicts(0, 1)


async def test_a_reader_sees_at_every_worker_what_was_acknowledged_before(workers):
    here, there = workers
    ada, _ = await Program.create(here, seats=[{"name": "Ada"}, {"name": "Ben"}])
    elsewhere = Program(there, ada.game, ada.token)
    for client in workers:
        await cut_off(client.app.state.tables)
    for version in range(2):
        state = await elsewhere.state()
        assert state["version"] == version
        answer = await ada.submit_move(state["choices"][0]["choice"], version, f"key {version}")
        assert answer.json() == {"version": version + 1}


async def test_a_missed_message_is_found_in_the_database(registries):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    await cut_off(there)
    await first_choice(here, table)
    assert same.version == 0
    await there.cluster.poll()
    await wait_until(lambda: same.version == 1 and not there.replicas.is_busy)
    revisions = same.revisions
    await there.cluster.poll()
    assert not there.replicas.is_busy
    assert (same.version, same.revisions) == (1, revisions)


async def test_a_player_may_answer_at_a_worker_what_another_one_has_shown(registries):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    await cut_off(there)
    await first_choice(here, table)
    choice = table.game.choices[0]
    assert same.version == 0
    assert await submit_move(there, same, 0, choice, 1, "another") == 2


async def test_a_repeated_request_counts_once_at_any_worker(registries):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    await cut_off(there)
    choice = table.game.choices[0]
    assert await submit_move(here, table, 0, choice, 0, "key") == 1
    assert await submit_move(there, same, 0, choice, 0, "key") == 1
    row = await here.store.games.load(table.id)
    assert [move.choice for move in row.moves] == [choice]


async def test_a_retry_at_a_worker_that_is_behind_gets_the_lost_answer(registries):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    await cut_off(there)
    await first_choice(here, table)
    choice = table.game.choices[0]
    assert await submit_move(here, table, 0, choice, 1, "lost") == 2
    assert same.version == 0
    assert await submit_move(there, same, 0, choice, 1, "lost", same.seats[0]) == 2


async def test_a_worker_that_is_behind_reloads_before_it_rejects_a_move(registries):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    await cut_off(there)
    while table.game.seat == 0:
        await first_choice(here, table, f"key {table.version}")
    assert (
        await submit_move(there, same, 1, table.game.choices[0], table.version, "first") == table.version + 1
    )
    with pytest.raises(StaleVersionError):
        await submit_move(there, same, 1, "M", 0, "second")


async def test_a_change_that_failed_to_load_is_loaded_later(registries, monkeypatch):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    monkeypatch.setattr("hegemon.server.tables.replicas._RETRY_INTERVAL", 0.01)
    load, failures = there.store.games.load, iter([OSError("away"), OSError("away")])

    async def fails_twice(*arguments, **options):
        for failure in failures:
            raise failure
        return await load(*arguments, **options)

    async def fails(_):
        raise OSError("away")

    monkeypatch.setattr(there.store.changes, "updates", fails)
    monkeypatch.setattr(there.store.games, "load", fails_twice)
    await first_choice(here, table)
    await wait_until(lambda: same.version == 1)


async def test_changes_of_many_games_are_loaded_by_a_few_statements(registries):
    here, there = registries
    pairs = [await tables_of(registries, await here.create(Game(2, seed=seed), SEATS)) for seed in range(12)]
    await cut_off(there)
    for table, _ in pairs:
        await first_choice(here, table)
    statements = []
    engine = there.store.database._engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda *facts: statements.append(facts[2]))
    await there.cluster.poll()
    await wait_until(lambda: all(same.version == 1 for _, same in pairs) and not there.replicas.is_busy)
    found = [statement for statement in statements if "EXISTS" in statement or "FROM seats" in statement]
    assert len(found) <= 4, found  # the changes, the games, their seats, and those of one more batch at most


async def test_a_table_that_is_busy_does_not_delay_the_changes_of_others(registries):
    here, there = registries
    pairs = [await tables_of(registries, await here.create(Game(2, seed=seed), SEATS)) for seed in range(2)]
    await cut_off(there)
    for table, _ in pairs:
        await first_choice(here, table)
    busy, free = (same for _, same in pairs)
    async with busy.lock:
        await there.cluster.poll()
        await wait_until(lambda: free.version == 1)
        assert busy.version == 0
    await wait_until(lambda: busy.version == 1)


async def test_one_change_that_cannot_be_applied_does_not_prevent_others(registries, monkeypatch):
    here, there = registries
    pairs = [await tables_of(registries, await here.create(Game(2, seed=seed), SEATS)) for seed in range(3)]
    await cut_off(there)
    for table, _ in pairs:
        await first_choice(here, table)
    broken, *others = (same for _, same in pairs)
    monkeypatch.setattr("hegemon.server.tables.replicas._RETRY_INTERVAL", 0.01)
    failures = iter([ValueError("first"), ValueError("second")])
    catch_up = broken.catch_up

    def fails_twice(row):
        for failure in failures:
            raise failure
        catch_up(row)

    monkeypatch.setattr(broken, "catch_up", fails_twice)
    await there.cluster.poll()
    await wait_until(lambda: all(same.version == 1 for same in (broken, *others)))


async def read_version(registry, table):
    """The version that a request gets."""
    await registry.refresh(table)
    return table.version


async def test_a_reader_waits_for_a_move_that_others_may_have_shown(registries, monkeypatch):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    for registry in registries:
        await cut_off(registry)
    write, saved, answered = here.store.moves._write, asyncio.Event(), asyncio.Event()

    async def answer_late(batch):
        await write([replace(pending, saved=asyncio.Future()) for pending in batch])
        saved.set()
        await answered.wait()
        for pending in batch:
            pending.saved.set_result(None)

    monkeypatch.setattr(here.store.moves, "_write", answer_late)
    moving = asyncio.create_task(first_choice(here, table))
    await saved.wait()
    assert await read_version(there, same) == 1
    reading = asyncio.create_task(read_version(here, table))
    await asyncio.wait([reading], timeout=0.2)
    answered.set()
    assert await reading == 1
    assert await moving == 1


class LosingConnection:
    """A connection that is lost when it commits a move, before the answer arrives."""

    def __init__(self, connection):
        self._connection = connection
        self._has_move = False

    def __getattr__(self, name):
        return getattr(self._connection, name)

    async def execute(self, statement, *arguments):
        self._has_move |= statement is moves._INSERT
        return await self._connection.execute(statement, *arguments)

    @asynccontextmanager
    async def begin(self):
        async with self._connection.begin():
            yield
        if self._has_move:
            raise StorageError("the answer was lost")


async def test_a_move_without_an_answer_of_the_database_is_shown(registries, monkeypatch):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    for registry in registries:
        await cut_off(registry)
    reading, lost = here.store.database.reading, []

    @asynccontextmanager
    async def losing():
        async with reading() as connection:
            if lost and asyncio.current_task() is here.store.moves._writer:
                raise StorageError("the database is away")
            yield LosingConnection(connection)

    with monkeypatch.context() as patch:
        patch.setattr(here.store.database, "reading", losing)
        patch.setattr(here.store.database, "on_unknown_outcome", lambda: lost.append(True))
        with pytest.raises(StorageError):
            await first_choice(here, table)
    assert lost == [True]
    assert table.version == 0
    assert await read_version(there, same) == 1
    assert await read_version(here, table) == 1


async def test_streams_learn_of_a_move_without_an_answer_of_the_database(registries, monkeypatch):
    here, _ = registries
    table = await here.load(await here.create(Game(2, seed=1), SEATS))
    for registry in registries:
        await cut_off(registry)
    database = here.store.database
    async with database.writing() as connection:
        row = {"game": table.id, "version": 1, "seat": 0, "choice": table.game.choices[0], "created_at": NOON}
        await connection.execute(moves._INSERT, [row])
    database._note_unknown_outcome()
    await wait_until(lambda: table.version == 1)


async def test_a_commit_that_is_executed_after_it_was_given_up_counts_as_another_workers(registries):
    here, _ = registries
    table = await here.load(await here.create(Game(2, seed=1), SEATS))
    await cut_off(here)
    database, writer = here.store.database, here.store.database.writer
    async with database.writing() as connection:
        await connection.exec_driver_sql(f"UPDATE games SET public = true WHERE id = '{table.id}'")
        database._note_unknown_outcome()
    assert writer in await here.store.changes.of_game(table.id)
    assert not table.public
    await here.refresh(table)
    assert table.public


async def test_connections_of_an_old_id_are_replaced_after_their_next_use(registries):
    database = registries[0].store.database

    async def id_of_a_connection():
        async with database.reading() as connection:
            return await connection.scalar(text("SELECT current_setting('hegemon.worker')"))

    assert await id_of_a_connection() == database.writer
    database._note_unknown_outcome()
    await wait_for_value(id_of_a_connection, database.writer)


async def test_a_deleted_game_is_forgotten_everywhere(registries):
    here, there = registries
    table, _ = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    async with here.store.database.writing() as connection:
        await connection.exec_driver_sql(f"DELETE FROM games WHERE id = '{table.id}'")
    await there.cluster.poll()
    await wait_until(lambda: there.get(table.id) is None)


# ------------------------------------------------------------------ everything else at a table


async def test_seats_messages_and_rematches_arrive_at_the_other_worker(registries):
    here, there = registries
    rows = [SeatRow(None, "ada"), open_seat_row()]
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), rows, host="ada"))
    await take_seat(there, same, 1, rows[1].invite, "ben", "Ben")
    await wait_until(lambda: table.seats[1].owner == "ben")
    await post_message(here, table, 0, "ada", MessageRequest(text="Hello"))
    await wait_until(lambda: [line.text for line in same.chat.messages] == ["Hello"])
    while not table.game.over:
        choices = table.game.choices
        choice = "." if "." in choices else choices[-1]
        await submit_move(here, table, table.game.seat, choice, table.version, None)
    await wait_until(lambda: same.game.over)
    next_game = await create_rematch(there, same, "ben")
    await wait_until(lambda: table.next_game == next_game)


async def test_a_message_that_is_sent_to_two_workers_at_once_counts_once(registries, monkeypatch):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    await cut_off(here)
    request = MessageRequest(text="Hello", idempotency_key="key")
    find = here.store.messages.find

    async def find_too_early(*arguments):
        monkeypatch.setattr(here.store.messages, "find", find)
        await post_message(there, same, 0, "ada", request)

    monkeypatch.setattr(here.store.messages, "find", find_too_early)
    assert (await post_message(here, table, 0, "ada", request)).number == 1
    assert [line.text for line in table.chat.messages] == ["Hello"]


async def test_a_message_at_a_deleted_table_is_rejected(registries):
    here, _ = registries
    table = await here.load(await here.create(Game(2, seed=1), SEATS))
    async with here.store.database.writing() as connection:
        await connection.exec_driver_sql(f"DELETE FROM games WHERE id = '{table.id}'")
    with pytest.raises(TableNotFound):
        await post_message(here, table, 0, "ada", MessageRequest(text="Hello"))


async def test_a_player_who_lost_the_seat_elsewhere_cannot_move(registries):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS, host="ada"))
    await cut_off(here)
    occupant = table.seats[0]
    await reassign_seat(there, same, 0, SeatRow("beginner", None), "ada")
    with pytest.raises(SeatLost):
        await submit_move(here, table, 0, table.game.choices[0], 0, "key", occupant)
    assert table.seats[0].bot == "beginner"


async def test_a_person_with_a_new_key_keeps_the_seat_at_every_worker(registries):
    here, _ = registries
    _, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    await here.people.change_owner("ada", "ada's new key")
    await wait_until(lambda: same.seats[0].owner == "ada's new key")


async def test_a_profile_changed_at_one_worker_is_read_again_by_the_other(registries):
    here, there = registries
    await here.store.profiles.save("ada", name="Ada")
    assert (await there.store.profiles.load("ada")).name == "Ada"
    await here.store.profiles.save("ada", name="Ada Lovelace")
    await wait_until(lambda: there.store.profiles.cached("ada") is None)
    assert (await there.store.profiles.load("ada")).name == "Ada Lovelace"


async def test_streams_of_a_session_end_at_every_worker(registries):
    here, there = registries
    paths = []

    class Stream:
        def redirect(self, path):
            paths.append(path)

    stream = Stream()
    there.people.session_streams.add(stream, 7)
    here.people.end_sessions([7])
    await wait_until(lambda: paths == ["/me"])


async def test_two_workers_save_the_turns_of_the_same_games_concurrently(registries):
    here, there = registries
    ids = [await here.create(Game(2, seed=1), SEATS) for _ in range(10)]
    changes = {game_id: {0: None} for game_id in ids}
    backwards = dict(reversed(changes.items()))
    for _ in range(5):
        await asyncio.gather(here.store.turns.save(changes), there.store.turns.save(backwards))


# ------------------------------------------------------------------ who is present


async def test_a_player_with_a_stream_at_one_worker_is_present_at_the_other(registries):
    here, _ = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    presence.connect(here, table, [0])
    await wait_until(lambda: same.presence.present_seats == {0})
    presence.connect(here, table, [])
    await wait_until(lambda: same.presence.spectators == 1)
    presence.disconnect(here, table, [])
    await wait_until(lambda: same.presence.spectators == 0)


async def test_a_worker_that_loads_a_table_asks_who_is_there(registries):
    here, there = registries
    table = await here.load(await here.create(Game(2, seed=1), SEATS))
    presence.connect(here, table, [1])
    same = await there.load(table.id)
    await wait_until(lambda: same.presence.present_seats == {1})


async def test_votes_at_two_workers_count_together(registries):
    here, _ = registries
    rows = [SeatRow(None, name) for name in ("ada", "ben", "cleo", "dio")]
    table, same = await tables_of(registries, await here.create(Game(4, seed=1), rows))
    table.presence.vote([1], 0)
    here.gossip.report(table)
    await wait_until(lambda: same.presence.votes == {0: {1}})


async def test_the_players_of_a_dead_worker_are_absent_after_a_while(registries):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    presence.connect(here, table, [0])
    await wait_until(lambda: same.presence.present_seats == {0})
    there.driver.worker_lost(here.cluster.worker)
    now = there.now()
    assert same.presence.is_present(0, now)
    assert not same.presence.is_present(0, now + presence.RECONNECT_PERIOD)


# ------------------------------------------------------------------ owners


async def test_every_shard_has_one_owner(registries):
    for number in range(200):
        assert sum(registry.cluster.owns(f"game {number}") for registry in registries) == 1
    assert {shard_of(f"game {number}") for number in range(1000)} == set(range(SHARDS))


async def test_a_bot_moves_wherever_its_game_was_created(registries):
    for here, there in (registries, registries[::-1]):
        game_id = await here.create(
            Game(2, seed=1),
            [SeatRow("beginner", None), SeatRow(None, "ben")],
            game_id=await game_owned_by(there),
        )
        table = await here.load(game_id)
        await wait_until(lambda table=table: table.to_move == (1,))
        assert there.get(game_id).to_move == (1,)


async def test_a_worker_that_has_died_is_replaced(registries):
    here, there = registries
    game_id = await here.create(
        Game(2, seed=1), [SeatRow("beginner", None), SeatRow(None, "ben")], game_id=await game_owned_by(here)
    )
    await here.cluster._tasks.close()  # it neither renews its leases nor releases them
    await wait_until(lambda: there.cluster.owns(game_id))
    assert not here.cluster.owns(game_id)
    await wait_until(lambda: there.get(game_id) is not None and there.get(game_id).to_move == (1,))


async def test_a_worker_that_leaves_is_replaced_immediately(registries):
    here, there = registries
    game_id = await game_owned_by(here)
    await here.cluster.close()
    await there.cluster._renew_leases()
    assert there.cluster.owns(game_id)


async def test_others_may_still_serve_when_an_outage_has_ended_their_leases(registries):
    peers = registries[0].cluster
    for registry in registries:
        await registry.cluster._tasks.stop("leases")
    async with registries[0].store.database.writing() as connection:
        await connection.execute(text("DELETE FROM workers"))  # as a crash of the database does
    await peers._renew_leases()
    assert peers._workers == {peers.worker}
    assert peers.has_others
    later = peers._clock() + 61
    peers._clock = lambda: later
    await peers._renew_leases()
    assert not peers.has_others


async def test_others_may_still_serve_when_a_worker_starts_after_their_leases_have_ended(registries):
    for registry in registries:
        await registry.cluster._tasks.stop("leases")
    async with registries[0].store.database.writing() as connection:
        await connection.execute(text("DELETE FROM workers"))
    store = Store(registries[0].config.database)
    peers = Peers(store, lambda: 0.0)
    await peers.start()
    await peers._tasks.stop("leases")
    for now, expected in ((30.0, True), (61.0, False)):
        peers._clock = lambda now=now: now
        await peers._renew_leases()
        assert peers._workers == {peers.worker}
        assert peers.has_others is expected
    await peers.close()
    await store.close()


async def test_a_worker_that_could_not_renew_its_leases_stops_using_them(registries):
    here, _ = registries
    peers, game_id = here.cluster, await game_owned_by(here)
    now = peers._clock()
    peers._clock = lambda: now + 3
    assert not peers.owns(game_id)


async def test_work_runs_at_its_owner_only_and_moves_with_the_lease(registries):
    here, there = registries
    key, running = await game_owned_by(here), []

    async def work(name):
        running.append(name)
        try:
            await asyncio.Event().wait()
        finally:
            running.remove(name)

    tasks = [
        asyncio.create_task(registry.cluster.run_while_owner(key, lambda name=name: work(name)))
        for name, registry in (("here", here), ("there", there))
    ]
    await wait_until(lambda: running == ["here"])
    await here.cluster.close()
    await wait_until(lambda: running == ["there"])
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert running == []


async def test_work_that_ends_or_fails_is_reported(registries):
    here, _ = registries
    key = await game_owned_by(here)

    async def fail():
        raise OSError("broken")

    with pytest.raises(OSError, match="broken"):
        await here.cluster.run_while_owner(key, fail)


async def test_a_player_out_of_time_is_substituted_by_the_owner_of_the_table(database):
    hands = Hands()
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(visiting(database, config_at(database, now=hands)))
            for _ in range(2)
        ]
        registries = [client.app.state.tables for client in clients]
        await wait_until(lambda: all(len(each.cluster._shards) == SHARDS // 2 for each in registries))
        here, there = registries
        table = await here.load(
            await here.create(
                Game(2, seed=1),
                SEATS,
                options=TableOptions(clock="60s a move"),
                game_id=await game_owned_by(there),
            )
        )
        await wait_until(lambda: there.get(table.id) is not None)
        hands.now = NOON.replace(hour=13)
        await here.driver.check_deadlines(table.id)
        assert table.seats[0].substitute is None
        await there.driver.check_deadlines(table.id)
        await wait_until(lambda: table.seats[0].substitute is not None)


# ------------------------------------------------------------------ limits, time, locks


def test_limits_hold_for_all_workers_together():
    limit, now = Limit(rate=1, burst=10), 0.0
    here, there = RateLimiter(lambda: now), RateLimiter(lambda: now)
    for _ in range(8):
        assert not here.spend("token", "ada", limit)
    spent = here.take_spending()
    assert spent == [("token", "ada", 8)]
    assert here.take_spending() == []
    for kind, caller, number in spent:
        there.charge(kind, caller, number, limit)
    assert [there.spend("token", "ada", limit) > 0 for _ in range(3)] == [False, False, True]


def test_callers_with_few_requests_are_not_reported_to_other_workers():
    limit, now = Limit(rate=1, burst=10), 0.0
    counters = RateLimiter(lambda: now)
    counters.spend("token", "ada", limit)
    assert counters.take_spending() == []


async def test_spending_reaches_the_other_worker(workers):
    here, there = workers
    for _ in range(9):
        here.app.state.rate_limiter.spend("reports", "1.2.3.4", Limit(rate=0.01, burst=20))
    buckets = there.app.state.rate_limiter._buckets
    await wait_until(lambda: "1.2.3.4" in buckets.get("reports", {}))
    assert buckets["reports"]["1.2.3.4"].remaining == pytest.approx(11, abs=0.5)


async def test_messages_that_cannot_be_understood_are_ignored(registries, caplog):
    here, there = registries
    received = []
    there.cluster.subscribe("test", lambda worker, data: received.append(data))
    notifications = there.cluster._notifications
    notifications._receive(None, 0, "hegemon", "another worker[nonsense")
    assert "cannot be understood" in caplog.text
    here.cluster.publish("test", "x" * 10_000)
    for number in range(3000):
        here.cluster.publish("test", f"message {number}")
    await wait_until(lambda: len(received) == 3000)
    assert "is too long" in caplog.text


async def test_a_single_worker_owns_everything_and_publishes_nothing():
    alone, done = SingleWorker(), []

    async def work():
        done.append(True)

    alone.publish("test", json.dumps({}))
    alone.subscribe("test", lambda *_: None)
    await alone.run_while_owner("anything", work)
    assert done == [True]
    assert alone.owns("anything")
    assert not alone.has_others


def test_several_servers_share_a_database_and_a_command_needs_exclusive_access(database):
    async def both():
        first, second = Store(database), Store(database)
        await first.migrate()
        await second.migrate()
        with pytest.raises(DatabaseInUse, match=r"^A server already uses .* \(advisory lock\)\."):
            await asyncio.to_thread(run_exclusively, database, lambda store: store.games.last_change())
        await first.close()
        await second.close()
        command = Store(database)
        await command.migrate(exclusive=True)
        with pytest.raises(DatabaseInUse, match="A command is working"):
            await asyncio.to_thread(check_database, database)
        await command.close()

    asyncio.run(both())


@pytest.fixture
def own_server():
    """A PostgreSQL server that a test may restart."""
    with PostgresqlServer() as server:
        server.execute("CREATE DATABASE games")
        check_database(server.url("games"))
        yield server


async def test_workers_outlive_a_restart_of_the_database(own_server):
    url = own_server.url("games")
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(visiting(url)) for _ in range(2)]
        here, there = (client.app.state.tables for client in clients)
        await wait_until(lambda: all(peers_of(client).has_others for client in clients))
        table, same = await tables_of([here, there], await here.create(Game(2, seed=1), SEATS))
        await asyncio.to_thread(own_server.stop)
        await asyncio.to_thread(own_server.start)
        await wait_until(lambda: any(each.cluster.owns(table.id) for each in (here, there)))
        await first_choice(here, table)
        await wait_until(lambda: same.version == 1)
        for registry in (here, there):
            await registry.store.database.lock.restore()
        with pytest.raises(DatabaseInUse):
            await asyncio.to_thread(run_exclusively, url, lambda store: store.games.last_change())
    command = Database(url)
    await migrate(command, exclusive=True)
    await command.close()


async def test_a_player_cannot_move_at_a_worker_that_has_not_heard_of_the_substitute(registries):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    await cut_off(there)
    choice = table.game.choices[0]
    async with table.lock:
        await substitute(here, table, 0, VOTE, here.now())
    with pytest.raises(SeatSubstituted):
        await submit_move(there, same, 0, choice, 0, "key", same.seats[0])


async def test_a_substitution_waits_for_moves_that_its_worker_has_not_seen(registries):
    here, there = registries
    table, same = await tables_of(registries, await here.create(Game(2, seed=1), SEATS))
    await cut_off(there)
    await first_choice(here, table)
    async with same.lock:
        await substitute(there, same, 1, VOTE, there.now())
        assert (same.version, same.seats[1].substitute) == (1, None)
        await substitute(there, same, 1, VOTE, there.now())
    assert same.substitutions[-1][1].version == 1

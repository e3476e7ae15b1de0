"""The registry of tables: moves at two workers, eviction, streams, and imported games."""

import asyncio
import json
import logging
from dataclasses import replace
from datetime import timedelta

import pytest
from server_config import config_at
from sqlalchemy import select
from waiting import WAIT_TIMEOUT

from hegemon import Game, read_record
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import MoveRow, SeatRow, Substitution
from hegemon.server.db.schema import games
from hegemon.server.db.store import Store
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.errors import StaleVersionError, TableNotFound
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.web.sse import region_changes

PEOPLE = [SeatRow(None, "ada"), SeatRow(None, "ben")]


@pytest.fixture
async def tables(database, hands):
    tables = TableRegistry(Store(database), config_at(database, now=hands))
    await tables.store.migrate()
    yield tables
    await tables.close()


@pytest.fixture
async def table(tables):
    return await tables.load(await tables.create(Game(2, seed=1), PEOPLE))


def first_word(table):
    return table.game.choices_of(0)[0]


async def test_a_move_of_another_worker_makes_ours_stale_and_is_applied(tables, table):
    choice = first_word(table)
    await tables.store.moves.append(table.id, MoveRow(1, 0, choice, "elsewhere"), finished=False)
    with pytest.raises(StaleVersionError):
        await table_moves.submit_move(tables, table, 0, choice, 0, "here")
    assert table.game.moves == (choice,)


async def test_a_move_that_another_worker_has_saved_counts_once(tables, table):
    choice = first_word(table)
    await tables.store.moves.append(table.id, MoveRow(1, 0, choice, "same"), finished=False)
    await table_moves.submit_move(tables, table, 0, choice, 0, "same")
    assert table.game.moves == (choice,)
    assert len((await tables.store.games.load(table.id)).moves) == 1


async def test_a_table_is_created_as_it_is_described(tables, caplog):
    caplog.set_level(logging.INFO)
    game, options = Game(2, seed=1, names=("Ada", "Ben")), TableOptions("de", clock="3d a move")
    seats = [SeatRow(None, "ada"), SeatRow("chance", None)]
    first = await tables.create(game, PEOPLE, game_id="first")
    game_id = await tables.create(game, seats, host="ada", options=options, public=True, previous_game=first)
    row = await tables.store.games.load(game_id)
    assert (row.seats, row.host, row.options, row.public) == (tuple(seats), "ada", options, True)
    assert (row.previous_game, row.started_at) == ("first", tables.now())
    assert read_record(row.record) == game.record()
    assert "#" not in row.record, "comments would take a quarter of the space"
    assert (first, len(game_id)) == ("first", 16)
    noted = [(record.getMessage(), record.facts) for record in caplog.records]
    assert noted == [
        ("table created", {"game": "first", "seats": 2, "bots": 0}),
        ("table created", {"game": game_id, "seats": 2, "bots": 1}),
    ]


async def test_an_imported_game_is_a_table_without_players_that_can_be_replayed(tables):
    game = Game(3, seed=1)
    for _ in range(5):
        game.play(game.choices[0])
    first, second = [await tables.import_game(game) for _ in range(2)]
    table = await tables.load(first)
    assert len({first, second, "x" * 16}) == 3
    assert (table.game.moves, table.seats) == (game.moves, (SeatRow(None, None),) * 3)
    assert [move.version for move in table.moves] == [1, 2, 3, 4, 5]
    row = await tables.store.games.load(first)
    assert (row.finished, read_record(row.record).moves, row.moves[0].created_at) == (False, (), tables.now())


async def test_the_end_of_a_game_is_recorded_and_a_failure_is_logged(tables, caplog):
    over = []

    async def fail(table):
        over.append(table.id)
        raise RuntimeError("no rating")

    tables.on_game_over = fail
    game = Game(2, seed=1)
    going_on = await tables.import_game(game)
    while not game.over:
        game.play(game.choices[-1])
    game_id = await tables.import_game(game)
    await tables.load(going_on)
    await tables.load(game_id)
    assert over == [game_id]
    (record,) = caplog.records
    assert (record.getMessage(), record.facts) == (
        "ratings and results could not be updated",
        {"game": game_id},
    )
    tables.on_game_over = None
    await tables.record_result_if_over(await tables.load(game_id))


async def test_what_another_worker_has_saved_is_applied(tables, table):
    choice = first_word(table)
    store, ada, bot = tables.store, PEOPLE[0], SeatRow("chance", None)
    await store.moves.append(table.id, MoveRow(1, 0, choice, "elsewhere"), finished=False)
    await store.seats.save(table.id, 1, PEOPLE[1], bot)
    gone, back = (Substitution(n, tables.now(), 1, 0, reason) for n, reason in ((1, "clock"), (2, "back")))
    await store.seats.change_substitute(table.id, gone, ada, "chance")
    await tables.create(Game(2, seed=1), PEOPLE, previous_game=table.id, game_id="next")
    await tables.reload(table)
    assert (table.game.moves, table.seats) == ((choice,), (replace(ada, substitute="chance"), bot))
    assert (table.next_game, [note for _, note in table.substitutions]) == ("next", [gone])
    await store.seats.change_substitute(table.id, back, table.seats[0], None)
    await tables.reload(table)
    assert (table.version, table.seats[0], [note for _, note in table.substitutions]) == (
        1,
        ada,
        [gone, back],
    )
    await store.games._delete(select(games.c.id).where(games.c.id == table.id))
    with pytest.raises(TableNotFound):
        await tables.reload(table)


class Subscriber:
    def __init__(self):
        self.woken, self.closed = 0, False

    def notify(self):
        self.woken += 1

    def close(self):
        self.closed = True


async def test_streams_of_forgotten_tables_end_and_no_others(tables, table):
    other = await tables.load(await tables.create(Game(2, seed=2), PEOPLE))
    subscribers = [Subscriber(), Subscriber()]
    for each, subscriber in zip((table, other), subscribers, strict=True):
        each.subscribers.add(subscriber)
    tables.forget(["unknown", table.id])
    assert [subscriber.closed for subscriber in subscribers] == [True, False]
    assert (tables.get(table.id), tables.get(other.id)) == (None, other)
    tables.disconnect_all()
    assert subscribers[1].closed


async def test_only_requests_of_visitors_count_as_attendance(tables):
    game_id = await tables.create(Game(2, seed=1), PEOPLE)
    table = await tables.load(game_id, requested=False)
    assert not table.presence.is_attended(tables.now())
    assert await tables.load(game_id) is table
    assert table.presence.is_attended(tables.now())


async def test_a_change_of_turn_is_scheduled_and_reported(tables):
    turns = []
    tables.driver.on_turn = turns.append
    game_id = await tables.create(Game(2, seed=1), PEOPLE, options=TableOptions(clock="60s a move"))
    table = await tables.load(game_id)
    assert turns == [table]
    assert tables.driver.scheduler._first() == (tables.now() + timedelta(seconds=60), game_id)


async def test_unused_tables_are_evicted(database):
    tables = TableRegistry(Store(database), config_at(database, max_tables_in_memory=1))
    table = await tables.load(await tables.create(Game(2, seed=1), PEOPLE))
    other = await tables.load(await tables.create(Game(2, seed=2), PEOPLE))
    assert list(tables._tables) == [other.id]
    assert (await tables.load(table.id)).id == table.id
    await tables.close()


async def test_a_table_with_an_open_stream_stays_in_memory_and_its_stream_goes_on(database):
    tables = TableRegistry(Store(database), config_at(database, max_tables_in_memory=1))
    table = await tables.load(await tables.create(Game(2, seed=1), PEOPLE))
    stream = region_changes(table, lambda: {"moves": " ".join(table.game.moves)})
    await anext(stream)
    others = [await tables.load(await tables.create(Game(2, seed=seed), PEOPLE)) for seed in (2, 3)]
    assert await tables.load(table.id) is table
    assert tables.get(others[0].id) is None
    choice = first_word(table)
    await table_moves.submit_move(tables, await tables.load(table.id), 0, choice, 0, "key")
    async with asyncio.timeout(WAIT_TIMEOUT):
        assert f'"moves": "{choice}"' in (await anext(stream)).decode()
    await stream.aclose()
    await tables.load(others[0].id)
    assert tables.get(table.id) is None
    await tables.close()


async def test_a_failing_bot_is_logged_and_the_table_stays_usable(database, caplog):
    class Broken:
        def choose(self, view, memory, choices):
            raise RuntimeError("no idea")

    tables = TableRegistry(Store(database), config_at(database, make_bot=lambda level: Broken()))
    with caplog.at_level(logging.ERROR):
        table = await tables.load(
            await tables.create(Game(2, seed=1), [SeatRow("chance", None), SeatRow(None, "ben")])
        )
        await tables.bots.wait(table)
        await asyncio.sleep(0)
    assert "bots could not answer" in caplog.text
    assert table.version == 0
    await tables.close()


def regions_of(message):
    fields = dict(line.split(": ", 1) for line in message.decode().strip().splitlines())
    return int(fields["id"]), json.loads(fields["data"])


async def test_a_stream_sends_all_then_what_changes_then_ends(tables, table):
    drawn = {"board": "same", "version": "0"}
    stream = region_changes(table, lambda: drawn | {"version": str(table.version)})
    assert regions_of(await anext(stream)) == (0, {"board": "same", "version": "0"})
    await table_moves.submit_move(tables, table, 0, first_word(table), 0, "a")
    assert regions_of(await anext(stream)) == (1, {"version": "1"})
    tables.disconnect_all()
    assert [message async for message in stream] == []
    assert not table.subscribers


async def test_the_response_comes_before_the_notifications_and_no_version_is_missed(tables, table):
    stream = region_changes(table, lambda: {"version": str(table.version)})
    await anext(stream)
    (listener,) = table.subscribers
    words = []
    for number in range(2):
        seat = table.to_move[0]
        words.append(table.game.choices_of(seat)[0])
        table.apply_move(MoveRow(number + 1, seat, words[-1]))
        assert len(listener.queue) == number
    assert [regions_of(await anext(stream)) for _ in words] == [(1, {"version": "1"}), (2, {"version": "2"})]
    await stream.aclose()


async def test_a_quiet_stream_sends_heartbeats(table):
    stream = region_changes(table, dict, heartbeat=0.001)
    await anext(stream)
    assert await anext(stream) == b": still here\n\n"
    await stream.aclose()
    assert not table.subscribers


async def test_a_reader_who_is_far_behind_gets_the_current_table(table, monkeypatch):
    monkeypatch.setattr("hegemon.server.web.sse.MAX_QUEUED", 3)
    stream = region_changes(table, lambda: {"version": str(table.version)})
    await anext(stream)
    for number in range(1, 5):
        table.moves.append(MoveRow(number, 0, "M"))
        table.notify()
    assert regions_of(await anext(stream))[0] == 4
    await stream.aclose()


# ------------------------------------------------------------------ picks by everyone at once


@pytest.fixture
async def draft(tables):
    game = Game(3, "draft", seed=1)
    return await tables.load(
        await tables.create(game, [SeatRow(None, "ada"), SeatRow(None, "ben"), SeatRow(None, "eve")])
    )


async def test_a_pick_of_another_player_does_not_affect_mine(tables, draft):
    words = [draft.game.choices_of(seat)[0] for seat in range(3)]
    for seat in (2, 0, 1):
        await table_moves.submit_move(tables, draft, seat, words[seat], 0, f"{seat}")
    assert draft.version == 3
    with pytest.raises(StaleVersionError):  # the packets have moved on
        await table_moves.submit_move(tables, draft, 0, draft.game.choices_of(0)[0], 0, "late")


async def test_a_pick_can_be_undone_while_others_pick(tables, draft):
    first, second = draft.game.choices_of(0)[0], draft.game.choices_of(1)[0]
    await table_moves.submit_move(tables, draft, 0, first, 0, "a")
    await table_moves.submit_move(tables, draft, 1, second, 0, "b")
    await table_moves.submit_move(tables, draft, 0, "undo", 1, "c")
    assert draft.game.view(0).owing == (0, 2)


async def test_picks_at_two_workers_both_count(tables, draft, database):
    elsewhere = TableRegistry(Store(database), config_at(database))
    same = await elsewhere.load(draft.id)
    words = [draft.game.choices_of(seat)[0] for seat in range(3)]
    await table_moves.submit_move(elsewhere, same, 1, words[1], 0, "there")
    assert await table_moves.submit_move(tables, draft, 0, words[0], 0, "here") == 2
    await elsewhere.close()

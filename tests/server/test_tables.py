"""Words that come in, two workers at one database, and what a spectator is sent."""

import asyncio
import json
import logging

import pytest
from server_config import config_at

from hegemon import Game
from hegemon.server.db.schema import MoveRow, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.errors import StaleVersionError
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.web.sse import region_changes

PEOPLE = [SeatRow(None, "ada"), SeatRow(None, "ben")]


@pytest.fixture
async def tables(database):
    tables = TableRegistry(Store(database), config_at(database))
    await tables.store.migrate()
    yield tables
    await tables.close()


@pytest.fixture
async def table(tables):
    return await tables.load(await tables.create(Game(2, seed=1), PEOPLE))


def first_word(table):
    return table.game.choices_of(0)[0]


async def test_a_word_of_another_worker_makes_ours_stale_and_is_taken_in(tables, table):
    choice = first_word(table)
    await tables.store.moves.append(table.id, MoveRow(1, 0, choice, "elsewhere"), finished=False)
    with pytest.raises(StaleVersionError):
        await table_moves.submit_move(tables, table, 0, choice, 0, "here")
    assert table.game.moves == (choice,)


async def test_a_command_that_another_worker_has_kept_counts_once(tables, table):
    choice = first_word(table)
    await tables.store.moves.append(table.id, MoveRow(1, 0, choice, "same"), finished=False)
    await table_moves.submit_move(tables, table, 0, choice, 0, "same")
    assert table.game.moves == (choice,)
    assert len((await tables.store.games.load(table.id)).moves) == 1


async def test_tables_that_no_one_looks_at_are_evicted(database):
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
    async with asyncio.timeout(30):
        assert f'"moves": "{choice}"' in (await anext(stream)).decode()
    await stream.aclose()
    await tables.load(others[0].id)
    assert tables.get(table.id) is None
    await tables.close()


async def test_bots_that_fail_are_reported_and_the_table_stands(database, caplog):
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


async def test_a_player_who_speaks_is_answered_before_others_are_shown_and_no_entry_is_missed(tables, table):
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


async def test_a_quiet_stream_says_that_it_is_still_there(table):
    stream = region_changes(table, dict, heartbeat=0.001)
    await anext(stream)
    assert await anext(stream) == b": still here\n\n"
    await stream.aclose()
    assert not table.subscribers


async def test_a_reader_who_is_far_behind_is_shown_the_table_as_it_is(table, monkeypatch):
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


async def test_a_pick_of_another_person_leaves_mine_as_it_was(tables, draft):
    words = [draft.game.choices_of(seat)[0] for seat in range(3)]
    for seat in (2, 0, 1):
        await table_moves.submit_move(tables, draft, seat, words[seat], 0, f"{seat}")
    assert draft.version == 3
    with pytest.raises(StaleVersionError):  # the packets have moved on
        await table_moves.submit_move(tables, draft, 0, draft.game.choices_of(0)[0], 0, "late")


async def test_a_pick_is_taken_back_while_others_pick(tables, draft):
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

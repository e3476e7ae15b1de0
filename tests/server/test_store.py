"""What is kept: games and entries, each once, in a database that is ours."""

import asyncio
import contextlib
import sqlite3
import threading
from datetime import UTC, datetime
from functools import partial

import pytest
from alembic import command
from alembic.script import ScriptDirectory

from hegemon import Game, write_record
from hegemon.server.db.options import TableOptions
from hegemon.server.db.store import (
    SCHEMA_REVISION,
    ConflictError,
    Message,
    MoveRow,
    SeatRow,
    Store,
    StoreError,
    migrations,
)

RECORD = write_record(Game(2, seed=1).record())
SEATS = [SeatRow(None, "somebody"), SeatRow("greedy", None)]
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def upgrade_to(form, config, head, upgrade=command.upgrade):
    upgrade(config, form)


@pytest.fixture
async def store(tmp_path):
    store = Store(f"sqlite+aiosqlite:///{tmp_path / 'games.db'}")
    await store.migrate()
    yield store
    await store.close()


async def test_a_game_is_kept_with_its_seats_and_entries(store):
    await store.add_game("one", RECORD, SEATS)
    await store.add_move("one", MoveRow(1, 0, "M", "a"), finished=False)
    row = await store.game("one")
    assert (row.record, row.seats, row.moves) == (RECORD, tuple(SEATS), (MoveRow(1, 0, "M", "a"),))
    assert [game.id for game in await store.games_of("somebody")] == ["one"]
    assert await store.games_of("nobody") == []
    assert await store.game("two") is None


@pytest.mark.parametrize("move", [MoveRow(1, 1, "R", "b"), MoveRow(2, 1, "R", "a")])
async def test_a_number_and_a_command_are_taken_once(store, move):
    await store.add_game("one", RECORD, SEATS)
    await store.add_move("one", MoveRow(1, 0, "M", "a"), finished=False)
    with pytest.raises(ConflictError):
        await store.add_move("one", move, finished=False)
    assert len((await store.game("one")).moves) == 1


async def test_the_last_lines_of_talk_are_kept_each_number_once(store, monkeypatch):
    monkeypatch.setattr("hegemon.server.db.store.MAX_CHAT_LINES", 2)
    await store.add_game("one", RECORD, SEATS)
    lines = [Message(number, NOON, 0, "ada", text=f"line {number}") for number in (1, 2, 3)]
    for line in lines:
        await store.add_line("one", line)
    with pytest.raises(ConflictError):
        await store.add_line("one", Message(3, NOON, None, "eve", name="Eve", phrase="hello"))
    assert (await store.game("one")).chat == tuple(lines[1:])


async def test_an_entry_is_as_old_as_it_says(store):
    await store.add_game("one", RECORD, SEATS)
    await store.add_move("one", MoveRow(1, 0, "M", created_at=NOON), finished=False)
    row = await store.game("one")
    assert row.moves[0].created_at == NOON


async def test_a_seat_is_claimed_once_and_by_its_invitation_alone(store):
    await store.add_game("one", RECORD, [SeatRow(None, "ada"), SeatRow(None, None, invite="key")])
    ben, eve = (SeatRow(None, name.lower(), name, 3, "key") for name in ("Ben", "Eve"))
    assert await store.seat_of_invite("key") == ("one", 1)
    assert await store.seat_of_invite("forged") is None
    assert not await store.claim("one", 1, "forged", eve)
    assert not await store.claim("one", 0, "key", eve)
    assert await store.claim("one", 1, "key", ben)
    assert not await store.claim("one", 1, "key", eve)
    assert (await store.seats_at("one"))[1] == ben
    (listed,) = await store.games_of("ben")
    assert listed.names == ("Player 1", "Ben")


async def test_the_lobby_lists_public_games_with_an_open_seat(store):
    def seats(name):
        return [SeatRow(None, "ada"), SeatRow(None, None, invite=name)]

    await store.add_game("open", RECORD, seats("open"), public=True, options=TableOptions(language="de"))
    await store.add_game("private", RECORD, seats("private"))
    await store.add_game("full", RECORD, SEATS, public=True)
    await store.add_game("over", RECORD, seats("over"), public=True, finished=True)
    (found,) = await store.public_games()
    assert (found.id, found.options.language) == ("open", "de")
    await store.set_seat("open", 1, SeatRow("greedy", None))
    assert await store.public_games() == []


async def test_only_one_game_follows_another(store):
    await store.add_game("one", RECORD, SEATS)
    await store.add_game("two", RECORD, SEATS, previous="one")
    with pytest.raises(ConflictError):
        await store.add_game("three", RECORD, SEATS, previous="one")
    assert (await store.game("one")).next_game == "two"
    assert await store.game("three") is None


async def test_a_database_of_the_first_form_is_brought_up_to_date(tmp_path, monkeypatch):
    url = f"sqlite+aiosqlite:///{tmp_path / 'old.db'}"
    store = Store(url)
    with monkeypatch.context() as first:
        first.setattr("alembic.command.upgrade", partial(upgrade_to, "0001"))
        await store.migrate()
    await store.migrate()
    await store.add_game("one", RECORD, SEATS)
    await store.add_line("one", Message(1, NOON, 0, "ada", text="old friends"))
    await store.close()


async def test_entries_that_come_together_are_kept_together_and_only_those_that_come_too_late_are_refused(
    store,
):
    games = [f"game{number}" for number in range(20)]
    for game in games:
        await store.add_game(game, RECORD, SEATS)
    await store.add_move("game7", MoveRow(1, 0, "M", "a"), finished=False)
    answers = await asyncio.gather(
        *(store.add_move(game, MoveRow(1, 0, "R", game), finished=False) for game in games),
        return_exceptions=True,
    )
    assert [game for game, answer in zip(games, answers, strict=True) if answer is not None] == ["game7"]
    assert isinstance(answers[7], ConflictError)
    kept = [(await store.game(game)).moves[0].choice for game in games]
    assert kept == ["M" if game == "game7" else "R" for game in games]


async def test_an_entry_is_kept_though_nobody_waits_for_it_any_more(store):
    for game in ("one", "two"):
        await store.add_game(game, RECORD, SEATS)
    waiting = [
        asyncio.create_task(store.add_move(game, MoveRow(1, 0, "M"), finished=False))
        for game in ("one", "two")
    ]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert [len((await store.game(game)).moves) for game in ("one", "two")] == [1, 1]


async def test_a_database_is_migrated_once_and_stays(database, store):
    await store.add_game("one", RECORD, SEATS)
    again = Store(database)
    await again.migrate()
    assert await again.game("one") is not None
    await again.close()


def test_the_form_of_the_database_is_that_of_the_last_migration():
    assert ScriptDirectory.from_config(migrations()).get_current_head() == SCHEMA_REVISION


async def refusal(url):
    store = Store(url)
    try:
        with pytest.raises(StoreError) as rejected:
            await store.migrate()
        assert not await store.is_well()
    finally:
        await store.close()
    return str(rejected.value)


@pytest.mark.parametrize("table", ["shopping", "alembic_version"])
async def test_a_database_of_somebody_else_is_left_alone(tmp_path, table):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE {table} (thing)")
    connection.close()
    assert "not ours" in await refusal(f"sqlite+aiosqlite:///{path}")


async def test_a_database_of_another_version_is_left_alone(database, store, tmp_path):
    with sqlite3.connect(tmp_path / "games.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(StoreError, match="another version"):
        await store.migrate()


async def test_a_place_that_cannot_be_reached_is_said(tmp_path):
    assert "cannot be opened" in await refusal(f"sqlite+aiosqlite:///{tmp_path}/nowhere/games.db")


async def test_a_password_is_never_said():
    store = Store("sqlite+aiosqlite://")
    assert store.place == "sqlite+aiosqlite://"
    await store.close()


def threads_of_connections():
    return [thread for thread in threading.enumerate() if "_connection_worker_thread" in thread.name]


async def test_no_thread_is_left_behind_where_connecting_failed_or_was_cut_short(tmp_path):
    for place in ("nowhere/games.db", "games.db"):
        for turns in range(4):
            store = Store(f"sqlite+aiosqlite:///{tmp_path / place}")
            asking = asyncio.create_task(store.is_well())
            for _ in range(turns):
                await asyncio.sleep(0)
            asking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asking
            assert not await store.is_well()
            await store.close()
            assert not threads_of_connections()

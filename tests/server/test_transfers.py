"""Backups of either database, restored into either: every row is restored, and games continue."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from server_browser import visiting
from server_config import config_at
from server_fixtures import POSTGRESQL, SQLITE
from server_program import Program
from sqlalchemy import (
    Boolean,
    Date,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    create_engine,
    insert,
    select,
    text,
)
from sqlalchemy.ext.asyncio import create_async_engine

from hegemon import Game
from hegemon.cli.app import app
from hegemon.cli.errors import run_command
from hegemon.server.db.backups import back_up, restore
from hegemon.server.db.errors import DatabaseError, DatabaseInUse
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.schema import SCHEMA_REVISION, metadata
from hegemon.server.db.sqlite_files import find_damage
from hegemon.server.db.store import Store
from hegemon.server.maintenance import check
from hegemon.server.runner import check_database, database_url

pytestmark = pytest.mark.slow

DUMP = Path(__file__).parent / "data" / "schema_0005.sql"

NOON = datetime(2030, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)

TWO = {"seats": [{"name": "Ada"}, {"name": "Béla Ł"}], "clock": "3d a move"}

BOTH = pytest.mark.parametrize("target", [SQLITE, POSTGRESQL])


@pytest.fixture
def new_database(request, tmp_path, postgresql):
    """Creates an empty database of a kind, without any tables."""
    numbers = iter(range(9))

    def make(kind):
        if kind == SQLITE:
            return database_url(str(tmp_path / f"new{next(numbers)}.db"))
        name = f"{request.node.name.translate(str.maketrans('[]-', '___'))[-40:]}_{next(numbers)}"
        postgresql.execute(f'DROP DATABASE IF EXISTS "{name}"')
        postgresql.execute(f'CREATE DATABASE "{name}"')
        return postgresql.url(name)

    return make


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def source(request, new_database):
    url = new_database(request.param)
    check_database(url)
    return url


def value_for(column):
    """A value that a column can hold, and that is not its default."""
    if column.foreign_keys or column.name == "game":
        return "one"
    match column.type:
        case Boolean():
            return True
        case Integer():
            return 7
        case Float():
            return 0.1
        case DateTime():
            return NOON
        case Date():
            return date(2030, 1, 2)
        case LargeBinary():
            return b"\x00\xff"
    return "one" if column.primary_key else "Żółw 🐢\n"[: column.type.length or 99]


async def fill(url):
    """Put a row into every table."""
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        for table in metadata.sorted_tables:
            row = {column.name: value_for(column) for column in table.columns}
            await connection.execute(table.delete())
            await connection.execute(insert(table).values(**row))
    await engine.dispose()


def contents(file):
    engine = create_engine(f"sqlite:///{file}")
    with engine.connect() as connection:
        found = {table.name: connection.execute(select(table)).all() for table in metadata.sorted_tables}
        revision = connection.scalar(text("SELECT version_num FROM alembic_version"))
    engine.dispose()
    assert revision == SCHEMA_REVISION
    return found


async def play(programs, moves, first):
    for number in range(first, first + moves):
        for program in programs:
            state = await program.state()
            if state["choices"]:
                choice = state["choices"][0]["choice"]
                answer = await program.submit_move(
                    choice, state["version"], f"move-{number}-{state['version']}"
                )
                assert answer.status_code == 200, answer.text


@BOTH
async def test_every_row_of_every_table_is_restored(source, target, new_database, tmp_path):
    await fill(source)
    first = await asyncio.to_thread(back_up, source, tmp_path / "first.db")
    assert find_damage(first, thorough=True) == []
    assert first.stat().st_mode & 0o777 == 0o600
    new = await asyncio.to_thread(new_database, target)
    assert await asyncio.to_thread(restore, new, first) is None
    second = await asyncio.to_thread(back_up, new, tmp_path / "second.db")
    found = contents(second)
    assert found == contents(first)
    assert {len(rows) for rows in found.values()} == {1}
    assert sorted(path.name for path in tmp_path.glob(".*")) == [], "nothing unfinished is left"


@BOTH
async def test_games_continue_with_their_tokens_seats_and_clocks(source, target, new_database, tmp_path):
    """The backup is made while they play; what they do afterwards is lost, and everything before is there."""
    async with visiting(source) as client:
        programs = await Program.create(client, **TWO)
        await play(programs, 5, 0)
        before = [await program.state() for program in programs]
        saved = asyncio.create_task(asyncio.to_thread(back_up, source, tmp_path / "saved.db"))
        while not saved.done():
            await play(programs, 1, 100)
        await saved
    new = await asyncio.to_thread(new_database, target)
    await asyncio.to_thread(restore, new, tmp_path / "saved.db")
    assert (await asyncio.to_thread(check, new)).problems == []
    async with visiting(new) as client:
        again = [Program(client, program.game, program.token) for program in programs]
        after = [await program.state() for program in again]
        for old, now in zip(before, after, strict=True):
            assert now["version"] >= old["version"]
            assert [seat["name"] for seat in now["seats"]] == ["Ada", "Béla Ł"]
            assert (now["clock"], now["seat"]) == ("3d a move", old["seat"])
        (deadline,) = [seat["deadline"] for seat in after[0]["seats"] if seat["deadline"]]
        left = datetime.fromisoformat(deadline) - datetime.now(UTC)
        assert timedelta(days=2, hours=23) < left < timedelta(days=3, minutes=1)
        await play(again, 5, 200)
        stranger = Program(client, programs[0].game, "A" * 43)
        assert (await stranger.get("")).status_code == 401
        others = await Program.create(client, **TWO)
        await play(others, 1, 0)


@pytest.mark.parametrize("source", [POSTGRESQL], indirect=True)
async def test_a_copy_shows_one_moment_however_long_it_takes(source, tmp_path):
    """A game that is created while rows are copied is in no table of the copy."""
    store = Store(source)
    for number in range(3):
        await store.games.create(f"game {number}", "", [SeatRow(None, "ada"), SeatRow(None, "ben")])
    loop, added = asyncio.get_running_loop(), []

    def progress(_rows):
        if not added:
            added.append("late")
            seats = [SeatRow(None, "ada"), SeatRow(None, "ben")]
            asyncio.run_coroutine_threadsafe(store.games.create("late", "", seats), loop).result(60)

    await asyncio.to_thread(back_up, source, tmp_path / "saved.db", progress)
    found = contents(tmp_path / "saved.db")
    assert added == ["late"]
    assert sorted(row.id for row in found["games"]) == ["game 0", "game 1", "game 2"]
    assert {row.game for row in found["seats"]} == {"game 0", "game 1", "game 2"}
    await store.close()


async def test_numbers_of_new_rows_follow_those_that_were_restored(new_database, tmp_path):
    source = new_database(SQLITE)
    await asyncio.to_thread(check_database, source)
    await fill(source)
    await asyncio.to_thread(back_up, source, tmp_path / "saved.db")
    new = await asyncio.to_thread(new_database, POSTGRESQL)
    await asyncio.to_thread(restore, new, tmp_path / "saved.db")
    store = Store(new)
    numbered = [table for table in metadata.sorted_tables if table.autoincrement_column is not None]
    assert {table.name for table in numbered} >= {"sessions", "passkeys", "vacations"}
    for table in numbered:
        column = table.autoincrement_column
        row = {each.name: value_for(each) for each in table.columns if each is not column}
        for unique in ("token", "credential"):
            if unique in row:
                row[unique] = "another"
        async with store.database.writing() as connection:
            answer = await connection.execute(insert(table).values(**row).returning(column))
            assert answer.scalar_one() == 8, table.name
    await store.close()


async def test_a_database_with_contents_is_replaced_only_on_request(new_database, tmp_path):
    source, new = [await asyncio.to_thread(new_database, POSTGRESQL) for _ in range(2)]
    for url, game in ((source, "first"), (new, "second")):
        await asyncio.to_thread(check_database, url)
        store = Store(url)
        await store.games.create(game, "", [SeatRow(None, "ada"), SeatRow(None, "ben")])
        await store.close()
    await asyncio.to_thread(back_up, source, tmp_path / "saved.db")
    with pytest.raises(DatabaseError, match=r"not empty.*--replace"):
        await asyncio.to_thread(restore, new, tmp_path / "saved.db")
    store = Store(new)
    assert await store.games.ids() == ["second"]
    await store.close()
    await asyncio.to_thread(restore, new, tmp_path / "saved.db", replace=True)
    store = Store(new)
    assert await store.games.ids() == ["first"]
    await store.close()


async def test_nothing_is_restored_while_a_server_runs(new_database, tmp_path):
    source = await asyncio.to_thread(new_database, POSTGRESQL)
    async with visiting(source, config_at(source)) as client:
        await client.app.state.tables.create(Game(2, seed=1), [SeatRow(None, "ada"), SeatRow(None, "ben")])
        await asyncio.to_thread(back_up, source, tmp_path / "saved.db")
        with pytest.raises(DatabaseInUse):
            await asyncio.to_thread(restore, source, tmp_path / "saved.db", replace=True)


def test_a_backup_of_an_earlier_version_is_restored_and_keeps_its_schema(new_database, tmp_path):
    old = tmp_path / "old.db"
    with closing(sqlite3.connect(old)) as connection:
        connection.executescript(DUMP.read_text())
    before = old.read_bytes()
    new = new_database(POSTGRESQL)
    restore(new, old)
    assert old.read_bytes() == before
    report = check(new)
    assert (report.games, report.problems) == (6, [])


def test_a_nul_that_sqlite_has_stored_is_replaced(new_database, tmp_path):
    source = new_database(SQLITE)
    check_database(source)
    asyncio.run(fill(source))
    copy = back_up(source, tmp_path / "saved.db")
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE messages SET text = 'a' || char(0) || 'b'")
    new = new_database(POSTGRESQL)
    restore(new, copy)
    again = back_up(new, tmp_path / "again.db")
    assert [row.text for row in contents(again)["messages"]] == ["a\N{REPLACEMENT CHARACTER}b"]


def test_a_row_that_does_not_fit_leaves_everything_as_it_was(new_database, tmp_path):
    source, new = new_database(SQLITE), new_database(POSTGRESQL)
    for url in (source, new):
        check_database(url)
    asyncio.run(fill(source))
    asyncio.run(fill(new))
    copy = back_up(source, tmp_path / "saved.db")
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE seats SET name = hex(zeroblob(100))")
    with pytest.raises(DatabaseError, match=r"cannot be restored: .*too long.* Nothing was changed"):
        restore(new, copy, replace=True)
    assert {len(rows) for rows in contents(back_up(new, tmp_path / "after.db")).values()} == {1}


def test_a_database_of_another_version_or_an_unreachable_one_is_not_copied(
    new_database, tmp_path, postgresql
):
    source = new_database(POSTGRESQL)
    with pytest.raises(DatabaseError, match="cannot be copied"):
        back_up(source, tmp_path / "saved.db")
    check_database(source)

    async def change():
        store = Store(source)
        async with store.database.writing() as connection:
            await connection.execute(text("UPDATE alembic_version SET version_num = '0021'"))
        await store.close()

    asyncio.run(change())
    with pytest.raises(DatabaseError, match="revision 0021"):
        back_up(source, tmp_path / "saved.db")
    with pytest.raises(DatabaseError, match="cannot be copied"):
        back_up("postgresql+asyncpg://me@127.0.0.1:1/games", tmp_path / "saved.db")
    with pytest.raises(DatabaseError, match="There is no folder"):
        back_up(source, tmp_path / "nowhere" / "saved.db")
    assert list(tmp_path.glob("*saved*")) == list(tmp_path.glob(".*")) == []


def test_the_commands_back_up_and_restore(new_database, tmp_path, capsys):
    source, new = new_database(POSTGRESQL), new_database(POSTGRESQL)
    check_database(source)
    asyncio.run(fill(source))

    def hegemon(*line):
        status = run_command(lambda: app([*map(str, line)], prog_name="hegemon", standalone_mode=False))
        printed = capsys.readouterr()
        return status, " ".join((printed.out + printed.err).split())

    folder = tmp_path / "backups"
    folder.mkdir()
    status, said = hegemon("backup", folder, "--database", source)
    (saved,) = folder.iterdir()
    assert (status, said.startswith(f"Saved: {saved}")) == (0, True), said
    assert hegemon("restore", saved, "--database", new)[0] == 0
    status, said = hegemon("restore", saved, "--database", new)
    assert (status, "--replace" in said) == (1, True)
    assert hegemon("restore", saved, "--replace", "--database", new)[0] == 0
    assert list(folder.iterdir()) == [saved]

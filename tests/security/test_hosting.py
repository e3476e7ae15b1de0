"""What a host can do: back up while people play, restore, check, compact, purge and erase, one command each."""

import asyncio
import logging
import sqlite3
import stat
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from server_browser import visiting
from server_config import SEED, config_at
from server_program import Program

from hegemon import Game, write_record
from hegemon.bots import make_bot
from hegemon.cli.app import app
from hegemon.cli.errors import run_command
from hegemon.prose.english import FORMER_PLAYER
from hegemon.server.db.rows import MessageRow, MoveRow, RatedPlayer, SeatRow, StudyRow, Webhook
from hegemon.server.db.sqlite_files import lock_file
from hegemon.server.db.store import Store
from hegemon.server.runner import check_database, database_url
from hegemon.server.security.tokens import new_token, owner_of
from hegemon.server.tables.expiry import expire_games

SERVER_DATA = Path(__file__).parents[1] / "server" / "data"

TWO = {"seats": [{"name": "Ada Lovelace"}, {"name": "Ben"}]}


@pytest.fixture
def path(database, tmp_path):
    return tmp_path / "games.db"


@pytest.fixture
def hegemon(capsys, path):
    """Run a command on the database; returns its status and output."""

    def run(*arguments: object, database: Path = path) -> tuple[int, str]:
        line = [*map(str, arguments), "--database", str(database)]
        status = run_command(lambda: app(line, prog_name="hegemon", standalone_mode=False))
        printed = capsys.readouterr()
        return status, " ".join((printed.out + printed.err).split())

    return run


async def play(programs: list[Program], moves: int) -> None:
    for _ in range(moves):
        for program in programs:
            state = await program.state()
            if state["choices"]:
                choice = state["choices"][0]["choice"]
                answer = await program.submit_move(choice, state["version"], f"move-{state['version']}")
                assert answer.status_code == 200, answer.text


# ---------------------------------------------------------------- backup and restore


async def test_a_backup_has_the_newest_moves_which_a_copy_of_the_file_lacks(client, path, tmp_path, hegemon):
    programs = await Program.create(client, **TWO)
    await play(programs, 3)
    version = (await programs[0].state())["version"]
    copy, saved = tmp_path / "copy.db", tmp_path / "saved.db"
    copy.write_bytes(path.read_bytes())
    assert hegemon("backup", saved)[0] == 0  # while the server runs
    with closing(sqlite3.connect(copy)) as copied, closing(sqlite3.connect(saved)) as backed_up:
        assert copied.execute("SELECT count(*) FROM moves").fetchone()[0] < version
        assert backed_up.execute("SELECT count(*) FROM moves").fetchone()[0] == version
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert not Path(f"{saved}-wal").exists()


async def test_backups_while_people_play_are_complete_and_a_new_server_continues_from_one(
    client, tmp_path, hegemon
):
    programs = await Program.create(client, **TWO)
    acknowledged, saved = [], []

    async def keep_playing():
        for _ in range(10):
            await play(programs, 1)
            acknowledged.append((await programs[0].state())["version"])

    playing = asyncio.create_task(keep_playing())
    while not playing.done():
        file = tmp_path / f"saved-{len(saved)}.db"
        before = acknowledged[-1] if acknowledged else 0
        status, _ = await asyncio.to_thread(hegemon, "backup", file)
        saved.append((file, status, before))
        await asyncio.sleep(0)
    await playing
    for file, status, before in saved:
        assert status == 0
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("SELECT count(*) FROM moves").fetchone()[0] >= before
    elsewhere = tmp_path / "elsewhere.db"
    file = saved[-1][0]
    assert await asyncio.to_thread(hegemon, "restore", file, database=elsewhere) == (
        0,
        f"Restored from {file}. Start the server again with: hegemon serve",
    )
    await asyncio.to_thread(check_database, database_url(str(elsewhere)))
    async with visiting(database_url(str(elsewhere))) as other:
        moved = [Program(other, program.game, program.token) for program in programs]
        version = (await moved[0].state())["version"]
        assert version >= saved[-1][2]
        await play(moved, 2)
        assert (await moved[0].state())["version"] > version


async def test_restoring_replaces_a_damaged_database_and_sets_it_aside(path, tmp_path, hegemon):
    store = Store(database_url(str(path)))
    await store.games.create("one", write_record(Game(2, seed=1).record()), [SeatRow(None, "ada")] * 2)
    await store.close()
    saved = tmp_path / "folder"
    saved.mkdir()
    assert (await asyncio.to_thread(hegemon, "backup", saved))[0] == 0
    (file,) = saved.iterdir()
    path.write_bytes(b"")
    Path(f"{path}-wal").write_bytes(b"a log that belongs to the former file")
    status, said = await asyncio.to_thread(hegemon, "restore", file)
    assert status == 0
    (former,) = tmp_path.glob("games.db.replaced-*[0-9]")
    assert str(former) in said
    assert not Path(f"{path}-wal").exists()
    assert await asyncio.to_thread(hegemon, "check") == (
        0,
        "1 games with 0 moves were checked. Problems: 0.",
    )


def test_failed_commands_explain_why_and_change_nothing(path, tmp_path, hegemon):
    text = tmp_path / "shopping.txt"
    text.write_text("bread and cheese, and a good deal more than fits into a header " * 20)
    foreign = tmp_path / "foreign.db"
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE shopping (thing)")
    before = path.read_bytes()
    with lock_file(database_url(str(path))):
        assert hegemon("backup", tmp_path / "saved.db")[0] == 0
        cases = {
            ("restore", tmp_path / "saved.db"): "Stop it first",
            ("purge", "--days", "30"): "Stop it first",
            ("compact",): "Stop it first",
            ("erase", "x"): "Stop it first",
            ("moderate", "block", "x"): "Stop it first",
            ("backup", tmp_path / "saved.db"): "already exists",
            ("backup", tmp_path / "nowhere" / "saved.db"): "There is no folder",
            ("restore", text): "damaged: file is not a database",
            ("restore", foreign): "not a backup",
            ("restore", tmp_path / "missing.db"): "damaged: unable to open",
        }
        for arguments, expected in cases.items():
            status, said = hegemon(*arguments)
            assert status == 1
            assert expected in said
    assert path.read_bytes() == before
    for arguments in (
        ("backup", tmp_path / "other.db"),
        ("check",),
        ("compact",),
        ("purge", "--days", 1),
        ("erase", "x"),
    ):
        missing = tmp_path / "missing.db"
        assert hegemon(*arguments, database=missing) == (
            1,
            f"There is no database {missing}. Choose it with --database.",
        )
        assert not missing.exists()


def test_a_server_does_not_start_on_a_database_in_use(path, hegemon):
    with lock_file(database_url(str(path))):
        status, said = hegemon("serve", "--port", 0)
    assert (status, "Stop it first" in said) == (1, True)


def test_a_damaged_database_is_not_served_and_not_copied(path, tmp_path, hegemon):
    data = bytearray(path.read_bytes())
    data[4096 * 5] ^= 0x40
    path.write_bytes(data)
    status, said = hegemon("serve", "--port", 0)
    assert (status, "is damaged" in said) == (1, True)
    status, said = hegemon("backup", tmp_path / "saved.db")
    assert (status, "Nothing was copied" in said) == (1, True)
    assert not list(tmp_path.glob("*saved*"))


def test_a_backup_of_a_database_without_a_file_is_rejected(tmp_path, hegemon):
    status, said = hegemon("backup", tmp_path / "saved.db", database="sqlite+aiosqlite://")
    assert (status, "This is for SQLite files" in said) == (1, True)


# ---------------------------------------------------------------- check


async def damaged_rows(database: str) -> None:
    """A game with an impossible move, one wrongly marked as finished, and a move of no game."""
    store, record = Store(database), write_record(Game(2, seed=1).record())
    for name in ("good", "bad", "over"):
        await store.games.create(name, record, [SeatRow(None, "ada")] * 2, finished=name == "over")
    for name, text in (("whole", record), ("broken", record[:200])):
        await store.studies.create(StudyRow(name, "ada", "", text, 1, datetime.now(UTC)), 9)
    await store.close()


def test_a_check_changes_nothing(path, hegemon):
    before = path.read_bytes()
    assert hegemon("check")[0] == 0
    assert path.read_bytes() == before


async def test_a_check_names_what_is_wrong(database, path, hegemon):
    await damaged_rows(database)
    with closing(sqlite3.connect(path)) as connection:
        for game in ("bad", "gone"):
            connection.execute(
                "INSERT INTO moves (game, version, seat, choice, created_at) VALUES (?, 1, 0, '?', '2030-01-01')",
                [game],
            )
        connection.commit()
    status, said = await asyncio.to_thread(hegemon, "check")
    assert status == 1
    assert "game bad cannot be replayed" in said
    assert "game over is over in one place" in said
    assert "of moves does not belong to a game" in said
    assert "study broken cannot be replayed" in said
    assert said.endswith("3 games with 1 moves were checked. Problems: 4.")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    status, said = await asyncio.to_thread(hegemon, "check")
    assert (status, "revision 0001" in said) == (1, True)
    path.write_bytes(path.read_bytes()[:8192])
    assert (await asyncio.to_thread(hegemon, "check"))[0] == 1


async def test_a_check_replays_archived_games_and_names_damaged_ones(database, path, hegemon):
    store, game = Store(database), Game(2, seed=1)
    while not game.over:
        game.play("." if "." in game.choices else game.choices[-1])
    rows = [
        MoveRow(number, *move) for number, move in enumerate(zip(game.movers, game.moves, strict=True), 1)
    ]
    record = write_record(Game(2, seed=1).record())
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    for name in ("whole", "damaged", "missing", "options"):
        await store.games.create(name, record, [SeatRow(None, "ada")] * 2, rows, finished=True, now=long_ago)
    await store.close()
    before = path.stat().st_size
    checked = f"4 games with {4 * len(rows)} moves were checked. Problems: 0."
    assert await asyncio.to_thread(hegemon, "check") == (0, checked)
    assert await asyncio.to_thread(hegemon, "compact") == (0, "Games archived: 4.")
    assert path.stat().st_size < before
    assert await asyncio.to_thread(hegemon, "check") == (0, checked)
    assert await asyncio.to_thread(hegemon, "compact") == (0, "Games archived: 0.")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE archives SET moves = x'01020304' WHERE game = 'damaged'")
        connection.execute("DELETE FROM archives WHERE game = 'missing'")
        connection.execute("UPDATE games SET options = '{' WHERE id = 'options'")
        connection.commit()
    status, said = await asyncio.to_thread(hegemon, "check")
    assert status == 1
    for name in ("damaged", "missing"):
        assert f"the archived moves of game {name} are damaged" in said
    assert "game options cannot be replayed: DecodeError" in said
    assert said.endswith("Problems: 3.")
    status, said = await asyncio.to_thread(hegemon, "erase", "damaged/1")
    assert (status, "No person was found" in said) == (1, True)


# ---------------------------------------------------------------- purge and expiry


async def fill(database: str, hands) -> None:
    """Games of each kind, changed at the same time."""
    store, record = Store(database), write_record(Game(2, seed=1).record())
    kinds = {
        "finished": ([SeatRow(None, "ada"), SeatRow("greedy", None)], True),
        "going-on": ([SeatRow(None, "ada"), SeatRow("greedy", None)], False),
        "imported": ([SeatRow(None, None)] * 2, False),
        "waiting": ([SeatRow(None, None, invite="a"), SeatRow(None, None, invite="b")], False),
    }
    for name, (seats, finished) in kinds.items():
        await store.games.create(name, record, seats, finished=finished, now=hands.now)
    await store.messages.add("finished", MessageRow(1, hands.now, 0, "ada", text="well played"))
    await store.studies.create(StudyRow("study", "ada", "a fine study", record, 1, hands.now), 9)
    await store.close()


async def test_finished_games_and_uploads_expire_by_a_setting(database, hands, caplog):
    caplog.set_level(logging.INFO)
    await fill(database, hands)
    settings = config_at(database, now=hands, expire_after=timedelta(days=30))
    async with visiting(database, settings) as client:
        tables = client.app.state.tables
        hands.go(days=29)
        table = await tables.load("imported")
        await expire_games(tables, settings.expire_after)
        assert len(await tables.store.games.ids()) == 4
        assert await tables.store.studies.ids() == ["study"]
        hands.go(days=2)
        await expire_games(tables, settings.expire_after)
        assert set(await tables.store.games.ids()) == {"going-on", "waiting"}
        noted = [record.facts for record in caplog.records if record.getMessage() == "games expired"]
        assert noted == [{"number": 2}]
        assert await tables.store.studies.ids() == []
        assert tables.get(table.id) is None
        assert (await client.get("/games/imported/replay")).status_code == 404
    async with visiting(database, settings) as client:  # the task itself
        assert set(await client.app.state.tables.store.games.ids()) == {"going-on", "waiting"}


@pytest.mark.parametrize("days", [0, -1, 10**9, "soon"])
def test_days_are_a_number_of_days(hegemon, days):
    for arguments in (("purge", "--days", days), ("serve", "--expire", days)):
        status, said = hegemon(*arguments)
        assert (status, arguments[1] in said) == (2, True)


async def test_purging_leaves_nothing_of_old_games_in_the_file(database, path, hands, hegemon):
    await fill(database, hands)  # in the future, from the point of view of the command
    assert await asyncio.to_thread(hegemon, "purge", "--days", 1) == (0, "Games deleted: 0.")
    with closing(sqlite3.connect(path)) as connection:
        for table in ("games", "studies"):
            connection.execute(f"UPDATE {table} SET updated_at = '2020-01-01 00:00:00.000000'")
        connection.commit()
    assert b"well played" in path.read_bytes()
    assert await asyncio.to_thread(hegemon, "purge", "--days", 1) == (0, "Games deleted: 2.")
    assert b"well played" not in path.read_bytes()
    assert b"a fine study" not in path.read_bytes()
    assert not Path(f"{path}-wal").exists()


# ---------------------------------------------------------------- erase


@pytest.mark.parametrize("way", ["link", "input", "seat"])
async def test_erasing_leaves_nothing_of_a_person_in_the_file(
    database, path, hands, hegemon, way, monkeypatch
):
    token = new_token()
    async with visiting(database) as client:
        await a_life_of(token, client.app.state.tables.store, hands)
    personal = [b"Lovelace", b"Byron", b"Ockham", b"ada.example", owner_of(token).encode()]
    assert all(word in path.read_bytes() for word in personal)
    monkeypatch.setattr(sys, "stdin", StringIO(f"{token}\n"))
    who = {
        "link": f"https://play.example/me#{token}",
        "input": "-",
        "seat": "https://play.example/games/first/1",
    }
    status, said = await asyncio.to_thread(hegemon, "erase", who[way])
    assert status == 0
    assert "erased from 3 seats" in said
    assert not any(word in path.read_bytes() for word in personal)
    store = Store(database)
    going_on, finished = await store.games.load("first"), await store.games.load("second")
    assert [seat.bot for seat in going_on.seats] == ["normal", None]
    assert [seat.bot for seat in finished.seats] == [None, None]
    assert [message.text for message in going_on.messages] == ["How nice"]
    await store.close()
    assert "cannot be replayed" not in (await asyncio.to_thread(hegemon, "check"))[1]
    settings = config_at(database, make_bot=lambda level: make_bot("chance", SEED))
    async with visiting(database, settings) as client:
        table = await client.app.state.tables.load("first")
        assert table.game.names == (FORMER_PLAYER, "Ben")
        await client.app.state.tables.bots.wait(table)
        assert table.to_move == (1,)


async def a_life_of(token: str, store: Store, hands) -> None:
    """Games, messages, a webhook and a rating of a person."""
    ada, names = owner_of(token), ["Ada Lovelace", "Ben"]
    record = write_record(Game(2, seed=1, names=names).record())
    seats = [SeatRow(None, ada, "Ada Lovelace"), SeatRow(None, "ben", "Ben")]
    await store.games.create("first", record, seats, host=ada)
    await store.games.create("second", record, seats, host="ben", finished=True)
    alone = write_record(Game(2, seed=1, names=["Zenobia", "Ada Byron"]).record())
    await store.games.create("third", alone, [SeatRow("greedy", None), SeatRow(None, ada)], host=ada)
    for game in ("first", "second"):
        await store.messages.add(game, MessageRow(1, hands.now, 0, ada, text="I live in Ockham Park"))
        await store.messages.add(game, MessageRow(2, hands.now, 1, "ben", text="How nice"))
    await store.outbox.set_webhook("first", Webhook("https://ada.example/hook", "secret", "https://here"))
    await store.outbox.set_webhook("second", Webhook("https://ben.example/hook", "secret", "https://here"))
    for game in ("first", "second"):
        await store.outbox.put(game, {"turn-0": "Ada Lovelace, it’s your turn"}, hands.now)
    await store.players.save(RatedPlayer(ada, "Ada Lovelace", 25.0, 8.0, 3))


@pytest.mark.parametrize("who", ["nobody", "first/1", "first/3", "missing/1", ""])
def test_erasing_an_unknown_person_is_rejected(hegemon, who):
    status, said = hegemon("erase", who)
    assert status == 1
    assert said.startswith("No person was found.")


async def test_a_backup_of_an_earlier_version_is_upgraded_when_the_server_starts(tmp_path, hegemon):
    old, path = tmp_path / "old.db", tmp_path / "new.db"
    with closing(sqlite3.connect(old)) as connection:
        connection.executescript((SERVER_DATA / "schema_0005.sql").read_text(encoding="utf-8"))
    assert (await asyncio.to_thread(hegemon, "restore", old, database=path))[0] == 0
    status, said = await asyncio.to_thread(hegemon, "check", database=path)
    assert (status, "revision 0005" in said) == (1, True)
    await asyncio.to_thread(check_database, database_url(str(path)))
    assert (await asyncio.to_thread(hegemon, "check", database=path))[0] == 0

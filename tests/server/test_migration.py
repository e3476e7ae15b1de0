"""The migration of a database that was filled by the code before revision 0006.

`data/schema_0005.sql` has a rated game that is over with its rematch, a draft with an undo and a substitute, a
correspondence game with a webhook, a public table with an open seat, and an imported record.
"""

import sqlite3
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, event
from sqlalchemy.ext.asyncio import create_async_engine

from hegemon.server.config import ServerConfig
from hegemon.server.db.archives import ArchiveError
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.migrate import alembic_config
from hegemon.server.db.rows import MoveRow
from hegemon.server.db.schema import SCHEMA_REVISION, metadata
from hegemon.server.db.store import Store
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.archiving import archive_games
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.results import count_games

DUMP = Path(__file__).parent / "data" / "schema_0005.sql"

FINISHED, REMATCH, DRAFT, CORRESPONDENCE, OPEN, IMPORTED = (
    f"token{number:011d}" for number in (1, 222, 223, 227, 232, 233)
)

#: Each table and column as it was called in revision 0005.
RENAMED = {
    "games": ("games", {"created_at": "created", "updated_at": "changed", "started_at": "begun", "options": "terms",
                        "previous_game": "previous"}),
    "seats": ("seats", {"owner": "holder", "color": "colour", "substitute": "stand_in"}),
    "moves": ("entries", {"version": "number", "choice": "word", "idempotency_key": "command", "created_at": "made"}),
    "messages": ("talk", {"created_at": "at", "author": "speaker", "target": "about"}),
    "substitutions": ("notes", {"created_at": "at", "version": "after", "reason": "what"}),
    "players": ("people", {"owner": "holder"}),
    "webhooks": ("webhooks", {"base_url": "base", "attempted_at": "tried", "retry_at": "again"}),
    "outbox": ("notices", {"attempts": "tries", "due_at": "due"}),
}  # fmt: skip


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "games.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(DUMP.read_text())
    connection.close()
    return path


@pytest.fixture
def database(path):
    return f"sqlite+aiosqlite:///{path}"


@pytest.fixture
async def tables(database):
    tables = TableRegistry(
        Store(database),
        ServerConfig(database, now=lambda: datetime(2030, 1, 2, tzinfo=UTC), substitute_bot="chance"),
    )
    await tables.store.migrate()
    yield tables
    await tables.close()


def rows(path, table):
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    found = [dict(row) for row in connection.execute(f'SELECT * FROM "{table}" ORDER BY 1, 2')]
    connection.close()
    return found


def schema(path):
    connection = sqlite3.connect(path)
    found = {
        row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    }
    connection.close()
    return found


async def run(database, step, revision):
    engine = create_async_engine(database)

    def migrate(connection):
        config = alembic_config()
        config.attributes["connection"] = connection
        step(config, revision)

    try:
        async with engine.begin() as connection:
            await connection.run_sync(migrate)
    finally:
        await engine.dispose()


async def test_every_row_is_migrated_to_the_new_names(path, database):
    before = {old: rows(path, old) for old, _ in RENAMED.values()}
    await run(database, command.upgrade, SCHEMA_REVISION)
    for table, (old, columns) in RENAMED.items():
        new_names = {old: new for new, old in columns.items()}
        expected = [{new_names.get(name, name): value for name, value in row.items()} for row in before[old]]
        if table == "games":
            for row in expected:
                row["record"] = row["record"].replace("\nwords = [", "\nmoves = [")
                row["options"] = row["options"].replace("hands_after", "spectator_delay")
            expected = [row | {"counted": 0, "archived": 0} for row in expected]
        if table == "messages":
            expected = [row | {"idempotency_key": None} for row in expected]
        if table == "seats":
            expected = [row | {"hidden": 0} for row in expected]
        assert rows(path, table) == expected, table
    assert all(before.values())


async def test_the_migrated_schema_matches_the_code(database):
    """Tables, columns, types, defaults, keys and indexes; the conditions of partial indexes are not compared."""
    await run(database, command.upgrade, SCHEMA_REVISION)

    def differences(connection):
        options = {"compare_type": True, "compare_server_default": is_other_default}
        return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)

    engine = create_async_engine(database)
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


def is_other_default(_context, _reflected, _column, found, _default, wanted):
    """Compare as Alembic does (None), except for an empty string in parentheses, which it does not recognize."""
    return False if (found, wanted) == ("('')", "") else None


@pytest.mark.parametrize(
    ("index", "read"),
    [
        ("ix_games_updated_at", lambda store: store.games.latest(0)),
        ("ix_games_unfinished", lambda store: store.games.in_lobby()),
        ("ix_games_results", lambda store: store.games.latest_finished_public()),
        ("ix_games_unarchived", lambda store: store.archives.due(datetime.now(UTC), 5)),
        ("ix_seats_invite", lambda store: store.seats.find_invite("secret")),
        ("ix_tournaments_public", lambda store: store.tournaments.listed()),
    ],
)
async def test_public_lists_use_an_index(tables, index, read):
    queries = []

    def note(_connection, _cursor, statement, parameters, *_):
        queries.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    await read(tables.store)
    event.remove(Engine, "before_cursor_execute", note)
    async with tables.store.database.reading() as connection:
        plan = (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {queries[0][0]}", queries[0][1])).all()
    steps = [step.detail for step in plan]
    assert any(index in step for step in steps), steps
    assert not any("TEMP B-TREE" in step for step in steps), "nothing is sorted"


async def test_a_move_can_contain_a_set_of_cards_and_its_key_counts_once(path, tables):
    connection = sqlite3.connect(path)
    (width,) = [row[2] for row in connection.execute("PRAGMA table_info(moves)") if row[1] == "choice"]
    connection.close()
    assert width == "VARCHAR(255)"
    version = len((await tables.store.games.load(REMATCH)).moves)
    moves = tables.store.moves
    text = ",".join("MMRRESCU" * 8)
    await moves.append(REMATCH, MoveRow(version + 1, 0, text, "key"), finished=False)
    assert (await tables.store.games.load(REMATCH)).moves[-1].choice == text
    for again in (MoveRow(version + 2, 0, "M", "key"), MoveRow(version + 1, 0, "M")):
        with pytest.raises(ConflictError):
            await moves.append(REMATCH, again, finished=False)


async def test_a_downgrade_restores_the_database(path, database):
    names, before = schema(path), {old: rows(path, old) for old, _ in RENAMED.values()}
    await run(database, command.upgrade, SCHEMA_REVISION)
    await run(database, command.downgrade, "0005")
    assert schema(path) == names
    assert {old: rows(path, old) for old, _ in RENAMED.values()} == before


async def test_a_downgrade_restores_the_moves_of_archived_games(path, database):
    await run(database, command.upgrade, "0024")
    before = rows(path, "moves")
    store = Store(database)
    assert await archive_games(store, datetime(2031, 1, 1, tzinfo=UTC), set()) == 2
    await store.close()
    assert {row["game"] for row in rows(path, "archives")} == {FINISHED, IMPORTED}
    assert {row["game"] for row in rows(path, "moves")} == {DRAFT, CORRESPONDENCE}
    await run(database, command.downgrade, "0022")
    assert rows(path, "moves") == [
        row | {"idempotency_key": None, "created_at": f"{row['created_at'][:-3]}000"}  # milliseconds
        if row["game"] in (FINISHED, IMPORTED)
        else row
        for row in before
    ]
    assert "archives" not in schema(path)
    await run(database, command.upgrade, SCHEMA_REVISION)
    assert {row["archived"] for row in rows(path, "games")} == {0}


async def test_a_downgrade_names_a_game_whose_archive_is_damaged(path, database):
    await run(database, command.upgrade, SCHEMA_REVISION)
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO archives VALUES (?, ?)", (FINISHED, b"damaged"))
    connection.close()
    with pytest.raises(ArchiveError, match=FINISHED):
        await run(database, command.downgrade, "0022")


async def test_the_history_of_ratings_becomes_part_of_the_results(path, database):
    await run(database, command.upgrade, "0024")
    changes = [
        ("ada", FINISHED, 27.5, 7.5),
        ("ada", "expired", 28.25, 7.0),
        ("ben", FINISHED, 22.5, 7.5),
        ("ben", "unrated", None, None),
    ]
    with sqlite3.connect(path) as connection:
        for seat, (owner, game, mu, sigma) in enumerate(changes):
            connection.execute(
                "INSERT INTO results (game, seat, owner, finished_at, players, variant, teams, level, ending, won,"
                " score, turns) VALUES (?, ?, ?, '2030-01-01', 2, 'basic', 0, '', 'majority', 0, 3, 9)",
                (game, seat, owner),
            )
            if mu is not None:
                values = owner, game, mu, sigma
                connection.execute("INSERT INTO rating_changes VALUES (?, ?, '2030-01-01', ?, ?)", values)
    connection.close()
    before = rows(path, "rating_changes")
    await run(database, command.upgrade, SCHEMA_REVISION)
    found = {(row["owner"], row["game"]): (row["mu"], row["sigma"]) for row in rows(path, "results")}
    assert found == {(owner, game): (mu, sigma) for owner, game, mu, sigma in changes}
    assert "rating_changes" not in schema(path)
    await run(database, command.downgrade, "0024")
    assert rows(path, "rating_changes") == before
    assert {"mu", "sigma"}.isdisjoint(rows(path, "results")[0])


async def test_a_finished_game_has_its_result_messages_ratings_and_rematch(tables):
    table = await tables.load(FINISHED)
    assert table.game.over
    assert (table.rated, table.next_game) == (True, REMATCH)
    assert (table.options.language, table.options.rated, table.options.spectator_delay) == ("de", True, 2)
    assert [(seat.name, seat.color) for seat in table.seats] == [("Ada", 4), ("Ben", 5)]
    assert [
        (message.author, message.phrase, message.target, message.text) for message in table.chat.messages
    ] == [
        ("ada", "hello", None, ""),
        ("ben", "spare", 0, ""),
        ("eve", "", None, "Salut, ça va?"),
    ]
    ratings = await tables.store.players.load(["ada", "ben"])
    assert [(player.name, player.games) for player in ratings.values()] == [("Ada", 1), ("Ben", 1)]
    assert (await tables.load(IMPORTED)).game.moves == table.game.moves


async def test_devices_can_be_signed_in(tables):
    await tables.people.start_session("digest", "ada", "Firefox", "Linux")
    (session,) = await tables.store.devices.sessions_of("ada")
    await tables.people.end_session("ada", session.id)
    assert await tables.store.devices.sessions_of("ada") == []


async def test_games_continue_after_the_migration(tables):
    for game_id, seat in ((REMATCH, 0), (CORRESPONDENCE, None)):
        table = await tables.load(game_id)
        version, seat = table.version, table.to_move[0] if seat is None else seat
        choice = table.game.choices_of(seat)[0]
        assert (
            await table_moves.submit_move(tables, table, seat, choice, version, "new", table.seats[seat])
            == version + 1
        )
        assert (await tables.store.games.load(game_id)).moves[-1].choice == choice


async def test_a_draft_with_an_undo_and_a_substitute_continues(tables):
    row = await tables.store.games.load(DRAFT)
    assert [move.choice for move in row.moves[:3]].count("undo") == 1
    assert [(note.version, note.seat, note.reason) for note in row.substitutions] == [
        (7, 2, "clock"),
        (10, 2, "back"),
    ]
    table = await tables.load(DRAFT)
    assert table.clock.control.text == "1m a move"
    await tables.driver.check_deadlines(DRAFT)  # a day has passed, and with it the deadline of each player
    assert len(table.substitutions) > 2
    assert table.game.names[2] == "Cleopatra"


async def test_a_public_table_is_listed_and_the_webhook_is_loaded(tables):
    (listed,) = await tables.store.games.in_lobby()
    assert (listed.id, listed.names) == (OPEN, ("Ada", "Ben", "Cleo", "Dan"))
    outbox = tables.store.outbox
    webhook = await outbox.webhook(CORRESPONDENCE)
    assert (webhook.url, webhook.base_url) == ("https://example.org/hook", "https://play.example")
    assert (webhook.status, webhook.failure) == (500, "status")
    (due,) = await outbox.take(webhook.retry_at + timedelta(seconds=1), 5)
    assert (due.attempts, due.webhook.secret) == (2, "secret")
    await outbox.copy_webhook(CORRESPONDENCE, OPEN)


async def test_results_saved_without_names_get_them(path, database):
    """The names come from the seats or the record; an expired or damaged game has none."""
    await run(database, command.upgrade, "0017")
    with sqlite3.connect(path) as connection:
        for game, seat, owner in (
            (FINISHED, 0, "ada"),
            (FINISHED, 1, "ben"),
            ("expired", 0, "ada"),
            (DRAFT, 0, "x"),
        ):
            connection.execute(
                "INSERT INTO results (game, seat, owner, finished_at, players, variant, teams, level, ending, won,"
                " score, turns) VALUES (?, ?, ?, '2030-01-01', 2, 'basic', 0, '', 'majority', 0, 3, 9)",
                (game, seat, owner),
            )
        connection.execute("UPDATE seats SET name = NULL WHERE game = ? AND seat = 1", (FINISHED,))
        connection.execute("UPDATE games SET record = 'damaged' WHERE id = ?", (DRAFT,))
    connection.close()
    await run(database, command.upgrade, SCHEMA_REVISION)
    names = {(row["game"], row["seat"]): row["name"] for row in rows(path, "results")}
    assert names == {(FINISHED, 0): "Ada", (FINISHED, 1): "Ben", ("expired", 0): "", (DRAFT, 0): ""}


async def test_a_game_that_is_played_on_has_no_names_of_earlier_players(path, database):
    await run(database, command.upgrade, "0017")
    with sqlite3.connect(path) as connection:
        origin = '{"origin":"' + FINISHED + '"}'
        connection.execute("UPDATE games SET options = ? WHERE id = ?", (origin, DRAFT))
        connection.execute("UPDATE seats SET name = NULL, bot = 'easy' WHERE game = ? AND seat = 0", (DRAFT,))
        connection.execute("UPDATE seats SET name = NULL, bot = NULL WHERE game = ? AND seat = 1", (DRAFT,))
        connection.execute("UPDATE seats SET name = ? WHERE game = ? AND seat = 2", ('A "B" É', DRAFT))
    connection.close()
    await run(database, command.upgrade, SCHEMA_REVISION)
    records = {row["id"]: tomllib.loads(row["record"])["players"] for row in rows(path, "games")}
    assert records[DRAFT] == ["Pericles", "Hypatia", 'A "B" É']
    assert records[FINISHED] == ["Ada", "Ben"]


async def test_the_results_of_earlier_games_are_added_while_the_server_runs(tables):
    results = tables.store.results
    assert set(await results.uncounted(10)) == {FINISHED, IMPORTED}
    await count_games(tables.store, 0)
    assert await results.uncounted(10) == []
    (ada,), (ben,) = await results.groups("ada"), await results.groups("ben")
    assert (ada.players, ada.level, ada.number) == (2, "", 1)
    assert ada.won != ben.won

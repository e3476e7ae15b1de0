"""Archives: the moves of a finished game in one row, equivalent to the rows that it replaces."""

import asyncio
import logging
import random
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO
from zipfile import ZipFile

import pytest
from alembic import command
from hypothesis import given
from hypothesis import strategies as st
from server_browser import finish, visiting
from server_config import config_at
from server_program import Program
from sqlalchemy import delete, func, insert, select, update
from waiting import wait_until

from hegemon import CHOICES, Game, IllegalMoveError, write_record
from hegemon.prose.translator import Translator
from hegemon.server.config import GRACE_PERIOD
from hegemon.server.db import archives as archives_module
from hegemon.server.db.archives import ArchiveError, archives, pack, unpack
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.migrate import alembic_config
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import UNDO, MoveRow, SeatRow, Substitution
from hegemon.server.db.schema import games, moves, substitutions
from hegemon.server.db.store import Store
from hegemon.server.security.tokens import owner_of
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.archiving import ARCHIVING, archive_games
from hegemon.server.tables.errors import BrokenGame, StaleVersionError
from hegemon.server.tables.moderation import ModerationTarget
from hegemon.server.tables.moderation import close as close_table
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.results import count_games
from hegemon.server.tables.table import Table
from hegemon.server.web.me.export import export_zip

pytestmark = pytest.mark.scenario

#: Three moves as packed by the first version with archives.
FORMAT_1 = bytes.fromhex(
    "0178daf2d5095228cd4bc95728d236e4323030e402000000fffffbbdeddbcb7926d9f7d919007c8c09e8"
)

#: Four moves as packed by the first version with format 2.
FORMAT_2 = bytes.fromhex("0278daf2d509e262a975585fcf6c5f07d0ef6ddf5ece33c96666d8315313b0fb0cd90091150b19")

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
RECORD = write_record(Game(2, seed=1).record())
PEOPLE = [SeatRow(None, "ada", "Ada"), SeatRow(None, "ben", "Ben")]
TWO = {"seats": [{"name": "Ada"}, {"name": "Ben"}]}


@pytest.fixture
async def tables(database, hands):
    tables = TableRegistry(Store(database), config_at(database, now=hands))
    await tables.store.migrate()
    yield tables
    await tables.close()


@pytest.fixture
def store(tables):
    return tables.store


async def played(tables, hands, game, *, clock="", seed=1):
    """Play a random game to its end, with undos and sets of cards at uneven intervals; return its table."""
    chance = random.Random(seed)
    seats = [SeatRow(None, f"owner {seat}", f"Name {seat}") for seat in range(game.players)]
    table = await tables.load(await tables.create(game, seats, options=TableOptions(clock=clock)))
    while not table.game.over:
        hands.go(chance.random() * 2)
        last = table.moves[-1].seat if table.moves else 0
        if table.may_undo(last) and chance.random() < 0.2:
            seat, choice = last, UNDO
        else:
            seat = chance.choice(table.to_move)
            choice = several(table, seat, chance) or chance.choice(table.game.choices_of(seat))
        key = f"key {table.version}"
        await table_moves.submit_move(tables, table, seat, choice, table.version, key)
    return table


def several(table, seat, chance):
    """Random cards that may be chosen together, or None if the question does not ask for several."""
    selection = table.game.selection(seat)
    if selection is None or selection.number < 2:
        return None
    cards = chance.sample([str(card) for card in selection.cards], selection.number)
    try:
        table.check_move(seat, cards)
    except IllegalMoveError:
        return None
    return cards


def in_milliseconds(time):
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def without_keys(row):
    """A game as it is loaded from an archive, which contains no idempotency keys."""
    kept = (replace(move, idempotency_key=None) for move in row.moves)
    return replace(row, moves=tuple(kept))


async def loaded(store, game_id):
    """Load a game without its revisions, which record changes by other workers."""
    return replace(await store.games.load(game_id), revisions={})


async def forms(store, game_id):
    """The number of move rows and the number of archives of a game."""
    async with store.database.reading() as connection:
        return tuple(
            [
                await connection.scalar(
                    select(func.count()).select_from(table).where(table.c.game == game_id)
                )
                for table in (moves, archives)
            ]
        )


async def finished_game(store, game_id="over", choices=("M", "R"), now=NOON):
    await store.games.create(game_id, RECORD, PEOPLE, now=now)
    for version, choice in enumerate(choices, 1):
        move = MoveRow(version, version % 2, choice, f"key {version}", now)
        await store.moves.append(game_id, move, finished=version == len(choices))
    return await loaded(store, game_id)


async def spoil(store, game_id, packed=b"\x01spoiled"):
    async with store.database.writing() as connection:
        await connection.execute(update(archives).where(archives.c.game == game_id).values(moves=packed))


# ---------------------------------------------------------------- the format

TEXTS = st.text("MRESCU+.123,mu", min_size=1, max_size=20)
TIMES = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))


@given(st.lists(st.tuples(st.integers(0, 3), TEXTS, TIMES), max_size=40))
def test_an_archive_has_every_move_with_its_time_in_milliseconds(facts):
    rows = [MoveRow(version, *fact[:2], "key", fact[2]) for version, fact in enumerate(facts, 1)]
    found = unpack(pack(rows))
    assert found == tuple(replace(row, idempotency_key=None) for row in rows)
    assert [row.created_at for row in found] == [in_milliseconds(row.created_at) for row in rows]


@pytest.mark.parametrize(
    "row",
    [
        MoveRow(2, 0, "M", None, NOON),
        MoveRow(1, 12, "M", None, NOON),
        MoveRow(1, -1, "M", None, NOON),
        MoveRow(1, 0, "M R", None, NOON),
        MoveRow(1, 0, "M\n0\n", None, NOON),
        MoveRow(1, 0, "", None, NOON),
        MoveRow(1, 0, "M", None, datetime(1960, 1, 1, tzinfo=UTC)),
    ],
)
def test_moves_that_could_not_be_unpacked_are_not_archived(row):
    if row.choice:
        with pytest.raises(ArchiveError):
            pack([row])
    else:
        assert unpack(pack([row])) == (row,)


def test_the_reason_why_moves_are_not_archived_is_given():
    with pytest.raises(ArchiveError, match="the moves are not those of a game"):
        pack([MoveRow(2, 0, "M", None, NOON)])


def test_every_damaged_bit_and_every_missing_byte_of_an_archive_is_detected():
    packed = pack(
        [MoveRow(version, version % 2, "M", None, NOON + timedelta(seconds=version)) for version in (1, 2, 3)]
    )
    unnoticed = 0
    for bit in range(8 * len(packed)):
        damaged = bytearray(packed)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            assert unpack(bytes(damaged)) == unpack(packed)
            unnoticed += 1
        except ArchiveError:
            pass
    assert unnoticed < 8, "only the bits between two blocks have no meaning"
    for size in range(len(packed)):
        with pytest.raises(ArchiveError):
            unpack(packed[:size])
    with pytest.raises(ArchiveError):
        unpack(packed + b"more")


@pytest.mark.parametrize(("packed", "number"), [(FORMAT_1, 3), (FORMAT_2, 4)])
def test_archives_of_every_format_can_be_read(packed, number):
    rows = (
        MoveRow(1, 0, "M,R", None, datetime(2026, 11, 18, 6, 0, 0, 123000, UTC)),
        MoveRow(2, 0, UNDO, None, datetime(2026, 11, 18, 6, 0, 1, 7000, UTC)),
        MoveRow(3, 1, "r+1", None, datetime(2026, 11, 18, 6, 0, 0, 900000, UTC)),
        MoveRow(4, 3, ".", None, datetime(2026, 11, 20, 6, 0, 0, 900000, UTC)),
    )[:number]
    found = unpack(packed)
    assert found == rows
    assert [row.created_at for row in found] == [row.created_at for row in rows]


def test_every_choice_has_a_code_in_archives():
    assert {*CHOICES, UNDO} == {*archives_module._CODES}


def test_an_archive_that_is_too_large_when_unpacked_is_rejected(monkeypatch):
    packed = pack([MoveRow(1, 0, "M", None, NOON)])
    monkeypatch.setattr(archives_module, "_MAX_SIZE", 8)
    with pytest.raises(ArchiveError):
        unpack(packed)


# ---------------------------------------------------------------- archived games


@pytest.mark.parametrize(
    ("options", "clock"),
    [
        ({"players": 2}, ""),
        ({"players": 2}, "10m a game + 10s"),
        ({"players": 3, "variant": "draft"}, "1m a move"),
        ({"players": 4, "teams": True}, "3d a move"),
    ],
    ids=["two", "clocks", "draft", "teams"],
)
async def test_an_archived_game_is_loaded_as_it_was(tables, store, hands, options, clock):
    table = await played(tables, hands, Game(seed=3, **options), clock=clock)
    away, back = Substitution(1, hands(), 4, 1, "clock"), Substitution(2, hands(), 6, 1, "back")
    async with store.database.writing() as connection:  # as if they had been saved during the game
        rows = [{"game": table.id} | asdict(substitution) for substitution in (away, back)]
        await connection.execute(insert(substitutions), rows)
    before = await loaded(store, table.id)
    assert UNDO in {move.choice for move in before.moves}
    assert any("," in move.choice for move in before.moves)
    hands.go(hours=1)
    assert await store.archives.archive(table.id, hands())
    after = await loaded(store, table.id)
    assert await forms(store, table.id) == (0, 1)
    assert after == without_keys(before)
    for move, saved in zip(after.moves, before.moves, strict=True):
        assert move.created_at == in_milliseconds(saved.created_at)

    tables_of_both = Table(before), Table(after)
    first, second = tables_of_both
    assert second.version == first.version
    assert second.game.record() == first.game.record()
    for viewer in range(-1, first.game.players):
        for version in range(first.version + 1):
            assert second.event_dicts(viewer, version) == first.event_dicts(viewer, version)
    if clock:
        for seat in range(first.game.players):
            difference = first.clock.time_left(seat, hands()) - second.clock.time_left(seat, hands())
            assert abs(difference) <= timedelta(milliseconds=len(before.moves))


async def test_only_games_that_ended_some_time_ago_are_archived(tables, store, hands):
    await finished_game(store, "over", now=hands())
    await store.games.create("going on", RECORD, PEOPLE, now=hands())
    await store.moves.append("going on", MoveRow(1, 0, "M", "key", hands()), finished=False)
    hands.go(minutes=5)
    await finished_game(store, "later", now=hands())
    hands.go(minutes=6)
    assert await archive_games(store, hands() - GRACE_PERIOD, set()) == 1
    assert [await forms(store, name) for name in ("over", "going on", "later")] == [(0, 1), (1, 0), (2, 0)]
    for name in ("over", "going on", "later", "unknown"):
        assert not await store.archives.archive(name, hands() - GRACE_PERIOD)
    assert await archive_games(store, hands() - GRACE_PERIOD, set()) == 0
    hands.go(minutes=5)
    assert await archive_games(store, hands() - GRACE_PERIOD, set()) == 1
    assert await forms(store, "going on") == (1, 0)


async def test_a_game_without_moves_that_the_host_has_closed_is_archived(tables, store, hands):
    table = await tables.load(await tables.create(Game(2, seed=1), PEOPLE))
    await close_table(tables, ModerationTarget(table.id))
    before = await loaded(store, table.id)
    hands.go(hours=1)
    assert await archive_games(store, hands(), set()) == 1
    assert await loaded(store, table.id) == before
    assert before.closed


async def test_only_one_of_several_workers_archives_a_game(database, store, hands):
    before = await finished_game(store, now=hands())
    hands.go(hours=1)
    others = [Store(database) for _ in range(3)]
    done = await asyncio.gather(*(other.archives.archive("over", hands()) for other in (store, *others)))
    assert sorted(done) == [False, False, False, True]
    assert await loaded(store, "over") == without_keys(before)
    for other in others:
        await other.close()


async def test_many_games_are_archived_even_if_some_are_damaged(store, hands, monkeypatch, caplog):
    monkeypatch.setattr("hegemon.server.tables.archiving._MAX_FOUND", 2)
    names = [f"game {number}" for number in range(7)]
    for name in names:
        await finished_game(store, name, now=hands())
    async with store.database.writing() as connection:
        for name in names[:3]:  # more than are found at a time
            await connection.execute(update(moves).where(moves.c.game == name).values(choice="M R"))
    before = await loaded(store, names[0])
    hands.go(hours=1)
    damaged = set()
    for _ in range(2):
        await archive_games(store, hands(), damaged)
    assert damaged == set(names[:3])
    assert [await forms(store, name) for name in names] == [(2, 0)] * 3 + [(0, 1)] * 4
    assert await loaded(store, names[0]) == before
    assert len(caplog.records) == 3, "each damaged game is logged once"


async def test_a_failure_halfway_leaves_the_rows(store, hands, monkeypatch):
    before = await finished_game(store, now=hands())
    hands.go(hours=1)
    writing = store.database.writing

    @asynccontextmanager
    async def failing():
        async with writing() as connection:
            yield connection
            assert await connection.scalar(select(func.count()).select_from(moves)) == 0
            raise RuntimeError("the power fails")

    with monkeypatch.context() as patch:
        patch.setattr(store.database, "writing", failing)
        with pytest.raises(RuntimeError):
            await store.archives.archive("over", hands())
    assert await loaded(store, "over") == before
    assert await forms(store, "over") == (2, 0)
    assert await store.archives.archive("over", hands())


async def test_a_game_that_is_archived_while_it_is_loaded_has_its_moves(store, hands, monkeypatch):
    before = await finished_game(store, now=hands())
    hands.go(hours=1)
    read = archives_module.moves_of

    async def read_late(connection, game_id, after=0):
        monkeypatch.setattr(archives_module, "moves_of", read)
        assert await store.archives.archive(game_id, hands())
        return await read(connection, game_id, after)

    monkeypatch.setattr(archives_module, "moves_of", read_late)
    assert await loaded(store, "over") == without_keys(before)
    await store.games.create("new", RECORD, PEOPLE, finished=True, now=hands())
    assert (await loaded(store, "new")).moves == ()


async def test_nothing_is_appended_to_an_archived_game(store, hands):
    await finished_game(store, now=hands())
    await store.games.create("going on", RECORD, PEOPLE, now=hands())
    hands.go(hours=1)
    await store.archives.archive("over", hands())
    before = await loaded(store, "over")
    for finished in (True, False):
        saved = await asyncio.gather(
            store.moves.append("over", MoveRow(3, 0, "M", "new", hands()), finished=finished),
            store.moves.append("over", MoveRow(1, 0, "M", "other", hands()), finished=finished),
            store.moves.append("going on", MoveRow(1 + finished, 0, "M", None, hands()), finished=False),
            return_exceptions=True,
        )
        assert [type(answer) for answer in saved] == [ConflictError, ConflictError, type(None)]
    assert await loaded(store, "over") == before
    assert len((await loaded(store, "going on")).moves) == 2


async def test_a_worker_that_missed_the_end_catches_up_from_the_archive(tables, store, database, hands):
    late = TableRegistry(Store(database), config_at(database, now=hands))
    table = await played(tables, hands, Game(2, seed=1))
    last = table.moves[-1]
    async with store.database.writing() as connection:  # as it was before the last two moves
        lost = moves.c.version > table.version - 2
        saved = (await connection.execute(select(moves).where(lost))).mappings().all()
        await connection.execute(delete(moves).where(lost))
    stale = await late.load(table.id)
    async with store.database.writing() as connection:
        await connection.execute(insert(moves), [dict(row) for row in saved])
    assert stale.version == table.version - 2
    hands.go(hours=1)
    assert await archive_games(store, hands(), set()) == 1
    seat, version = stale.to_move[0], stale.version
    choice = stale.game.choices_of(seat)[0]
    with pytest.raises(StaleVersionError):
        await table_moves.submit_move(late, stale, seat, choice, version, "new")
    assert stale.game.over
    assert (stale.version, stale.moves[-1]) == (table.version, replace(last, idempotency_key=None))
    await late.close()


async def test_the_same_moves_are_rejected_before_and_after_archiving(database, hands):
    """Only idempotency keys are lost: a repeated request gets the response for a stale version."""
    settings = config_at(database, now=hands)

    async def answers(client, programs, version):
        program = programs[0]
        requests = [("M", version, "new"), (UNDO, version, "undo"), ("M", version - 1, "old")]
        found = [await program.submit_move(*request) for request in requests]
        return [(answer.status_code, answer.json()) for answer in found]

    async with visiting(database, settings) as client:
        programs = await Program.create(client, **TWO)
        table = await finish(client, f"/games/{programs[0].game}")
        hands.go(hours=1)
        await client.app.state.tables.store.moves.close()
        before = await answers(client, programs, table.version)
        state = await programs[0].state()
        record = (await programs[0].get("/record")).text
    async with visiting(database, settings) as client:
        store = client.app.state.tables.store
        programs = [replace(program, client=client) for program in programs]
        await archive_games(store, hands(), set())
        assert await forms(store, programs[0].game) == (0, 1)
        assert await answers(client, programs, table.version) == before
        assert await programs[0].state() == state
        assert (await programs[0].get("/record")).text == record
        page = await client.get(f"/games/{programs[0].game}/replay")
        assert page.status_code == 200
    assert [status for status, _ in before] == [422, 422, 409]


async def test_a_repeated_request_is_recognized_until_the_game_is_archived(database, hands):
    settings = config_at(database, now=hands)
    async with visiting(database, settings) as client:
        tables = client.app.state.tables
        programs = await Program.create(client, **TWO)
        table = await tables.load(programs[0].game)
        while not table.game.over:
            seat, version = table.to_move[0], table.version
            choices = table.game.choices_of(seat)
            last = "." if "." in choices else choices[-1], version, f"key {version}"
            answer = await programs[seat].submit_move(*last)
            assert answer.status_code == 200
        hands.go(minutes=9)
        await archive_games(tables.store, hands() - GRACE_PERIOD, set())
    for minutes, expected in ((0, 200), (2, 409)):
        hands.go(minutes=minutes)
        async with visiting(database, settings) as client:
            await archive_games(client.app.state.tables.store, hands() - GRACE_PERIOD, set())
            repeated = await replace(programs[seat], client=client).submit_move(*last)
            assert repeated.status_code == expected


async def test_a_server_archives_games_that_ended_before_it_started(database, hands, caplog):
    caplog.set_level(logging.INFO)
    store = Store(database)
    await finished_game(store, now=hands())
    await store.results.save("over", [])
    before = await loaded(store, "over")
    hands.go(hours=1)
    later = config_at(database, now=hands, archive_after=timedelta(hours=2))
    async with visiting(database, later) as client:
        await client.app.state.tables.background.stop(ARCHIVING)
        assert await forms(store, "over") == (2, 0)
    async with visiting(database, config_at(database, now=hands)) as client:
        await wait_until(lambda: "games archived" in caplog.messages)
        assert await forms(store, "over") == (0, 1)
        assert ARCHIVING not in client.app.state.tables.background.failing
    assert await loaded(store, "over") == without_keys(before)
    await store.close()


async def test_a_downgrade_and_an_upgrade_keep_the_moves(database, hands):
    store = Store(database)
    whole, going_on = await finished_game(store, now=hands()), "going on"
    await store.games.create(going_on, RECORD, PEOPLE, now=hands())
    await store.moves.append(going_on, MoveRow(1, 0, "M", "key", hands()), finished=False)
    hands.go(hours=1)
    assert await archive_games(store, hands(), set()) == 1
    async with store.database.writing() as connection:
        await connection.run_sync(partial(migrate, command.downgrade, "0022"))
    async with store.database.reading() as connection:
        saved = (await connection.execute(select(moves).order_by(moves.c.game, moves.c.version))).all()
    async with store.database.writing() as connection:
        await connection.run_sync(partial(migrate, command.upgrade, "head"))
    assert [(row.game, row.version, row.choice, row.idempotency_key) for row in saved] == [
        (going_on, 1, "M", "key"),
        ("over", 1, "M", None),
        ("over", 2, "R", None),
    ]
    assert await loaded(store, "over") == without_keys(whole)
    assert await archive_games(store, hands(), set()) == 1
    assert await loaded(store, "over") == without_keys(whole)
    await store.close()


def migrate(step, revision, connection):
    config = alembic_config()
    config.attributes["connection"] = connection
    step(config, revision)


# ---------------------------------------------------------------- other features with archived games


async def test_results_expiry_erasure_and_ratings_work_with_archived_games(tables, store, hands):
    table = await played(tables, hands, Game(2, seed=1))
    before = await loaded(store, table.id)
    hands.go(hours=1)
    await archive_games(store, hands(), set())
    assert await store.results.uncounted(5) == [table.id]
    await count_games(store, 0)
    groups = await store.results.groups("owner 0")
    assert [group.number for group in groups] == [1]
    (own,) = await store.own_games.finished("owner 0")
    assert (own.game.id, own.game.names) == (table.id, ("Name 0", "Name 1"))
    await store.people.erase("owner 0")
    after = await loaded(store, table.id)
    assert after.moves == without_keys(before).moves
    assert Table(after).game.over
    assert await store.games.expire(hands() + timedelta(days=1)) == [table.id]
    assert await forms(store, table.id) == (0, 0)


async def test_a_damaged_archive_breaks_one_game_only(tables, store, hands, caplog):
    table = await played(tables, hands, Game(2, seed=1))
    await finished_game(store, "other", now=hands())
    hands.go(hours=1)
    await archive_games(store, hands(), set())
    await spoil(store, table.id)
    tables.forget([table.id])
    for _ in range(2):
        with pytest.raises(BrokenGame):
            await tables.load(table.id)
    assert tables.broken == {table.id}
    await count_games(store, 0)
    assert await store.results.uncounted(5) == []
    assert len((await loaded(store, "other")).moves) == 2
    assert {record.getMessage() for record in caplog.records} == {
        "a game cannot be loaded",
        "a game could not be counted",
    }


async def test_a_server_with_a_damaged_archive_serves_everything_else(database, hands):
    async with visiting(database, config_at(database, now=hands)) as client:
        tables = client.app.state.tables
        programs = [await Program.create(client, **TWO) for _ in range(2)]
        first, second = [await finish(client, f"/games/{of[0].game}") for of in programs]
        hands.go(hours=1)
        await archive_games(tables.store, hands(), set())
        await spoil(tables.store, first.id, b"")
        tables.forget([first.id, second.id])
        assert (await client.get(f"/games/{first.id}")).status_code == 500
        assert (await client.get(f"/games/{second.id}")).status_code == 200
        token = programs[0][0].token
        owner = owner_of(token)
        await tables.store.seats.save(second.id, 0, second.seats[0], replace(second.seats[0], owner=owner))
        parts = [part async for part in export_zip(tables, owner, Translator("en"))]
        names = ZipFile(BytesIO(b"".join(parts))).namelist()
        assert [name for name in names if name.startswith("games/")] == [f"games/{second.id}.toml"]


async def test_missing_and_misplaced_archives_are_found(store, hands):
    names = ("whole", "missing", "both", "unfinished", "unmarked")
    for name in names:
        await finished_game(store, name, now=hands())
    hands.go(hours=1)
    await archive_games(store, hands(), set())
    assert await store.archives.inconsistent() == []
    async with store.database.writing() as connection:
        await connection.execute(delete(archives).where(archives.c.game == "missing"))
        extra = {"game": "both", "version": 9, "seat": 0, "choice": "M", "created_at": NOON}
        await connection.execute(insert(moves), [extra])
        for name, change in (("unfinished", {"finished": False}), ("unmarked", {"archived": False})):
            await connection.execute(update(games).where(games.c.id == name).values(**change))
    assert await store.archives.inconsistent() == ["both", "missing", "unfinished", "unmarked"]
    with pytest.raises(ArchiveError):
        await store.games.load("missing")


async def test_a_downgrade_leaves_archives_that_the_older_version_can_read(database, hands):
    store = Store(database)
    whole = await finished_game(store, choices=("M", "M,R", UNDO), now=hands())
    await finished_game(store, "older", now=hands())
    hands.go(hours=1)
    assert await archive_games(store, hands(), set()) == 2
    await spoil(store, "older", FORMAT_1)
    async with store.database.writing() as connection:
        await connection.run_sync(partial(migrate, command.downgrade, "0027"))
    async with store.database.reading() as connection:
        packed = {row.game: row.moves for row in await connection.execute(select(archives))}
    assert packed["over"].startswith(b"\x01")
    assert unpack(packed["over"]) == without_keys(whole).moves
    assert packed["older"] == FORMAT_1
    async with store.database.writing() as connection:
        await connection.run_sync(partial(migrate, command.upgrade, "head"))
    assert await loaded(store, "over") == without_keys(whole)
    await store.close()


async def test_a_damaged_archive_stops_a_downgrade(database, hands):
    store = Store(database)
    await finished_game(store, now=hands())
    hands.go(hours=1)
    await archive_games(store, hands(), set())
    await spoil(store, "over", b"\x02spoiled")
    with pytest.raises(ArchiveError, match="over"):
        async with store.database.writing() as connection:
            await connection.run_sync(partial(migrate, command.downgrade, "0027"))
    await store.close()

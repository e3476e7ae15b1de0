"""Races: two concurrent actions have one defined outcome, whichever comes first. Each is run a thousand times."""

import asyncio
from collections import Counter
from random import Random

import pytest
from server_config import config_at
from sqlalchemy import event

from hegemon.play.game import Game
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables import seats
from hegemon.server.tables.errors import SeatLost, SeatRejected, StaleVersionError
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.rematch import create_rematch
from hegemon.server.tables.table import MAX_UNDOS

pytestmark = pytest.mark.usefixtures("untraced")

RACES = 1000


def at_once(database):
    """A server's tables whose store does not wait for the disk: what survives a crash is tested elsewhere."""
    store = Store(database)
    event.listen(
        store.database._engine.sync_engine,
        "connect",
        lambda dbapi, _: dbapi.execute("PRAGMA synchronous=OFF"),
    )
    return TableRegistry(store, config_at(database))


@pytest.fixture
async def tables(database):
    tables = at_once(database)
    yield tables
    await tables.close()


@pytest.fixture
async def elsewhere(database):
    """Another worker with the same database."""
    tables = at_once(database)
    yield tables
    await tables.close()


async def race(chance, *actions):
    """Run coroutines concurrently, in random order; return the number of each result or exception."""

    async def later(action, steps):
        for _ in range(steps):
            await asyncio.sleep(0)
        return await action()

    order = chance.sample(actions, len(actions))
    tasks = [asyncio.create_task(later(action, chance.randrange(4))) for action in order]
    await asyncio.wait(tasks)
    return Counter(type(task.exception()).__name__ if task.exception() else task.result() for task in tasks)


async def test_two_people_claim_a_seat_concurrently(tables, elsewhere):
    game_id = await tables.create(
        Game(2, seed=1), [SeatRow(None, "host"), seats.open_seat_row()], host="host"
    )
    here, there = await tables.load(game_id), await elsewhere.load(game_id)
    won = Counter()
    for number in range(RACES):
        chance = Random(number)
        invite = here.seats[1].invite
        other = (elsewhere, there) if number % 10 == 0 else (tables, here)

        async def sit(worker, table, name, invite=invite):
            await seats.take_seat(worker, table, 1, invite, name, name)
            return name

        done = await race(chance, lambda: sit(tables, here, "ada"), lambda other=other: sit(*other, "ben"))
        assert done["SeatRejected"] == 1, done
        (occupant,) = done.keys() - {"SeatRejected"}
        assert (await tables.store.games.load(game_id)).seats[1].owner == occupant
        assert here.seats[1].owner in (occupant, None)  # this worker may not have heard of it yet
        won[occupant] += 1
        await seats.reassign_seat(tables, here, 1, seats.open_seat_row(), "host")
    assert min(won["ada"], won["ben"]) > RACES // 10, won


async def people_at(tables, seed, variant="basic"):
    game = Game(2, variant, seed=seed)
    return await tables.load(
        await tables.create(game, [SeatRow(None, "ada"), SeatRow(None, "ben")], host="host")
    )


async def test_the_host_removes_a_player_who_is_submitting_a_move(tables):
    table, ends = await people_at(tables, 0), Counter()
    for number in range(RACES):
        if table.game.over:
            table = await people_at(tables, number)
        chance, before = Random(number), table.version
        seat = table.to_move[0]
        choice, occupant = chance.choice(table.game.choices_of(seat)), table.seats[seat]
        opened = seats.open_seat_row()

        async def answer(
            table=table, seat=seat, choice=choice, occupant=occupant, before=before, name=f"{number}"
        ):
            await table_moves.submit_move(tables, table, seat, choice, before, name, occupant)
            return "answered"

        async def remove(table=table, seat=seat, opened=opened):
            await seats.reassign_seat(tables, table, seat, opened, "host")
            return "removed"

        done = await race(chance, answer, remove)
        # If the answer came first and ended the game, there is no one left to remove.
        assert done in (
            {"answered": 1, "removed": 1},
            {"SeatLost": 1, "removed": 1},
            {"answered": 1, "SeatRejected": 1},
        )
        assert table.version == before + done["answered"]
        assert table.seats[seat].is_open == bool(done["removed"])
        assert [move.choice for move in table.moves[before:]] == [choice] * done["answered"]
        ends["answered" if done["answered"] else "lost"] += 1
        with pytest.raises(SeatLost):
            await table_moves.submit_move(
                tables, table, seat, choice, table.version, None, SeatRow(None, "somebody")
            )
        if not table.game.over:
            await seats.take_seat(tables, table, seat, opened.invite, f"friend {number}")
    assert min(ends.values()) > RACES // 10, ends
    row = await tables.store.games.load(table.id)
    assert [(move.seat, move.choice) for move in row.moves] == [(e.seat, e.choice) for e in table.moves]


async def test_the_same_move_is_sent_twice(tables):
    table = await people_at(tables, 0)
    for number in range(RACES):
        if table.game.over:
            table = await people_at(tables, number)
        chance, before = Random(number), table.version
        seat = table.to_move[0]
        choice = chance.choice(table.game.choices_of(seat))

        async def answer(table=table, seat=seat, choice=choice, before=before, name=f"{number}"):
            return await table_moves.submit_move(tables, table, seat, choice, before, name)

        assert await race(chance, answer, answer) == {before + 1: 2}
        assert table.version == before + 1


async def test_two_devices_of_one_player_submit_concurrently(tables):
    table = await people_at(tables, 0)
    for number in range(RACES):
        if table.game.over:
            table = await people_at(tables, number)
        chance, before = Random(number), table.version
        seat = table.to_move[0]
        words = chance.choices(table.game.choices_of(seat), k=2)

        async def answer(name, table=table, seat=seat, words=words, before=before):
            return await table_moves.submit_move(tables, table, seat, words[name], before, f"{before}.{name}")

        assert await race(chance, lambda: answer(0), lambda: answer(1)) == {
            before + 1: 1,
            StaleVersionError.__name__: 1,
        }


async def test_two_people_pick_or_undo_concurrently(tables):
    rows = [SeatRow(None, name) for name in ("ada", "ben", "eve")]
    for number in range(RACES):
        if number % MAX_UNDOS == 0:
            table = await tables.load(await tables.create(Game(3, "draft", seed=1), rows))
        chance, before = Random(number), table.version
        words = (
            ["undo"] * 2 if number % 2 else [chance.choice(table.game.choices_of(seat)) for seat in (0, 1)]
        )

        async def submit_move(seat, table=table, words=words, before=before):
            return await table_moves.submit_move(tables, table, seat, words[seat], before, None)

        assert await race(chance, lambda: submit_move(0), lambda: submit_move(1)) == {
            before + 1: 1,
            before + 2: 1,
        }
        assert table.game.view(2).owing == ((0, 1, 2) if number % 2 else (2,))


async def test_all_players_request_the_rematch_concurrently(tables, elsewhere):
    game = Game(2, seed=1)
    while not game.over:
        game.play(game.choices[-1])
    following = set()
    for number in range(RACES // 50):
        game_id = await tables.import_game(game)
        here, there = await tables.load(game_id), await elsewhere.load(game_id)

        async def again(worker, table):
            return await create_rematch(worker, table)

        done = await race(
            Random(number), *[lambda h=here: again(tables, h)] * 2, lambda t=there: again(elsewhere, t)
        )
        assert list(done.values()) == [3]
        following |= set(done)
    assert len(following) == RACES // 50
    with pytest.raises(SeatRejected):
        await create_rematch(tables, await tables.load(following.pop()))

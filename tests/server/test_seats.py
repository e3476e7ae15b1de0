"""Seats at a table: names, colors, and permissions to take or reassign them."""

import asyncio

import pytest
from server_config import config_at

from hegemon import Game
from hegemon.prose.translator import get_translator
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables import seats
from hegemon.server.tables.errors import SeatRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.texts import COLORS

ADA, BOT = SeatRow(None, "ada", "Ada"), SeatRow("chance", None)


@pytest.fixture
async def tables(database, hands):
    tables = TableRegistry(Store(database), config_at(database, now=hands))
    yield tables
    await tables.close()


def open_row(invite, **facts):
    return SeatRow(None, None, invite=invite, **facts)


async def create(tables, rows, **facts):
    return await tables.load(await tables.create(Game(len(rows), seed=1), rows, **facts))


async def rejection(work):
    with pytest.raises(SeatRejected) as rejected:
        await work
    return rejected.value.key


async def finish(table):
    while not table.game.over:
        table.game.play(table.game.choices[-1])


# ------------------------------------------------------------------ names and colors


def test_each_open_seat_has_a_separate_invitation():
    first, second = seats.open_seat_row("Ada", 4), seats.open_seat_row()
    assert first == SeatRow(None, None, "Ada", 4, first.invite)
    assert second == SeatRow(None, None, None, None, second.invite)
    assert first.invite != second.invite
    assert len(first.invite) == 16


def test_a_name_is_short_and_on_one_line():
    assert seats.clean_name("  Ada \n\t of\u200b  Ockham ") == "Ada of Ockham"
    assert seats.clean_name("x" * 30) == "x" * seats.MAX_NAME_LENGTH
    assert seats.clean_name("x" * 23 + " yz") == "x" * 23


async def test_names_of_the_server_are_translated_and_those_of_people_are_not(tables):
    rows = [
        SeatRow(None, "ada", "Cyrus"),
        SeatRow("chance", None, "Cyrus"),
        open_row("key", name="Pericles"),
        SeatRow(None, "ben", "Pericles", invite="used"),
    ]
    table = await create(tables, rows)
    assert seats.shown_names(table, get_translator("de")) == ("Cyrus", "Kyros", "Perikles", "Pericles")


def test_a_color_is_the_wanted_one_or_that_of_the_seat_or_the_first_that_is_free():
    rows = [SeatRow(None, "ada", color=2), SeatRow(None, "ben"), SeatRow(None, "cleo", color=0)]
    assert [seats.color_of(rows, seat) for seat in range(3)] == [2, 1, 0]
    assert seats.free_color(rows, 1, None) == 1
    assert seats.free_color(rows, 1, 4) == 4
    assert seats.free_color(rows, 1, 2) == 1
    assert seats.free_color([*rows, SeatRow(None, "dora", color=1)], 1, 0) == 3
    assert seats.free_color(rows, 1, len(COLORS)) == 1
    assert seats.free_color(rows, 0, 2) == 2


# ------------------------------------------------------------------ taking a seat


async def test_a_guest_gets_the_seat_of_the_invitation_with_a_name_and_a_color(tables):
    table = await create(tables, [ADA, open_row("key", name="Guest"), open_row("other")])
    assert await seats.find_invited_seat(tables, "key") == (table, 1)
    assert await rejection(seats.find_invited_seat(tables, "forged")) == "unknown"
    await seats.take_seat(tables, table, 1, "key", "ben", " Ben\\n ", 4)
    ben = SeatRow(None, "ben", seats.clean_name(" Ben\\n "), 4, "key")
    assert table.seats[1] == ben == (await tables.store.games.load(table.id)).seats[1]
    assert table.presence.is_present(1, tables.now())
    await seats.take_seat(tables, table, 2, "other", "cleo")
    assert table.seats[2] == SeatRow(None, "cleo", "Player 3", 2, "other")
    await seats.take_seat(tables, table, 2, "other", "cleo", "Another name")
    assert table.game.names == ("Ada", ben.name, "Player 3")


async def test_a_guest_without_a_name_keeps_that_of_the_seat(tables):
    table = await create(tables, [ADA, open_row("key", name="Guest", color=5)])
    await seats.take_seat(tables, table, 1, "key", "ben")
    assert table.seats[1] == SeatRow(None, "ben", "Guest", 5, "key")


async def test_a_seat_is_not_taken_twice_nor_by_a_player_who_has_one_nor_when_the_game_is_over(tables):
    table = await create(tables, [ADA, open_row("key"), open_row("other")])
    assert await rejection(seats.take_seat(tables, table, 1, "key", "ada")) == "sitting"
    assert await rejection(seats.take_seat(tables, table, 1, "forged", "ben")) == "unknown"
    assert await rejection(seats.take_seat(tables, table, 1, "other", "ben")) == "unknown"
    await seats.take_seat(tables, table, 1, "key", "ben")
    assert await rejection(seats.take_seat(tables, table, 1, "key", "eve")) == "used"
    await finish(table)
    assert await rejection(seats.take_seat(tables, table, 2, "other", "eve")) == "over"


async def test_a_player_whose_seat_another_worker_has_saved_may_repeat_the_request(tables):
    # The answer of the other worker, or of the database, was lost.
    table = await create(tables, [ADA, open_row("key"), open_row("other")])
    ben = SeatRow(None, "ben", "Ben", 1, "key")
    await tables.store.seats.claim(table.id, 1, "key", ben)
    await seats.take_seat(tables, table, 1, "key", "ben", "Ben")
    assert table.seats[1] == ben
    assert 1 in table.presence.own.present_until


async def test_a_seat_changed_by_another_worker_is_reloaded(tables):
    table = await create(tables, [ADA, open_row("key"), open_row("other")])
    ben, again = SeatRow(None, "ben", "Ben", 1, "key"), open_row("again")
    await tables.store.seats.claim(table.id, 1, "key", ben)
    assert await rejection(seats.take_seat(tables, table, 1, "key", "eve")) == "used"
    assert table.seats[1] == ben
    await tables.store.seats.save(table.id, 2, open_row("other"), again)
    await seats.take_seat(tables, table, 2, "again", "eve", "Eve")
    assert table.seats[2].owner == "eve"


async def test_any_open_seat_of_a_public_table_can_be_taken(tables):
    table = await create(tables, [BOT, open_row("a"), open_row("b")], public=True)
    assert await seats.take_any_seat(tables, table, "ada", "Ada") == 1
    assert (table.seats[1].owner, table.seats[1].name) == ("ada", "Ada")
    assert await seats.take_any_seat(tables, table, "ada") == 1
    await tables.store.seats.claim(table.id, 2, "b", SeatRow(None, "eve", "Eve", 2, "b"))
    assert await rejection(seats.take_any_seat(tables, table, "ben")) == "full"
    assert await rejection(seats.take_any_seat(tables, table, "ben")) == "full"
    private = await create(tables, [ADA, open_row("c")])
    assert await rejection(seats.take_any_seat(tables, private, "ben")) == "unknown"
    over = await create(tables, [ADA, open_row("d")], public=True)
    await finish(over)
    assert await rejection(seats.take_any_seat(tables, over, "ben")) == "over"


async def test_a_seat_whose_invitation_was_just_withdrawn_is_skipped(tables):
    table = await create(tables, [ADA, open_row("a"), open_row("b")], public=True)
    async with table.lock:
        taking = asyncio.create_task(seats.take_any_seat(tables, table, "ben"))
        while not table.lock._waiters:
            await asyncio.sleep(0)
        await tables.store.seats.save(table.id, 1, open_row("a"), open_row("new"))
        await tables.reload(table)
    assert await taking == 2
    assert table.seats[1] == open_row("new")


async def test_the_lobby_lists_the_tables_that_match_all_filters(tables):
    german = TableOptions("de", clock="3d a move")
    two = await create(tables, [ADA, open_row("a")], public=True, options=german)
    three = await tables.create(Game(3, "draft", seed=1), [ADA, BOT, open_row("b")], public=True)
    four = await tables.create(Game(4, seed=1, teams=True), [ADA, BOT, BOT, open_row("c")], public=True)

    async def found(**wishes):
        return {offer.game.id for offer in await seats.offers(tables, wishes)}

    assert await found() == {two.id, three, four}
    assert await found(players="", variant="", language="") == {two.id, three, four}
    assert await found(players="2") == await found(language="de") == {two.id}
    assert await found(variant="draft") == {three}
    assert await found(players="3", language="de") == set()
    by_id = {offer.game.id: offer for offer in await seats.offers(tables, {})}
    assert [by_id[game_id].teams for game_id in (two.id, three, four)] == [False, False, True]
    assert [by_id[game_id].variant for game_id in (two.id, three, four)] == ["basic", "draft", "basic"]
    assert [by_id[game_id].clock.text for game_id in (two.id, three)] == ["3d a move", ""]


# ------------------------------------------------------------------ giving a seat away


async def test_the_host_gives_any_seat_away_and_players_their_own(tables):
    table = await create(tables, [ADA, SeatRow(None, "ben"), BOT], host="host")
    assert [seats.is_host(table, owner) for owner in ("host", "ada", None)] == [True, False, False]
    may_change = {
        owner: [seats.may_change(table, seat, owner) for seat in range(3)]
        for owner in ("host", "ada", "eve", None)
    }
    assert may_change == {
        "host": [True] * 3,
        "ada": [True, False, False],
        "eve": [False] * 3,
        None: [False] * 3,
    }
    assert seats.seats_page_key(table, "host", "https://play") == ((), "https://play")
    assert seats.seats_page_key(table, "ben", "https://play") == ((1,), "")
    assert seats.seats_page_key(table, None, "https://play") == ((), "")
    table.host = None
    assert not seats.is_host(table, None)
    assert not seats.may_change(table, 2, None)


async def test_a_seat_is_reassigned_with_a_free_color(tables):
    table = await create(tables, [ADA, SeatRow(None, "ben", "Ben", 4)], host="ada")
    assert await rejection(seats.reassign_seat(tables, table, 0, BOT, "ben")) == "host"
    await seats.reassign_seat(tables, table, 1, BOT, "ada")
    assert (
        table.seats[1]
        == SeatRow("chance", None, color=4)
        == (await tables.store.games.load(table.id)).seats[1]
    )
    await seats.reassign_seat(tables, table, 1, SeatRow("easy", None, color=0), "ada")
    assert table.seats[1].color == 1
    await finish(table)
    assert await rejection(seats.reassign_seat(tables, table, 1, BOT, "ada")) == "over"


async def test_the_players_of_a_rated_game_are_settled_when_it_begins(tables):
    rated = TableOptions(rated=True)
    waiting = await create(tables, [ADA, open_row("key")], host="ada", options=rated)
    begun = await create(tables, [ADA, SeatRow(None, "ben")], host="ada", options=rated)
    other = await create(tables, [ADA, SeatRow(None, "ben")], host="ada")
    assert [seats.has_fixed_players(table) for table in (waiting, begun, other)] == [False, True, False]
    assert await rejection(seats.reassign_seat(tables, begun, 1, BOT, "ada")) == "rated"


async def test_a_player_is_renamed_and_keeps_the_rest(tables):
    table = await create(tables, [SeatRow(None, "ada", "Ada", 4, "key"), SeatRow(None, "ben", color=2)])
    await seats.rename_player(tables, table, 0, "ada", " Ada  L. ", 2)
    assert table.seats[0] == SeatRow(None, "ada", "Ada L.", 0, "key")
    await seats.rename_player(tables, table, 0, "ada", "", 3)
    assert table.seats[0] == SeatRow(None, "ada", "Ada L.", 3, "key")
    assert table.game.names[0] == "Ada L."
    assert await rejection(seats.rename_player(tables, table, 0, "ben", "Ben", None)) == "lost"
    assert (await tables.store.games.load(table.id)).seats == table.seats


async def test_a_change_of_another_worker_is_applied_before_ours(tables):
    table = await create(tables, [ADA, SeatRow(None, "ben", "Ben")], host="ada")
    await tables.store.seats.save(table.id, 1, table.seats[1], SeatRow(None, "ben", "Benedict", 5))
    await seats.rename_player(tables, table, 1, "ben", "", None)
    assert table.seats[1] == SeatRow(None, "ben", "Benedict", 5)


async def test_concurrent_changes_wait_for_each_other(tables):
    table = await create(tables, [ADA, SeatRow(None, "ben")], host="ada")
    await asyncio.gather(
        *(seats.rename_player(tables, table, 0, "ada", name, color) for name, color in (("A", 3), ("B", 4)))
    )
    assert (await tables.store.games.load(table.id)).seats == table.seats

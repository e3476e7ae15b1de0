"""Rematches: seats, names, options and score of the next game."""

import pytest
from server_config import SEED, config_at

from hegemon import Game, read_record
from hegemon.prose.english import FORMER_PLAYER
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow, Webhook
from hegemon.server.db.store import Store
from hegemon.server.tables.errors import SeatRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.rematch import create_rematch, score_after

NAMES = ("Ada", "Ben", "Cleo", "Dora")


@pytest.fixture
async def tables(database):
    tables = TableRegistry(Store(database), config_at(database))
    yield tables
    await tables.close()


@pytest.fixture
async def table(tables):
    """A game of teams that is over: Ada, Ben and a substitute for him, a bot, and an open seat."""
    game = Game(4, teams=True, seed=1, names=NAMES, rulings="de")
    while not game.over:
        game.play(game.choices[-1])
    table = await tables.load(await tables.import_game(game))
    table.seats = (
        SeatRow(None, "ada", "Ada", 5, substitute="easy"),
        SeatRow(None, "ben", "Ben", substitute="easy"),
        SeatRow("easy", None, "Cleo"),
        SeatRow(None, None, "Dora", invite="old"),
    )
    table.host, table.public = "ada", True
    table.options = TableOptions("de", True, "3d a move", 2, 1, (1, 0, 1, 0))
    table.presence.present_seats = frozenset({0})
    return table


async def test_the_score_includes_earlier_games_and_this_one(table):
    winners = table.game.result.winners
    assert score_after(table) == tuple(wins + (seat in winners) for seat, wins in enumerate((1, 0, 1, 0)))
    table.options = TableOptions()
    assert score_after(table) == tuple(int(seat in winners) for seat in range(4))
    table.game = Game(4, teams=True, seed=1)
    assert score_after(table) == (0, 0, 0, 0)


async def test_the_next_game_has_the_same_players_on_other_seats(tables, table):
    await tables.store.outbox.set_webhook(table.id, Webhook("https://ada.example", "secret", "https://play"))
    next_game = await create_rematch(tables, table)
    assert await create_rematch(tables, table) == next_game == table.next_game
    row = await tables.store.games.load(next_game)
    assert (row.previous_game, row.host, row.public, row.finished) == (table.id, "ada", True, False)
    before = score_after(table)
    assert row.options == TableOptions("de", True, "3d a move", 2, 2, (*before[1:], before[0]))
    invite = row.seats[2].invite
    assert row.seats == (
        SeatRow(None, "ben", "Ben", 1, substitute="easy"),
        SeatRow("easy", None, "Cleo", 2),
        SeatRow(None, None, "Dora", 3, invite=invite),
        SeatRow(None, "ada", "Ada", 5),
    )
    assert invite not in (None, "old")
    assert read_record(row.record).names == ("Ben", "Cleo", "Dora", "Ada")
    again = (await tables.load(next_game)).game.record()
    expected = Game(4, teams=True, seed=SEED, names=("Ben", "Cleo", "Dora", "Ada"), rulings="de").record()
    assert again == expected
    assert (await tables.store.outbox.webhook(next_game)).url == "https://ada.example"


async def test_other_seats_are_neither_the_same_nor_those_of_a_usual_rematch(tables, table):
    row = await tables.store.games.load(await create_rematch(tables, table, other_seats=True))
    names = read_record(row.record).names
    assert set(names) == set(NAMES)
    assert names not in (NAMES, (*NAMES[1:], NAMES[0]))


async def test_the_player_who_requests_a_rematch_gets_a_seat(tables, table):
    next_game = await create_rematch(tables, table, "ben")  # from the list of games, not at the table
    assert (await tables.store.games.load(next_game)).seats[0] == SeatRow(None, "ben", "Ben", 1)


async def test_the_seat_of_a_former_player_is_open_to_a_friend(tables, table):
    """It waits for anyone who comes; the host, if that was the former player, is the one who asks."""
    table.set_seat(0, SeatRow(None, None, FORMER_PLAYER, 5))
    table.host = None
    row = await tables.store.games.load(await create_rematch(tables, table, "ben"))
    assert row.host == "ben"
    assert row.seats[3] == SeatRow(None, None, None, 5, invite=row.seats[3].invite)
    assert row.seats[3].is_open
    assert read_record(row.record).names == ("Ben", "Cleo", "Dora", "Solon")
    assert (await tables.load(row.id)).is_waiting


async def test_a_friend_on_the_seat_of_a_former_player_has_a_separate_name(tables, table):
    table.set_seat(0, SeatRow(None, None, FORMER_PLAYER))
    table.set_seat(1, SeatRow(None, "ben", "Solon"))
    table.set_seat(3, SeatRow(None, None, FORMER_PLAYER))
    row = await tables.store.games.load(await create_rematch(tables, table, "ben"))
    assert read_record(row.record).names == ("Solon", "Cleo", "Hypatia", "Aspasia")


async def test_subscribers_learn_of_the_next_game_once(tables, table):
    class Subscriber:
        woken = 0

        def notify(self):
            self.woken += 1

        def close(self):
            pass

    subscriber = Subscriber()
    table.subscribers.add(subscriber)
    await create_rematch(tables, table)
    assert subscriber.woken == 1
    await create_rematch(tables, table)
    assert subscriber.woken == 1


async def test_a_running_game_has_no_rematch(tables):
    table = await tables.load(
        await tables.create(Game(2, seed=1), [SeatRow(None, "ada"), SeatRow(None, "ben")])
    )
    with pytest.raises(SeatRejected) as rejected:
        await create_rematch(tables, table)
    assert (rejected.value.key, rejected.value.args) == ("going-on", ("going-on",))


async def test_the_next_game_is_not_one_that_was_played_on(tables):
    options = TableOptions(origin="another", origin_daily="2030-01-01")
    game = Game(2, seed=1)
    while not game.over:
        game.play(game.choices[-1])
    seats = [SeatRow(None, "ada"), SeatRow(None, "ben")]
    table = await tables.load(await tables.create(game, seats, options=options))
    following = await tables.load(await create_rematch(tables, table, "ada"))
    assert (following.options.origin, following.options.origin_daily) == ("", "")

"""Ratings: which games change them, and how."""

from dataclasses import replace

import pytest
from openskill.models import PlackettLuce
from server_config import config_at

from hegemon import Game
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import RatedPlayer, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables import ratings
from hegemon.server.tables.registry import TableRegistry

OWNERS = ["ada", "ben", "cleo", "dora"]


@pytest.fixture
async def tables(database):
    tables = TableRegistry(Store(database), config_at(database))
    yield tables
    await tables.close()


async def finished(tables, players=3, **options):
    """A rated game of different people that is over."""
    game = Game(players, seed=1, **options)
    while not game.over:
        game.play(game.choices[-1])
    table = await tables.load(await tables.import_game(game))
    table.seats = tuple(SeatRow(None, owner) for owner in OWNERS[:players])
    table.options = TableOptions(rated=True)
    return table


def test_a_new_player_is_shown_at_a_thousand():
    player = ratings.new_player("ada", "Ada")
    assert player == RatedPlayer("ada", "Ada", 25.0, 25.0 / 3, 0)
    assert ratings.shown_points(player) == 1000
    assert ratings.shown_points(replace(player, mu=30.0, sigma=4.99)) == 1601


async def test_a_rated_finished_game_of_different_people_changes_ratings(tables):
    table = await finished(tables)
    assert ratings.changes_ratings(table)
    rated, seats = table.options, table.seats
    table.options = TableOptions()
    assert not ratings.changes_ratings(table)
    table.options = rated
    for row in (SeatRow("easy", None), seats[0]):
        table.seats = (*seats[:2], row)
        assert not ratings.changes_ratings(table)
    table.seats, table.game = seats, Game(3, seed=1)
    assert not ratings.changes_ratings(table)


async def test_a_game_is_rated_once(tables):
    table = await finished(tables)
    for owner in OWNERS[:2]:
        await tables.store.players.save(ratings.new_player(owner, owner))
    await ratings.rate_game(tables.store, table)
    after = await tables.store.players.load(OWNERS)
    assert (table.rated, {player.games for player in after.values()}) == (True, {1})
    await ratings.rate_game(tables.store, table)
    table.rated = False  # another worker has not heard of it
    await ratings.rate_game(tables.store, table)
    assert await tables.store.players.load(OWNERS) == after


async def test_a_game_that_does_not_count_changes_nothing(tables):
    table = await finished(tables)
    table.options = TableOptions()
    await ratings.rate_game(tables.store, table)
    assert not table.rated
    assert not (await tables.store.games.load(table.id)).rated


@pytest.mark.parametrize(("players", "teams"), [(3, False), (4, True)])
async def test_winners_rise_and_losers_fall_as_openskill_says(tables, players, teams):
    """Partners sit across from each other; a person without a rating counts as a new player and gets none."""
    table = await finished(tables, players, teams=teams)
    known = {
        "ada": RatedPlayer("ada", "Ada", 30.0, 5.0, 7),
        "cleo": RatedPlayer("cleo", "Cleo", 20.0, 6.0, 1),
    }
    sides = [[0, 2], [1, 3]] if teams else [[0], [1], [2]]
    model, start = PlackettLuce(), ratings.new_player("", "")
    playing = [known.get(owner, start) for owner in OWNERS[:players]]
    expected = model.rate(
        [[model.rating(mu=playing[seat].mu, sigma=playing[seat].sigma) for seat in side] for side in sides],
        ranks=[0 if side[0] in table.game.result.winners else 1 for side in sides],
    )
    by_seat = {
        seat: rating
        for side, found in zip(sides, expected, strict=True)
        for seat, rating in zip(side, found, strict=True)
    }
    assert ratings.new_ratings(table, OWNERS[:players], known) == [
        replace(known[owner], mu=by_seat[seat].mu, sigma=by_seat[seat].sigma, games=known[owner].games + 1)
        for seat, owner in ((0, "ada"), (2, "cleo"))
    ]
    assert 0 < len(table.game.result.winners) < players

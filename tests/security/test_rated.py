"""Rated games: the players stay the same, and the result belongs to them."""

import re

import pytest
from server_browser import Browser, visiting
from server_config import config_at

from hegemon import Game
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.tables import ratings
from hegemon.server.tables.ratings import new_player
from hegemon.server.tables.substitutes import may_be_voted_away

PUBLIC = {"seat1": "me", "seat2": "friend", "name1": "Ada", "public": "on", "rated": "on"}


@pytest.fixture
async def people(database):
    """Ada, who is the host, and Ben, at a server with a lobby."""
    async with visiting(database, config_at(database, lobby=True)) as client:
        yield [Browser(client.another()) for _ in range(2)]


async def seated(people, **form):
    """The running game of Ada and Ben."""
    ada, ben = people
    await ada.take_seat(**PUBLIC | form)
    path = ada.path
    (link,) = re.findall(r'value="http://[^/"]+(/join/[^"]+)"', ada.page)
    await ben.post(link, {"name": "Ben"})
    return path, await ada.client.app.state.tables.load(path.split("/")[2])


@pytest.mark.parametrize(("change", "form"), [("open", {}), ("bot", {"bot": "easy"})])
@pytest.mark.parametrize("who", [0, 1])
async def test_no_one_is_removed_from_a_rated_game(people, change, form, who):
    """The host cannot remove Ben, and Ben cannot leave before he loses."""
    path, table = await seated(people)
    before = table.seats
    await people[who].post(f"{path}/seats/2/{change}", form)
    assert (people[who].status, "stay the same until it ends" in people[who].page) == (409, True)
    assert table.seats == before
    await people[who].get(f"{path}/seats")
    assert f"/seats/2/{change}" not in people[who].page


async def test_programs_cannot_remove_players_from_a_rated_game_either(people):
    path, table = await seated(people)
    token = people[0].client.cookies["hegemon"]
    answer = await people[0].client.post(
        f"/api{path}/seats/2", json={}, headers={"authorization": f"Bearer {token}"}
    )
    assert (answer.status_code, "stay the same" in answer.json()["why"]) == (409, True)
    assert table.seats[1].name == "Ben"


async def test_the_host_chooses_players_until_the_game_begins(people):
    ada, _ = people
    await ada.take_seat(**PUBLIC | {"seat3": "friend"})
    path = ada.path
    await ada.post(f"{path}/seats/3/bot", {"bot": "easy"})
    table = await ada.client.app.state.tables.load(path.split("/")[2])
    assert (ada.status, table.seats[2].bot) == (200, "easy")


async def test_other_games_can_change_their_players(people):
    path, table = await seated(people, rated="")
    await people[0].post(f"{path}/seats/2/bot", {"bot": "easy"})
    assert (people[0].status, table.seats[1].bot) == (200, "easy")


async def test_a_game_that_a_substitute_has_finished_counts_for_the_player(people):
    """A player who goes away before the end loses like one who stays."""
    tables = people[0].client.app.state.tables
    rows = (SeatRow(None, "ada"), SeatRow(None, "ben", substitute="chance"))
    for row in rows:
        await tables.store.players.save(new_player(row.owner, row.owner))
    game = Game(2, seed=1)
    while not game.over:
        game.play(game.choices[-1])
    table = await tables.load(await tables.import_game(game))
    table.seats, table.options = rows, TableOptions(rated=True)
    await ratings.rate_game(tables.store, table)
    players = await tables.store.players.load(["ada", "ben"])
    assert [player.games for player in players.values()] == [1, 1]
    assert len({player.mu for player in players.values()}) == 2


async def test_no_one_is_voted_away_before_their_page_has_loaded(people):
    ada, ben = people
    await ada.take_seat(**PUBLIC)
    (link,) = re.findall(r'value="http://[^/"]+(/join/[^"]+)"', ada.page)
    assert (await ben.client.post(link, data={"name": "Ben"}, follow_redirects=False)).status_code == 303
    tables = ada.client.app.state.tables
    table = await tables.load(ada.path.split("/")[2])
    assert not may_be_voted_away(table, 1, tables.now())

"""The lobby: public tables, and optional ratings."""

import pytest
from server_browser import Browser, visiting
from server_config import config_at

from hegemon.play.game import Game
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables import ratings
from hegemon.server.tables.ratings import new_player

PUBLIC = {"seat1": "me", "seat2": "friend", "name1": "Ada", "public": "on"}


@pytest.fixture
async def people(database):
    """Three people on a server with a lobby."""
    async with visiting(database, config_at(database, lobby=True)) as client:
        yield [Browser(client.another()) for _ in range(3)]


async def test_the_lobby_is_off_by_default(browser):
    await browser.get("/")
    assert "/lobby" not in browser.page
    for path in ("/lobby", "/lobby/x", "/me/rating"):
        answer = await (
            browser.client.get(path) if path == "/lobby" else browser.client.post(path, data={"a": "b"})
        )
        assert answer.status_code == 404
    await browser.take_seat(**PUBLIC)
    table = await browser.client.app.state.tables.load(browser.path.split("/")[2])
    assert not table.public


async def test_an_open_table_is_found_by_filters_and_joined_with_one_click(people):
    ada, ben, eve = people
    await ada.take_seat(**PUBLIC, variant="draft")
    path = ada.path
    for query, found in (
        ("", True),
        ("?players=2&variant=draft&language=en", True),
        ("?players=3", False),
        ("?variant=basic", False),
        ("?language=hu", False),
    ):
        await ben.get(f"/lobby{query}")
        assert (f"/lobby{path.removeprefix('/games')}" in ben.page) == found, query
    await ben.post(f"/lobby{path.removeprefix('/games')}", {"name": "Ben"})
    assert ben.path == path
    assert '<span class="player">Ben</span><span class="tag">you</span>' in ben.page
    await ben.post(f"/lobby{path.removeprefix('/games')}", {})
    assert ben.path == path
    await eve.post(f"/lobby{path.removeprefix('/games')}", {})
    assert (eve.status, "Every seat at this table is taken." in eve.page) == (409, True)
    await eve.get("/lobby")
    assert "no such tables at the moment" in eve.page


async def test_a_private_table_cannot_be_joined_through_the_lobby(people):
    ada, ben, _ = people
    await ada.take_seat(seat1="me", seat2="friend")
    await ben.get("/lobby")
    assert ada.path.removeprefix("/games") not in ben.page
    await ben.post(f"/lobby{ada.path.removeprefix('/games')}", {})
    assert ben.status == 404


async def test_a_rating_can_be_started_and_deleted(people):
    ada, ben, _ = people
    await ada.take_seat(**PUBLIC)
    await ada.post("/me/rating", {"wanted": "yes", "name": "Ada"})
    assert "Ada: 1000" in ada.page
    await ben.get("/lobby")
    assert '<span class="tag">1000</span>' in ben.page
    await ada.post("/me/rating", {"wanted": "yes", "name": "Ada Lovelace"})
    assert "Ada Lovelace: 1000" in ada.page
    await ada.post("/me/rating", {"wanted": "no"})
    assert "Track my rating" in ada.page
    await ada.post("/me/rating", {"wanted": "yes", "name": " "})
    assert "Track my rating" in ada.page


async def play(tables, game, rows, **facts):
    """Play a game to its end; return its table."""
    table = await tables.load(await tables.create(game, rows, host="ada", **facts))
    while not table.game.over:
        (seat,) = table.to_move
        await table_moves.submit_move(
            tables, table, seat, table.game.choices_of(seat)[-1], table.version, None
        )
    return table


def held(*owners):
    return [SeatRow(None, owner) for owner in owners]


async def test_a_rated_game_between_people_changes_ratings_once(people):
    tables = people[0].client.app.state.tables
    for name in ("ada", "ben"):
        await tables.store.players.save(new_player(name, name))
    table = await play(tables, Game(3, seed=1), held("ada", "ben", "eve"), options=TableOptions(rated=True))
    known = await tables.store.players.load(["ada", "ben", "eve"])
    assert known.keys() == {"ada", "ben"}
    won = {("ada", "ben", "eve")[seat] for seat in table.game.result.winners}
    for name, person in known.items():
        assert (person.mu > ratings.START_MU) == (name in won)
        assert person.games == 1
    table.rated = False
    await ratings.rate_game(tables.store, table)  # by another worker, or after a crash
    assert await tables.store.players.load(["ada", "ben", "eve"]) == known
    tables._tables.clear()
    assert (await tables.load(table.id)).rated


@pytest.mark.parametrize(
    ("rows", "rated"),
    [
        (held("ada", "ben"), False),
        (held("ada", "ada"), True),
        ([SeatRow("chance", None), SeatRow(None, "ada")], True),
    ],
)
async def test_no_other_game_changes_a_rating(people, rows, rated):
    tables = people[0].client.app.state.tables
    await tables.store.players.save(new_player("ada", "Ada"))
    game = Game(2, seed=1)
    while not game.over:
        game.play(game.choices[-1])
    table = await tables.load(await tables.import_game(game))
    table.seats, table.options = tuple(rows), TableOptions(rated=rated)
    await ratings.rate_game(tables.store, table)
    assert (await tables.store.players.load(["ada"]))["ada"] == new_player("ada", "Ada")


@pytest.mark.slow
async def test_teammates_rise_and_fall_together(people):
    tables = people[0].client.app.state.tables
    names = ("ada", "ben", "eve", "dan")
    for name in names:
        await tables.store.players.save(new_player(name, name))
    table = await play(tables, Game(4, teams=True, seed=1), held(*names), options=TableOptions(rated=True))
    known = await tables.store.players.load(names)
    for seat, name in enumerate(names):
        assert (known[name].mu > ratings.START_MU) == (seat in table.game.result.winners)
    assert known["ada"].mu == known["eve"].mu

"""Stepping through a finished game: whose view comes first, where the steps lead, and what the script gets."""

import re

import pytest
from server_browser import Browser, visiting

from hegemon.play.game import Game
from hegemon.server.db.schema import MoveRow, SeatRow
from hegemon.server.security import tokens
from hegemon.server.web.views.replay import steps_of

MINE = tokens.new_token()


def played(seed=3, players=3):
    game = Game(players, seed=seed, names=["Ada", "Ben", "Cy", "Di"][:players])
    while not game.over:
        game.play(game.choices[seed % len(game.choices)])
    return game


@pytest.fixture
async def client(database):
    async with visiting(database) as client:
        yield client


@pytest.fixture
def ada(client):
    client.cookies.set(tokens.COOKIE, MINE)
    return Browser(client)


async def lay(client, game, seat=1):
    """The path of a table with that game on it, in which Ada has a seat and bots have the others."""
    rows = [
        SeatRow(None, tokens.owner_of(MINE)) if place == seat else SeatRow("chance", None)
        for place in range(game.players)
    ]
    tables = client.app.state.tables
    table = await tables.load(await tables.create(game.at(0), rows))
    for version, (mover, choice) in enumerate(zip(game.movers, game.moves, strict=True), 1):
        table.apply_move(MoveRow(version, mover, choice))
    return f"/games/{table.id}"


async def regions(client, address):
    answer = await client.get(address, headers={"accept": "application/json"})
    assert answer.status_code == 200
    return answer.json()


def hands_in(html):
    """The seats whose hands lie open."""
    return set(re.findall(r'data-card="[A-Z]\d" data-place="hand-(\d)"', html))


# ------------------------------------------------------------------ steps


def test_steps_lead_to_the_beginnings_of_turns_and_rounds():
    game = played()
    last = len(game.moves)
    starts = {ply: game.at(ply).view(-1).round for ply in game.turn_starts}
    second = min(ply for ply, number in starts.items() if number == 2)
    third = min(ply for ply, number in starts.items() if number == 3)
    steps = steps_of(game, second)
    assert (steps.previous_round, steps.next_round) == (0, third)
    assert steps.previous_turn == max(ply for ply in starts if ply < second)
    assert steps.next_turn == min(ply for ply in starts if ply > second)
    assert steps_of(game, third + 1).previous_round == third
    ends = steps_of(game, last)
    assert (ends.next_turn, ends.next_round, ends.last) == (last, last, last)
    assert steps_of(game, 0).previous_turn == 0


# ------------------------------------------------------------------ perspectives


async def test_ones_own_seat_comes_first(client, ada):
    path = await lay(client, played())
    await ada.get(f"{path}/replay?at=3")
    assert hands_in(ada.page) == {"1"}
    assert '<option value="2" selected>' in ada.page
    await ada.get(f"{path}/replay?at=3&seat=5")
    assert hands_in(ada.page) == {"0", "1", "2"}
    await Browser(client.another()).get(f"{path}/replay?at=3")
    stranger = await Browser(client.another()).get(f"{path}/replay?at=3")
    assert hands_in(stranger.page) == set()
    assert (await ada.get(f"{path}/replay?seat=4")).status == 200


async def test_the_script_of_the_page_gets_the_regions_of_a_moment(client, ada):
    path = await lay(client, played())
    found = await regions(client, f"{path}/replay?at=3&seat=2")
    assert {
        "status",
        "other1",
        "other2",
        "me",
        "told",
        "hand",
        "steps",
        "log",
        "pile",
        "majority",
        "share",
    } == set(found)
    assert 'data-at="3"' in found["steps"]
    assert f"{path}/replay?seat=2&amp;at=4" in found["steps"]
    assert "me" not in await regions(client, f"{path}/replay?at=3&seat=5")
    await ada.get(f"{path}/replay?at=3&seat=2")
    for name in ("told", "hand", "steps"):
        assert found[name] in ada.page, name

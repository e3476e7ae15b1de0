"""Replays: the default perspective, the links between plies, and the regions for the script."""

import re
from io import BytesIO

import pytest
import segno
from server_browser import HOST, Browser, visiting

from hegemon.play.game import Game
from hegemon.server.db.rows import MoveRow, SeatRow
from hegemon.server.security import tokens
from hegemon.server.web.routes import sharing
from hegemon.server.web.views.pictures import png_of
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


async def create_table(client, game, seat=1):
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


async def test_the_visitors_own_seat_is_the_default_perspective(client, ada):
    path = await create_table(client, played())
    await ada.get(f"{path}/replay?at=3")
    assert hands_in(ada.page) == {"1"}
    assert '<option value="2" selected>' in ada.page
    await ada.get(f"{path}/replay?at=3&seat=5")
    assert hands_in(ada.page) == {"0", "1", "2"}
    stranger = await Browser(client.another()).get(f"{path}/replay?at=3")
    assert hands_in(stranger.page) == set()
    assert (await ada.get(f"{path}/replay?seat=4")).status == 200


async def test_the_script_of_the_page_gets_the_regions_of_a_moment(client, ada):
    path = await create_table(client, played())
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
        "chances",
        "report",
    } == set(found)
    assert 'data-at="3"' in found["steps"]
    assert f"{path}/replay?seat=2&amp;at=4" in found["steps"]
    assert "me" not in await regions(client, f"{path}/replay?at=3&seat=5")
    await ada.get(f"{path}/replay?at=3&seat=2")
    for name in ("told", "hand", "steps"):
        assert found[name] in ada.page, name


# ------------------------------------------------------------------ sharing a moment


async def test_a_link_and_a_code_lead_to_exactly_this_moment_and_view(client, ada):
    path = await create_table(client, played())
    await ada.get(f"{path}/replay?at=7&seat=5")
    link = f"{HOST}{path}/replay?seat=5&amp;at=7"
    assert f'<input class="link" readonly value="{link}">' in ada.page
    assert f'<meta property="og:url" content="{link}">' in ada.page
    code = await client.get(f"{path}/replay/code.svg?seat=5&at=7")
    assert code.headers["content-type"] == "image/svg+xml"
    out = BytesIO()
    expected = segno.make(link.replace("&amp;", "&"), error="m", micro=False)
    expected.save(out, kind="svg", border=3, dark="#000", light="#fff", omitsize=True)
    assert code.content == out.getvalue()


async def test_a_preview_is_a_picture_of_what_a_spectator_saw(client, ada, monkeypatch):
    drawn = []
    monkeypatch.setattr(sharing, "png_of", lambda svg: drawn.append(svg) or png_of(svg))
    game = played()
    path = await create_table(client, game)
    await ada.get(f"{path}/replay?at=9")
    shared = re.search(r'og:image" content="([^"]+)"', ada.page)[1].replace("&amp;", "&")
    for address in (f"{path}/replay/picture.png?at=9", shared, f"{path}/replay/picture.png?at=9"):
        answer = await client.get(address)
        assert answer.headers["content-type"] == "image/png"
        assert answer.content[:8] == b"\x89PNG\r\n\x1a\n"
    public, own = drawn  # the third is the first again
    backs = len(re.findall(r"text-anchor='middle'>I+<", public))
    assert backs - len(re.findall(r"text-anchor='middle'>I+<", own)) == len(game.at(9).view(1).hand)


# ------------------------------------------------------------------ playing on


async def test_a_game_is_played_on_from_any_moment_and_seat(client, ada):
    game = played()
    path, at = await create_table(client, game), 12
    await ada.post(f"{path}/play-on", {"at": str(at), "seat": "3", "bot": "chance"})
    table = client.app.state.tables.get(ada.path.split("/")[2])
    assert table.game.moves[:at] == game.moves[:at]
    assert table.game.at(at).position == game.at(at).position
    assert [row.bot for row in table.seats] == ["chance", "chance", None]
    assert table.seats_of(tokens.owner_of(MINE)) == (2,)
    assert hands_in(ada.page) == {"2"}
    assert table.options.origin == path.split("/")[2]
    assert table.game.names == ("Pericles", "Zenobia", "Aspasia")  # none of a person who may leave
    await ada.post("/me/profile", {"name": "Ada L."})
    await ada.post(f"{path}/play-on", {"at": str(at), "seat": "2", "bot": "chance"})
    table = client.app.state.tables.get(ada.path.split("/")[2])
    assert table.game.names == ("Pericles", "Ada L.", "Ashoka")


@pytest.mark.parametrize(
    ("changes", "status"), [({"at": "9999"}, 409), ({"seat": "4"}, 422), ({"bot": "nonsense"}, 422)]
)
async def test_a_game_cannot_be_played_on_from_an_invalid_moment(client, ada, changes, status):
    path = await create_table(client, played())
    await ada.post(f"{path}/play-on", {"at": "5", "seat": "1", "bot": "chance"} | changes)
    assert ada.status == status


async def test_at_the_end_nothing_is_left_to_play(client, ada):
    path = await create_table(client, played())
    await ada.get(f"{path}/replay?at=9999")
    assert "/play-on" not in ada.page
    assert "Go back to a moment before its end" in ada.page

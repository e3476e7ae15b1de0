"""Analyses: computed once, stored, streamed, in two readings, and only after the end of the game."""

import asyncio
import json
import re
from threading import Event

import pytest
from analyses import analyzed_at_once
from server_browser import Browser, visiting
from server_config import config_at
from sqlalchemy import select
from test_replay import MINE, create_table, played, regions

from hegemon.analysis import Analysis
from hegemon.prose.translator import get_translator
from hegemon.server.config import Limit, Limits
from hegemon.server.db.schema import games
from hegemon.server.security import tokens
from hegemon.server.tables.table import Table
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.analysis import Reading, decisive_ply
from hegemon.server.web.views.replay import Perspective, Replay, turns_of


@pytest.fixture(scope="module")
def game():
    return played()


@pytest.fixture(scope="module")
def analysis(game):
    return Analysis.from_items((), 0, 0, analyzed_at_once(game))


class Counted:
    """An analysis that counts how often it is computed, and waits halfway until it may continue."""

    def __init__(self):
        self.times = 0
        self.may_go_on = Event()

    def __call__(self, game):
        self.times += 1
        yield from list(analyzed_at_once(game))[:40]
        self.may_go_on.wait()
        yield from list(analyzed_at_once(game))[40:]


@pytest.fixture
def counted():
    counted = Counted()
    yield counted
    counted.may_go_on.set()  # the server waits for its threads


@pytest.fixture
async def client(database, counted):
    async with visiting(database, config_at(database, analyze=counted)) as client:
        client.cookies.set(tokens.COOKIE, MINE)
        yield client


@pytest.fixture
def ada(client):
    return Browser(client)


async def analyzed(client, path):
    """Wait until a game is analyzed."""
    analyst, table = client.app.state.tables.analyst, table_at(client, path)
    while analyst.job(table) is not None:
        await asyncio.sleep(0.01)
    return await analyst.find(table)


def table_at(client, path) -> Table:
    return client.app.state.tables.get(path.split("/")[2])


# ------------------------------------------------------------------ from the end to the analysis


async def test_one_click_leads_from_the_end_to_the_costliest_choice(client, ada, counted, game, analysis):
    """While the analysis is running, the link shows its progress; afterwards it leads straight to the choice."""
    counted.may_go_on.set()
    path = await create_table(client, game)
    await ada.get(path)
    link = re.search(r'href="([^"]+decided=true[^"]*)"', ada.page)[1].replace("&amp;", "&")
    await ada.get(link)
    assert "data-computing" in ada.page
    await analyzed(client, path)
    await ada.get(link)
    costliest = analysis.mistakes(1, 1)[0]
    assert f'data-at="{costliest.ply - 1}"' in ada.page
    assert 'class="judged"' in ada.page
    assert "data-computing" not in ada.page
    assert f'data-at="{costliest.ply - 1}"' in (await regions(client, link))["steps"]


def test_the_decisive_choice_is_the_costliest_mistake_of_a_loser(game, analysis):
    result = game.result
    losers = [seat for seat in range(3) if seat not in result.winners]
    worst = max((analysis.mistakes(seat, 1)[0] for seat in losers), key=lambda found: found.loss)
    assert decisive_ply(analysis, result, ()) == worst.ply - 1
    assert decisive_ply(analysis, result, (1,)) == analysis.mistakes(1, 1)[0].ply - 1
    flawless = Analysis((), 0, 0, analysis.chances)
    assert decisive_ply(flawless, result, (1,)) is None


# ------------------------------------------------------------------ computed once


async def test_a_game_is_analyzed_once_for_all_requests_and_stored(client, ada, counted, game):
    path = await create_table(client, game)
    for _ in range(3):
        await ada.post(f"{path}/analysis", {"at": "7", "seat": "2"})
        assert "/replay" in ada.path
        assert 'data-at="7"' in ada.page
    assert "<progress" in ada.page
    stream = asyncio.create_task(client.get(f"{path}/analysis/stream?seat=2"))
    counted.may_go_on.set()
    told = (await stream).text
    found = await analyzed(client, path)
    assert counted.times == 1
    assert re.search(rf'event: go\ndata: "{path}/replay\?seat=2&at=\d+"\n\n$', told)
    store = client.app.state.tables.store
    stored = json.loads(await store.analyses.load(path.split("/")[2]))
    assert Analysis.from_dict(stored) == found
    assert "Ada" not in json.dumps(stored), "names are not stored, because they can be erased"
    await ada.post(f"{path}/analysis", {"at": "7", "seat": "2"})
    assert (await client.get(f"{path}/analysis/stream?seat=2")).text.startswith("event: go")
    assert counted.times == 1


async def test_an_analysis_is_streamed_while_it_is_computed(client, counted, game):
    path = await create_table(client, game)
    stream = asyncio.create_task(client.get(f"{path}/analysis/stream?seat=5"))
    tables = client.app.state.tables
    while not ((job := tables.analyst.job(table_at(client, path))) and len(job.items) == 40):
        await asyncio.sleep(0.01)
    table_at(client, path).notify()
    while (await regions(client, f"{path}/replay?seat=5"))["chances"].count("polyline") != 3:
        await asyncio.sleep(0.01)
    counted.may_go_on.set()
    told = (await stream).text
    assert "<polyline" in told
    assert "<progress" in told


async def test_a_stored_analysis_of_another_version_is_computed_again(client, ada, counted, game):
    counted.may_go_on.set()
    path = await create_table(client, game)
    game_id, store = path.split("/")[2], client.app.state.tables.store
    await store.analyses.save(game_id, json.dumps({"version": 0}))
    await ada.get(f"{path}/replay?decided=true")
    assert await analyzed(client, path) is not None
    assert json.loads(await store.analyses.load(game_id))["version"] > 0


async def test_an_analysis_is_deleted_with_its_game(client, counted, game):
    counted.may_go_on.set()
    path = await create_table(client, game)
    game_id, store = path.split("/")[2], client.app.state.tables.store
    await client.post(f"{path}/analysis", data={"at": "0", "seat": "0"})
    await analyzed(client, path)
    await store.games._delete(select(games.c.id).where(games.c.id == game_id))
    assert await store.analyses.load(game_id) is None
    await store.analyses.save(game_id, "{}")
    assert await store.analyses.load(game_id) is None


async def test_the_accuracy_of_a_person_is_saved_with_the_result(client, counted, game):
    counted.may_go_on.set()
    path = await create_table(client, game)
    tables = client.app.state.tables
    saved = []

    async def save(game_id, accuracies):
        saved.append(accuracies)

    tables.store.results.save_accuracy = save
    await client.post(f"{path}/analysis", data={"at": "0", "seat": "0"})
    found = await analyzed(client, path)
    assert saved == [{seat: found.accuracy(seat) / 100 for seat in range(3)}]


# ------------------------------------------------------------------ failures and limits


async def test_the_page_says_that_a_game_could_not_be_analyzed(database, game, caplog):
    def fail(game):
        raise ValueError
        yield

    async with visiting(database, config_at(database, analyze=fail)) as client:
        path = await create_table(client, game)
        job = client.app.state.tables.analyst.start(table_at(client, path), "")
        while not job.failed:
            await asyncio.sleep(0.01)
        assert [record.facts for record in caplog.records if hasattr(record, "facts")][-1] == {
            "game": path.split("/")[2]
        }
        table, visitor = table_at(client, path), Visitor(None, "en", {})
        replay = Replay(table, table.game, visitor, Perspective(0), job=job)
        assert "This game could not be analyzed." in client.app.state.replay_pages.analysis(replay)["chances"]
        assert await client.app.state.tables.analyst.find(table) is None
        assert 'class="analyze"' in (await regions(client, f"{path}/replay"))["chances"]


async def test_new_analyses_are_limited_by_address_but_stored_ones_are_not(database, game):
    limits = Limits(analyses=Limit(rate=0.001, burst=1))
    async with visiting(database, config_at(database, limits=limits)) as client:
        client._transport.client = ("192.0.2.7", 4321)
        paths = [await create_table(client, game) for _ in range(2)]
        form = {"at": "0", "seat": "0"}
        assert (await client.post(f"{paths[0]}/analysis", data=form)).status_code == 303
        await analyzed(client, paths[0])
        refused = await client.post(f"{paths[1]}/analysis", data=form)
        assert (refused.status_code, "retry-after" in refused.headers) == (429, True)
        assert (await client.get(f"{paths[1]}/replay?decided=true")).status_code == 429
        assert (await client.post(f"{paths[0]}/analysis", data=form)).status_code == 303


# ------------------------------------------------------------------ readings


def reading(game, analysis, *, is_open, language="en"):
    names, colors = game.names, range(game.players)
    return Reading(analysis, game, turns_of(game), names, colors, get_translator(language), is_open=is_open)


async def test_a_page_shows_one_of_the_two_readings(client, ada, counted, game):
    counted.may_go_on.set()
    path = await create_table(client, game)
    await client.post(f"{path}/analysis", data={"at": "0", "seat": "0"})
    await analyzed(client, path)
    for seat, own, other in (
        (2, "As each seat could know it", "With open cards"),
        (0, "As each seat could know it", "With open cards"),
        (5, "With open cards", "As each seat could know it"),
    ):
        found = await regions(client, f"{path}/replay?at=30&seat={seat}")
        for name in ("chances", "report"):
            assert own in found[name]
            assert other not in found[name]
        assert ("Luck of the draw" in found["report"]) == (seat == 5)
        assert ("Accuracy" in found["report"]) == (seat != 5)


@pytest.mark.parametrize("language", ["en", "de", "el", "hu", "pl"])
def test_the_three_costliest_choices_of_each_player_are_described(game, analysis, language):
    for seat, judgment in enumerate(reading(game, analysis, is_open=False, language=language).judgments()):
        costliest = analysis.mistakes(seat, 3)
        assert [mistake.at for mistake in judgment.mistakes] == [found.ply - 1 for found in costliest]
        assert all(mistake.words.choice != mistake.words.best for mistake in judgment.mistakes)
        assert all(mistake.words.reason for mistake in judgment.mistakes)


def test_the_curves_can_be_read_as_a_table(game, analysis):
    found = reading(game, analysis, is_open=True)
    rows = found.table()
    assert (rows[0].where, rows[-1].where) == ("Round 1", "The end of the game")
    assert len(rows) == game.view(0).round + 1
    won = game.result.winners[0]
    assert rows[-1].chances[won] == "100%"
    curve = found.curves()[won]
    assert curve.points.startswith("0,67 ")
    assert curve.points.endswith(f" {len(game.moves)},0")
    assert all(analysis.chances[at].ply == at for at, _ in curve.marks)


def test_the_story_distinguishes_luck_from_choices(game, analysis):
    chances = list(analysis.chances)
    lucky = next(luck for luck in analysis.lucks if luck.ply > 30)
    steps = {25: 0.4, lucky.ply: 0.3}
    shares = [0.3, 0.4, 0.3]
    for ply in range(len(chances)):
        shares[0] += steps.get(ply, 0.0)
        shares[1] -= steps.get(ply, 0.0)
        chances[ply] = type(chances[ply])(ply, tuple(shares), tuple(shares))
    swing = type(lucky)(lucky.ply, lucky.seat, 0.25)
    story = reading(game, Analysis((), 0, 0, tuple(chances), (), (swing,)), is_open=True)
    points = {point.at: point for point in story.turning_points()}
    assert set(points) == set(steps)
    assert (points[25].is_luck, points[lucky.ply].is_luck) == (False, True)
    assert "from 30% to 70%" in points[25].change or "from 40% to 0%" in points[25].change
    assert [moment.at for moment in story.lucky_draws()] == [lucky.ply]
    assert dict(story.luck())[game.names[lucky.seat]] == "+25%"
    assert story.stops == sorted(steps)


async def test_steps_lead_from_mistake_to_mistake(client, ada, counted, game, analysis):
    counted.may_go_on.set()
    path = await create_table(client, game)
    await client.post(f"{path}/analysis", data={"at": "0", "seat": "0"})
    await analyzed(client, path)
    listed = sorted(found.ply - 1 for seat in range(3) for found in analysis.mistakes(seat, 3))
    at, seen = 0, []
    while found := re.search(
        r'at=(\d+)" data-key="n"', (await regions(client, f"{path}/replay?at={at}&seat=2"))["steps"]
    ):
        at = int(found[1])
        seen.append(at)
    assert seen == listed
    steps = (await regions(client, f"{path}/replay?at={at}&seat=2"))["steps"]
    assert int(re.search(r'at=(\d+)" data-key="b"', steps)[1]) == listed[-2]

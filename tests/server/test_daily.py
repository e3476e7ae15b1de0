"""The deal of the day: the same for everyone, played once, and closed to people who may still play it."""

import asyncio
import re
import shutil
from datetime import date, timedelta

import pytest
from server_browser import Browser, addresses, finish, visiting
from server_clock import NOON, Hands
from server_config import config_at
from sqlalchemy import insert

from hegemon.notation.record import read_record
from hegemon.play.game import Game
from hegemon.rules.position import Ending
from hegemon.server.db.rows import DailyEntry, SeatRow
from hegemon.server.db.schema import results as saved_results
from hegemon.server.maintenance import erase
from hegemon.server.runner import database_url
from hegemon.server.security import tokens
from hegemon.server.tables import daily, results
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.bots import DETERMINISTIC_BOTS

pytestmark = pytest.mark.scenario

TODAY = "2030-01-01"


@pytest.fixture
async def client(database, hands):
    async with visiting(database, config_at(database, now=hands)) as client:
        yield client


@pytest.fixture
def still_bots(client):
    """Stop the bots, so that the test submits every move."""
    client.app.state.tables.bots.run = lambda table: None


async def begin(client, name="", day="/daily"):
    """Begin the deal of the day as a new person."""
    browser = Browser(client.another())
    await browser.post(day, {"name": name})
    assert browser.status == 200, browser.page
    return browser


async def played_to_the_end(client, name=""):
    browser = await begin(client, name)
    return browser, await finish(client, browser.path)


async def choose_first(tables, table, number):
    """Submit the person's first choice `number` times; the bots play in between."""
    for _ in range(number):
        await tables.bots.wait(table)
        if table.game.over:
            return table
        (seat,) = table.person_seats
        await table_moves.submit_move(
            tables, table, seat, table.snapshot.choices_of(seat)[0], table.version, None
        )
    await tables.bots.wait(table)
    return table


# ------------------------------------------------------------------ the same for everyone


@pytest.mark.parametrize("weekday", range(7))
def test_each_weekday_has_its_own_setup(weekday):
    day = date(2030, 1, 7) + timedelta(days=weekday)
    assert day.weekday() == weekday
    kind = daily.WEEKDAY_SETUPS[weekday]
    seats = set()
    for week in range(4):
        deal = daily.new_deal(day + timedelta(weeks=week), None)
        record = read_record(deal.record)
        assert (record.variant, record.teams, record.players) == (
            kind.variant,
            kind.teams,
            len(kind.bots) + 1,
        )
        own = deal.bots.index(None)
        assert (*deal.bots[own + 1 :], *deal.bots[:own]) == kind.bots
        assert 0 < deal.seed < 2**63
        seats.add(own)
    assert seats == set(range(len(kind.bots) + 1))


def test_two_deals_are_independent():
    one, other = (daily.new_deal(date(2030, 1, 1), None) for _ in range(2))
    assert (one.record, one.seed) != (other.record, other.seed)


def test_bots_limited_by_time_are_limited_by_iterations_instead():
    limited = {
        level for kind in daily.WEEKDAY_SETUPS for level in kind.bots if level in ("expert", "champion")
    }
    assert limited == set(DETERMINISTIC_BOTS)


@pytest.mark.parametrize("days", [0, 2, 4], ids=["basic", "draft", "teams"])
async def test_bots_answer_the_same_moves_the_same_way_even_after_a_restart(client, hands, days):
    hands.go(days=days)
    tables = client.app.state.tables
    one, other = [await begin(client), await begin(client)]
    first = await choose_first(tables, await tables.load(one.path.split("/")[2]), 12)
    game_id = other.path.split("/")[2]
    for _ in range(12):
        second = await choose_first(tables, await tables.load(game_id), 1)
        tables.forget([game_id])  # as if the server had been stopped
    assert first.id != second.id
    assert first.game.commitment == second.game.commitment
    assert first.game.moves == second.game.moves
    assert [row.bot for row in first.seats] == [row.bot for row in second.seats]


async def test_a_restart_keeps_the_deal_and_the_game(database, hands):
    async with visiting(database, config_at(database, now=hands)) as client:
        one = await begin(client, "Ada")
        cookies = one.client.cookies
        digest = re.search(r'class="digest">(\w+)', (await one.get("/daily")).page)[1]
    hands.go(hours=1)
    async with visiting(database, config_at(database, now=hands, new_seed=lambda: 6)) as client:
        again = Browser(client.another())
        again.client.cookies = cookies
        await again.get("/daily")
        assert digest in again.page
        assert "Continue the game" in again.page
        game = re.search(r'href="(/games/[\w-]+)">Continue', again.page)[1]
        assert (await again.post("/daily", {})).path == game


async def test_a_person_can_play_the_deal_only_once(client, still_bots):
    browser, table = await played_to_the_end(client, "Ada")
    assert (await browser.post("/daily", {"name": "Ben"})).path == f"/games/{table.id}"
    await browser.get("/daily")
    assert "Your score:" in browser.page
    assert "Play the deal" not in browser.page
    assert (await client.app.state.tables.store.daily.results(daily.day_of(NOON), None)).finished == 1


async def test_a_game_that_was_created_before_the_server_stopped_is_found_again(client, monkeypatch):
    store = client.app.state.tables.store

    async def stop(entry):
        raise RuntimeError("the power went out")

    browser = Browser(client.another())
    browser.client.cookies.set(tokens.COOKIE, tokens.new_token())
    with monkeypatch.context() as patch:
        patch.setattr(store.daily, "enter", stop)
        assert (await browser.post("/daily", {})).status == 500
    await browser.post("/daily", {})
    assert browser.status == 200
    assert len(await store.games.ids()) == 1


async def test_only_one_of_two_workers_creates_the_deal(client, monkeypatch):
    tables = client.app.state.tables
    first = daily.new_deal(date(2030, 1, 1), 7)
    await tables.store.daily.save_deal(first)
    load, loads = tables.store.daily.deal, []

    async def late(day):
        loads.append(day)
        return await load(day) if len(loads) > 1 else None

    monkeypatch.setattr(tables.store.daily, "deal", late)
    assert await daily.deal_of(tables, date(2030, 1, 1)) == first
    entry = await daily.enter(tables, "ada", "Ada", "en")
    assert await tables.store.daily.enter(entry) == entry


async def test_the_deal_has_no_hints_and_its_seats_cannot_be_reassigned(client):
    browser = await begin(client, "Ada")
    table = await client.app.state.tables.load(browser.path.split("/")[2])
    await client.app.state.tables.bots.wait(table)
    await browser.get(browser.path)
    path, (own,) = browser.path, table.person_seats
    assert "Ada" in table.game.names
    assert 'id="hint"' not in browser.page
    assert "hints.js" not in browser.page
    form = {"step": "1", "version": str(table.version), "seat": str(own + 1)}
    await browser.post(f"{path}/hint", form)
    assert (browser.status, "There are no hints in the deal of the day" in browser.page) == (403, True)
    for seat in range(1, 4):
        assert (await browser.post(f"{path}/seats/{seat}/open", {})).status == 409
        assert (await browser.post(f"{path}/seats/{seat}/bot", {"bot": "chance"})).status == 409
    assert "stay the same until it ends" in browser.page


async def test_a_rematch_is_an_ordinary_game(client, still_bots):
    browser, table = await played_to_the_end(client)
    await browser.get(f"/games/{table.id}")
    assert f'href="/daily/{TODAY}"' in browser.page
    await browser.post(f"/games/{table.id}/rematch", {})
    rematch = await client.app.state.tables.load(browser.path.split("/")[2])
    assert (rematch.options.daily, rematch.options.bot_seed) == ("", 0)


# ------------------------------------------------------------------ closed until it is over


async def test_a_deal_is_closed_to_everyone_who_has_not_finished_it(client, hands, still_bots):
    (_, played), player = await played_to_the_end(client, "Ada"), await begin(client, "Ben")
    closed, own = [*addresses(client, played.id)], [*addresses(client, player.path.split("/")[2])]
    assert len(closed) > 10
    stranger = Browser(client.another())
    for browser, paths in ((stranger, closed + own), (player, closed)):
        found = {path: (await browser.client.get(path)).status_code for path in paths}
        assert set(found.values()) == {401, 403}, found
    assert (
        "You can look at it when you have finished that deal yourself"
        in (await stranger.get(f"/games/{played.id}")).page
    )
    assert f"/games/{played.id}" not in (await stranger.get("/daily")).page
    finisher, _ = await played_to_the_end(client, "Cleo")
    assert f"/games/{played.id}/replay" in (await finisher.get("/daily")).page
    await finisher.post(f"/games/{played.id}/play-on", {"at": "0", "seat": "1", "bot": "easy"})
    played_on = finisher.path
    assert (finisher.status, played_on.startswith("/games/")) == (200, True)
    copy = await finish(client, played_on)
    for game in (played.id, copy.id):
        assert (await finisher.post("/study", {"game": game})).status == 403, "a study is open to all"
    for path in (f"/games/{played.id}", f"/games/{played.id}/record", player.path, played_on):
        assert (await finisher.get(path)).status == 200
        assert (await stranger.get(path)).status == 403
    hands.now = daily.deadline_of(daily.day_of(NOON))
    for path in (f"/games/{played.id}", f"/games/{played.id}/record", f"/daily/{TODAY}"):
        assert (await stranger.get(path)).status == 200
    assert f"/games/{played.id}/replay" in stranger.page


async def test_the_page_of_a_day_does_not_depend_on_the_cards(tmp_path, empty_database, hands):
    """Only the salted digest depends on the deck."""
    pages = []
    for seed in (5, 6):
        database = database_url(str(shutil.copy(empty_database, tmp_path / f"{seed}.db")))
        config = config_at(database, now=hands, new_seed=lambda seed=seed: seed)
        async with visiting(database, config) as client:
            page = (await Browser(client).get("/daily")).page
            deal = await client.app.state.tables.store.daily.deal(daily.day_of(NOON))
        game = Game.from_record(read_record(deal.record))
        assert game.commitment in page
        pages.append(page.replace(game.commitment, ""))
    assert pages[0] == pages[1]


# ------------------------------------------------------------------ days


async def test_a_game_that_was_begun_in_time_counts_until_noon(client, hands, still_bots):
    hands.go(hours=11, minutes=50)
    early, late, never = [await begin(client, name) for name in ("Ada", "Ben", "Cleo")]
    games = early.path, late.path
    hands.go(minutes=20)
    await early.get("/daily")
    assert "Your earlier game still counts until noon UTC: Tuesday, January 1, 2030." in early.page
    assert "Play the deal of the day" in early.page
    hands.now = NOON + timedelta(days=1)
    await finish(client, games[0])
    hands.go(seconds=1)
    await finish(client, games[1])
    await late.get(f"/daily/{TODAY}")
    assert re.findall(r'replay">(\w+)', late.page) == ["Ada"]
    await never.get(f"/daily/{TODAY}")
    assert "was not finished in time" in never.page
    await never.get("/daily")
    assert "Your earlier game" not in never.page


async def test_days_without_a_deal_are_not_found(client):
    days = ("2030-01-02", "2029-12-31", "2030-13-01", "tomorrow", "2030-01-02/name")
    weeks = ("week/2029-W52", "week/2030-W99", "week/2030-W1", "week/now")
    for path in days + weeks:
        assert (await Browser(client).get(f"/daily/{path}")).status in (404, 405), path


async def test_days_link_to_the_previous_and_the_next_day(client, hands):
    browser = Browser(client)
    await browser.get("/daily")
    assert "Previous day" not in browser.page
    hands.go(days=3)
    await browser.get("/daily")
    assert f'href="/daily/{TODAY}">Previous day' in browser.page
    await browser.get(f"/daily/{TODAY}")
    assert 'href="/daily/2030-01-04">Next day' in browser.page
    assert "Play the deal of the day" not in browser.page


# ------------------------------------------------------------------ results


async def test_people_with_a_name_are_listed_best_first(client):
    tables, people = client.app.state.tables, {}
    found = {
        "Ada": {"won": True, "score": 13, "turns": 9},
        "Ben": {"won": True, "score": 13, "turns": 8},
        "Cleo": {"turns": 12, "accuracy": 0.5},
        "Dan": {"turns": 12, "accuracy": 0.874},
        "Eve": {"turns": 13},
        "": {"won": True, "score": 16, "turns": 5},
    }
    for name, facts in found.items():
        people[name] = Browser(client.another())
        people[name].client.cookies.set(tokens.COOKIE, token := tokens.new_token())
        await save_result(tables, daily.day_of(NOON), tokens.owner_of(token), name, **facts)

    def listed(page):
        return re.findall(r'<td>\d</td><th scope="row">(\w+)', page)

    reader = people["Ben"]
    await reader.get("/daily")
    assert listed(reader.page) == ["Ben", "Ada", "Eve", "Dan", "Cleo"]
    assert "87%" in reader.page
    assert "6 people have finished this deal. Only people who gave a name are listed." in reader.page
    assert "/games/" not in reader.page, "the games have expired"
    assert "You won. Your score: 16." in (await people[""].get("/daily")).page
    await people[""].post(f"/daily/{TODAY}/name", {"name": " Fay\n "})
    await reader.post(f"/daily/{TODAY}/name", {"name": ""})
    assert listed(reader.page) == ["Fay", "Ada", "Eve", "Dan", "Cleo"]


async def test_a_game_is_analyzed_when_it_is_over_or_else_when_it_is_opened_again(
    client, still_bots, monkeypatch
):
    tables = client.app.state.tables
    with monkeypatch.context() as patch:
        patch.setattr(
            tables.analyst, "start", lambda table, caller: None
        )  # as if the server had been stopped
        browser, table = await played_to_the_end(client, "Ada")
    assert (await tables.store.daily.results(daily.day_of(NOON), None)).standings[0].accuracy is None
    tables.forget([table.id])
    await browser.get(f"/games/{table.id}")
    while tables.analyst.job(table) is not None:
        await asyncio.sleep(0.01)
    accuracy = (await tables.store.daily.results(daily.day_of(NOON), None)).standings[0].accuracy
    assert 0 < accuracy < 1
    assert f"{accuracy:.0%}" in (await browser.get("/daily")).page
    assert f"{accuracy:.0%}" in (await browser.get("/me/statistics")).page


async def save_result(tables, day, owner, name, **facts):
    """Save a result as the server does when a game is over."""
    game, deadline = f"{owner[:10]}{day}", daily.deadline_of(day)
    await tables.store.daily.enter(DailyEntry(day, owner, game, name, deadline))
    usual = {"won": False, "score": 2, "turns": 9, "accuracy": None, "finished_at": deadline}
    row = {"game": game, "seat": 0, "owner": owner, "players": 3, "variant": "basic", "teams": False}
    row |= {"level": "hard", "ending": "majority", "domain": None, "opening": 0} | usual | facts
    async with tables.store.database.writing() as connection:
        await connection.execute(insert(saved_results).values(row))


async def test_the_best_five_days_of_a_week_are_added_up(client, hands):
    tables, monday = client.app.state.tables, date(2029, 12, 31)
    for number, score in enumerate((2, 16, 11, 3, 12, 13, 1)):
        day = monday + timedelta(days=number)
        await tables.store.daily.save_deal(daily.new_deal(day, number + 1))
        await save_result(tables, day, "ada", f"Ada {number}", score=score, won=score > 10)
    late = daily.deadline_of(monday) + timedelta(seconds=1)
    await save_result(tables, monday, "ben", "Ben", score=16, finished_at=late)
    await save_result(tables, monday + timedelta(days=1), "ben", "Ben", score=16, won=True, accuracy=0.8)
    await save_result(tables, monday, "cleo", "Cleo", score=16, won=True, accuracy=0.9)
    await save_result(tables, monday, "dan", "", score=16, won=True)
    await save_result(tables, monday - timedelta(days=1), "eve", "Eve", score=16)
    found = await tables.store.daily.week(monday, monday + timedelta(days=6), "ben")
    assert [(line.rank, line.name, line.score, line.wins, line.days, line.own) for line in found] == [
        (1, "Ada 6", 55, 4, 5, False),
        (2, "Cleo", 16, 1, 1, False),
        (3, "Ben", 16, 1, 1, True),
    ]
    hands.go(days=5)
    browser = Browser(client)
    await browser.get("/daily/week")
    assert browser.path == "/daily/week/2030-W01"
    assert re.findall(r"<tr><td>(\d).*?<td>(\d+)</td><td>(\d)</td>", browser.page)[0] == ("1", "55", "4")
    assert browser.page.count('<li><a href="/daily/20') == 7
    assert "Previous week" not in browser.page
    hands.go(days=14)
    await browser.get("/daily")
    await browser.get("/daily/week")
    assert "No one has finished a deal of this week yet." in browser.page
    assert 'href="/daily/week/2030-W01">Previous week' in browser.page
    await browser.get("/daily/week/2030-W01")
    assert 'href="/daily/week/2030-W03">Next week' in browser.page


async def test_programs_read_the_results(client, hands, still_bots):
    browser, table = await played_to_the_end(client, "Ada")
    day = (await client.get("/api/daily")).json()
    assert (day["date"], day["closes_at"], day["players"]) == (TODAY, "2030-01-02T12:00:00Z", 3)
    assert sorted(filter(None, day["bots"])) == ["hard", "normal"]
    assert day["digest"] == table.game.commitment
    (result,) = day["results"]
    assert (result["name"], result["rank"], result["game"]) == ("Ada", 1, None)
    bearer = {"authorization": f"Bearer {browser.client.cookies[tokens.COOKIE]}"}
    (result,) = (await client.get(f"/api/daily/{TODAY}", headers=bearer)).json()["results"]
    assert result["game"] == table.id
    week = (await client.get("/api/daily/week/2030-W01")).json()
    assert (week["days"], week["results"][0]["score"]) == ([TODAY], result["score"])
    for path in ("2030-01-02", "2030-02-30", "week/2030-W02", "week/nonsense"):
        assert (await client.get(f"/api/daily/{path}")).status_code == 404


async def test_the_name_of_the_profile_is_suggested_until_a_game_without_one(client, hands):
    browser = Browser(client.another())
    browser.client.cookies.set(tokens.COOKIE, token := tokens.new_token())
    await client.app.state.tables.store.profiles.save(tokens.owner_of(token), name="Ada")
    assert 'value="Ada"' in (await browser.get("/daily")).page
    await browser.post("/daily", {"name": ""})
    hands.go(days=1)
    assert 'value="Ada"' not in (await browser.get("/daily")).page


async def test_a_name_is_remembered_and_shown_as_text(client, hands):
    browser = await begin(client, "<b>Ada</b>")
    hands.go(days=1)
    await browser.get("/daily")
    assert 'value="&lt;b&gt;Ada&lt;/b&gt;"' in browser.page


@pytest.mark.parametrize(
    ("ending", "expected"), [(Ending.HEGEMONY, {16, 0, 1, 2, 3}), (Ending.MAJORITY, None)]
)
def test_a_hegemony_counts_like_all_domains(ending, expected):
    for seed in range(100):
        game = Game(2, seed=seed)
        while not game.over:
            game.play(game.choices[seed % len(game.choices)])
        if game.result.ending is not ending:
            continue
        won, lost = game.result.winners[0], 1 - game.result.winners[0]
        score = results.score_of(game, won)
        assert results.score_of(game, lost) <= 6
        if ending is Ending.HEGEMONY:
            assert score == 16
        else:
            assert 10 < score <= 16
        return
    pytest.fail("no such game")


@pytest.mark.parametrize(
    ("bots", "strongest"),
    [(("hard",), "hard"), (("hard", "easy"), "hard"), (("easy", "own"), "own"), (("champion", None), "")],
)
def test_the_level_of_a_game_is_that_of_its_strongest_bot(bots, strongest):
    seats = [SeatRow(None, "ada"), *(SeatRow(bot, None) for bot in bots)]
    assert results.strongest_opponent(Game(len(seats), seed=1), seats, 0) == strongest


def test_a_partner_does_not_count_as_an_opponent():
    seats = [SeatRow(None, "ada"), SeatRow("easy", None), SeatRow("champion", None), SeatRow("hard", None)]
    assert results.strongest_opponent(Game(4, teams=True, seed=1), seats, 0) == "hard"


async def test_results_move_to_a_new_key_and_are_erased_with_their_person(database, hands):
    async with visiting(database, config_at(database, now=hands)) as client:
        client.app.state.tables.bots.run = lambda table: None
        browser, table = await played_to_the_end(client, "Ada")
        key = tokens.new_token()
        owner = tokens.owner_of(browser.client.cookies[tokens.COOKIE])
        await browser.post("/me/key", {"new_key": key, "owner": owner})
        await browser.get("/daily")
        assert "Your score:" in browser.page
        assert (await browser.post("/daily", {})).path == f"/games/{table.id}"
        day = daily.day_of(NOON)
        assert (await client.app.state.tables.store.daily.results(day, None)).finished == 1
    assert await asyncio.to_thread(erase, database, key) == 1
    async with visiting(database, config_at(database, now=hands)) as client:
        found = await client.app.state.tables.store.daily.results(day, tokens.owner_of(key))
        assert (found.standings, found.own, found.finished) == ((), None, 0)


def test_days_are_in_utc():
    assert daily.day_of(Hands().now) == date(2030, 1, 1)
    assert daily.deadline_of(date(2030, 1, 1)).isoformat() == "2030-01-02T12:00:00+00:00"

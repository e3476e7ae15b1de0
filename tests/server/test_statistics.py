"""A person's statistics: only own results, fast with many games, and readable as tables."""

import re
from datetime import date

import pytest
from server_browser import Browser, finish, visiting
from server_config import config_at
from sqlalchemy import text

from hegemon.play.game import Game
from hegemon.prose.translator import LANGUAGES, get_translator
from hegemon.server.db.options import TableOptions
from hegemon.server.db.results import Month, ResultGroup
from hegemon.server.db.rows import SeatRow
from hegemon.server.security import tokens
from hegemon.server.tables import results
from hegemon.server.web.views.statistics import curve_of, rows_by, ways_of_winning

GAMES = 100_000

#: As many results as a large server has, a tenth of them those of one person.
FILL = f"""
WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {GAMES - 1})
INSERT INTO results
  (game, seat, owner, finished_at, players, variant, teams, level, ending, won, domain, opening, score, turns,
  accuracy, name)
SELECT 'game' || n, 0, CASE WHEN n % 10 THEN 'person' || (n % 1000) ELSE :owner END,
  date('2030-01-01', '-' || (n % 900) || ' days') || ' 12:00:00.000000', 2 + n % 3, 'basic', 0,
  CASE n % 3 WHEN 0 THEN 'easy' WHEN 1 THEN 'hard' ELSE '' END, CASE n % 2 WHEN 0 THEN 'hegemony' ELSE 'majority' END,
  n % 4 = 0, CASE n % 2 WHEN 0 THEN n % 6 ELSE NULL END, n % 5, 3, 12, CASE n % 20 WHEN 0 THEN 0.8 ELSE NULL END, ''
FROM numbers"""


@pytest.fixture
async def client(database, hands):
    async with visiting(database, config_at(database, now=hands)) as client:
        client.app.state.tables.bots.run = lambda table: None
        yield client


def table_of(page, name):
    """The rows of a table of the page, as texts."""
    section = page.split(f'<section id="{name}">')[1].split("</section>")[0]
    rows = re.findall(r"<tr.*?</tr>", section, re.DOTALL)
    cells = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[re.sub(r"<.*?>", "", cell).strip() for cell in row] for row in cells[1:]]


async def test_finished_games_are_counted_for_their_person_alone(client):
    browser, other = Browser(client), Browser(client.another())
    assert "There are no finished games of yours yet." in (await browser.get("/me/statistics")).page
    await browser.take_seat(seat1="me", seat2="easy", seat3="hard")
    table = await finish(client, browser.path)
    (own,) = await client.app.state.tables.store.results.groups(table.seats[0].owner)
    await client.app.state.tables.store.results.save_accuracy(table.id, {0: 0.816, 1: 0.2})
    await browser.get("/me/statistics")
    won = "1" if own.won else "0"
    assert table_of(browser.page, "players") == [["3 players", "1", won, "100%" if own.won else "0%"]]
    assert table_of(browser.page, "levels")[0][:3] == ["hard", "1", won]
    opening = get_translator("en").domains[own.opening]
    assert table_of(browser.page, "openings")[0][:3] == [opening, "1", won]
    assert table_of(browser.page, "accuracy") == [["January 2030", "1", "82%"]]
    assert "<polyline" not in browser.page, "one month is not enough for a curve"
    await other.take_seat(seat1="me", seat2="easy")
    assert "There are no finished games of yours yet." in (await other.get("/me/statistics")).page


async def test_games_of_several_people_at_one_device_and_those_played_on_are_not_counted(client):
    tables = client.app.state.tables
    owner = tokens.owner_of(tokens.new_token())
    rows = [SeatRow(None, owner), SeatRow(None, owner)]
    alone = [SeatRow(None, owner), SeatRow(None, "other")]
    for seats, options in ((rows, TableOptions()), (alone, TableOptions(origin="another game"))):
        game_id = await tables.create(Game(2, seed=1), seats, options=options)
        table = await finish(client, f"/games/{game_id}")
        assert table.counted
    assert await tables.store.results.groups(owner) == []
    assert await tables.store.results.uncounted(1) == []


async def test_a_game_that_cannot_be_counted_does_not_affect_others(client, monkeypatch):
    tables, store = client.app.state.tables, client.app.state.tables.store
    monkeypatch.setattr(tables, "on_game_over", None)
    ids = []
    for _ in range(2):
        game_id = await tables.create(Game(2, seed=1), [SeatRow(None, "ada"), SeatRow(None, "ben")])
        ids.append((await finish(client, f"/games/{game_id}")).id)
    assert [len(await store.results.uncounted(limit)) for limit in (1, 2, 3)] == [1, 2, 2]
    async with store.database.writing() as connection:
        await connection.execute(text("UPDATE games SET record = 'nonsense' WHERE id = :id"), {"id": ids[0]})
    await results.count_games(store, 0)
    assert [group.number for group in await store.results.groups("ada")] == [1]
    assert await store.results.uncounted(1) == []


@pytest.mark.sqlite
async def test_queries_over_a_hundred_thousand_games_use_an_index(client):
    token, store = tokens.new_token(), client.app.state.tables.store
    owner = tokens.owner_of(token)
    async with store.database.writing() as connection:
        await connection.execute(text(FILL), {"owner": owner})
    client.cookies.set(tokens.COOKIE, token)
    browser = await Browser(client).get("/me/statistics")
    assert sum(int(row[1]) for row in table_of(browser.page, "players")) == GAMES // 10
    assert len(table_of(browser.page, "accuracy")) == 24
    assert browser.page.count("<circle") == 24
    plans = (
        "SELECT players, count(*) FROM results WHERE owner = 'x' GROUP BY players",
        "SELECT id FROM games WHERE finished = 1 AND counted = 0 LIMIT 1",
    )
    async with store.database.reading() as connection:
        for plan, index in zip(plans, ("ix_results_owner", "ix_games_uncounted"), strict=True):
            found = (await connection.execute(text(f"EXPLAIN QUERY PLAN {plan}"))).all()
            assert any(index in str(row) for row in found), found


def group(**facts):
    usual = {"players": 2, "teams": False, "level": "easy", "ending": "majority", "won": True, "domain": None}
    return ResultGroup(**usual | {"opening": 0, "number": 1} | facts)


def test_wins_are_counted_by_domain_and_ending():
    groups = [
        group(ending="hegemony", domain=0, number=3),
        group(ending="hegemony", domain=3, won=False, number=5),
        group(number=2),
        group(ending="stall"),
    ]
    rows = ways_of_winning(groups, get_translator("en"))
    assert [(row.label, row.won, row.share) for row in rows] == [
        ("Military", 3, "50%"),
        ("Majority", 2, "33%"),
        ("After ten rounds without a draw", 1, "17%"),
    ]
    by_players = rows_by(groups, lambda group: group.players, str, get_translator("en"))
    assert [(row.number, row.won) for row in by_players] == [(11, 6)]
    assert ways_of_winning([], get_translator("en")) == []


def test_the_curve_goes_from_left_to_right_and_is_high_for_a_high_accuracy():
    months = [Month(date(2030, number, 1), 1, accuracy) for number, accuracy in ((1, 0), (2, 1), (3, 0.5))]
    assert curve_of(months) == [(0, 120), (160, 0), (320, 60)]
    assert curve_of(months[:1]) == [(0, 120)]


@pytest.mark.sqlite
async def test_statistics_are_shown_in_every_language(client):
    token = tokens.new_token()
    async with client.app.state.tables.store.database.writing() as connection:
        few = text(FILL.replace(str(GAMES - 1), "200"))
        await connection.execute(few, {"owner": tokens.owner_of(token)})
    client.cookies.set(tokens.COOKIE, token)
    for language in LANGUAGES:
        browser = await Browser(client).get("/me/statistics", **{"accept-language": language})
        assert f'lang="{language}"' in browser.page
        assert table_of(browser.page, "levels")[0][0] == get_translator(language).bots["easy"]
        assert 'role="img" aria-label="' in browser.page

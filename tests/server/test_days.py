"""The page of a person's deadlines, and the calendar at a secret address."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from correspondence import both, play_turn, serving
from server_browser import HOST
from server_clock import NOON
from server_config import config_at

from hegemon import Game, write_record
from hegemon.prose.translator import get_translator
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import GameRow, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.db.vacations import Vacation
from hegemon.server.tables import vacations
from hegemon.server.tables.deadlines import Deadline, deadlines_of
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.web.views.calendar import calendar_file


def unfolded(text):
    """The unfolded lines of an iCalendar file; fail if they violate RFC 5545."""
    assert text.endswith("\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    return text.replace("\r\n ", "").split("\r\n")[:-1]


def components(text):
    """The VEVENTs of a calendar as dictionaries of unescaped values; a VALARM is a nested dictionary."""
    lines = unfolded(text)
    assert (lines[0], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")
    head = lines[: lines.index("BEGIN:VEVENT")] if "BEGIN:VEVENT" in lines else lines
    assert {"VERSION:2.0", "PRODID:-//Hegemon//Deadlines//EN"} <= set(head)
    events, event = [], None
    for line in lines[1:-1]:
        name, _, value = line.partition(":")
        if line == "BEGIN:VEVENT":
            assert event is None
            event = outer = {}
        elif line == "END:VEVENT":
            assert event is outer
            assert {"UID", "DTSTAMP"} <= event.keys()
            events.append(event)
            event = None
        elif line == "BEGIN:VALARM":
            assert event is outer
            event = outer["VALARM"] = {}
        elif line == "END:VALARM":
            assert event.keys() == {"ACTION", "DESCRIPTION", "TRIGGER"}
            event = outer
        elif event is not None:
            assert name not in event
            event[name] = re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), value)
    assert event is None
    return events


@pytest.fixture
async def table():
    game = Game(3, seed=1, names=("Ada", "Bé; n, \\o/", "Γιώργος" * 3))
    record = game.record()
    rows = tuple(SeatRow(None, name) for name in ("ada", "ben", "cleo"))
    row = GameRow(
        "game",
        write_record(record),
        rows,
        (),
        NOON,
        False,
        options=TableOptions(clock="3d a move"),
        started_at=NOON,
    )
    return Table(row)


async def test_a_calendar_follows_the_standard_whatever_the_names_are(table):
    vacation = Vacation(7, "ada", NOON, datetime(2030, 1, 4, tzinfo=UTC))
    deadline = Deadline(table, 0, NOON + timedelta(days=3), own=True)
    text = calendar_file([deadline], [vacation], NOON, "https://play.example.org", get_translator("en"))
    turn, days = components(text)
    assert turn == {
        "UID": "game.0-1@hegemon",
        "DTSTAMP": "20300101T120000Z",
        "DTSTART": "20300104T120000Z",
        "SUMMARY": f"Your move is due: game with Bé; n, \\o/ and {'Γιώργος' * 3}",
        "DESCRIPTION": "https://play.example.org/games/game",
        "URL": "https://play.example.org/games/game",
        "TRANSP": "TRANSPARENT",
        "VALARM": {"ACTION": "DISPLAY", "DESCRIPTION": turn["SUMMARY"], "TRIGGER": "-PT720M"},
    }
    assert "VALARM" not in days
    assert (days["DTSTART;VALUE=DATE"], days["DTEND;VALUE=DATE"]) == ("20300101", "20300104")
    assert components(calendar_file([], [], NOON, "", get_translator("el"))) == []


async def test_the_page_lists_the_persons_own_deadlines_first(database, hands):
    async with serving(database, hands) as (_, people):
        ada, ben, eve = people
        first = await both(people)
        hands.go(days=1)
        second = await both(people, clock="1d a move")
        page = (await ada.get("/me/days")).page
        assert page.index(second) < page.index(first)
        assert page.count("Your turn") == 2
        assert 'datetime="2030-01-03T12:00:00+00:00" data-local>Jan 3, 2030, 12:00:00\u202fPM UTC' in page
        assert "time left: 2 days " in page
        assert "Waiting for Ada…" in (await ben.get("/me/days")).page
        assert "/games/" not in (await eve.get("/me/days")).page
        await play_turn(people, second)
        assert (await ben.get("/me/days")).page.index(second) < ben.page.index(first)
        assert "My deadlines and vacations" in (await ben.get("/me")).page


async def test_only_the_next_deadlines_of_a_person_with_many_games_are_listed(database, hands, monkeypatch):
    monkeypatch.setattr(vacations, "_MAX_GAMES", 2)
    tables = TableRegistry(Store(database), config_at(database, now=hands))
    games = []
    for clock in ("3d a move", "3d a move", "60s a move", "", "3d a move"):
        game = Game(2, seed=1, names=("Ada", "Ben"))
        rows = [SeatRow(None, "ada"), SeatRow(None, "ben")]
        games.append(await tables.create(game, rows, options=TableOptions(clock=clock)))
        hands.go(hours=1)
    deadlines = await deadlines_of(tables, "ada")
    assert [deadline.table.id for deadline in deadlines] == games[:2]
    await tables.close()


async def test_the_calendar_is_at_a_secret_address_that_can_be_replaced(database, hands):
    async with serving(database, hands) as (client, people):
        ada, _, eve = people
        path = await both(people)
        await ada.post("/me/days/vacation", {"first": "2030-02-01", "last": "2030-02-03"})
        assert "/calendar/" not in (await ada.get("/me/days")).page
        addresses = []
        for _ in range(2):
            await ada.post("/me/days/calendar", {"wanted": "yes"})
            addresses += re.findall(rf'readonly value="{HOST}(/calendar/[\w-]{{43}}\.ics)"', ada.page)
        old, new = addresses
        stranger = client.another()
        assert (await stranger.get(old)).status_code == 404
        answer = await stranger.get(new)
        assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
        turn, vacation = components(answer.text)
        assert (turn["URL"], turn["DTSTART"]) == (f"{HOST}{path}", "20300104T120000Z")
        assert vacation["DTSTART;VALUE=DATE"] == "20300201"
        await play_turn(people, path)
        assert len(components((await stranger.get(new)).text)) == 1, "others' turns are not in it"
        for wrong in (new.removesuffix(".ics"), "/calendar/x.ics", "/calendar/.ics"):
            assert (await stranger.get(wrong)).status_code == 404
        await ada.post("/me/days/calendar", {"wanted": "no"})
        assert (await stranger.get(new)).status_code == 404
        await eve.post("/me/days/calendar", {"wanted": "yes"})
        assert "/calendar/" not in eve.page, "a browser without a key has no calendar"


async def test_a_calendar_contains_no_cards(database, hands):
    """The calendar is the same for every deal: it contains only turns, deadlines and names."""
    texts = set()
    for seed in (1, 2, 3):
        async with serving(database, hands, new_seed=lambda seed=seed: seed) as (client, people):
            path = await both(people)
            await people[0].post("/me/days/calendar", {"wanted": "yes"})
            address = re.search(r"/calendar/[\w-]{43}\.ics", people[0].page)[0]
            text = (await client.another().get(address)).text
            texts.add(text.replace("\r\n ", "").replace(path.split("/")[2], "GAME"))
    assert len(texts) == 1

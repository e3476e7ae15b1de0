"""Presence on the page of a table: thinking and absent players, clocks, votes and substitutes."""

import asyncio
import json
import re
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from server_browser import Browser, visiting
from server_clock import Hands
from server_config import config_at

from hegemon.play.events import TurnBegan
from hegemon.play.game import Game
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import get_translator
from hegemon.server.tables import presence as table_presence
from hegemon.server.tables.clock import NO_CLOCK, OFFERED_TIME_CONTROLS, read_time_control
from hegemon.server.tables.substitutes import eligible_voters
from hegemon.server.web.views.durations import (
    duration_text,
    remaining_time_text,
    time_control_options,
    time_control_text,
)
from hegemon.server.web.views.presence import waiting_text
from hegemon.server.web.views.story import lines_with_notes
from hegemon.views import TableInfo, game_table


@pytest.fixture
async def friends(database, hands):
    """Ada, Ben and a spectator, each with a browser of their own."""
    async with visiting(database, config_at(database, now=hands, substitute_bot="chance")) as client:
        yield [Browser(client.another()) for _ in range(3)]


async def both(friends, **form):
    """Ada and Ben at a table of two that has begun."""
    ada, ben, _ = friends
    await ada.take_seat(**{"seat1": "me", "seat2": "friend", "name1": "Ada"} | form)
    path = ada.path
    (link,) = re.findall(r'value="http://[^/"]+(/join/[^"]+)"', ada.page)
    await ben.post(link, {"name": "Ben"})
    await ada.get(path)
    return path


async def table_at(friend, path):
    return await friend.client.app.state.tables.load(path.split("/")[2])


@asynccontextmanager
async def following(friend, path, table):
    """Someone's page follows the table for a while."""
    before = len(table.subscribers)
    stream = asyncio.create_task(friend.client.get(f"{path}/stream"))
    while len(table.subscribers) == before:
        await asyncio.sleep(0)
    yield stream
    stream.cancel()
    await asyncio.gather(stream, return_exceptions=True)
    while len(table.subscribers) > before:
        await asyncio.sleep(0)


def states(page):
    """Everyone at the table, with what the page says about them."""
    rows = re.findall(r'<span class="player">([^<]*)</span>.*?\n *<p class="presence ([a-z-]+)">', page)
    return dict(rows)


async def test_everyone_sees_who_thinks_and_who_is_away(friends, hands):
    ada, ben, eve = friends
    path = await both(friends)
    assert states(ada.page) == {"Ada": "thinking", "Ben": "here"}
    assert "Ada is thinking" in (await ben.get(path)).page
    hands.go(121)
    assert states((await eve.get(path)).page) == {"Ada": "away", "Ben": "away"}
    assert "Waiting for Ada" in eve.page


async def test_a_player_with_an_open_page_stays_present(friends, hands):
    ada, _, eve = friends
    path = await both(friends)
    table = await table_at(ada, path)
    async with following(ada, path, table):
        hands.go(3600)
        await ada.client.app.state.tables.driver.check_deadlines(table.id)
        await eve.get(path)
        assert states(eve.page) == {"Ada": "thinking", "Ben": "away"}
    hands.go(11)
    await ada.client.app.state.tables.driver.check_deadlines(table.id)
    assert states((await eve.get(path)).page) == {"Ada": "away", "Ben": "away"}


async def test_spectators_are_counted(friends):
    ada, _, eve = friends
    path = await both(friends)
    table = await table_at(ada, path)
    async with following(eve, path, table):
        assert "One spectator." in (await ada.get(path)).page
    assert "spectator" not in (await ada.get(path)).page


async def test_a_draft_shows_who_still_has_to_pick(friends):
    ada, _, _ = friends
    path = await both(friends, variant="draft")
    assert states(ada.page) == {"Ada": "picking", "Ben": "picking"}
    await ada.submit_move(ada.words[0])
    assert states((await ada.get(path)).page) == {"Ada": "here", "Ben": "picking"}


async def test_presence_is_not_shown_to_the_only_person_at_a_table(browser):
    await browser.take_seat()
    assert states(browser.page) == {}


def clocks(page):
    """The times on a page: until when they run, if they do, and how much is left."""
    return re.findall(
        r'<span class="time"(?: data-until="(\d+)")?(?: data-says="[^"]*")?>([^<]*)</span>', page
    )


async def test_clocks_run_for_the_seats_to_move(friends, hands):
    ada, ben, _ = friends
    path = await both(friends, clock="3m a move")
    hands.go(60)
    deadline = round((hands() + timedelta(seconds=120)).timestamp() * 1000)
    assert clocks((await ben.get(path)).page) == [(str(deadline), "2:00")]
    assert clocks((await ada.get(path)).page) == [(str(deadline), "2:00")]
    assert "You have … left." in ada.page
    assert "You have … left." not in ben.page
    assert "3 minutes per move" in (await ben.get(f"{path}/seats")).page


async def test_a_base_time_is_shown_even_while_it_does_not_run(friends, hands):
    ada, ben, eve = friends
    path = await both(friends, clock="10m a game + 15s")
    hands.go(0.5)
    for friend in (ada, ben, eve):
        await friend.get(path)
        assert sorted(left for _, left in clocks(friend.page)) == ["10:15", "10:15"]


async def test_the_streamed_regions_stay_the_same_while_clocks_run(friends, hands):
    """The page counts down by itself; updates that are not sent cannot disturb a reader."""
    ada, _, _ = friends
    path = await both(friends, clock="3m a move")
    table = await table_at(ada, path)

    def in_milliseconds():
        return str(round(hands().timestamp() * 1000))

    opened = in_milliseconds()
    async with following(ada, path, table) as stream:
        table.notify()
        hands.go(2)
        table.notify()
        ada.client.app.state.tables.disconnect_all()
        told = (await stream).text
    first, *later = [json.loads(data) for data in re.findall("data: (.*)", told)]
    assert clocks(first["question"])[0][1] == ""
    assert all(set(regions) == {"status", "now"} for regions in later)
    assert [regions["now"] for regions in (first, *later)] == [opened, *[in_milliseconds()] * len(later)]


async def test_the_time_control_is_shown_before_and_during_the_game(friends):
    ada, ben, _ = friends
    await ada.take_seat(seat1="me", seat2="friend", name1="Ada", clock="5m a game + 10s")
    sentence = "5 minutes per player plus 10 seconds per move"
    assert sentence in ada.page
    (link,) = re.findall(r'value="http://[^/"]+(/join/[^"]+)"', ada.page)
    assert sentence in (await ben.get(link)).page
    await ben.post(link, {"name": "Ben"})
    assert sentence in ben.page


async def test_the_next_game_has_the_same_clock_and_a_player_who_is_here_plays(friends, hands):
    ada, _, _ = friends
    path = await both(friends, clock="1m a move")
    table = await table_at(ada, path)
    for seat in (0, 1):
        hands.go(60)
        await ada.client.app.state.tables.driver.check_deadlines(table.id)
        assert table.seats[seat].substitute
        await ada.client.app.state.tables.bots.wait(table)
    while not table.game.over:
        await table_at(ada, path)  # a spectator keeps the bots playing
        await ada.client.app.state.tables.bots.wait(table)
    hands.go(121)
    await ada.get(path)
    await ada.post(f"{path}/rematch", {})
    following = await table_at(ada, ada.path)
    assert following.options.clock == "1m a move"
    stood_in = {row.name: row.substitute is not None for row in following.seats}
    assert stood_in == {"Ada": False, "Ben": True}


async def test_there_are_clocks_only_in_games_with_invitations(browser):
    await browser.take_seat(seat1="me", seat2="easy", clock="1m a move")
    assert states(browser.page) == {}


async def test_an_unknown_time_control_is_rejected(browser):
    await browser.post("/games", {"seat1": "me", "seat2": "easy", "clock": "a while"})
    assert (browser.status, "There is no such time limit." in browser.page) == (422, True)


async def test_a_substitute_plays_after_the_deadline_until_the_player_returns(friends, hands):
    ada, ben, _ = friends
    path = await both(friends, clock="1m a move")
    number, choice = ada.hidden("version"), ada.words[0]
    hands.go(60)
    table = await table_at(ada, path)
    await ada.client.app.state.tables.driver.check_deadlines(table.id)
    await ada.client.app.state.tables.bots.wait(table)
    late = {"choice": choice, "version": number, "seat": "1", "idempotency_key": "late"}
    answer = await ada.client.post(f"{path}/moves", data=late, headers={"accept": "application/json"})
    assert (answer.status_code, answer.json()["why"]) == (
        409,
        "A bot is playing for you. Take your seat back first.",
    )
    await ada.get(path)
    assert "A bot is playing for you." in ada.page
    assert not ada.words
    assert "Your time is up: a bot is playing until you are back." in ada.page
    assert states((await ben.get(path)).page)["Ada"] == "stand-in"
    assert "Ada’s time is up: a bot is playing until Ada is back." in ben.page
    await ada.post(f"{path}/return", {"seat": "1"})
    assert (ada.status, "A bot is playing for you." in ada.page) == (200, False)
    assert "You are back." in ada.page
    await ben.get(path)
    assert "Ada is back." in ben.page
    assert ben.words


async def test_the_others_vote_for_a_bot(friends, hands):
    _, ben, eve = friends
    path = await both(friends)
    hands.go(121)
    await ben.get(path)
    assert 'name="about" value="1"' in ben.page
    assert 'name="about"' not in (await eve.get(path)).page
    await eve.post(f"{path}/vote", {"about": "1"})
    assert (eve.status, "Only players can vote." in eve.page) == (409, True)
    await ben.post(f"{path}/vote", {"seat": "2", "about": "9"})
    assert (ben.status, "There is no such player." in ben.page) == (422, True)
    await ben.post(f"{path}/vote", {"seat": "2", "about": "1"})
    assert ben.status == 200
    assert "the others have voted to let a bot play" in ben.page
    await eve.post(f"{path}/return", {"seat": "1"})
    assert eve.status == 403
    await ben.post(f"{path}/return", {"seat": "1"})
    assert ben.status == 403


async def test_a_vote_that_is_not_enough_is_shown(database, hands):
    async with visiting(database, config_at(database, now=hands)) as client:
        people = [Browser(client.another()) for _ in range(4)]
        ada = people[0]
        form = {f"seat{number}": "friend" for number in (2, 3, 4)}
        await ada.take_seat(seat1="me", name1="Ada", **form)
        path, links = ada.path, re.findall(r'value="http://[^/"]+(/join/[^"]+)"', ada.page)
        for friend, link in zip(people[1:], links, strict=True):
            await friend.post(link, {})
        hands.go(121)
        for friend in people[1:]:
            await friend.get(path)
        await people[1].post(f"{path}/vote", {"seat": "2", "about": "1"})
        assert "1 of 3 want a bot to take over." in people[1].page
        assert 'name="about" value="1"' not in people[1].page
        assert 'name="about" value="1"' in (await people[2].get(path)).page


# ------------------------------------------------------------------ texts


def test_durations_are_shown_in_words_and_as_on_a_clock():
    english = get_translator("en")
    assert duration_text(timedelta(days=2, hours=3, minutes=4), english) == "2 days 3 hours"
    assert duration_text(timedelta(0), english) == "0 seconds"
    assert remaining_time_text(timedelta(days=1, hours=1), english) == "1 day 1 hour"
    assert (
        remaining_time_text(timedelta(days=2, minutes=5), english) == "2 days"
    )  # as the script counts it down
    assert remaining_time_text(timedelta(hours=23, seconds=59), english) == "23:00:59"
    assert remaining_time_text(timedelta(seconds=5), english) == "0:05"


def test_every_offered_time_control_has_a_text():
    told = [
        time_control_text(read_time_control(text), get_translator("en")) for text in OFFERED_TIME_CONTROLS
    ]
    assert told[0] == time_control_text(NO_CLOCK, get_translator("en")) == "No clock"
    assert told[5] == "15 minutes per player plus 15 seconds per move"
    assert [text for text in OFFERED_TIME_CONTROLS if read_time_control(text).is_correspondence] == [
        f"{days}d a move" for days in (1, 2, 3, 5, 7, 14)
    ]


def test_a_form_offers_short_names_in_groups():
    assert time_control_options(get_translator("en")) == [
        ("", [("", "No clock")]),
        (
            "Per move",
            [("30s a move", "30 seconds"), ("1m a move", "1 minute"), ("3m a move", "3 minutes")],
        ),
        (
            "Per player, plus time per move",
            [
                ("5m a game + 10s", "5 minutes + 10 seconds"),
                ("15m a game + 15s", "15 minutes + 15 seconds"),
                ("30m a game + 30s", "30 minutes + 30 seconds"),
            ],
        ),
        (
            "Days per move",
            [("1d a move", "1 day"), *((f"{n}d a move", f"{n} days") for n in (2, 3, 5, 7, 14))],
        ),
    ]


def turns_with_notes(narrator, events, notes):
    """The sentences of each turn, as the log shows them."""
    return [[line.text for line in turn] for turn in lines_with_notes(narrator, events, notes)]


def test_substitutions_are_logged_where_they_happened():
    game = Game(2, seed=1)
    while sum(isinstance(event, TurnBegan) for event in game.events) < 4:
        game.play(game.choices[-1])
    narrator, events = Narrator(game.names), game.events
    turns = narrator.narrate_by_turn(events)
    noted = turns_with_notes(narrator, events, [(-3, "too old"), (0, "first"), (len(events) + 5, "last")])
    assert noted == [["first", *turns[0]], *turns[1:-1], [*turns[-1], "last"]]
    for at in range(len(events) + 1):
        told = turns_with_notes(narrator, events, [(at, "note")])
        assert sum(turn.count("note") for turn in told) == 1
        assert [s for turn in told for s in turn if s != "note"]
    assert turns_with_notes(narrator, (), []) == []


# ------------------------------------------------------------------ programs


async def test_a_program_has_a_clock_too_and_takes_its_seat_back(friends, hands):
    client = friends[0].client
    tables = client.app.state.tables
    wish = {"seats": [{"name": "Ada"}, {"name": "Ben"}], "clock": "1m a move", "spectator_delay": 2}
    created = (await client.post("/api/games", json=wish)).json()
    game = f"/api/games/{created['game']}"
    ada, ben = ({"authorization": f"Bearer {seat['token']}"} for seat in created["seats"])
    look = (await client.get(game, headers=ada)).json()
    assert (look["clock"], look["spectator_delay"]) == ("1m a move", 2)
    assert [seat["deadline"] for seat in look["seats"]] == ["2030-01-01T12:01:00Z", None]
    hands.go(60)
    table = await tables.load(created["game"])
    await tables.driver.check_deadlines(table.id)
    await tables.bots.wait(table)
    look = (await client.get(game, headers=ben)).json()
    assert [seat["substitute"] for seat in look["seats"]] == [True, False]
    late = await client.post(
        f"{game}/moves", json={"choice": "M", "version": table.version, "idempotency_key": "x"}, headers=ada
    )
    assert late.status_code == 409
    assert (await client.post(f"{game}/return")).status_code == 401
    for _ in range(2):
        back = await client.post(f"{game}/return", headers=ada)
        assert (back.status_code, back.json()["substitute"]) == (200, False)


async def test_a_program_may_vote_but_is_not_counted(client):
    tables, hands = client.app.state.tables, Hands()
    tables.now = hands
    seats = [{"name": name} for name in ("Ada", "Ben", "Cleo")]
    created = (await client.post("/api/games", json={"seats": seats})).json()
    table = await tables.load(created["game"])
    game = f"/api/games/{table.id}"
    _, ben, cleo = ({"authorization": f"Bearer {seat['token']}"} for seat in created["seats"])
    table_presence.connect(tables, table, [1])
    stream = asyncio.create_task(client.get(f"{game}/stream", headers=cleo))
    while len(table.presence.present_seats) < 2:
        await asyncio.sleep(0)
    assert eligible_voters(table, 0, hands()) == {1}
    for about, bearer, status in ((4, ben, 422), (2, ben, 409), (3, ben, 409), (9, ben, 400), (1, {}, 401)):
        answer = await client.post(f"{game}/vote", json={"about": about}, headers=bearer)
        assert (answer.status_code, bool(answer.json()["why"])) == (status, True)
    answer = await client.post(f"{game}/vote", json={"about": 1}, headers=cleo)
    assert (answer.status_code, answer.json()["substitute"]) == (200, False)
    assert eligible_voters(table, 0, hands()) == {1, 2}
    answer = await client.post(f"{game}/vote", json={"about": 1}, headers=ben)
    assert answer.json()["substitute"]
    tables.disconnect_all()
    await stream


async def test_a_program_with_an_open_stream_is_present(client):
    created = (await client.post("/api/games", json={"seats": [{"name": "Ada"}, {"name": "Ben"}]})).json()
    table = await client.app.state.tables.load(created["game"])
    bearer = {"authorization": f"Bearer {created['seats'][1]['token']}"}
    stream = asyncio.create_task(client.get(f"/api/games/{table.id}/stream", headers=bearer))
    while not table.subscribers:
        await asyncio.sleep(0)
    assert table.presence.present_seats == {1}
    client.app.state.tables.disconnect_all()
    await stream


@pytest.mark.parametrize("wish", [{"clock": "a while"}, {"clock": "1s a move"}, {"spectator_delay": 3}])
async def test_programs_cannot_choose_unknown_options(client, wish):
    answer = await client.post("/api/games", json={"seats": [{"name": "Ada"}, {"bot": "easy"}]} | wish)
    assert answer.status_code in (400, 422)
    assert answer.json()["why"]


# ------------------------------------------------------------------ being notified


async def test_the_title_says_whose_turn_it_is(friends):
    ada, ben, eve = friends
    path = await both(friends)
    titles = [re.search(r"<title>(.*?)</title>", (await friend.get(path)).page)[1] for friend in friends]
    assert titles == ["Your turn · Ada · Ben · Hegemon", "Ada · Ben · Hegemon", "Ada · Ben · Hegemon"]
    assert 'id="notify"' in ada.page
    assert 'id="notify"' in ben.page
    assert 'id="notify"' not in eve.page


async def test_the_only_person_at_a_table_gets_no_notifications(browser):
    await browser.take_seat()
    assert 'id="notify"' not in browser.page


async def test_a_notification_says_only_whose_turn_it_is(friends):
    ada, *_ = friends
    path = await both(friends)
    (button,) = re.findall(r'<button [^>]*id="notify"[^>]*>', (await ada.get(path)).page)
    said = dict(re.findall(r'data-(\w+)="([^"]*)"', button))
    assert said == {"turn": "It is your turn", "end": "The game is over.", "body": "Ada · Ben"}


@pytest.mark.parametrize(
    ("level", "sentence"),
    [
        ("champion", "{name} denkt nach, bis zu 3 Sekunden\xa0…"),
        ("expert", "{name} denkt nach, bis zu 1 Sekunde\xa0…"),
        ("greedy", "{name} denkt nach\xa0…"),
    ],
)
def test_a_thinking_bot_says_how_long_it_may_take(level, sentence):
    model = game_table(Game(3, seed=1), 1, info=TableInfo(bots=(level, None, "easy")))
    panel = model.panels[0]
    assert waiting_text(panel, get_translator("de")) == sentence.format(name=panel.name)

"""Moderation: reports from a table, and the actions of the host of the server."""

import asyncio
import re
from datetime import timedelta
from fnmatch import fnmatchcase
from itertools import product

import pytest
from server_browser import Browser, finish, visiting
from server_clock import NOON, Hands
from server_config import config_at
from server_program import Program
from sqlalchemy import event

from hegemon import read_record
from hegemon.play.game import Game
from hegemon.prose.english import BOT_NAMES, FORMER_PLAYER, PERSON_NAMES
from hegemon.server import logging as logs
from hegemon.server.config import Limit, Limits
from hegemon.server.db.errors import DatabaseError
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow, Webhook
from hegemon.server.db.store import Store
from hegemon.server.maintenance import check, moderate, new_host_token
from hegemon.server.security import tokens
from hegemon.server.studies import create_study
from hegemon.server.tables import chat, moderation, ratings, seats
from hegemon.server.tables.chat import MessageRequest
from hegemon.server.tables.errors import (
    NameRejected,
    ReportRejected,
    SeatRejected,
    StaleVersionError,
    TableNotFound,
)
from hegemon.server.tables.moves import submit_move
from hegemon.server.tables.names import literal, matches
from hegemon.server.tables.rematch import create_rematch
from hegemon.server.tables.seats import clean_name
from hegemon.server.web.views.admin import DONE

pytestmark = pytest.mark.scenario

ADA, BEN, EVE = (tokens.new_token() for _ in range(3))
OWNERS = [tokens.owner_of(token) for token in (ADA, BEN)]


@pytest.fixture
async def client(database):
    async with visiting(database, config_at(database, now=lambda: NOON)) as client:
        yield client


@pytest.fixture
def tables(client):
    return client.app.state.tables


@pytest.fixture
async def table(tables):
    """A table at which Ada and Ben play, with a message from Ben and one from a spectator."""
    rows = [SeatRow(None, owner, name) for owner, name in zip(OWNERS, ("Ada", "Ben"), strict=True)]
    game = Game(2, seed=5, names=["Ada", "Ben"])
    table = await tables.load(await tables.create(game, rows, host=OWNERS[0], public=True))
    await chat.post_message(tables, table, 1, OWNERS[1], MessageRequest(text="You <b>fool</b>!"))
    await chat.post_message(
        tables, table, None, tokens.owner_of(EVE), MessageRequest(text="Psst!", name="Eve")
    )
    return table


@pytest.fixture
def events(monkeypatch):
    """The events that are logged."""
    found = []
    monkeypatch.setattr(logs.LOG, "log", lambda level, event, extra: found.append((event, extra["facts"])))
    return found


def visitor(client, token):
    person = Browser(client.another())
    if token:
        person.client.cookies.set(tokens.COOKIE, token)
    return person


async def host(client):
    """A browser that is signed in as the host."""
    token = tokens.new_token()
    await client.app.state.tables.store.moderation.set_host_token(tokens.owner_of(token), NOON)
    person = visitor(client, None)
    await person.post("/admin/login", {"token": f" {token} "})
    assert person.status == 200, person.page
    return person


async def reported(client, table, what="message-1", comment="Please look."):
    person = visitor(client, ADA)
    await person.post(f"/games/{table.id}/report", {"what": what, "comment": comment})
    assert "Thank you." in person.page
    (report,) = await client.app.state.tables.store.moderation.open_reports()
    return report


# ------------------------------------------------------------------ reports


async def test_players_can_report_without_a_script(client, table):
    ada = visitor(client, ADA)
    await ada.get(f"/games/{table.id}")
    assert f'href="/games/{table.id}/report"' in ada.page
    await ada.get(f"/games/{table.id}/report")
    assert re.findall(r'name="what" value="([^"]+)"', ada.page) == ["player-2", "name-2", "message-1"]
    assert "You &lt;b&gt;fool&lt;/b&gt;!" in ada.page
    assert "Psst" not in ada.page, "players do not see what spectators write"
    assert not set(OWNERS) & set(re.findall(r"[0-9a-f]{64}", ada.page))
    report = await reported(client, table, comment="x" * 999)
    assert (report.kind, report.seat, report.subject) == ("message", 1, OWNERS[1])
    assert (report.text, len(report.comment)) == ("You <b>fool</b>!", 240)


async def test_spectators_can_report_but_only_what_exists(client, table):
    eve = visitor(client, EVE)
    await eve.get(f"/games/{table.id}/report")
    assert len(re.findall('name="what"', eve.page)) == 5, "two players, two names, one message"
    for what in ("", "message-2", "player-3", "name-0"):
        await eve.post(f"/games/{table.id}/report", {"what": what})
        assert (eve.status, "Choose what you want to report." in eve.page) == (422, True)
    stranger = visitor(client, None)
    await stranger.post(f"/games/{table.id}/report", {"what": "message-2"})
    assert stranger.client.cookies.get(tokens.COOKIE), "the report has an author"
    (report,) = await client.app.state.tables.store.moderation.open_reports()
    assert (report.seat, report.name) == (None, "Eve")


async def test_a_person_can_report_ten_times_a_day(database):
    hands = Hands()
    async with visiting(database, config_at(database, now=hands)) as client:
        tables = client.app.state.tables
        rows = [SeatRow(None, owner) for owner in OWNERS]
        table = await tables.load(await tables.create(Game(2, seed=5), rows))
        for number in range(1, moderation.MAX_REPORTS_A_DAY + 1):
            await chat.post_message(tables, table, 1, OWNERS[1], MessageRequest(text="Bah!"))
            await moderation.report(tables, table, OWNERS[0], 0, f"message-{number}", "")
            hands.go(minutes=1)
        ada = visitor(client, ADA)
        await ada.post(f"/games/{table.id}/report", {"what": "player-2"})
        assert (ada.status, "limit for reports" in ada.page) == (429, True)
        await moderation.report(tables, table, OWNERS[1], 1, "player-1", "")
        hands.go(days=1)
        await moderation.report(tables, table, OWNERS[0], 0, "player-2", "")


async def test_a_person_has_one_report_about_an_item(tables, table):
    for comment in ("Once", "Twice"):
        await moderation.report(tables, table, OWNERS[0], 0, "player-2", comment)
    (report,) = await tables.store.moderation.open_reports()
    assert (report.item, report.comment) == ("player-2", "Twice")
    await tables.store.moderation.decide(report.id, "mute")
    await moderation.report(tables, table, OWNERS[0], 0, "player-2", "Again")
    assert [report.comment for report in await tables.store.moderation.open_reports()] == ["Again"]


async def test_reports_about_one_person_do_not_crowd_out_others(database, monkeypatch):
    monkeypatch.setattr("hegemon.server.db.moderation.MAX_REPORTS_ABOUT_ONE", 3)
    hands = Hands()
    async with visiting(database, config_at(database, now=hands)) as client:
        tables = client.app.state.tables
        table = await tables.load(
            await tables.create(Game(2, seed=5), [SeatRow(None, owner) for owner in OWNERS])
        )

        async def sent(key, comment):
            hands.go(minutes=1)
            await moderation.report(tables, table, tokens.owner_of(tokens.new_token()), -1, key, comment)

        for number in range(1, 5):
            await sent("player-2", f"{number}")
        await sent("player-1", "another one")
        reports = await tables.store.moderation.open_reports()
        assert [report.comment for report in reports] == ["2", "3", "4", "another one"]
        with pytest.raises(ReportRejected, match="many"):  # no earlier report about this name
            await sent("name-2", "5")


async def test_reports_and_sign_ins_are_rate_limited_by_address(database):
    limits = Limits(reports=Limit(0.001, 2), sign_ins=Limit(0.001, 2))
    async with visiting(database, config_at(database, limits=limits)) as client:
        client._transport.client = ("203.0.113.5", 1)
        for path in ("/games/x/report", "/admin/login"):
            statuses = [(await client.post(path, data={})).status_code for _ in range(3)]
            assert 429 not in statuses[:2]
            assert statuses[2] == 429


async def test_the_number_of_open_reports_is_limited(tables, table, monkeypatch):
    monkeypatch.setattr("hegemon.server.db.moderation.MAX_OPEN_REPORTS", 1)
    await moderation.report(tables, table, OWNERS[0], 0, "player-2", "")
    with pytest.raises(ReportRejected, match="many"):
        await moderation.report(tables, table, OWNERS[1], 1, "player-1", "")


# ------------------------------------------------------------------ the host


async def test_the_pages_of_the_host_need_the_token(client, table, events):
    eve = visitor(client, EVE)
    await eve.get("/admin")
    assert "hegemon host-token" in eve.page
    assert "<input" not in eve.page.partition("<main")[2], "there is no token yet"
    ann = await host(client)
    assert ann.path == "/admin/reports"
    (cookie,) = [cookie for cookie in ann.client.cookies.jar if cookie.name == "host"]
    assert cookie.path == "/admin"
    await eve.post("/admin/login", {"token": tokens.new_token()})
    assert (eve.status, "That is not the host token" in eve.page) == (403, True)
    for path in ("reports", "tables", "people", "names"):
        assert (await eve.get(f"/admin/{path}")).status == 403
        assert (await ann.get(f"/admin/{path}")).status == 200
    await eve.post("/admin/act", {"action": "close", "game": table.id})
    assert (eve.status, table.closed) == (403, False)
    await ann.post("/admin/act", {"action": "close", "game": table.id}, origin="https://elsewhere.example")
    assert (ann.status, table.closed) == (403, False)
    assert (await ann.get("/admin/nonsense")).status == 404
    await ann.post("/admin/logout", {})
    assert (await ann.get("/admin/reports")).status == 403
    assert [event for event, _ in events if event.startswith("host")] == [
        "host signed in",
        "host token refused",
    ]


async def test_the_pages_of_the_host_are_rate_limited_and_a_wrong_cookie_counts_as_an_attempt(
    database, events
):
    limits = Limits(address=Limit(0.001, 4), sign_ins=Limit(0.001, 2))
    async with visiting(database, config_at(database, limits=limits)) as client:
        client._transport.client = ("203.0.113.5", 1)
        guess = {"cookie": "host=guess"}
        statuses = [(await client.get("/admin/reports", headers=guess)).status_code for _ in range(3)]
        assert statuses == [403, 403, 429]
        assert events.count(("host token refused", {})) == 3
        statuses = [(await client.post("/admin/act", data={})).status_code for _ in range(2)]
        assert statuses == [403, 429], "the rate limit of the address"


async def test_only_a_message_can_be_deleted(client, tables, table):
    report = await reported(client, table, "name-2")
    with pytest.raises(TableNotFound):
        await moderation.delete(tables, await moderation.target_of(tables, report.id, "", None))


async def test_a_seat_is_a_target_with_its_player_and_name(tables, table, events):
    target = await moderation.target_of(tables, "", table.id, 1)
    assert (target.owner, target.name) == (OWNERS[1], "Ben")
    await moderation.mute(tables, target)
    await moderation.block(tables, "*spam*", target)
    assert [facts["action"] for name, facts in events if name == "moderation"] == ["mute", "block"]


@pytest.mark.sqlite
async def test_a_new_host_token_revokes_the_old_one(client, database):
    ann = await host(client)
    token = await asyncio.to_thread(new_host_token, database)  # while the server is running
    assert (await ann.get("/admin/reports")).status == 403
    await ann.post("/admin/login", {"token": token})
    assert ann.status == 200
    assert not client.app.state.tables.store.database.path.read_bytes().count(token.encode())


async def test_the_host_reads_reports_and_dismisses_them(client, table, events):
    report = await reported(client, table)
    ann = await host(client)
    for text in ("A message from Ben", "You &lt;b&gt;fool", "Please look."):
        assert text in ann.page
    assert not {*OWNERS, report.reporter} & set(re.findall(r"[0-9a-f]{64}", ann.page))
    await ann.post("/admin/act", {"action": "dismiss", "report": report.id, "back": "reports"})
    assert report.id not in ann.page
    assert f'<p class="note" role="status">{DONE["dismiss"]}</p>' in ann.page
    assert ("moderation", {"action": "dismiss", "game": table.id}) in events
    for form in ({"action": "dismiss", "report": "x"}, {"action": "dismiss"}, {"action": "paint"}):
        assert (await ann.post("/admin/act", form)).status == 404


async def test_the_list_of_people_takes_two_queries(tables, monkeypatch):
    async def sits(owner, name, minute, others=()):
        monkeypatch.setattr(tables, "now", lambda: NOON + timedelta(minutes=minute))
        rows = [SeatRow(None, owner, name), SeatRow(None, None), *others]
        return await tables.create(Game(len(rows), seed=5), rows)

    first = await sits(OWNERS[0], "Ada", 1)
    await sits(OWNERS[1], "Ben", 2)
    both = await sits(OWNERS[1], "Benedict", 3, [SeatRow(None, OWNERS[1])])
    await tables.store.moderation.mute(OWNERS[1], "Ben", NOON)
    await tables.background.close()  # its tasks read the database, too
    queries, engine = [], tables.store.database._engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda *facts: queries.append(facts[2]))
    people = await tables.store.moderation.people()
    assert [(one.game, one.seat, one.name, one.games, one.muted) for one in people] == [
        (both, 0, "Benedict", 3, True),
        (first, 0, "Ada", 1, False),
    ]
    assert people[0].seen_at == NOON + timedelta(minutes=3)
    assert len(queries) == 2


async def test_a_muted_person_gets_the_reason(client, table):
    report = await reported(client, table)
    ann = await host(client)
    await ann.post("/admin/act", {"action": "mute", "report": report.id})
    ben = visitor(client, BEN)
    await ben.post(f"/games/{table.id}/chat", {"text": "Hello?", "seat": "2"})
    assert (ben.status, "has muted you" in ben.page) == (422, True)
    assert [line.text for line in table.chat.messages] == ["You <b>fool</b>!", "Psst!"]
    await ann.get("/admin/people")
    assert {"Ada", "Ben"} == set(re.findall(r"<b>(\w+)</b></a>", ann.page))
    await ann.post("/admin/act", {"action": "unmute", "mute": ann.hidden("mute")})
    await ben.post(f"/games/{table.id}/chat", {"text": "Sorry.", "seat": "2"})
    assert ben.status == 200


async def test_a_bot_takes_the_seat_of_a_removed_person(client, tables, table):
    ann = await host(client)
    form = {"action": "remove", "game": table.id, "seat": "2", "back": "tables"}
    await ann.post("/admin/act", form)
    assert (ann.path, table.seats[1].bot, table.seats_of(OWNERS[1])) == ("/admin/tables", "normal", ())
    await seats.reassign_seat(tables, table, 1, seats.open_seat_row(), table.host)
    with pytest.raises(SeatRejected, match="removed"):
        await seats.take_any_seat(tables, table, OWNERS[1])
    await ann.post("/admin/act", form | {"seat": "4"})
    assert ann.status == 404


async def test_a_removed_person_is_no_longer_the_host_of_the_table(tables, table):
    hook = Webhook("https://example.org/hook", "secret", "https://play.example")
    await tables.store.outbox.set_webhook(table.id, hook)
    await moderation.remove(tables, moderation.ModerationTarget(table.id, 0, OWNERS[0]))
    assert await tables.store.outbox.webhook(table.id) is None
    for found in (table, await tables.store.games.load(table.id)):
        assert found.host is None
    with pytest.raises(SeatRejected, match="host"):
        await seats.reassign_seat(tables, table, 1, seats.open_seat_row(), OWNERS[0])


async def test_the_host_of_a_table_remains_host_when_another_person_is_removed(tables, table):
    await moderation.remove(tables, moderation.ModerationTarget(table.id, 1, OWNERS[1]))
    assert table.host == (await tables.store.games.load(table.id)).host == OWNERS[0]


async def test_the_host_deletes_a_message_that_was_reported(client, tables, table):
    report = await reported(client, table)
    ann, ada = await host(client), visitor(client, ADA)
    form = {"action": "delete", "report": report.id}
    await ann.post("/admin/act", form)
    assert (ann.status, DONE["delete"] in ann.page) == (200, True)
    for _ in range(2):  # the table in memory, and in the database
        await ada.get(f"/games/{table.id}")
        assert "fool" not in ada.page
        assert "The host of this server has deleted this message." in ada.page
        tables.forget([table.id])
    loaded = await tables.load(table.id)
    assert [(line.number, line.text) for line in loaded.chat.messages] == [(1, ""), (2, "Psst!")]
    await ada.get(f"/games/{table.id}/report")
    assert "message-1" not in ada.page
    assert (await ann.post("/admin/act", form | {"report": "", "game": table.id})).status == 404


async def test_readers_of_a_table_immediately_see_that_a_message_was_deleted(client, tables, table):
    seen = []

    class Reader:
        def notify(self):
            seen.append([line.text for line in table.chat.messages])

        def close(self):
            pass

    report = await reported(client, table)
    table.subscribers.add(Reader())
    await moderation.delete(tables, await moderation.target_of(tables, report.id, "", None))
    assert seen == [["", "Psst!"]]


@pytest.mark.parametrize("action", ["remove", "close", "block", "delete"])
async def test_a_report_can_be_decided_when_its_game_has_expired(client, tables, table, action):
    report = await reported(client, table)
    ann = await host(client)
    await moderation.close(tables, moderation.ModerationTarget(table.id))
    tables.forget(await tables.store.games.expire(NOON + timedelta(days=1)))
    await ann.post("/admin/act", {"action": action, "report": report.id})
    assert (ann.status, report.id in ann.page) == (200, False)
    assert (await tables.store.moderation.report(report.id)).outcome == action
    assert await tables.store.moderation.patterns() == (["Ben"] if action == "block" else [])


async def test_repeated_buttons_have_distinct_accessible_names(client, table):
    await reported(client, table)
    ann = await host(client)
    for section, labels in {
        "reports": {"Mute everywhere: A message from Ben", "Block this name: A message from Ben"},
        "tables": {"Mute everywhere: Ada", "Let a bot take the seat: Ben", "Close the table: Ada · Ben"},
        "people": {"Mute everywhere: Ada", "Mute everywhere: Ben"},
    }.items():
        await ann.get(f"/admin/{section}")
        assert labels <= set(re.findall(r'<button[^>]* aria-label="([^"]+)"', ann.page)), section
    await ann.post("/admin/act", {"action": "block", "pattern": "*spam*", "back": "names"})
    assert 'aria-label="Allow this name: *spam*"' in ann.page


async def test_no_bot_takes_a_seat_in_a_game_that_is_over(client, table):
    await reported(client, table, "player-2")
    ann = await host(client)
    for is_over in (False, True):
        await ann.get("/admin/reports")
        assert ("Let a bot take the seat" in ann.page) is not is_over
        assert ("No one can open this game any more." in ann.page) is is_over
        await finish(client, f"/games/{table.id}")


async def test_a_report_about_a_former_player_does_not_remove_the_next_one(client, tables, table):
    report = await reported(client, table, "player-2")
    ann = await host(client)
    await seats.reassign_seat(tables, table, 1, SeatRow(None, tokens.owner_of(EVE), "Eve"), table.host)
    await ann.post("/admin/act", {"action": "remove", "report": report.id})
    assert (ann.status, table.seats_of(tokens.owner_of(EVE))) == (200, (1,))


async def test_a_blocked_name_is_rejected_everywhere(client, tables, table):
    report = await reported(client, table, "name-2")
    ann = await host(client)
    await ann.post("/admin/act", {"action": "block", "report": report.id})
    assert table.game.names == ("Ada", PERSON_NAMES[1])
    await ann.post("/admin/act", {"action": "block", "pattern": "*Spám*", "back": "names"})
    assert "*Spám*" in ann.page
    eve = visitor(client, EVE)
    sentence = "This name is blocked on this server."
    for path, form in {
        "/games": {"seat1": "me", "name1": "bén", "seat2": "friend"},
        f"/games/{table.id}/chat": {"text": "Hi", "name": "SPAMMER"},
        "/me/profile": {"name": "Ben"},
        "/daily": {"name": "No spam"},
    }.items():
        await eve.post(path, form)
        assert (eve.status, sentence in eve.page) == (422, True), path
    await eve.post("/me/profile", {"name": "Ben"})
    assert 'value="Ben"' in eve.page, "the form is shown again with the rejected name"
    ada = visitor(client, ADA)
    await ada.post(f"/games/{table.id}/seats/1/name", {"name": "Ben"})
    assert (ada.status, sentence in ada.page) == (422, True)
    answer = await client.post("/api/games", json={"seats": [{"name": "Ben"}, {}]})
    assert (answer.status_code, sentence in answer.json()["why"]) == (422, True)
    await ann.post("/admin/act", {"action": "unblock", "pattern": "Ben"})
    await ada.post(f"/games/{table.id}/seats/1/name", {"name": "Ben"})
    assert table.game.names[0] == "Ben"
    for pattern in ("", "**"):
        await ann.post("/admin/act", {"action": "block", "pattern": pattern})
        assert ann.status == 422


async def test_a_name_blocked_from_a_report_disappears_from_all_pages(client, tables, table):
    store = tables.store
    await store.profiles.save(OWNERS[1], name="Ben", public=True)
    await store.players.save(ratings.new_player(OWNERS[1], "Ben"))
    public_id = (await store.profiles.load(OWNERS[1])).public_id
    report = await reported(client, table, "name-2")
    ann = await host(client)
    await ann.post("/admin/act", {"action": "block", "report": report.id})
    assert (await store.profiles.load(OWNERS[1])).name == ""
    assert (await store.players.load(OWNERS))[OWNERS[1]].name == PERSON_NAMES[0]
    assert (await ann.get(f"/players/{public_id}")).status == 404
    ben = visitor(client, BEN)
    for path in ("/me", f"/games/{table.id}"):
        assert ">Ben<" not in (await ben.get(path)).page


async def test_other_names_of_a_person_stay_when_one_is_blocked(client, tables, table):
    await tables.store.profiles.save(OWNERS[1], name="Benedict", public=True)
    report = await reported(client, table, "name-2")
    await moderation.block(tables, "", await moderation.target_of(tables, report.id, "", None))
    profile = await tables.store.profiles.load(OWNERS[1])
    assert (profile.name, profile.public) == ("Benedict", True)


async def test_a_blocked_name_does_not_return_at_a_new_table(client, tables, table):
    await tables.store.profiles.save(OWNERS[1], name="Ben")
    await tables.store.moderation.block_name("ben", NOON)
    ben = visitor(client, BEN)
    await ben.post("/games", {"seat1": "me", "seat2": "chance"})
    made = await tables.load(ben.path.split("/")[2])
    assert made.game.names == (PERSON_NAMES[0], BOT_NAMES[1])
    imported = await tables.load(await tables.import_game(Game(2, seed=5, names=["Ada", "Ben"])))
    assert imported.game.names == ("Ada", PERSON_NAMES[1])
    record = Game(2, seed=5, names=["Ben", "Ada"]).record()
    row = await tables.store.studies.load(await create_study(tables, OWNERS[1], record))
    assert read_record(row.record).names == (PERSON_NAMES[0], "Ada")
    finished = await finish(client, f"/games/{table.id}")
    await ben.post(f"/games/{finished.id}/play-on", {"seat": "2", "bot": "chance", "at": "0"})
    assert "Ben" not in (await tables.load(ben.path.split("/")[2])).game.names
    assert "Ben" not in (await tables.load(await create_rematch(tables, finished))).game.names


async def test_a_seat_with_a_blocked_name_can_only_be_taken_with_another_name(tables):
    rows = [SeatRow(None, OWNERS[0]), seats.open_seat_row("Ben")]
    made = await tables.load(await tables.create(Game(2, seed=5), rows))
    await tables.store.moderation.block_name("ben", NOON)
    with pytest.raises(NameRejected):
        await seats.take_seat(tables, made, 1, rows[1].invite, OWNERS[1])
    await seats.take_seat(tables, made, 1, rows[1].invite, OWNERS[1], "Benedict")
    assert made.game.names[1] == "Benedict"


@pytest.mark.parametrize("name", ["*e*", "=Eve", "＊e＊"])
async def test_a_name_from_a_report_is_matched_literally(client, tables, table, name):
    await seats.rename_player(tables, table, 1, OWNERS[1], name, None)
    report = await reported(client, table, "name-2")
    await moderation.block(tables, "", await moderation.target_of(tables, report.id, "", None))
    assert table.game.names[1] == PERSON_NAMES[1]
    with pytest.raises(NameRejected):
        await seats.rename_player(tables, table, 1, OWNERS[1], name, None)
    await seats.rename_player(tables, table, 1, OWNERS[1], "Eve", None)
    assert table.game.names[1] == "Eve"


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("Ben", "bén", True),
        ("Ben", "Benedict", False),
        ("ben*", "Benedict", True),
        ("*.*", "a.b", True),
        (".", "x", False),
        ("ΣΊΣΥΦΟΣ", "Σίσυφος", True),
        (literal("*e*"), "*E*", True),
        (literal("*e*"), "Eve", False),
        ("=*e*", "*e*", True),
    ],
)
def test_a_star_stands_for_any_letters(pattern, name, fits):
    assert matches(pattern, name) is fits


def test_patterns_with_many_stars_match_like_fnmatch():
    names = ["".join(letters) for length in range(5) for letters in product("ab", repeat=length)]
    patterns = ["".join(signs) for length in range(5) for signs in product("ab*", repeat=length)]
    for pattern, name in product(patterns, names):
        assert matches(pattern, name) is fnmatchcase(name, pattern), (pattern, name)


def test_matching_a_pattern_with_many_stars_takes_linear_time(monkeypatch):
    searches = []

    class Name(str):
        def find(self, *where):
            searches.append(where)
            return super().find(*where)

    monkeypatch.setattr("hegemon.server.tables.names.skeleton", Name)
    assert not matches("*a" * 60 + "*b*", "a" * 24)
    assert len(searches) <= 61


@pytest.mark.parametrize(
    "name",
    ["BAD", "𝐁𝐀𝐃", "ＢＡＤ", "Ⓑⓐⓓ", "🅱🅰🅳", "ʙᴀᴅ", "Bàđ", "bаd", "ВАD", "Βαd", "b\u0336a\u0336d\u0336"]
    + [f"b{hidden}ad" for hidden in "\ufe0f\ufe00\u034f\U000e0100\u17b4\u180b\u200b\u200d\u00ad\u2060\u3164"],
    ids=ascii,
)
def test_a_blocked_name_matches_look_alike_spellings(name):
    assert matches("bad", name.replace("\u3164", ""))
    assert matches("*b*d", clean_name(name))


@pytest.mark.parametrize("letters", ["łøđħıß", "ŁØĐĦIẞ"])
def test_letters_with_strokes_match_plain_letters(letters):
    assert matches("lodhiss", letters)


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("A\u034fd\ufe0fa\U000e0100", "Ada"),
        ("Zoe\u0308 ❤\ufe0f", "Zoe\u0308 ❤\ufe0f"),
        ("Łukasz", "Łukasz"),
        ("\u0301 \ufe0f\u3164", ""),
        ("\u180b", ""),
    ],
)
def test_names_keep_accents_and_emoji_but_no_invisible_characters(name, cleaned):
    assert clean_name(name) == cleaned


# ------------------------------------------------------------------ a closed table


async def test_a_closed_table_says_that_it_is_closed_and_its_players_can_get_the_record(
    client, tables, table
):
    ada, eve = visitor(client, ADA), visitor(client, EVE)
    stream = asyncio.create_task(ada.client.get(f"/games/{table.id}/stream?seat=1"))
    while not table.subscribers:
        await asyncio.sleep(0)
    report = await reported(client, table)
    ann = await host(client)
    await ann.post("/admin/act", {"action": "close", "report": report.id})
    assert f'event: go\ndata: "/games/{table.id}"' in (await stream).text
    for person, keeps in ((ada, True), (eve, False)):
        await person.get(f"/games/{table.id}")
        assert (person.status, "has closed this table" in person.page) == (403, True)
        assert (f"/games/{table.id}/record" in person.page) is keeps
        answer = await person.client.get(f"/games/{table.id}/record")
        assert answer.status_code == (200 if keeps else 403)
        if keeps:
            assert read_record(answer.text).names == ("Ada", "Ben")
    await ada.get("/me/games")
    assert f'<a href="/games/{table.id}"' in ada.page
    assert f"/games/{table.id}/re" not in ada.page  # neither a replay nor a rematch
    assert '<strong class="tag">closed</strong>' in ada.page
    for path in ("moves", "chat", "seats/1/bot", "rematch", "report"):
        answer = await ada.client.post(f"/games/{table.id}/{path}", data={"version": "0", "seat": "1"})
        assert answer.status_code in (400, 403), path
    assert (await client.get("/feed.atom")).text.count("<entry>") == 0
    with pytest.raises(StaleVersionError):
        await submit_move(tables, table, table.game.position.seat, "M", 0, None)
    await ann.get("/admin/tables")
    assert "closed" in ann.page


async def test_a_table_stays_closed_for_bots_and_programs_after_it_is_loaded_again(client, tables, database):
    ada, _ = await Program.create(client, seats=[{}, {}])
    tables.forget([ada.game])
    await tables.store.moderation.close_table(ada.game, NOON)
    table = await tables.load(ada.game)
    assert (table.closed, table.to_move) == (True, ())
    answer = await client.get(f"/api/games/{ada.game}", headers={"authorization": f"Bearer {ada.token}"})
    assert (answer.status_code, "closed" in answer.json()["why"]) == (403, True)
    assert (await asyncio.to_thread(check, database)).problems == []


async def test_a_table_of_a_tournament_cannot_be_closed(client, tables):
    rows = [SeatRow(None, owner) for owner in OWNERS]
    options = TableOptions(tournament="x")
    table = await tables.load(await tables.create(Game(2, seed=5), rows, options=options))
    ann = await host(client)
    await ann.post("/admin/act", {"action": "close", "game": table.id})
    assert (ann.status, table.closed) == (409, False)


async def test_an_invitation_to_a_closed_table_is_rejected(client, tables):
    ada = visitor(client, ADA)
    await ada.post("/games", {"seat1": "me", "seat2": "friend"})
    game = ada.path.split("/")[2]
    invite = tables.get(game).seats[1].invite
    await moderation.close(tables, moderation.ModerationTarget(game))
    ben = visitor(client, BEN)
    for answer in (await ben.get(f"/join/{invite}"), await ben.post(f"/join/{invite}", {"name": "Ben"})):
        assert (answer.status, "has closed this table" in answer.page) == (403, True)


# ------------------------------------------------------------------ moderation in the terminal, and personal data


async def test_the_host_moderates_in_the_terminal_while_the_server_is_stopped(database):
    async with visiting(database) as client:
        tables = client.app.state.tables
        rows = [SeatRow(None, owner) for owner in OWNERS]
        game = await tables.create(Game(2, seed=5), rows)
        other = await tables.create(Game(2, seed=5), rows, host=OWNERS[0])
    for action, what in (
        ("mute", f"{game}/2"),
        ("mute", f"https://x.example/me#{EVE}"),
        ("block", "*spam*"),
        ("close", f"https://x.example/games/{game}"),
        ("remove", f"{other}/1"),
    ):
        await asyncio.to_thread(moderate, database, action, what)
    stopped = Store(database)
    row = await stopped.games.load(other)
    await stopped.close()
    async with visiting(database) as client:
        tables = client.app.state.tables
        assert await tables.store.moderation.is_muted(OWNERS[1])
        names = {mute.owner: mute.name for mute in await tables.store.moderation.muted()}
        assert names == {OWNERS[1]: "Player 2", tokens.owner_of(EVE): ""}
        assert (row.host, row.seats[0].owner, row.seats[0].bot, row.moves) == (None, None, "normal", ())
        assert await tables.store.moderation.is_removed(other, OWNERS[0])
        assert await tables.store.moderation.patterns() == ["*spam*"]
        assert (await tables.load(game)).closed
    for action, what in (("unmute", f"{game}/2"), ("unblock", "*spam*")):
        await asyncio.to_thread(moderate, database, action, what)
    async with visiting(database) as client:
        tables = client.app.state.tables
        assert not await tables.store.moderation.is_muted(OWNERS[1])
        assert await tables.store.moderation.patterns() == []


@pytest.mark.parametrize(
    ("action", "what", "why"),
    [
        ("block", "**", "Give a name to block"),
        ("block", "ben", "Too many names are blocked"),
        ("mute", "x/1", "No person was found"),
        pytest.param("remove", EVE, "There is no such game", id="remove-token"),
        ("close", "x", "There is no such game"),
        ("close", "tournament", "a tournament cannot be closed"),
        ("remove", "finished/1", "This game is over"),
    ],
)
async def test_an_impossible_action_in_the_terminal_is_rejected_with_the_reason(
    database, monkeypatch, action, what, why
):
    rows = [SeatRow(None, owner) for owner in OWNERS]
    async with visiting(database) as client:
        tables = client.app.state.tables
        options = TableOptions(tournament="x")
        await tables.create(Game(2, seed=5), rows, options=options, game_id="tournament")
        await finish(client, f"/games/{await tables.create(Game(2, seed=5), rows, game_id='finished')}")
    if what == "ben":
        monkeypatch.setattr("hegemon.server.db.moderation.MAX_LISTED", 0)
    with pytest.raises(DatabaseError, match=why) as error:
        await asyncio.to_thread(moderate, database, action, what)
    assert EVE not in str(error.value)


async def test_reports_and_mutes_move_to_a_new_key_and_are_erased(client, tables, table):
    await reported(client, table)
    new = tokens.owner_of(tokens.new_token())
    await tables.store.moderation.mute(OWNERS[1], "Ben", NOON)
    await tables.people.change_owner(OWNERS[1], new)
    assert await tables.store.moderation.is_muted(new)
    (report,) = await tables.store.moderation.open_reports()
    assert report.subject == new
    assert "reports" in await tables.store.people.export(OWNERS[0])
    assert not (await tables.store.people.export(new))["reports"], "no one sees who has reported them"
    await tables.store.people.erase(new)
    assert not await tables.store.moderation.is_muted(new)
    (report,) = await tables.store.moderation.open_reports()
    assert (report.subject, report.name, report.text) == (None, FORMER_PLAYER, "")
    assert report.comment == "Please look.", "what others have written stays"
    ann = await host(client)
    assert "A message from A former player" in ann.page
    assert set(re.findall(r'name="action" value="(\w+)"', ann.page)) == {"dismiss", "close"}
    await ann.post("/admin/act", {"action": "block", "report": report.id})
    assert ann.status == 422, "there is no name any more"
    await tables.store.people.erase(OWNERS[0])
    assert await tables.store.moderation.open_reports() == []

"""Notices by Web Push: one for each turn, perhaps a reminder, withdrawn when the turn is over."""

import asyncio
import re
import socket
from datetime import timedelta

import pytest
from correspondence import both, play_turn, serving
from push_receiver import base64, push_service, unbase64
from server_browser import finish
from sqlalchemy import func, select
from waiting import wait_until

from hegemon import Game
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.subscriptions import MAX_SUBSCRIPTIONS, DesiredNotice, subscriptions
from hegemon.server.push import dispatcher as sending
from hegemon.server.push.encryption import encrypt, read_private_key
from hegemon.server.push.notices import TITLES, notices_of
from hegemon.server.webhooks.delivery import RETRY_INTERVALS

pytestmark = pytest.mark.scenario

TURN, BEGINS, REMINDER = (TITLES[kind] for kind in ("turn", "begins", "reminder"))


@pytest.fixture
async def service():
    async with push_service() as service:
        yield service


async def subscribe(friend, device, status=201, **changes):
    """A person's browser subscribes."""
    answer = await friend.client.post("/me/notices", data=device.form | changes)
    assert answer.status_code == status, answer.text
    return answer.json().get("id")


async def phone_of(friend, service, name="phone", **changes):
    """A person's phone, on which notices are shown."""
    service.server_key = (await friend.client.get("/me/notices")).json()["key"]
    device = service.device(name)
    device.id = await subscribe(friend, device, **changes)
    return device


async def all_sent(client, service):
    tables = client.app.state.tables
    for table in list(tables._tables.values()):
        await tables.planner.wait(table)
    await client.app.state.notices.work()
    await service.finish()


async def pause(client, hands, service, **time):
    """Time passes; after three minutes, pages that were read are no longer looked at."""
    await all_sent(client, service)
    hands.go(**time or {"minutes": 3})
    await all_sent(client, service)


def test_the_encryption_matches_the_example_of_the_standard():
    """The example of RFC 8291, section 5."""
    sealed = encrypt(
        b"When I grow up, I want to be a watermelon",
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "BTBZMqHH6r4Tts7J_aSIgg",
        read_private_key("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
        unbase64("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert base64(sealed) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
        "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


async def test_a_turn_is_notified_once_and_withdrawn_when_it_is_over(database, hands, service):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        phone = await phone_of(people[1], service)
        await pause(client, hands, service)
        assert phone.got == []
        await play_turn(people, path)
        await all_sent(client, service)
        assert phone.got == [
            {
                "tag": path,
                "title": TURN,
                "body": "Ada · Ben",
                "until": "2030-01-04T12:03:00+00:00",
                "sentence": "You have until {time}.",
                "language": "en",
            }
        ]
        assert (phone.heads[0]["ttl"], phone.heads[0]["urgency"]) == (str(3 * 24 * 3600), "high")
        await people[1].get(path)
        await people[1].submit_move(people[1].words[-1])
        await all_sent(client, service)
        assert phone.titles == [TURN], "the turn continues"
        await play_turn(people, path)
        await all_sent(client, service)
        assert phone.titles == [TURN, "close"]
        assert phone.got[1] == {"tag": path, "title": "This turn is over.", "close": True}
        assert phone.heads[0]["topic"] == phone.heads[1]["topic"]
        assert phone.heads[1]["ttl"] == str(14 * 24 * 3600), "a withdrawal lives as long as any notice"
        assert path.split("/")[2] not in str(phone.heads)


async def test_tables_of_people_without_devices_are_checked_with_one_query(database, hands, service):
    async with serving(database, hands) as (client, people):
        paths = [await both(people) for _ in range(3)]
        tables = client.app.state.tables
        await all_sent(client, service)
        asked, with_recipients = [], tables.store.subscriptions.with_recipients

        async def noting(owners):
            asked.append(set(owners))
            return await with_recipients(owners)

        tables.store.subscriptions.with_recipients = noting
        for path in paths:
            await play_turn(people, path)
        await all_sent(client, service)
        everywhere = {path.rpartition("/")[2] for path in paths}
        assert set().union(*asked) == everywhere
        asked.clear()
        await client.get(paths[0])
        await all_sent(client, service)
        assert everywhere.isdisjoint(set().union(*asked)), "nothing has changed"

        await phone_of(people[1], service)
        await all_sent(client, service)
        assert everywhere <= set().union(*asked)
        found = await with_recipients({"other": {"nobody"}, **{name: {"nobody"} for name in everywhere}})
        assert found == everywhere, "the phone was notified of these games"


async def test_games_are_found_by_the_devices_of_their_owners(database, hands, service, monkeypatch):
    monkeypatch.setattr("hegemon.server.db.subscriptions._MAX_GAMES_IN_QUERY", 2)
    async with serving(database, hands) as (client, people):
        path = await both(people)
        await phone_of(people[1], service)
        store = client.app.state.tables.store
        (owner,) = [device.owner for device in await store.subscriptions.of(owners_at(client, path))]
        others = {f"other {number}": {f"owner {number}"} for number in range(5)}
        assert await store.subscriptions.with_recipients({**others, "one": {"a", owner}}) == {"one"}
        assert await store.subscriptions.with_recipients({}) == set()


def owners_at(client, path):
    return {row.owner for row in client.app.state.tables.get(path.rpartition("/")[2]).seats}


async def test_a_game_that_began_before_the_device_was_subscribed_is_not_announced(database, hands, service):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        await pause(client, hands, service)
        phone = await phone_of(people[1], service)
        hands.go(hours=1)
        await people[0].get(path)
        await people[0].submit_move(people[0].words[0])  # the turn continues
        await all_sent(client, service)
        assert phone.got == []


async def test_a_player_with_an_open_page_is_notified_later_if_still_needed(database, hands, service):
    async with serving(database, hands) as (client, people):
        path = await both(people, clock="")
        phone = await phone_of(people[1], service)
        hands.go(seconds=1)
        for _ in range(2):
            await people[1].get(path)
            await play_turn(people, path)
            await all_sent(client, service)
        assert phone.got == [], "Ben has seen the turn on the page and made it"
        await people[1].get(path)
        await play_turn(people, path)
        await pause(client, hands, service, seconds=31)
        assert phone.titles == [TURN]
        assert "until" not in phone.got[0]
        await finish(client, path)
        await all_sent(client, service)
        assert phone.titles == [TURN, "close"]


async def test_a_withdrawal_that_was_not_sent_becomes_due_again(database, hands, service):
    """The next turn may begin before it is sent, and be over before the outbox is notified."""
    async with serving(database, hands) as (client, people):
        path = await both(people)
        phone, tables = await phone_of(people[1], service), client.app.state.tables
        await client.app.state.notices.close()
        store, game_id = tables.store.subscriptions, path.split("/")[2]

        async def due():
            return [item.key for item in await store.take(tables.now(), 10)]

        await store.put(game_id, {phone.id: DesiredNotice("turn-2-1", tables.now())}, tables.now())
        assert await due() == ["turn-2-1"]
        await store.put(game_id, {}, tables.now())
        (withdrawal,) = await store.take(tables.now(), 10)
        await store.finish_attempt(withdrawal, None, withdrawn=False)
        await store.put(game_id, {}, tables.now())
        assert await due() == [""]


async def test_the_beginning_of_a_game_is_a_notice_in_the_language_of_the_device(database, hands, service):
    async with serving(database, hands) as (client, people):
        ada, ben, _ = people
        ben.client.headers["accept-language"] = "de"
        await ada.get("/")
        phone = await phone_of(ada, service)
        watch = await phone_of(ada, service, "watch", kinds="begins nonsense")
        tablet = await phone_of(ben, service, "tablet")
        await ada.take_seat(seat1="me", seat2="friend", name1="Ada", clock="3d a move")
        path = ada.path
        (link,) = re.findall(r'value="http://[^/"]+(/join/[^"]+)"', ada.page)
        await pause(client, hands, service)
        await ben.post(link, {"name": "Ben"})
        await all_sent(client, service)
        assert phone.titles == [TURN], "it begins with Ada's turn, and one notice is enough"
        assert watch.titles == [BEGINS]
        assert tablet.got == [], "Ben was there when it began"
        await pause(client, hands, service)
        await play_turn(people, path)
        await all_sent(client, service)
        assert tablet.titles == ["Du bist am Zug"]
        assert watch.titles == [BEGINS, "close"]


async def test_a_device_shows_what_its_owner_wants(database, hands, service):
    async with serving(database, hands) as (client, people):
        ada, ben, _ = people
        tablet = await phone_of(ben, service, "tablet", kinds="reminder")
        path = await both(people)
        await pause(client, hands, service)
        await play_turn(people, path)
        await pause(client, hands, service, days=2, hours=11)
        await late(client, hands, service)
        for kinds in ({"begins": "on", "turn": "on"}, {"reminder": "on"}):
            await ben.post(f"/me/notices/{tablet.id}", kinds)
            await all_sent(client, service)
        assert tablet.titles == [], "both began before Ben wanted to know"
        await late(client, hands, service, hours=1, minutes=1)
        assert tablet.titles == [REMINDER]
        await ben.get("/me")
        assert re.findall(r'name="(\w+)" value="on" checked', ben.page) == ["reminder"]
        await ada.post(f"/me/notices/{tablet.id}", {"begins": "on"})
        assert ada.status == 404
        hands.go(1)
        await ben.post(f"/me/notices/{tablet.id}", {"begins": "on", "turn": "on"})
        await all_sent(client, service)
        assert (ben.path, tablet.titles) == ("/me", [REMINDER])
        phone = await phone_of(ben, service, kinds="turn")
        hands.go(1)
        await ben.post(f"/me/notices/{phone.id}", {"reminder": "on"})
        await all_sent(client, service)
        assert phone.titles == [REMINDER]
        await ada.post(f"/me/notices/{tablet.id}/remove", {})
        assert (ada.status, tablet.id in (await ben.get("/me")).page) == (404, True)
        await ben.post(f"/me/notices/{tablet.id}/remove", {})
        assert tablet.id not in ben.page


async def late(client, hands, service, **time):
    """Time passes until a player may have to be reminded."""
    hands.go(**time)
    await client.app.state.notices.remind()
    await all_sent(client, service)


async def test_a_reminder_follows_the_deadline(database, hands, service):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        phone = await phone_of(people[1], service)
        await pause(client, hands, service)
        await play_turn(people, path)
        await all_sent(client, service)
        await people[1].post("/me/days/vacation", {"first": "2030-01-02", "last": "2030-01-03"})
        await all_sent(client, service)
        await late(client, hands, service, days=2, hours=13)
        assert phone.titles == [TURN], "Ben has two days more"
        await late(client, hands, service, days=2)
        assert phone.titles == [TURN, REMINDER]
        await people[1].post("/me/days/vacation", {"first": "2030-01-06", "last": "2030-01-07"})
        await all_sent(client, service)
        assert phone.titles == [TURN, REMINDER], "Ben knows of the turn"
        await late(client, hands, service, days=2)
        assert phone.titles == [TURN, REMINDER, REMINDER], "but now the time runs out again"


async def test_a_new_device_is_reminded_of_games_that_are_not_in_memory(database, hands, service):
    async with serving(database, hands, max_tables_in_memory=1) as (client, people):
        path = await both(people)
        await play_turn(people, path)
        await all_sent(client, service)
        await both(people)
        assert client.app.state.tables.get(path.split("/")[2]) is None
        phone = await phone_of(people[1], service)
        await all_sent(client, service)
        await late(client, hands, service, days=2, hours=14)
        assert (path, REMINDER) in {(notice["tag"], notice["title"]) for notice in phone.got}


async def test_a_device_removed_concurrently_does_not_block_other_notices(database, hands, service):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        phone, watch = [await phone_of(people[1], service, name) for name in ("phone", "watch")]
        await pause(client, hands, service)
        store, removed = client.app.state.tables.store.subscriptions, asyncio.Event()
        find, put = store.of, store._put

        async def of(owners):
            found = await find(owners)
            if not removed.is_set():
                removed.set()
                await store.delete(found[0].owner, watch.id)
            return found

        async def conflict_once(*arguments):
            store._put = put
            raise ConflictError

        store.of, store._put = of, conflict_once
        await play_turn(people, path)
        await all_sent(client, service)
        assert (phone.titles, watch.titles) == ([TURN], [])


async def test_a_device_with_a_new_address_shows_no_turn_again(database, hands, service):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        phone = await phone_of(people[1], service)
        await pause(client, hands, service)
        await play_turn(people, path)
        await all_sent(client, service)
        hands.go(1)
        renewed = service.device("renewed")
        await subscribe(people[1], renewed, replaces=phone.endpoint)
        await all_sent(client, service)
        assert renewed.titles == []
        await play_turn(people, path)
        await all_sent(client, service)
        assert (phone.titles, renewed.titles) == ([TURN], ["close"])


async def test_without_other_people_only_tournament_games_are_notified(database, hands):
    async with serving(database, hands) as (client, _):
        tables, kinds = client.app.state.tables, {}
        for tournament in ("", "league"):
            game_id = await tables.create(
                Game(2, seed=5),
                [SeatRow(None, "ada"), SeatRow("chance", None)],
                options=TableOptions(clock="2880m a game + 600s", tournament=tournament),
            )
            table = await tables.load(game_id)
            for hours in (1, 37):
                found = notices_of(table, "ada", hands.now + timedelta(hours=hours))
                kinds[tournament, hours] = {notice.kind for notice in found}
        assert kinds == {
            ("", 1): set(),
            ("", 37): set(),
            ("league", 1): {"begins", "turn"},
            ("league", 37): {"begins", "turn", "reminder"},
        }
        table.closed = True
        assert not list(notices_of(table, "ada", hands.now))


@pytest.mark.parametrize("status", [404, 410])
async def test_an_unsubscribed_device_is_deleted(database, hands, service, status):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        phone = await phone_of(people[1], service)
        await pause(client, hands, service)
        phone.status = status
        await play_turn(people, path)
        await all_sent(client, service)
        assert len(phone.heads) == 1
        assert "data-device" not in (await people[1].get("/me")).page


async def test_a_notice_is_retried_until_it_is_delivered(database, hands, service):
    async with serving(database, hands) as (client, people):
        path = await both(people, clock="7d a move")
        phone = await phone_of(people[1], service)
        await pause(client, hands, service)
        phone.status = 503
        await play_turn(people, path)
        for interval in (*RETRY_INTERVALS, RETRY_INTERVALS[-1]):
            await pause(client, hands, service, seconds=interval.total_seconds())
        assert len(phone.heads) == len(RETRY_INTERVALS) + 1, "it is given up in the end"
        phone.status = 201
        for _ in range(2):
            await play_turn(people, path)
        await pause(client, hands, service)
        assert phone.titles[-1] == TURN


async def test_the_retry_after_of_a_busy_push_service_is_respected(database, hands, service):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        phone = await phone_of(people[1], service)
        await pause(client, hands, service)
        phone.status, phone.head = 429, "Retry-After: 600\r\n"
        await play_turn(people, path)
        await pause(client, hands, service, minutes=9)
        assert len(phone.heads) == 1
        phone.status, phone.head = 503, "Retry-After: 999999999\r\n"
        await pause(client, hands, service, minutes=2)
        assert len(phone.heads) == 2
        phone.status = 201
        await pause(client, hands, service, hours=13)
        assert phone.titles == [TURN], "but not for longer than half a day"


async def test_a_permanently_rejected_notice_is_not_retried(database, hands, service):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        phone = await phone_of(people[1], service)
        await pause(client, hands, service)
        phone.status = 403
        await play_turn(people, path)
        await pause(client, hands, service, days=1)
        assert len(phone.heads) == 1
        assert phone.id in (await people[1].get("/me")).page


async def test_a_killed_server_loses_no_notice_and_sends_none_twice(database, hands, service, monkeypatch):
    """It dies while it sends; before it has noted whose turn it is; and after the phone has the notice."""
    reached, post = asyncio.Event(), sending.post

    async def die(*arguments, **facts):
        reached.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(sending, "post", die)
    async with serving(database, hands) as (_, people):
        path = await both(people)
        phone = await phone_of(people[1], service)
        cookies = [friend.client.cookies for friend in people]
        hands.go(minutes=3)
        await play_turn(people, path)
        await reached.wait()
    monkeypatch.setattr(sending, "post", post)
    hands.go(minutes=3)
    async with serving(database, hands) as (client, people):
        for friend, cookie in zip(people, cookies, strict=True):
            friend.client.cookies = cookie
        assert (await people[1].client.get("/me/notices")).json()["key"] == service.server_key
        await wait_until(lambda: phone.titles == [TURN])
        await all_sent(client, service)
        client.app.state.notices.check = lambda table: None  # what the next move means is not noted
        await play_turn(people, path)
        await all_sent(client, service)
    async with serving(database, hands) as (client, people):
        await wait_until(lambda: phone.titles == [TURN, "close"])
        await all_sent(client, service)
    async with serving(database, hands) as (client, people):
        await (await client.app.state.tables.load(path.split("/")[2])).lock.acquire()
        await all_sent(client, service)
        assert phone.titles == [TURN, "close"]


async def test_no_device_is_notified_for_a_person_who_has_signed_out_of_it(database, hands, service):
    async with serving(database, hands) as (client, people):
        ben = people[1]
        path = await both(people)
        phone = await phone_of(ben, service)
        await ben.get("/me")
        await ben.post("/me/key", {name: ben.hidden(name) for name in ("new_key", "owner")})
        await pause(client, hands, service)
        await play_turn(people, path)
        await all_sent(client, service)
        assert phone.got == [], "the old key stopped working everywhere"
        await subscribe(ben, phone)
        await play_turn(people, path)
        await pause(client, hands, service)
        await play_turn(people, path)
        await all_sent(client, service)
        assert phone.titles == [TURN]


async def test_a_device_that_was_signed_out_shows_nothing_more(database, hands, service):
    async with serving(database, hands) as (client, people):
        _, ben, lost = people
        path = await both(people)
        (key,) = re.findall(r'value="http://[^"]+/me#([^"]+)"', (await ben.get("/me")).page)
        await lost.post("/me", {"key": key})
        phone, tablet = await phone_of(ben, service), await phone_of(lost, service, "tablet")
        await pause(client, hands, service)
        await play_turn(people, path)
        await all_sent(client, service)
        assert (phone.titles, tablet.titles) == ([TURN], [TURN])
        (session,) = re.findall(r"/me/sessions/(\d+)/end", (await ben.get("/me")).page)
        await ben.post(f"/me/sessions/{session}/end", {})
        await wait_until(lambda: tablet.titles == [TURN, "close"])
        await all_sent(client, service)
        assert phone.titles == [TURN], "the other device continues to show it"
        for _ in range(2):
            await play_turn(people, path)
            await pause(client, hands, service)
        assert (phone.titles, tablet.titles) == ([TURN, "close", TURN], [TURN, "close"])
        assert await number_of_devices(client) == 1


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_pending_notices_are_not_sent_to_a_signed_out_device(database, hands, service, elsewhere):
    """If another worker ends the session, this one is not notified, and only stops sending."""
    async with serving(database, hands) as (client, people):
        _, ben, lost = people
        path = await both(people)
        (key,) = re.findall(r'value="http://[^"]+/me#([^"]+)"', (await ben.get("/me")).page)
        await lost.post("/me", {"key": key})
        tablet = await phone_of(lost, service, "tablet")
        await pause(client, hands, service)
        tablet.status = 503
        await play_turn(people, path)
        await all_sent(client, service)
        (session,) = re.findall(r"/me/sessions/(\d+)/end", (await ben.get("/me")).page)
        if elsewhere:
            client.app.state.tables.people.on_sign_out = None
        await ben.post(f"/me/sessions/{session}/end", {})
        tablet.status = 201
        await pause(client, hands, service, hours=1)
        assert tablet.titles == [] if elsewhere else ["close"]
        client.app.state.notices.check_devices()
        await all_sent(client, service)
        assert (tablet.titles, await number_of_devices(client)) == (["close"], 0)


async def number_of_devices(client):
    async with client.app.state.tables.store.database.reading() as connection:
        return await connection.scalar(select(func.count()).select_from(subscriptions))


async def test_an_invalid_subscription_is_rejected(database, hands, service):
    async with serving(database, hands) as (_, people):
        phone = await phone_of(people[0], service)
        for changes in ({"public_key": base64(b"\4" + bytes(64))}, {"secret": "AAAA"}, {"secret": "ä"}):
            assert "keys" in await refusal(people[0], phone, 422, **changes)
        assert "too long" in await refusal(people[0], phone, 422, endpoint="https://a.example/" + "a" * 1000)
        renewed = service.device("renewed")
        await subscribe(people[0], renewed, replaces=phone.endpoint)
        page = (await people[0].get("/me")).page
        assert page.count("data-device") == 1
        for number in range(MAX_SUBSCRIPTIONS):
            hands.go(1)
            await subscribe(people[0], service.device(f"further{number}"))
        assert (await people[0].get("/me")).page.count("data-device") == MAX_SUBSCRIPTIONS
    async with serving(database, hands, private_webhooks=False) as (_, people):
        assert "private network" in await refusal(people[0], phone, 422)
        await refusal(people[0], phone, 422, endpoint="http://push.example.org/a")
        await subscribe(people[0], phone, endpoint="https://push.example.org/a")


async def test_no_notice_is_sent_to_a_host_in_the_private_network(database, hands, service, monkeypatch):
    async with serving(database, hands, private_webhooks=False) as (client, people):
        path = await both(people)
        phone = service.device("phone")
        await subscribe(people[1], phone, endpoint="https://push.example.org/phone")
        asked = []

        async def getaddrinfo(host, port, **_):
            asked.append(host)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", port))]

        async def connect(*arguments, **facts):
            raise AssertionError

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
        monkeypatch.setattr(asyncio, "open_connection", connect)
        await pause(client, hands, service)
        await play_turn(people, path)
        await all_sent(client, service)
        assert asked == ["push.example.org"]


async def refusal(friend, device, status, **changes):
    answer = await friend.client.post("/me/notices", data=device.form | changes)
    assert answer.status_code == status
    return answer.text

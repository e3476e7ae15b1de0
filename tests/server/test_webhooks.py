"""Webhooks: a correspondence game posts whose turn it is to the host's chat, at least once, without hidden cards."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from correspondence import both, play_turn, serving
from server_browser import HOST
from server_config import config_at
from waiting import wait_until

from hegemon.play.game import Game
from hegemon.server import background
from hegemon.server.db.options import TableOptions
from hegemon.server.db.outbox import Outbox
from hegemon.server.db.rows import MoveRow, SeatRow, Webhook
from hegemon.server.db.store import Store
from hegemon.server.security import tokens as identity
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.webhooks.delivery import RETRY_INTERVALS
from hegemon.server.webhooks.dispatcher import WebhookDispatcher
from hegemon.server.webhooks.sender import signature_header

pytestmark = pytest.mark.scenario

#: The fields of a notice of a turn.
EVERYTHING = {"id", "event", "game", "link", "players", "seat", "name", "until"} | {
    "text",
    "content",
    "allowed_mentions",
}


class Receiver:
    """Receives notices on a port of this machine."""

    def __init__(self):
        self.heads, self.told, self.status = [], [], 200
        self._hearing = set()

    async def append(self, reader, writer):
        self._hearing.add(asyncio.current_task())
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = int(re.search(r"content-length: (\d+)", head, re.IGNORECASE)[1])
            body = await reader.readexactly(length)
            writer.write(f"HTTP/1.1 {self.status} Whatever\r\n\r\n".encode())
            await writer.drain()
            self.heads.append(head)
            self.told.append((json.loads(body), body))
        except asyncio.IncompleteReadError:
            pass  # the server stopped before it had sent everything
        finally:
            writer.close()

    @property
    def events(self):
        """The event of each notice, and the player whom it is about."""
        return [(notice["event"], notice.get("name")) for notice, _ in self.told]

    def names(self, event="turn"):
        return [name for kind, name in self.events if kind == event]

    def __len__(self):
        return len(self.told)


@pytest.fixture
async def receiver():
    heard = Receiver()
    async with await asyncio.start_server(heard.append, "127.0.0.1", 0) as server:
        heard.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook?key=s3cret"
        yield heard
        await asyncio.gather(*heard._hearing, return_exceptions=True)


async def all_sent(client):
    """Wait until the server has recorded its deliveries: any still in flight when days pass are repeated."""
    await client.app.state.dispatcher.work()


# ------------------------------------------------------------------ what is notified


async def test_the_webhook_is_notified_of_whose_turn_it_is(database, hands, receiver):
    async with serving(database, hands) as (client, people):
        ada = people[0]
        path = await both(people)
        await ada.post(f"{path}/webhook", {"url": receiver.url})
        assert ada.status == 200
        (secret,) = re.findall(r"shown only once:.*?<code>([\w-]+)</code>", ada.page)
        await wait_until(lambda: len(receiver) == 2)
        assert sorted(receiver.events, key=str) == [("ping", None), ("turn", "Ada")]
        await all_sent(client)
        hands.go(days=1)
        await play_turn(people, path)
        await wait_until(lambda: len(receiver) == 3)
        notice, body = receiver.told[-1]
        assert {
            name: notice[name] for name in ("event", "game", "link", "players", "seat", "name", "until")
        } == {
            "event": "turn",
            "game": path.split("/")[2],
            "link": f"{HOST}{path}",
            "players": ["Ada", "Ben"],
            "seat": 2,
            "name": "Ben",
            "until": "2030-01-05T12:00:00+00:00",
        }
        assert notice["text"].startswith("Ben, it’s your turn; you have until Jan 5, 2030")
        assert notice["content"] == notice["text"]
        assert f"Hegemon-Delivery: {notice['id']}" in receiver.heads[-1]
        stamp, signature = re.search(r"Hegemon-Signature: t=(\d+),(\S+)", receiver.heads[-1]).groups()
        assert signature_header(secret, body, int(stamp)).endswith(signature)
        assert secret not in (await ada.get(f"{path}/seats")).page


async def test_a_notification_contains_nothing_hidden(database, hands, receiver):
    async with serving(database, hands) as (client, people):
        path = await both(people, name1="<!channel>")
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        for _ in range(4):
            await play_turn(people, path)
        await wait_until(lambda: len(receiver.names()) >= 1 and not client.app.state.dispatcher._to_check)
        table = await client.app.state.tables.load(path.split("/")[2])
        for notice, body in receiver.told:
            assert set(notice) <= EVERYTHING
            assert "<" not in notice["text"]
            assert notice["allowed_mentions"] == {"parse": []}
            for row in table.seats:
                for choice in (row.owner, row.invite):
                    assert choice is None or choice.encode() not in body
            for friend in people[:2]:
                assert friend.client.cookies[identity.COOKIE].encode() not in body


async def test_the_end_of_the_game_is_notified(database, hands, receiver):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        table = await client.app.state.tables.load(path.split("/")[2])
        while not table.game.over:
            (seat,) = table.to_move
            choice = "." if "." in table.game.choices_of(seat) else table.game.choices_of(seat)[-1]
            await table_moves.submit_move(
                client.app.state.tables, table, seat, choice, table.version, None, table.seats[seat]
            )
        await wait_until(lambda: ("end", None) in receiver.events)
        notice, _ = receiver.told[-1]
        assert notice["result"]["winners"] == [seat + 1 for seat in table.game.result.winners]
        assert " won by " in notice["text"]
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        assert (people[0].status, "The game is over." in people[0].page) == (409, True)
        await people[0].post(f"{path}/rematch", {})
        following = people[0].path
        await wait_until(lambda: receiver.told[-1][0]["link"].endswith(following))
        assert receiver.events[-1] == ("turn", "Ben")


async def test_a_notification_is_in_the_language_of_the_table(database, hands, receiver):
    async with serving(database, hands) as (_, people):
        people[0].client.headers["accept-language"] = "de"
        path = await both(people)
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        await wait_until(lambda: receiver.names())
        assert any("du bist am Zug" in notice["text"] for notice, _ in receiver.told)


async def test_in_the_draft_every_player_who_has_to_pick_is_notified(database, hands, receiver):
    async with serving(database, hands) as (_, people):
        path = await both(people, variant="draft")
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        await wait_until(lambda: sorted(receiver.names()) == ["Ada", "Ben"])
        for friend in people[:2]:
            await friend.get(path)
            await friend.submit_move(friend.words[0])
        await wait_until(lambda: sorted(receiver.names()) == ["Ada", "Ada", "Ben", "Ben"])


async def test_bots_and_substituted_players_are_not_notified(database, hands, receiver):
    async with serving(database, hands, substitute_bot="chance") as (client, people):
        path = await both(people, seat3="chance")
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        await wait_until(lambda: receiver.names() == ["Ada"])
        await play_turn(people, path)
        await wait_until(lambda: receiver.names() == ["Ada", "Ben"])
        await all_sent(client)
        hands.go(days=3)
        await client.app.state.tables.driver.check_deadlines(path.split("/")[2])
        await wait_until(lambda: receiver.names() == ["Ada", "Ben", "Ada"])


# ------------------------------------------------------------------ who may set one, and what the host sees


async def test_only_the_host_of_a_game_of_days_sets_a_webhook(database, hands, receiver):
    async with serving(database, hands) as (_, people):
        ada, ben, eve = people
        path = await both(people)
        for other in (ben, eve):
            await other.post(f"{path}/webhook", {"url": receiver.url})
            assert (other.status, "Only the host" in other.page) == (403, True)
            assert "webhook" not in (await other.get(f"{path}/seats")).page.replace("region-webhook", "")
        quick = await both(people, clock="1m a move")
        assert "Address of a webhook" not in (await ada.get(f"{quick}/seats")).page
        await ada.post(f"{quick}/webhook", {"url": receiver.url})
        assert (ada.status, "days per move" in ada.page) == (409, True)
        await ada.post(f"{path}/webhook", {"url": receiver.url})
        for other in (ben, eve):
            await other.get(f"{path}/seats")
            assert "The host sends turn notifications elsewhere" in other.page
            assert receiver.url not in other.page


async def test_a_webhook_into_the_private_network_is_rejected(database, hands, receiver):
    async with serving(database, hands, private_webhooks=False) as (_, people):
        ada = people[0]
        path = await both(people)
        await ada.post(f"{path}/webhook", {"url": receiver.url})
        assert (ada.status, "is in a private network" in ada.page) == (422, True)
        assert receiver.url in ada.page
        await ada.post(f"{path}/webhook", {"url": "gopher://x"})
        assert (ada.status, "That is not a web address" in ada.page) == (422, True)
        await ada.post(f"{path}/webhook", {"url": receiver.url.replace("127.0.0.1", "localhost")})
        table = await ada.client.app.state.tables.load(path.split("/")[2])
        await wait_until(lambda: table.webhook.failure)
        assert "is in a private network" in (await ada.get(f"{path}/seats")).page
        assert len(receiver) == 0


async def test_the_host_sees_the_result_of_the_last_delivery(database, hands, receiver):
    async with serving(database, hands) as (client, people):
        ada = people[0]
        path = await both(people)
        table = await client.app.state.tables.load(path.split("/")[2])
        await ada.post(f"{path}/webhook", {"url": receiver.url})
        assert "Nothing has been sent yet." in ada.page
        await wait_until(lambda: table.webhook.status == 200)
        assert "Last response: 200" in (await ada.get(f"{path}/seats")).page
        receiver.status = 500
        await play_turn(people, path)
        await wait_until(lambda: table.webhook.failure == "status")
        await ada.get(f"{path}/seats")
        assert "The response was 500; 200 was expected. Next attempt in 10 seconds." in ada.page
        await ada.post(f"{path}/webhook", {"url": ""})
        assert (ada.status, ada.path) == (200, f"{path}/seats")
        assert receiver.url not in ada.page
        told = len(receiver)
        await play_turn(people, path)
        await wait_until(lambda: not client.app.state.dispatcher._to_check)
        assert len(receiver) == told


async def test_the_page_of_seats_is_updated_live(database, hands, receiver):
    async with serving(database, hands) as (client, people):
        ada = people[0]
        path = await both(people)
        table = await client.app.state.tables.load(path.split("/")[2])
        stream = asyncio.create_task(ada.client.get(f"{path}/seats/stream"))
        await wait_until(lambda: table.subscribers)
        await ada.client.post(f"{path}/webhook", data={"url": receiver.url})
        await wait_until(lambda: table.webhook is not None and table.webhook.status == 200)
        client.app.state.tables.disconnect_all()
        assert "Last response: 200" in (await stream).text


# ------------------------------------------------------------------ at least once


async def test_a_failed_notification_is_retried_and_finally_given_up(database, hands, receiver):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        receiver.status = 503
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        table = await client.app.state.tables.load(path.split("/")[2])
        await wait_until(lambda: len(receiver) == 2)
        for tries, pause in enumerate(RETRY_INTERVALS, 2):
            await wait_until(lambda: table.webhook.retry_at is not None and table.webhook.retry_at > hands())
            hands.now += pause
            client.app.state.dispatcher.check(table)
            await wait_until(lambda tries=tries: len(receiver) == 2 * tries)
        await wait_until(lambda: table.webhook.retry_at is None)
        assert "No further attempts until the next move." in (await people[0].get(f"{path}/seats")).page
        assert len({notice["id"] for notice, _ in receiver.told}) == 2


async def test_notifications_that_were_not_sent_before_a_crash_are_sent_after_it(database, hands, receiver):
    async with serving(database, hands) as (_, people):
        path = await both(people)
        receiver.status = 500
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        await wait_until(lambda: len(receiver) == 2)
    ids = {notice["id"] for notice, _ in receiver.told}
    hands.go(minutes=3)
    receiver.status = 200
    receiver.told.clear()
    async with serving(database, hands):
        await wait_until(lambda: len(receiver) == 2)
    assert {notice["id"] for notice, _ in receiver.told} == ids
    receiver.told.clear()
    async with serving(database, hands) as (client, others):
        others[0].client.cookies.update(people[0].client.cookies)
        assert receiver.url in (await others[0].get(f"{path}/seats")).page
        await client.app.state.dispatcher.work()
        assert len(receiver) == 0


async def create_table(store, game_id, game, at, **options):
    """A saved game with a time control of days."""
    from hegemon.notation.record import write_record

    rows = [SeatRow(None, identity.owner_of(identity.new_token())) for _ in range(game.players)]
    await store.games.create(
        game_id, write_record(game.record()), rows, options=TableOptions(clock="1d a move", **options), now=at
    )


async def test_a_turn_is_notified_after_a_crash_that_left_only_the_move(database, hands, receiver):
    """The last thing before the crash was saving a move; whose turn it was then had not been determined yet."""
    store, game = Store(database), Game(2, seed=1, names=("Ada", "Ben"))
    await create_table(store, "one", game, hands())
    await create_table(store, "over", game, hands())
    for game_id in ("one", "over"):
        await store.outbox.set_webhook(game_id, Webhook(receiver.url, "secret", "https://play.example"))
    number = 0
    while not game.over:
        number += 1
        seat, choice = game.seat, "." if "." in game.choices else game.choices[-1]
        game.play(choice)
        move = MoveRow(number, seat, choice, created_at=hands())
        await store.moves.append("over", move, finished=game.over)
        if number < 4:
            await store.moves.append("one", move, finished=False)
    await store.close()
    async with serving(database, hands):
        await wait_until(lambda: len(receiver) == 2)
    by_game = {notice["game"]: notice for notice, _ in receiver.told}
    assert by_game["one"]["event"] == "turn"
    assert by_game["one"]["link"] == "https://play.example/games/one"
    assert by_game["over"]["event"] == "end"


async def test_notifications_of_past_turns_are_dropped(database, hands, receiver):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        receiver.status = 500
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        await wait_until(lambda: len(receiver) == 2)
        for turn in range(3):
            await play_turn(people, path)
            await wait_until(lambda turn=turn: len(receiver) == 3 + turn)
        receiver.status = 200
        receiver.told.clear()
        hands.go(seconds=10)
        table = await client.app.state.tables.load(path.split("/")[2])
        client.app.state.dispatcher.check(table)
        await wait_until(lambda: len(receiver) == 2)
        assert sorted(receiver.events, key=str) == [("ping", None), ("turn", "Ben")]


async def test_two_servers_send_a_notification_once(database, hands, receiver):
    async with serving(database, hands) as (client, people):
        path = await both(people)
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        await wait_until(lambda: len(receiver) == 2)
        other = TableRegistry(Store(database), config_at(database, now=hands, substitute_bot="chance"))
        worker = WebhookDispatcher(other, allow_private=True)
        try:
            worker.check(await other.load(path.split("/")[2]))
            await asyncio.gather(worker.work(), client.app.state.dispatcher.work())
        finally:
            await worker.close()
            await other.close()
        assert len(receiver) == 2


async def test_the_dispatcher_continues_after_an_error(database, hands, receiver, monkeypatch, caplog):
    monkeypatch.setattr(background, "RESTART_INTERVAL", 0.01)
    failing = [True]
    find = Outbox.games_to_check

    async def games_to_check(self):
        if failing:
            failing.pop()
            raise RuntimeError("a mistake of ours")
        return ["nowhere", *await find(self)]

    monkeypatch.setattr(Outbox, "games_to_check", games_to_check)
    async with serving(database, hands) as (_, people):
        path = await both(people)
        await people[0].post(f"{path}/webhook", {"url": receiver.url})
        await wait_until(lambda: len(receiver) == 2)
    assert "a background task failed: webhooks" in caplog.text


def test_the_documentation_shows_how_to_check_a_signature():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "webhooks.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names = {}
    exec(code, names)
    body = b'{"event": "turn"}'
    signature = signature_header("secret", body, 1000)
    assert names["is_ours"]("secret", signature, body, 1010.5)
    assert not names["is_ours"]("other", signature, body, 1010.5)
    assert not names["is_ours"]("secret", signature, body + b" ", 1010.5)
    assert not names["is_ours"]("secret", signature, body, 9999)

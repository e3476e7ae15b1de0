"""Spectators who write a lot: they are counted by address, and never crowd out the players."""

from datetime import UTC, datetime, timedelta

import pytest
from httpx import ASGITransport, AsyncClient
from server_browser import HOST
from server_program import Program

from hegemon.server.db.messages import MAX_MESSAGES
from hegemon.server.db.rows import MessageRow
from hegemon.server.tables.chat import (
    MAX_BURST,
    MAX_SPECTATOR_BURST,
    ChatLog,
    MessageRequest,
    clean_text,
    legible,
)
from hegemon.server.tables.errors import ChatRejected
from hegemon.server.tables.seats import clean_name

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def visitor_from(client, address):
    """A visitor from that address who accepts no cookies."""
    transport = ASGITransport(client.app, raise_app_exceptions=False, client=(address, 4321))
    return AsyncClient(transport=transport, base_url=HOST)


async def say(visitor, game, text, number):
    """Say something as a new spectator."""
    visitor.cookies.clear()
    form = {"text": f"{text} {number}", "name": f"Eve {number}"}
    answer = await visitor.post(f"/games/{game}/chat", data=form, headers={"accept": "application/json"})
    return answer.status_code


async def lines(program):
    return [message["sentence"] for message in (await program.get("/chat")).json()]


async def test_a_spectator_without_cookies_is_one_speaker(client):
    ada, _ = await Program.create(client, seats=[{"name": "Ada"}, {"name": "Ben"}])
    eve, fred = visitor_from(client, "203.0.113.7"), visitor_from(client, "203.0.113.8")
    statuses = [await say(eve, ada.game, "spam", number) for number in range(MAX_BURST + 1)]
    assert statuses == [201] * MAX_BURST + [422]
    assert await say(fred, ada.game, "hello", 1) == 201


async def test_a_network_of_ipv6_is_one_speaker(client):
    ada, _ = await Program.create(client, seats=[{"name": "Ada"}, {"name": "Ben"}])
    statuses = [
        await say(visitor_from(client, f"2001:db8:1:1::{number:x}"), ada.game, "spam", number)
        for number in range(1, MAX_BURST + 2)
    ]
    assert statuses == [201] * MAX_BURST + [422]


def test_all_spectators_together_have_a_limit_too():
    chat = ChatLog()

    def say(number):
        line = chat.new_message(MessageRequest(text="spam"), None, f"eve {number}", 2, NOON, f"{number}")
        chat.append(line, f"{number}")

    for number in range(MAX_SPECTATOR_BURST):
        say(number)
    with pytest.raises(ChatRejected, match=r"^often$"):
        say(MAX_SPECTATOR_BURST)
    later = NOON + timedelta(seconds=10)
    assert (
        chat.new_message(MessageRequest(text="hello"), None, "eve", 2, later, "1").number
        == MAX_SPECTATOR_BURST + 1
    )
    assert chat.new_message(MessageRequest(text="hello"), 0, "ada", 2, NOON).number == MAX_SPECTATOR_BURST + 1


async def test_messages_of_spectators_do_not_displace_those_of_players(client):
    ada, _ = await Program.create(client, seats=[{"name": "Ada"}, {"name": "Ben"}])
    table = await client.app.state.tables.load(ada.game)
    path = f"/api/games/{ada.game}/chat"
    headers = {"authorization": f"Bearer {ada.token}"}
    assert (await client.post(path, json={"text": "Mine."}, headers=headers)).status_code == 200
    store = client.app.state.tables.store
    for number in range(2, MAX_MESSAGES + 12):
        line = MessageRow(number, NOON, None, f"eve {number}", text="spam")
        await store.messages.add(table.id, line)
        table.chat.append(line)
    assert "Mine." in await lines(ada)
    assert len(table.chat.messages) == MAX_MESSAGES + 1
    assert [line.number for line in table.chat.messages] == [1, *range(12, MAX_MESSAGES + 12)]
    assert (await store.games.load(table.id)).messages == tuple(table.chat.messages)


@pytest.mark.parametrize("seat", [0, None])
def test_a_player_is_not_silenced_by_a_spectator_with_the_same_token(seat):
    """A spectator's messages do not count for the player, who took the seat afterwards."""
    chat = ChatLog([MessageRow(number, NOON, None, "ada", text="…") for number in range(1, MAX_BURST + 1)])
    assert chat.new_message(MessageRequest(text="hello"), seat, "ada", 2, NOON, "").number == MAX_BURST + 1


@pytest.mark.parametrize("clean", [clean_name, clean_text])
def test_names_and_messages_are_visible_and_stay_on_their_line(clean):
    assert clean("\u3164\u2800\u115f\u1160\uffa0\u200b\u202e") == ""
    assert len(clean("x" + "\u0301" * 20)) <= 5
    assert clean("पि ที่ Ǻ") == "पि ที่ Ǻ"


def test_accents_are_limited_to_four_in_a_row_even_before_the_first_letter():
    assert legible("\u0301" * 6 + "x" + "\u0302" * 6) == "\u0301" * 4 + "x" + "\u0302" * 4
    assert legible("a\u3164b") == "a b"

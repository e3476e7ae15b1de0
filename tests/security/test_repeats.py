"""Requests that are repeated because no response arrived count once."""

import asyncio
import secrets

import pytest
from server_browser import visiting
from server_program import Program

from hegemon.server.db.messages import MAX_MESSAGES
from hegemon.server.db.rows import MessageRow
from hegemon.server.security.tokens import derived_token, owner_of

SEATS = [{"name": "Ada"}, {"open": True}, {"bot": "easy"}]


async def create(client, key, seats=SEATS):
    return await client.post("/api/games", json={"seats": seats, "idempotency_key": key})


async def number_of_tables(client):
    return len(await client.app.state.tables.store.games.ids())


async def test_a_table_is_created_once_with_the_same_tokens(client):
    key = secrets.token_urlsafe(32)
    answers = await asyncio.gather(*(create(client, key) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {201}
    first, *others = (answer.json() for answer in answers)
    assert all(other == first for other in others)
    assert await number_of_tables(client) == 1
    ada = Program(client, first["game"], first["seats"][0]["token"])
    assert (await ada.state())["seat"] == 1
    joined = await client.post(f"/api/invitations/{first['seats'][1]['invite']}", json={})
    assert joined.status_code == 201
    again = (await create(client, key)).json()
    assert (again["host"], again["seats"][0]["token"]) == (first["host"], first["seats"][0]["token"])
    assert [seat["open"] for seat in again["seats"]] == [False, False, False]


async def test_requests_with_other_keys_or_none_create_other_tables(client):
    answers = [await create(client, key) for key in (None, None, "a" * 32, "b" * 32)]
    assert len({answer.json()["game"] for answer in answers}) == 4
    assert len({answer.json()["host"] for answer in answers}) == 4


async def test_a_key_for_other_seats_is_rejected(client):
    key = secrets.token_urlsafe(32)
    await create(client, key)
    answer = await create(client, key, SEATS[:2])
    assert (answer.status_code, "belongs to a table with other seats" in answer.text) == (422, True)


async def test_a_key_that_could_be_guessed_is_rejected(client):
    assert (await create(client, "my table")).status_code == 400
    assert await number_of_tables(client) == 0


def test_tokens_of_one_secret_tell_nothing_about_each_other():
    tokens = {derived_token(secret, purpose) for secret in "ab" for purpose in ("host", "seat 1", "game")}
    assert len(tokens) == 6
    assert all(owner_of(token) for token in tokens)
    assert derived_token("a", "host") in tokens


async def say(program, text, key):
    answer = await program.client.post(
        f"/api/games/{program.game}/chat",
        json={"text": text, "idempotency_key": key},
        headers={"authorization": f"Bearer {program.token}"},
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_message_is_posted_once(client):
    ada, ben = await Program.create(client, seats=[{"name": "Ada"}, {"name": "Ben"}])
    first, *others = await asyncio.gather(*(say(ada, "Hello", "key") for _ in range(10)))
    assert all(other == first for other in others)
    assert (await say(ben, "Hello too", "key"))["number"] == 2
    assert (await say(ada, "Well?", "another"))["number"] == 3
    assert len((await ada.get("/chat")).json()) == 3


@pytest.mark.parametrize("messages", [0, MAX_MESSAGES + 1])
async def test_a_message_is_posted_once_after_a_restart_and_many_others(database, messages):
    async with visiting(database) as client:
        ada, _ = await Program.create(client, seats=[{"name": "Ada"}, {"name": "Ben"}])
        first = await say(ada, "Hello", "key")
        store = client.app.state.tables.store
        now = client.app.state.tables.now()
        for number in range(2, messages + 2):
            await store.messages.add(ada.game, MessageRow(number, now, 1, "ben", text="…"))
    async with visiting(database) as client:
        assert (await say(Program(client, ada.game, ada.token), "Hello", "key"))["number"] == first["number"]

"""Passkeys: signing in, and rejected, repeated or misdirected responses."""

import json
import re
from datetime import timedelta

import pytest
from server_browser import HOST, Browser, visiting
from server_config import config_at
from software_authenticator import Authenticator

from hegemon.server.db.devices import MAX_PASSKEYS, NewPasskey
from hegemon.server.identity.passkeys import credential_id_in, expected_origins, relying_party_id
from hegemon.server.security import tokens


@pytest.fixture
async def laptop(client):
    return await Browser(client).take_seat(seat1="me", seat2="person")


@pytest.fixture
def phone(client):
    return Browser(client.another())


@pytest.fixture
def key():
    """The authenticator of the person."""
    return Authenticator(HOST)


async def options(browser: Browser, path: str) -> dict:
    return (await browser.client.post(f"{path}/options")).json()


async def add(browser: Browser, key: Authenticator, **changes: str):
    answer = key.create(await options(browser, "/me/passkeys") | changes)
    return await browser.client.post("/me/passkeys", data={"answer": answer})


async def sign_in(browser: Browser, key: Authenticator, **changes: str):
    answer = key.sign(await options(browser, "/me/sign-in") | changes)
    return await browser.client.post("/me/sign-in", data={"answer": answer})


def passkeys_on(browser: Browser) -> list[str]:
    return re.findall(r"/me/passkeys/(\d+)/remove", browser.page)


@pytest.mark.parametrize("counts", [True, False], ids=["counting", "synced"])
async def test_a_passkey_signs_a_new_device_in_and_can_be_renamed_and_removed(laptop, phone, key, counts):
    key.counts = counts
    table = laptop.path
    assert (await add(laptop, key)).json() == {"next": "/me?done=added#passkeys"}
    for _ in range(2):
        device = Browser(phone.client if _ else laptop.client.another())
        assert (await sign_in(device, key)).json() == {"next": "/me"}
        assert tokens.is_session(device.client.cookies[tokens.COOKIE])
        assert (await device.get(f"{table}?seat=1")).words
    (passkey,) = passkeys_on(await laptop.get("/me"))
    assert "Last used on" in laptop.page
    await phone.post(f"/me/passkeys/{passkey}", {"name": "  My   <phone> "})
    assert "<b>My &lt;phone&gt;</b>" in phone.page
    assert 'role="status">The passkey was renamed.</p>' in phone.page
    await phone.post(f"/me/passkeys/{passkey}", {"name": " "})
    assert "The passkey was renamed." not in phone.page
    stranger = await Browser(laptop.client.another()).take_seat()
    await stranger.post(f"/me/passkeys/{passkey}/remove", {})
    assert passkeys_on(await laptop.get("/me")) == [passkey]
    assert "My &lt;phone&gt;" in laptop.page
    assert 'role="status">The passkey was added.</p>' in (await laptop.get("/me?done=added")).page
    await laptop.post(f"/me/passkeys/{passkey}/remove", {})
    assert passkeys_on(laptop) == []
    assert 'role="status">The passkey was removed.</p>' in laptop.page
    assert (await sign_in(Browser(laptop.client.another()), key)).status_code == 422


async def test_the_options_contain_neither_key_nor_owner(laptop, key):
    asked = await options(laptop, "/me/passkeys")
    assert asked["rp"] == {"id": "testserver.local", "name": "Hegemon"}
    assert asked["authenticatorSelection"]["residentKey"] == "required"
    assert asked["authenticatorSelection"]["userVerification"] == "required"
    secret = laptop.client.cookies[tokens.COOKIE]
    assert secret not in json.dumps(asked)
    assert tokens.owner_of(secret) not in json.dumps(asked)
    await add(laptop, key)
    known = (await options(laptop, "/me/passkeys"))["excludeCredentials"]
    assert [found["id"] for found in known] == [json.loads(key.create(asked))["id"]]
    asked = await options(laptop, "/me/sign-in")
    assert (asked["rpId"], asked["allowCredentials"]) == ("testserver.local", [])
    assert asked["userVerification"] == "required"


async def test_user_verification_is_required(laptop, phone, key):
    """An authenticator that asks for no fingerprint, face or PIN signs for anyone who touches it."""
    key.verifies = False
    assert (await add(laptop, key)).status_code == 422
    key.verifies = True
    assert (await add(laptop, key)).status_code == 200
    key.verifies = False
    assert (await sign_in(phone, key)).status_code == 422
    assert tokens.COOKIE not in phone.client.cookies


async def test_a_response_counts_once_in_the_browser_that_requested_it(laptop, phone, key):
    await add(laptop, key)
    answer = {"answer": key.sign(await options(phone, "/me/sign-in"))}
    thief = laptop.client.another()
    assert (await thief.post("/me/sign-in", data=answer)).status_code == 422
    await thief.post("/me/sign-in/options")
    assert (await thief.post("/me/sign-in", data=answer)).status_code == 422
    assert (await phone.client.post("/me/sign-in", data=answer)).status_code == 200
    assert (await phone.client.post("/me/sign-in", data=answer)).status_code == 422


async def test_a_challenge_expires(database, hands, key):
    async with visiting(database, config_at(database, now=hands)) as client:
        browser = await Browser(client).take_seat()
        answer = {"answer": key.create(await options(browser, "/me/passkeys"))}
        hands.now += timedelta(minutes=6)
        rejected = await client.post("/me/passkeys", data=answer)
        assert (rejected.status_code, "could not be used" in rejected.json()["why"]) == (422, True)


@pytest.mark.parametrize("where", ["http://elsewhere.example", "http://testserver.local:8000"])
async def test_a_response_for_another_site_is_rejected(laptop, phone, key, where):
    assert (await add(laptop, Authenticator(where))).status_code == 422
    await add(laptop, key)
    key.origin = where
    assert (await sign_in(phone, key)).status_code == 422
    assert tokens.COOKIE not in phone.client.cookies


async def test_a_response_to_another_challenge_or_of_another_key_is_rejected(laptop, phone, key):
    assert (await add(laptop, key, challenge="AAAA")).status_code == 422
    await add(laptop, key)
    assert (await sign_in(phone, key, challenge="AAAA")).status_code == 422
    assert (await sign_in(phone, Authenticator(HOST))).status_code == 422


async def test_a_decreasing_sign_count_is_rejected(laptop, phone, key):
    await add(laptop, key)
    assert (await sign_in(phone, key)).status_code == 200
    key.count -= 1
    assert (await sign_in(Browser(laptop.client.another()), key)).status_code == 422


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "null",
        "[]",
        '{"id": 5}',
        '{"id": "YQ"}',
        r'{"id": "\ud800"}',
        "[" * 9000,
        '{"id": "' + "a" * 30_000,
    ],
)
async def test_a_malformed_response_is_rejected_with_a_sentence(laptop, answer):
    for path in ("/me/passkeys", "/me/sign-in"):
        await options(laptop, path)
        rejected = await laptop.client.post(path, data={"answer": answer})
        assert (rejected.status_code, "could not be used" in rejected.json()["why"]) == (422, True)


async def test_a_passkey_is_added_once_and_their_number_is_limited(laptop, key):
    await add(laptop, key)
    assert (await add(laptop, key)).status_code == 409
    owner = tokens.owner_of(laptop.client.cookies[tokens.COOKIE])
    store, today = laptop.client.app.state.tables.store, laptop.client.app.state.tables.now().date()
    for number in range(1, MAX_PASSKEYS):
        await store.devices.add_passkey(NewPasskey(f"credential{number:02}", owner, b"", 0, "Key", today))
    assert (await add(laptop, Authenticator(HOST, credential=b"another"))).status_code == 409
    assert 'data-passkey="add"' not in (await laptop.get("/me")).page


async def test_a_browser_with_games_has_to_decide_about_them(laptop, phone, key):
    await add(laptop, key)
    await phone.take_seat()
    assert (await sign_in(phone, key)).json() == {"next": "/me/arrival"}
    assert "Two players, or one?" in (await phone.get("/me/arrival")).page


async def test_there_are_no_passkeys_without_a_host_name(database):
    settings = config_at(database, base_url="http://192.0.2.1:8000")
    async with visiting(database, settings) as client:
        browser = await Browser(client).take_seat()
        assert "data-passkey" not in (await browser.get("/me")).page
        for path in ("/me/passkeys", "/me/sign-in"):
            assert (await client.post(f"{path}/options")).status_code == 422


async def test_only_a_person_adds_a_passkey(client):
    for path in ("/me/passkeys/options", "/me/passkeys"):
        assert (await client.post(path, data={})).status_code == 403


def test_a_site_has_a_name_and_its_origins():
    assert relying_party_id("https://play.example.org:8443") == "play.example.org"
    assert (
        relying_party_id("http://127.0.0.1")
        is relying_party_id("http://[::1]:80")
        is relying_party_id("")
        is None
    )
    assert sorted(expected_origins("http://play.example.org")) == [
        "http://play.example.org",
        "https://play.example.org",
    ]
    assert expected_origins("https://play.example.org:8443") == ["https://play.example.org:8443"]
    assert expected_origins("") == []
    assert credential_id_in('{"id": "YQ"}') == "YQ"

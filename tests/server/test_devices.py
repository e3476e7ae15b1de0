"""Several devices of one person: sessions, the recovery code, merging two people, and deletion."""

import asyncio
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from server_browser import Browser, finish, visiting
from server_config import config_at
from waiting import WAIT_TIMEOUT, wait_until

from hegemon.prose.translator import get_translator
from hegemon.server.db.devices import MAX_SESSIONS
from hegemon.server.db.errors import StorageError
from hegemon.server.db.store import Store
from hegemon.server.db.subscriptions import Subscription
from hegemon.server.identity.codes import code_digest, new_code
from hegemon.server.identity.user_agents import browser_of, system_of
from hegemon.server.security import tokens
from hegemon.server.security.rate_limit import Limit, Limits
from hegemon.server.tables.session_streams import SessionStreams
from hegemon.server.web import routes as routes_package

pytestmark = pytest.mark.scenario

PHONE = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/141.0 Mobile Safari/537.36"
TODAY = date(2030, 1, 1)


@pytest.fixture
async def laptop(client):
    """The browser in which a person plays."""
    return await Browser(client).take_seat(seat1="me", seat2="person")


@pytest.fixture
def phone(client):
    """Another device, which is not signed in."""
    other = client.another()
    other.headers["user-agent"] = PHONE
    return Browser(other)


async def link_of(browser: Browser) -> str:
    return re.search(r"/me#([\w-]+)", (await browser.get("/me")).page)[1]


async def sign_in(laptop: Browser, device: Browser) -> None:
    """Sign in with the personal link."""
    await device.post("/me", {"key": await link_of(laptop)})
    assert tokens.is_session(device.client.cookies[tokens.COOKIE])


def owner_of(browser: Browser) -> str:
    return tokens.owner_of(browser.client.cookies[tokens.COOKIE])


def devices_on(browser: Browser) -> list[str]:
    return re.findall(r"/me/sessions/(\d+)/end", browser.page)


# ------------------------------------------------------------------ sessions


async def test_a_personal_link_starts_a_session_on_another_device(laptop, phone):
    table = laptop.path
    await sign_in(laptop, phone)
    assert table in phone.page
    await phone.get("/me")
    assert 'Chrome on Android</b> <span class="tag">this device' in phone.page
    assert "needs no link" in phone.page
    key = laptop.client.cookies[tokens.COOKIE]
    assert key not in phone.page
    assert (await phone.get(f"{table}?seat=1")).words
    await phone.submit_move(phone.words[0])
    assert phone.status == 200
    await phone.take_seat(seat1="me", seat2="person")
    assert phone.path in (await laptop.get("/")).page


async def test_a_signed_out_device_loses_access_immediately(laptop, phone):
    table = laptop.path
    await sign_in(laptop, phone)
    stream = asyncio.create_task(phone.client.get(f"{table}/stream?seat=1"))
    game = await laptop.client.app.state.tables.load(table.split("/")[2])
    await wait_until(lambda: game.subscribers)
    (session,) = devices_on(await laptop.get("/me"))
    await laptop.post(f"/me/sessions/{session}/end", {})
    assert (await stream).text.endswith('event: go\ndata: "/me"\n\n')
    assert "This device was signed out." in (await phone.get("/me")).page
    assert not (await phone.get(f"{table}?seat=1")).words
    assert table not in (await phone.get("/")).page
    assert (await phone.client.post(f"/me/sessions/{session}/end", data={})).status_code == 403
    await phone.take_seat()
    assert tokens.owner_of(phone.client.cookies[tokens.COOKIE]) is not None


async def test_the_streams_of_all_devices_end_when_their_person_is_deleted(laptop, phone):
    table = laptop.path
    await sign_in(laptop, phone)
    stream = asyncio.create_task(phone.client.get(f"{table}/stream?seat=1"))
    game = await laptop.client.app.state.tables.load(table.split("/")[2])
    await wait_until(lambda: game.subscribers)
    await laptop.post("/me/delete", {})
    async with asyncio.timeout(WAIT_TIMEOUT):
        assert (await stream).text.endswith('event: go\ndata: "/me"\n\n')


async def test_signing_out_affects_one_device_only(laptop, phone, client):
    await sign_in(laptop, phone)
    (session,) = devices_on(await laptop.get("/me"))
    stranger = await Browser(client.another()).take_seat()
    await stranger.post(f"/me/sessions/{session}/end", {})
    assert devices_on(await laptop.get("/me")) == [session]
    assert devices_on(await phone.get("/me")) == []
    assert 'href="/me/sign-out"' in phone.page
    await phone.post("/me/sign-out", {})
    assert tokens.COOKIE not in phone.client.cookies
    assert 'role="status">You have signed out.</p>' in phone.page
    assert devices_on(await laptop.get("/me")) == []
    await sign_in(laptop, phone)
    (session,) = devices_on(await laptop.get("/me"))
    await laptop.post(f"/me/sessions/{session}/end", {})
    assert 'role="status">The device was signed out.</p>' in laptop.page


async def test_the_browser_with_the_link_is_signed_out_by_another_device(laptop, phone, client):
    """The link stops working; the sessions, the passkeys and the recovery code remain valid."""
    table, code, tablet = laptop.path, await code_of(laptop), Browser(client.another())
    key = client.cookies[tokens.COOKIE]
    for device in (phone, tablet):
        await sign_in(laptop, device)
    await laptop.post("/me/key/end", {})
    assert laptop.path == "/me/sign-out"  # the browser with the link signs itself out there
    assert "Sign out: The browser with your personal link" in (await phone.get("/me")).page
    await phone.post("/me/key/end", {})
    assert 'role="status">The browser was signed out' in phone.page
    assert "Sign out: The browser with your personal link" not in phone.page
    assert "You are signed in without a personal link." in phone.page
    await phone.post("/me/key/end", {})
    for device in (phone, tablet):
        assert (await device.get(f"{table}?seat=1")).words
    assert not (await laptop.get(f"{table}?seat=1")).words
    late = Browser(client.another())
    assert (await late.post("/me", {"key": key})).status == 422
    assert "Nothing belongs to this link." in late.page
    await late.post("/me/recover", {"code": code})
    assert (await late.get(f"{table}?seat=1")).words
    await late.get("/me")
    fields = {name: late.hidden(name) for name in ("new_key", "owner")}
    await late.post("/me/key", fields)
    other = Browser(client.another())
    await other.post("/me", {"key": fields["new_key"]})
    assert table in other.page


async def test_the_sign_out_page_says_how_to_sign_in_again(laptop, phone):
    only_link, nothing = "Your personal link is the only way back.", "There is no way back."
    assert only_link in (await laptop.get("/me/sign-out")).page
    assert "Save it first." in laptop.page
    await sign_in(laptop, phone)
    assert "You can sign in here again" in (await laptop.get("/me/sign-out")).page
    assert only_link not in laptop.page
    assert only_link in (await phone.get("/me/sign-out")).page
    assert "Save it first." not in phone.page
    await phone.post("/me/key/end", {})
    assert nothing in (await phone.get("/me/sign-out")).page
    await code_of(phone)
    assert nothing not in (await phone.get("/me/sign-out")).page
    await phone.post("/me/sign-out", {})
    assert (await phone.get("/me/sign-out")).path == "/me"
    assert (await phone.post("/me/sign-out", {})).status == 403


async def test_the_browser_with_the_link_can_sign_out_and_sign_in_again_with_the_link(laptop):
    table, key = laptop.path, await link_of(laptop)
    store, owner = laptop.client.app.state.tables.store, owner_of(laptop)
    endpoint = "https://push.example.org/laptop"
    now = datetime.now(UTC)
    await store.subscriptions.save(Subscription(owner, owner, endpoint, "", "", (), "en", "", "", now, now))
    await laptop.post("/me/sign-out", {})
    assert tokens.COOKIE not in laptop.client.cookies
    assert 'role="status">You have signed out.</p>' in laptop.page
    assert await store.subscriptions.of([owner]) == []
    assert table not in (await laptop.get("/")).page
    await laptop.post("/me", {"key": key})
    assert table in laptop.page


@pytest.mark.parametrize("number", ["0", "-1", "9" * 30])
async def test_an_unknown_row_number_is_rejected(laptop, number):
    for path in (f"sessions/{number}/end", f"passkeys/{number}", f"passkeys/{number}/remove"):
        assert (await laptop.client.post(f"/me/{path}", data={"name": "x"})).status_code in (400, 404)


async def test_a_new_link_signs_all_other_devices_out(laptop, phone, client):
    """The device that requests it stays signed in and shows the link once; the first browser loses its key."""
    table, tablet = laptop.path, Browser(client.another())
    for device in (phone, tablet):
        await sign_in(laptop, device)
    await phone.get("/me")
    fields = {name: phone.hidden(name) for name in ("new_key", "owner")}
    await phone.post("/me/key", fields)
    assert f"/me#{fields['new_key']}" in phone.page
    assert "Save it now" in phone.page
    assert f"/me#{fields['new_key']}" not in (await phone.get("/me")).page
    assert (await phone.get(f"{table}?seat=1")).words
    for device in (laptop, tablet):
        assert not (await device.get(f"{table}?seat=1")).words
    await phone.post("/me/key", fields)  # a repeated request changes nothing
    assert (await phone.get(f"{table}?seat=1")).words


async def test_beyond_the_limit_the_least_recently_seen_device_is_signed_out(database):
    store = Store(database)
    devices = store.devices
    for number in range(MAX_SESSIONS):
        day = TODAY + timedelta(days=number)
        assert await devices.start_session(f"token {number}", "ada", "Firefox", "Linux", day) == []
    assert (await devices.find_session("token 0", TODAY + timedelta(days=50))).owner == "ada"
    (ended,) = await devices.start_session("new", "ada", "Firefox", "Linux", TODAY + timedelta(days=50))
    assert await devices.find_session("token 1", TODAY) is None
    assert ended not in {session.id for session in await devices.sessions_of("ada")}
    await devices.start_session("much later", "ben", "", "", TODAY + timedelta(days=1000))
    assert await devices.sessions_of("ada") == []
    await store.close()


async def test_an_unused_session_expires(database):
    store, late = Store(database), TODAY + timedelta(days=800)
    await store.devices.start_session("token", "ada", "Firefox", "Linux", TODAY)
    assert await store.devices.find_session("token", TODAY + timedelta(days=401)) is None
    assert (await store.devices.find_session("token", TODAY + timedelta(days=400))).owner == "ada"
    assert (await store.devices.find_session("token", late)).owner == "ada"  # it was used in between
    assert await store.devices.find_session("token", late + timedelta(days=401)) is None
    await store.close()


async def test_a_session_stays_valid_while_the_database_cannot_be_written(database, monkeypatch):
    store = Store(database)
    await store.devices.start_session("token", "ada", "Firefox", "Linux", TODAY)

    def failing():
        raise StorageError

    monkeypatch.setattr(store.database, "writing", failing)
    assert (await store.devices.find_session("token", TODAY + timedelta(days=1))).owner == "ada"
    await store.close()


def test_a_stream_that_opens_while_its_session_ends_is_ended_too():
    class Stream:
        gone = ""

        def redirect(self, path):
            self.gone = path

    streams, early, late, other = SessionStreams(), Stream(), Stream(), Stream()
    streams.add(early, 1)
    streams.add(other, 2)
    streams.end([1])
    streams.add(late, 1)
    assert (early.gone, late.gone, other.gone) == ("/me", "/me", "")


@pytest.mark.parametrize(
    ("agent", "names"),
    [
        (PHONE, ("Chrome", "Android")),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", ("Firefox", "Linux")),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Safari/604.1",
            ("Safari", "iPhone"),
        ),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/141.0 Safari/537.36 Edg/141.0", ("Edge", "Windows")),
        ("curl/8.0", ("", "")),
    ],
)
def test_a_device_has_a_readable_name(agent, names):
    assert (browser_of(agent), system_of(agent)) == names


async def test_a_program_cannot_use_the_token_of_a_session(laptop, phone):
    game = laptop.path.split("/")[2]
    await sign_in(laptop, phone)
    token = phone.client.cookies[tokens.COOKIE]
    answer = await laptop.client.get(f"/api/games/{game}", headers={"authorization": f"Bearer {token}"})
    assert answer.status_code == 401


def test_routes_do_not_derive_owners_from_session_tokens():
    """The owner of a session token is in the database: pages use `visitor.owner` or the dependency `owner`."""
    routes = Path(routes_package.__file__).parent.glob("*.py")
    assert [file.name for file in routes if re.search(r"owner_of\((token|request)", file.read_text())] == [
        "account.py"
    ]


@pytest.mark.sqlite
async def test_the_database_contains_no_secret_of_a_device(laptop, phone, tmp_path):
    code = await code_of(laptop)
    await sign_in(laptop, phone)
    secrets = [code, phone.client.cookies[tokens.COOKIE], laptop.client.cookies[tokens.COOKIE]]
    stored = b"".join(file.read_bytes() for file in tmp_path.glob("games.db*"))
    assert not [secret for secret in secrets if secret.encode() in stored]
    assert tokens.digest(secrets[1]).encode() in stored


# ------------------------------------------------------------------ the recovery code


async def code_of(browser: Browser) -> str:
    await browser.post("/me/recovery-code", {})
    return re.search(r'class="recovery-code" translate="no">([\w-]+)<', browser.page)[1]


async def test_a_recovery_code_signs_a_person_in_once(laptop, phone, client):
    table = laptop.path
    lost, code = await code_of(laptop), await code_of(laptop)
    assert "Your code was created on" in (await laptop.get("/me")).page
    assert code not in laptop.page
    for wrong in (lost, "", "nonsense"):
        await phone.post("/me/recover", {"code": wrong})
        assert (phone.status, "This recovery code is not valid." in phone.page) == (422, True)
        assert re.search(r'name="code"[^>]* autofocus', phone.page)  # the form is at the end of a long page
    await phone.post("/me/recover", {"code": f" {code.lower().replace('-', ' ')} "})
    assert "Your recovery code has been used. Create a new one." in phone.page
    assert (await phone.get(f"{table}?seat=1")).words
    late = Browser(client.another())
    assert (await late.post("/me/recover", {"code": code})).status == 422


@pytest.mark.parametrize("choice", ["stay", "nothing"])
async def test_a_recovery_code_stays_valid_until_a_session_starts(database, hands, choice):
    """The user of a browser with its own games declines to sign in, or does not decide in time."""
    async with visiting(database, config_at(database, now=hands)) as client:
        laptop = await Browser(client).take_seat(seat1="me", seat2="person")
        table, code = laptop.path, await code_of(laptop)
        phone = await Browser(client.another()).take_seat()
        await phone.post("/me/recover", {"code": code})
        assert phone.path == "/me/arrival"
        if choice == "stay":
            await phone.post("/me/arrival", {"do": "stay"})
        hands.now += timedelta(minutes=31)
        await phone.post("/me/arrival", {"do": "leave"})
        assert table not in (await phone.get("/")).page
        await phone.post("/me/recover", {"code": code})
        await phone.post("/me/arrival", {"do": "leave"})
        assert table in (await phone.get("/")).page
        assert (await Browser(client.another()).post("/me/recover", {"code": code})).status == 422


async def test_of_two_browsers_with_one_code_only_the_first_to_decide_signs_in(laptop, phone, client):
    table, code, tablet = laptop.path, await code_of(laptop), Browser(client.another())
    for device in (phone, tablet):
        await device.take_seat()
        await device.post("/me/recover", {"code": code})
    await phone.post("/me/arrival", {"do": "leave"})
    assert table in (await phone.get("/")).page
    await tablet.post("/me/arrival", {"do": "leave"})
    assert (tablet.path, tokens.is_session(tablet.client.cookies[tokens.COOKIE])) == ("/me", False)


async def test_a_code_that_changes_while_it_is_used_is_rejected(laptop, phone, monkeypatch):
    code, devices = await code_of(laptop), laptop.client.app.state.tables.store.devices
    owner = await devices.owner_of_code(code_digest(code))

    async def found(code):
        await devices.set_recovery_code(owner, "another", TODAY)
        return owner

    monkeypatch.setattr(devices, "owner_of_code", found)
    await phone.post("/me/recover", {"code": code})
    assert (phone.status, tokens.COOKIE in phone.client.cookies) == (422, False)


async def test_the_page_with_the_code_has_no_forms_that_leave_it(laptop, phone):
    """Changing the language would load a page without the code; the page with a new link has no such form either."""
    await laptop.get("/me")
    assert 'action="/settings"' in laptop.page
    await code_of(laptop)
    assert 'action="/settings"' not in laptop.page
    await sign_in(laptop, phone)
    await phone.get("/me")
    await phone.post("/me/key", {name: phone.hidden(name) for name in ("new_key", "owner")})
    assert "Save it now" in phone.page
    assert 'action="/settings"' not in phone.page


@pytest.mark.parametrize(
    ("path", "data"), [("/me/recover", {"code": "x"}), ("/me/profile", {"name": " "}), ("/me", {"key": "x"})]
)
async def test_after_a_rejected_form_the_language_can_be_changed(laptop, path, data):
    assert (await laptop.post(path, data)).status == 422
    assert laptop.hidden("back") == "/me"
    await laptop.post("/settings", {"back": laptop.hidden("back"), "language": "de"})
    assert (laptop.status, '<html lang="de"' in laptop.page) == (200, True)


def test_a_typed_code_is_normalized():
    assert code_digest("o1-il0") == code_digest("01110") != code_digest(new_code())


async def test_attempts_with_codes_and_passkeys_are_rate_limited(database, monkeypatch):
    monkeypatch.setattr("server_browser.CLIENT", ("203.0.113.7", 4321))
    limits = Limits(sign_ins=Limit(0.001, 3))
    async with visiting(database, config_at(database, limits=limits)) as client:
        tries = [(await client.post("/me/recover", data={"code": new_code()})).status_code for _ in range(4)]
        assert tries == [422, 422, 422, 429]
        assert (await client.post("/me/sign-in/options")).status_code == 429


# ------------------------------------------------------------------ merging two people


async def test_a_browser_with_games_can_merge_them_when_it_signs_in(laptop, phone):
    theirs, code = laptop.path, await code_of(laptop)
    await phone.take_seat(seat1="me", seat2="person")
    own, before = phone.path, phone.client.cookies[tokens.COOKIE]
    await phone.post("/me/recover", {"code": code})
    assert (phone.path, phone.client.cookies[tokens.COOKIE]) == ("/me/arrival", before)
    assert "this browser has games of its own" in phone.page
    assert devices_on(await laptop.get("/me")) == []  # the device is not signed in before its user decides
    await phone.post("/me/arrival", {"do": "merge"})
    for browser in (phone, laptop):
        await browser.get("/")
        assert theirs in browser.page
        assert own in browser.page
    assert (await phone.get("/me/arrival")).path == "/me"
    assert (await phone.post("/me/arrival", {"do": "merge"})).path == "/me"


async def test_a_passkey_challenge_does_not_count_as_an_arrival(phone):
    await phone.post("/me/sign-in/options", {})
    phone.client.cookies.set("arrival", phone.client.cookies["challenge"])
    await phone.post("/me/arrival", {"do": "leave"})
    assert tokens.COOKIE not in phone.client.cookies


@pytest.mark.parametrize("what", ["a new link", "erasure", "a new code"])
async def test_an_arrival_ends_when_its_code_or_person_is_gone(laptop, phone, what):
    """The browser keeps its own games."""
    code = await code_of(laptop)
    await phone.take_seat()
    own, before = phone.path, phone.client.cookies[tokens.COOKIE]
    await phone.post("/me/recover", {"code": code})
    if what == "a new link":
        await laptop.get("/me")
        await laptop.post("/me/key", {name: laptop.hidden(name) for name in ("new_key", "owner")})
    elif what == "erasure":
        await laptop.post("/me/delete", {})
    else:
        await code_of(laptop)
    assert (await phone.get("/me/arrival")).path == "/me"
    await phone.post("/me/arrival", {"do": "merge"})
    assert (phone.path, phone.client.cookies[tokens.COOKIE]) == ("/me", before)
    assert own in (await phone.get("/")).page


@pytest.mark.parametrize("choice", ["leave", "stay"])
async def test_a_browser_with_games_can_leave_them_or_not_sign_in(laptop, phone, choice):
    theirs, code = laptop.path, await code_of(laptop)
    await phone.take_seat(seat1="me", seat2="person")
    own = phone.path
    await phone.post("/me/recover", {"code": code})
    await phone.post("/me/arrival", {"do": choice})
    await phone.get("/")
    assert (theirs in phone.page, own in phone.page) == (choice == "leave", choice == "stay")
    assert len(devices_on(await laptop.get("/me"))) == (choice == "leave")


async def test_opponents_are_not_merged_before_their_game_is_over(client, phone):
    laptop = Browser(client)
    await laptop.post("/games", {"seat1": "me", "seat2": "friend"})
    table = laptop.path
    invite = re.search(r"/join/[\w-]+", (await laptop.get(f"{table}/seats")).page)[0]
    await phone.post(invite, {"name": "Ben"})
    key = await link_of(laptop)
    assert (await phone.post("/me", {"key": key})).status == 409
    fields = {name: phone.hidden(name) for name in ("key", "replaces")} | {"do": "merge"}
    assert (await phone.post("/me", fields)).status == 409
    assert "Both are playing in the same game or tournament." in phone.page
    code = await code_of(laptop)
    await phone.post("/me/recover", {"code": code})
    assert (await phone.post("/me/arrival", {"do": "merge"})).status == 409
    await finish(client, table)
    await phone.post("/me", fields)
    assert (phone.status, table in phone.page) == (200, True)
    game = await client.app.state.tables.load(table.split("/")[2])
    assert {row.owner for row in game.seats} == {owner_of(laptop)}


async def test_a_session_ends_when_its_device_signs_in_as_another_person(laptop, phone, client):
    """No browser has its token any more."""
    await sign_in(laptop, phone)
    other = await Browser(client.another()).take_seat()
    await phone.post("/me", {"key": await link_of(other)})
    await phone.post("/me", {name: phone.hidden(name) for name in ("key", "replaces")})
    assert devices_on(await laptop.get("/me")) == []
    assert len(devices_on(await other.get("/me"))) == 1


async def test_signing_in_as_oneself_changes_nothing(laptop):
    before = laptop.client.cookies[tokens.COOKIE]
    await laptop.post("/me/recover", {"code": await code_of(laptop)})
    assert (laptop.path, laptop.client.cookies[tokens.COOKIE]) == ("/me", before)
    assert devices_on(laptop) == []


# ------------------------------------------------------------------ deletion


async def test_an_erased_person_is_a_former_player_in_the_readers_language(client, phone, tmp_path):
    ada = Browser(client)
    await ada.post("/games", {"seat1": "me", "seat2": "friend", "name1": "Ada Lovelace"})
    table, tables = ada.path, client.app.state.tables
    invite = re.search(r"/join/[\w-]+", (await ada.get(f"{table}/seats")).page)[0]
    ben = Browser(client.another())
    await ben.post(invite, {"name": "Ben"})
    await ada.post(f"{table}/chat", {"text": "my secret word"})
    await sign_in(ada, phone)
    assert "my secret word" in (await ben.get(table)).page
    await ada.get("/me/delete")
    assert "This cannot be undone." in ada.page
    await ada.post("/me/delete", {})
    assert "Everything about you has been deleted." in ada.page
    assert tokens.COOKIE not in client.cookies
    game = await tables.load(table.split("/")[2])
    assert (game.seats[0].bot, game.seats[0].owner, game.host) == ("normal", None, None)
    reader = await Browser(client.another()).get(table, **{"accept-language": "de"})
    assert get_translator("de").player_name("A former player") in reader.page
    for page in (reader.page, (await ben.get(table)).page):
        assert "Ada" not in page
        assert "my secret word" not in page
    assert "This device was signed out." in (await phone.get("/me")).page
    assert (await tables.store.games.load(game.id)).seats[0].name == "A former player"
    for file in tmp_path.glob("games.db*"):
        assert not re.search(rb"Lovelace|my secret word", file.read_bytes())


async def test_studies_and_records_of_others_lose_the_name_of_an_erased_person(client, tmp_path):
    ada, ben = Browser(client), Browser(client.another())
    await ada.post("/games", {"seat1": "me", "seat2": "friend", "name1": "Ada Lovelace"})
    table = ada.path
    await ben.post(re.search(r"/join/[\w-]+", (await ada.get(f"{table}/seats")).page)[0], {"name": "Ben"})
    await finish(client, table)
    await ben.post(f"{table}/play-on", {"at": "0", "seat": "2", "bot": "easy"})
    played_on = ben.path
    await ben.post("/study", {"game": table.split("/")[2]})
    study = ben.path
    assert "Lovelace" in ben.page
    await ada.post("/me/delete", {})
    for path in (played_on, study, f"{table}/replay", "/me/games"):
        assert "Lovelace" not in (await ben.get(path)).page, path
    assert "A former player" in (await ben.get(study)).page
    for file in tmp_path.glob("games.db*"):
        assert b"Lovelace" not in file.read_bytes()


async def test_a_visitor_without_data_cannot_delete_anything(client):
    browser = Browser(client)
    assert (await browser.get("/me/delete")).path == "/me"
    assert (await browser.post("/me/delete", {})).status == 403
    assert "You have nothing here yet." in browser.page

"""Keys that can be revoked and renewed: personal links, tokens of programs, invitations, webhook secrets."""

import pytest
from server_browser import Browser
from server_program import Program

from hegemon.server.db.rows import RatedPlayer
from hegemon.server.security.tokens import COOKIE, new_token, owner_of

TWO = {"seats": [{}, {}]}


async def form(browser: Browser) -> dict[str, str]:
    """The form on the page that replaces the key."""
    await browser.get("/me")
    return {name: browser.hidden(name) for name in ("new_key", "owner")}


async def test_a_personal_link_is_replaced_and_the_old_one_opens_nothing(client, browser):
    await browser.take_seat()
    table, old = browser.path, client.cookies[COOKIE]
    game = await client.app.state.tables.load(table.rpartition("/")[2])
    assert game.host == game.seats[0].owner == owner_of(old)
    tables = client.app.state.tables
    await tables.store.players.save(RatedPlayer(owner_of(old), "Ada", 25.0, 8.0, 1))
    await client.post(f"{table}/chat", data={"text": "mine"})
    fields = await form(browser)
    await browser.post("/me/key", fields)
    new = client.cookies[COOKIE]
    assert (new, browser.path) == (fields["new_key"], "/me")
    assert f"/me#{new}" in browser.page
    assert game.host == game.seats[0].owner == owner_of(new)
    assert {line.author for line in game.chat.messages} == {owner_of(new)}
    assert list(await tables.store.players.load([owner_of(old), owner_of(new)])) == [owner_of(new)]
    row = await tables.store.games.load(game.id)
    assert (row.host, row.seats[0].owner) == (owner_of(new), owner_of(new))
    assert (await browser.get(table)).words
    thief = Browser(client.another())
    thief.client.cookies.set(COOKIE, old)
    assert not (await thief.get(table)).words


async def test_a_form_that_is_sent_twice_counts_once(client, browser):
    """The first response was lost: the browser still has the old key."""
    await browser.take_seat()
    table, old = browser.path, client.cookies[COOKIE]
    fields = await form(browser)
    for _ in range(2):
        client.cookies.set(COOKIE, old, domain="testserver.local")
        await browser.post("/me/key", fields)
    assert client.cookies[COOKIE] == fields["new_key"]
    assert (await browser.get(table)).words


async def test_of_two_new_keys_at_once_one_counts(client, browser):
    """Two pages send their forms: the second one does not leave the browser with a key that opens nothing."""
    await browser.take_seat()
    table, old = browser.path, client.cookies[COOKIE]
    first, second = await form(browser), await form(browser)
    await browser.post("/me/key", first)
    late = Browser(client.another())
    late.client.cookies.set(COOKIE, old, domain="testserver.local")
    await late.post("/me/key", second)
    assert late.client.cookies[COOKIE] == old
    assert client.cookies[COOKIE] == first["new_key"]
    assert (await browser.get(table)).words


@pytest.mark.parametrize("change", [{"owner": "guess"}, {"new_key": "short"}, {"owner": ""}])
async def test_no_one_else_can_choose_the_new_key(client, browser, change):
    await browser.take_seat()
    table, old = browser.path, client.cookies[COOKIE]
    await browser.post("/me/key", await form(browser) | change)
    assert client.cookies[COOKIE] == old
    assert (await browser.get(table)).words


async def test_a_key_in_use_is_not_taken_over(client, browser):
    await browser.take_seat()
    old = client.cookies[COOKIE]
    other, _ = await Program.create(client, **TWO)
    await browser.post("/me/key", await form(browser) | {"new_key": other.token})
    assert client.cookies[COOKIE] == old
    stranger = Browser(client.another())
    await stranger.post("/me/key", {"new_key": new_token(), "owner": ""})
    assert COOKIE not in stranger.client.cookies


async def test_a_program_replaces_its_token(client):
    first, second = await Program.create(client, **TWO)
    token = new_token()
    for _ in range(2):  # repeated, because the answer was lost
        answer = await replace(first, token)
        assert answer.status_code == 204, answer.text
    assert (await first.get("")).status_code == 401
    assert (await Program(client, first.game, token).state())["seat"] == 1
    assert (await second.state())["seat"] == 2
    assert (await replace(second, token)).status_code == 409
    assert (await replace(first, new_token())).status_code == 409
    assert (await replace(second, "short")).status_code == 400
    assert (await replace(Program(client, first.game), token)).status_code == 401


def replace(program: Program, token: str):
    return program.client.post("/api/token", json={"token": token}, headers=program._headers({}))


async def test_an_invitation_is_withdrawn_when_the_host_opens_the_seat_again(client):
    created = (await client.post("/api/games", json={"seats": [{}, {"open": True}]})).json()
    host = Program(client, created["game"], created["host"])
    old = created["seats"][1]["invite"]
    answer = await client.post(
        f"/api/games/{host.game}/seats/2", json={"bot": None}, headers=host._headers({})
    )
    assert answer.json()["invite"] not in (None, old)
    assert (await client.post(f"/api/invitations/{old}", json={"name": "Eve"})).status_code == 404


async def test_a_webhook_that_is_set_again_has_a_new_secret(client, browser, monkeypatch):
    async def received(*_, **__) -> int:
        return 200

    monkeypatch.setattr("hegemon.server.webhooks.dispatcher.post", received)
    await browser.take_seat(seat1="me", seat2="friend", clock="3d a move")
    game = browser.path.split("/")[2]
    outbox, secrets = client.app.state.tables.store.outbox, []
    for _ in range(2):
        await browser.post(f"/games/{game}/webhook", {"url": "https://example.org/hook"})
        secrets.append((await outbox.webhook(game)).secret)
        assert secrets[-1] in browser.page
    assert secrets[0] != secrets[1]
    await browser.post(f"/games/{game}/webhook", {"url": ""})
    assert await outbox.webhook(game) is None

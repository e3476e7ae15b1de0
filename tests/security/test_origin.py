"""Pages of other sites cannot act for a visitor, and no link takes a visitor's seats away without confirmation."""

import pytest
from server_browser import HOST, Browser, visiting
from server_config import config_at

from hegemon.server.security import tokens
from hegemon.server.security.csrf import read_origin

FOREIGN = [
    {"origin": "null"},
    {"origin": ""},
    {"origin": "https://testserver.local"},
    {"origin": "http://testserver.local:8000"},
    {"origin": "http://elsewhere.example"},
    {"origin": "http://[::1"},
    {"origin": "http://testserver.local:many"},
    {"origin": "null", "sec-fetch-site": "same-origin"},
    {"origin": "null", "sec-fetch-site": "none"},
    {"origin": HOST, "sec-fetch-site": "same-site"},
]
OWN = [
    {},
    {"origin": HOST},
    {"origin": f"{HOST}:80"},
    {"origin": HOST, "sec-fetch-site": "same-origin"},
    # A proxy that does not say that browsers reach it by HTTPS.
    {"origin": "https://testserver.local", "sec-fetch-site": "same-origin"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
@pytest.mark.parametrize("path", ["/me", "/games", "/settings", "/replays"])
async def test_requests_from_another_origin_or_none_are_rejected(client, path, headers):
    answer = await client.post(path, data={"key": tokens.new_token()}, headers=headers)
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


@pytest.mark.parametrize("headers", OWN, ids=str)
async def test_requests_from_our_own_pages_are_accepted(client, headers):
    assert (await client.post("/settings", data={"theme": "dark"}, headers=headers)).status_code == 303


async def test_behind_a_proxy_the_public_address_counts_with_its_scheme_and_port(database):
    settings = config_at(database, base_url="https://play.example.org:8443")
    async with visiting(database, settings) as client:
        for origin, status in {
            "https://play.example.org:8443": 303,
            "https://play.example.org": 403,
            "http://play.example.org:8443": 403,
            HOST: 303,
        }.items():
            answer = await client.post("/settings", data={}, headers={"origin": origin})
            assert answer.status_code == status, origin


def test_an_origin_has_a_scheme_a_host_and_a_port():
    assert read_origin("https://Play.example.org") == ("https", "play.example.org", 443)
    assert read_origin("null") is read_origin("http://") is read_origin("//a") is None


async def test_a_key_is_replaced_only_after_confirmation(client, browser):
    await browser.take_seat(seat1="me", seat2="person")
    other = await Browser(client.another()).take_seat()
    own, strange = browser.client.cookies["hegemon"], other.client.cookies["hegemon"]
    await browser.post("/me", {"key": strange})
    assert (browser.status, browser.client.cookies["hegemon"]) == (409, own)
    assert 'class="notice" role="alert"' in browser.page
    assert own in browser.page
    await browser.post("/me", {"key": strange, "replaces": "yes"})
    assert browser.client.cookies["hegemon"] == own
    await browser.post("/me", {name: browser.hidden(name) for name in ("key", "replaces")})
    assert (browser.status, tokens.is_session(browser.client.cookies["hegemon"])) == (200, True)
    assert other.path in browser.page


async def test_the_same_key_and_a_first_one_need_no_confirmation(client):
    other = await Browser(client).take_seat()
    key, browser = client.cookies["hegemon"], Browser(client.another())
    for _ in range(2):
        await browser.post("/me", {"key": key})
        assert (browser.status, browser.path, other.path in browser.page) == (200, "/", True)


@pytest.mark.parametrize("has_games", [False, True])
async def test_a_key_that_someone_has_made_for_another_person_is_rejected(client, has_games):
    """Its creator would have the seats of the other person as soon as that person plays."""
    browser, made = Browser(client), tokens.new_token()
    if has_games:
        await browser.take_seat()
    own = client.cookies.get("hegemon")
    fields = {"key": made, "replaces": tokens.owner_of(own) or "", "do": "merge"}
    assert (await browser.post("/me", fields)).status == 422
    assert "Nothing belongs to this link." in browser.page
    assert client.cookies.get("hegemon") == own
    await browser.take_seat()
    stranger = Browser(client.another())
    stranger.client.cookies.set("hegemon", made)
    assert browser.path not in (await stranger.get("/")).page

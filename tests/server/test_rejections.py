"""Forged, stale, repeated, oversized and cross-site requests are rejected with the right status and a sentence."""

import pytest
from server_browser import Browser, visiting
from server_config import config_at

from hegemon.server.app import MAX_REQUEST_BYTES
from hegemon.server.runner import BaseUrlError, check_base_url


async def two_people(browser):
    await browser.take_seat(seat1="me", seat2="person")
    await browser.get(f"{browser.path}?seat=1")


async def test_the_health_check_succeeds(client):
    answer = await client.get("/health")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "failing": [], "broken_games": 0}


async def test_the_api_is_described(client):
    described = (await client.get("/schema/openapi.json")).json()
    assert "/health" in described["paths"]


async def test_a_repeated_move_counts_once(browser):
    await two_people(browser)
    choice, idempotency_key, number = (
        browser.words[0],
        browser.hidden("idempotency_key"),
        browser.hidden("version"),
    )
    for _ in range(2):
        await browser.post(
            f"{browser.path}/moves",
            {"choice": choice, "version": number, "idempotency_key": idempotency_key, "seat": "1"},
        )
        assert browser.status == 200
        browser.path = browser.path.split("?")[0]
    await browser.get(f"{browser.path}?seat=1")
    assert browser.hidden("version") == "1"


async def test_a_stale_move_is_rejected_and_shows_the_current_table(browser):
    await two_people(browser)
    await browser.submit_move(browser.words[0])
    await browser.get(f"{browser.path}?seat=1")
    await browser.submit_move(browser.words[0], version="0", idempotency_key="another")
    assert browser.status == 409
    assert "The table has changed" in browser.page


async def test_another_person_cannot_move(browser):
    await two_people(browser)
    fields = {"choice": browser.words[0], "version": "0", "idempotency_key": "x", "seat": "1"}
    browser.client.cookies.clear()
    answer = await browser.client.post(f"{browser.path}/moves", data=fields)
    assert answer.status_code == 403


async def test_a_forged_cookie_gives_no_seat(browser):
    await two_people(browser)
    path = browser.path
    browser.client.cookies.set("hegemon", "forged")
    await browser.get(f"{path}?seat=1")
    assert not browser.words


@pytest.mark.parametrize(
    "headers", [{"origin": "https://elsewhere.example"}, {"sec-fetch-site": "cross-site"}]
)
async def test_cross_site_requests_are_rejected(client, headers):
    answer = await client.post("/games", data={"seat1": "me", "seat2": "chance"}, headers=headers)
    assert answer.status_code == 403


async def test_an_oversized_request_is_rejected(client):
    answer = await client.post("/games", data={"name1": "x" * (MAX_REQUEST_BYTES + 1)})
    assert answer.status_code == 413


async def test_behind_a_proxy_the_public_origin_is_accepted(database):
    settings = config_at(database, base_url="https://play.example.org")
    form = {"seat1": "me", "seat2": "chance"}
    async with visiting(database, settings) as client:
        own = await client.post("/games", data=form, headers={"origin": "https://play.example.org"})
        assert own.status_code == 303
        assert "Secure" in own.headers["set-cookie"]
        other = await client.post("/games", data=form, headers={"origin": "https://example.org"})
        assert other.status_code == 403
        created = await client.post("/api/games", json={"seats": [{}, {}]})
        assert created.json()["address"].startswith("https://play.example.org/games/")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("play.example.org", "such as https://play.example.org"),
        ("ftp://play.example.org", "such as https://play.example.org"),
        ("https://play example.org", "such as https://play.example.org"),
        ("https://me@example.org", "such as https://play.example.org"),
        ("https://example.org:99999", "such as https://play.example.org"),
        ("https://[::1", "such as https://play.example.org"),
        ("https://example.org/play", "--base-url https://example.org"),
    ],
)
def test_an_invalid_base_url_is_rejected_with_an_example(url, why):
    with pytest.raises(BaseUrlError, match=why):
        check_base_url(url)
    assert check_base_url("https://play.example.org:8443/") == "https://play.example.org:8443"


async def test_pages_load_nothing_from_other_origins(client):
    answer = await client.get("/")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_games_survive_a_restart(database):
    async with visiting(database) as client:
        browser = Browser(client)
        await two_people(browser)
        await browser.submit_move(browser.words[0])
        path, cookies = browser.path, dict(client.cookies)
    async with visiting(database, cookies=cookies) as client:
        browser = Browser(client)
        await browser.get(f"{path}?seat=1")
        assert browser.hidden("version") == "1"


async def test_error_pages_have_the_same_security_headers(client):
    answer = await client.get("/nonsense")
    assert answer.status_code == 404
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "There is no such page here." in answer.text


async def test_programs_get_errors_as_json(browser):
    await two_people(browser)
    fields = {"version": "0", "idempotency_key": "x", "seat": "1"}
    live = {"accept": "application/json"}
    path = f"{browser.path}/moves"
    rejected = await browser.client.post(path, data=fields | {"choice": "mE"}, headers=live)
    assert (rejected.status_code, rejected.json()["version"]) == (422, 0)
    assert "card must be played" in rejected.json()["why"]
    taken = await browser.client.post(path, data=fields | {"choice": browser.words[0]}, headers=live)
    assert (taken.status_code, taken.json()["version"]) == (201, 1)
    lost = await browser.client.post("/games/nonsense/moves", data=fields | {"choice": "M"}, headers=live)
    assert (lost.status_code, "no such game" in lost.json()["why"]) == (404, True)


async def test_a_curtain_hides_the_stream_too(browser):
    await browser.take_seat(seat1="me", seat2="person")
    answer = await browser.client.get(f"{browser.path}/stream")
    assert answer.status_code == 403


async def test_a_record_is_not_available_before_the_end(browser):
    await browser.take_seat(seat1="me", seat2="person")
    answer = await browser.client.get(f"{browser.path}/record")
    assert answer.status_code == 403
    assert "once the game is over" in answer.text


async def test_an_internal_error_has_an_error_page(browser, monkeypatch):
    def broken(*_):
        raise RuntimeError("oops")

    monkeypatch.setattr(browser.client.app.state.pages, "rules", broken)
    await browser.get("/rules")
    assert browser.status == 500
    assert "oops" not in browser.page


async def test_a_malformed_move_is_rejected(browser):
    await two_people(browser)
    await browser.submit_move(browser.words[0], version="many")
    assert browser.status == 400
    assert "could not be understood" in browser.page

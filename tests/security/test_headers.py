"""Response headers: caching, HTTPS only, and HEAD and OPTIONS."""

import re

import pytest
from hostile_requests import filled, routes
from server_browser import visiting
from server_config import config_at
from server_program import Program

#: The same for all readers, whatever their cookies: see tests/server/test_sharing.py.
SHARED = {
    *(f"/{name}" for name in ("preview.png", "favicon.ico", "robots.txt", "feed.atom")),
    *(f"/{name}/picture.png" for name in ("games/{game_id}", "puzzles/{number}")),
}


async def test_only_files_that_are_the_same_for_all_may_be_cached(client):
    ada, _ = await Program.create(client, seats=[{}, {}])
    for method, path in routes(client):
        answer = await client.request(
            method, filled(path, ada.game), headers={"authorization": f"Bearer {ada.token}"}
        )
        stored = answer.headers.get("cache-control") != "no-store"
        assert stored == (path.startswith("/static") or path in SHARED), path
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_browsers_cache_the_files_of_a_page_for_a_year(client):
    html = (await client.get("/")).text
    files = set(re.findall(r'"(/static/[^"#]+)', html))
    assert {file.rpartition("/")[2] for file in files} >= {"base.css", "table.css", "art.svg", "icon.svg"}
    for file in files:
        assert (await client.get(file)).headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("folder", ["/static/", "/static/000000000000/"])
async def test_files_under_other_urls_are_current_and_revalidated(client, folder):
    """Another version may be running next to this one."""
    answer = await client.get(f"{folder}app.js")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert (await client.get(f"{folder}nothing.js")).status_code == 404


@pytest.mark.parametrize(("url", "promised"), [("https://play.example.org", True), ("", False)])
async def test_with_an_https_address_browsers_never_use_http(database, url, promised):
    async with visiting(database, config_at(database, base_url=url)) as client:
        for path in ("/", "/nonsense", "/static/base.css", "/api/games/x"):
            assert ("strict-transport-security" in (await client.get(path)).headers) is promised


@pytest.mark.parametrize(
    "path", ["/", "/rules", "/health", "/schema/openapi.json", "/static/base.css", "/x", "/%00"]
)
async def test_head_is_get_without_a_body(client, path):
    head, get = await client.head(path), await client.get(path)
    assert (head.status_code, head.content) == (get.status_code, b"")
    for name in ("content-type", "content-length"):
        assert head.headers.get(name) == get.headers.get(name)


async def test_every_page_answers_head(client):
    ada, _ = await Program.create(client, seats=[{}, {}])
    for method, path in routes(client):
        if method == "GET" and not path.endswith("/stream"):
            address = filled(path, ada.game)
            head, get = await client.head(address), await client.get(address)
            assert (head.status_code, head.content) == (get.status_code, b""), path
            for name in ("content-type", "cache-control", "content-security-policy", "x-robots-tag"):
                assert head.headers.get(name) == get.headers.get(name), (path, name)


async def test_the_head_of_a_stream_ends(client):
    ada, _ = await Program.create(client, seats=[{}, {}])
    head = await client.head(f"/api/games/{ada.game}/stream")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"].startswith("text/event-stream")
    assert not client.app.state.tables.get(ada.game).subscribers


async def test_options_and_errors_name_the_methods(client):
    for method, status in {"OPTIONS": 204, "DELETE": 405}.items():
        for path, allowed in {"/": "GET, HEAD, OPTIONS", "/api/games": "OPTIONS, POST"}.items():
            answer = await client.request(method, path)
            assert (answer.status_code, answer.headers["allow"]) == (status, allowed)


async def test_the_description_says_that_the_store_may_be_unavailable(client):
    described = (await client.get("/schema/openapi.json")).json()
    assert set(described["paths"]["/health"]["get"]["responses"]) == {"200", "503"}

"""The installable app: its manifest, its icons, and the cache of its service worker."""

import json
import struct

from hegemon.server.web import offline


async def list_of(client, language="de"):
    answer = await client.get(f"/service-worker.js?language={language}")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["service-worker-allowed"] == "/"
    first, _, script = answer.text.partition(";\n")
    assert 'addEventListener("fetch"' in script
    return json.loads(first.removeprefix("const MANIFEST = "))


async def test_every_page_names_the_manifest_in_its_language(browser):
    await browser.get("/rules", **{"accept-language": "pl"})
    assert '<link rel="manifest" href="/manifest.webmanifest?language=pl">' in browser.page
    answer = await browser.client.get("/manifest.webmanifest?language=pl", headers={"accept-language": "de"})
    assert answer.headers["content-type"].startswith("application/manifest+json")
    assert "manifest-src 'self'" in answer.headers["content-security-policy"]
    manifest = answer.json()
    assert (manifest["lang"], manifest["shortcuts"][0]["name"]) == ("pl", "Moje gry")
    assert (await browser.client.get("/manifest.webmanifest?language=xx")).json()["lang"] == "en"
    for place in (manifest["start_url"], *(shortcut["url"] for shortcut in manifest["shortcuts"])):
        assert (await browser.get(place)).status == 200


async def test_icons_have_the_size_that_the_manifest_says(client):
    icons = (await client.get("/manifest.webmanifest")).json()["icons"]
    assert "maskable" in {icon.get("purpose") for icon in icons}
    for icon in icons:
        answer = await client.get(icon["src"])
        assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (200, icon["type"])
        if icon["type"] == "image/png":
            assert "{}x{}".format(*struct.unpack(">II", answer.content[16:24])) == icon["sizes"]


async def test_only_rules_lessons_and_puzzles_are_cached(client):
    kept = await list_of(client)
    assert kept["language"] == "de"
    assert {"/start", "/rules", "/learn", "/learn/33", "/puzzles", "/puzzles/1?show=true"} <= kept[
        "pages"
    ].keys()
    assert {path.split("/")[1].split("?")[0] for path in kept["pages"]} == {
        "start",
        "rules",
        "rulings",
        "learn",
        "puzzles",
    }
    for place in ("/learn/2", "/puzzles/1?show=true", *kept["files"][:3]):
        assert (await client.get(place)).status_code == 200
    assert (await list_of(client, "xx"))["language"] == "en"
    assert (await list_of(client, "en"))["pages"]["/rules"] != kept["pages"]["/rules"]
    assert await list_of(client) == kept


async def test_the_size_of_the_cache_is_limited(client, monkeypatch):
    monkeypatch.setattr(offline, "MAX_BYTES", 80_000)
    assert list((await list_of(client))["pages"]) == ["/start", "/rules"]


async def test_the_start_page_says_what_needs_the_server(browser):
    await browser.get("/start")
    assert "The server cannot be reached" in browser.page
    assert "need the server" in browser.page
    assert 'content="0; url=/"' in browser.page

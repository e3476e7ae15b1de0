"""Resources for other sites: previews of links, pictures, embeds, the feed of results, and robots.txt."""

import re
import struct
from html import unescape
from xml.etree import ElementTree as ET

import pytest
from server_browser import Browser, finish, visiting
from server_config import config_at

from hegemon.play.game import Game
from hegemon.server.config import Limit, Limits
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.security import tokens
from hegemon.server.web.routes import sharing
from hegemon.server.web.views import pictures
from random_games import new_game

MINE, OTHER = tokens.new_token(), tokens.new_token()


def previewed(page):
    """The tags of a link preview, by name."""
    return dict(re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"', page))


@pytest.fixture
def drawn(monkeypatch):
    """The pictures that are drawn, as SVG; drawing them takes no time."""
    svgs = []
    monkeypatch.setattr(sharing, "png_of", lambda svg: svgs.append(svg) or b"PNG")
    return svgs


async def create_table(client, game, **options):
    """The path of a table with that game, with Ada on seat 1 and Ben on seat 2."""
    tables = client.app.state.tables
    rows = [SeatRow(None, tokens.owner_of(MINE), "Ada"), SeatRow(None, tokens.owner_of(OTHER), "Ben")]
    rows += [SeatRow(None, "other")] * (game.players - 2)
    return f"/games/{await tables.create(game, rows, options=TableOptions(**options))}"


async def test_the_home_page_and_all_others_have_a_preview(client, browser):
    for path, title in {"/": "Hegemon", "/rules": "Rules · Hegemon", "/nonsense": "Hegemon"}.items():
        tags = previewed((await browser.get(path)).page)
        assert tags["og:title"] == title
        assert tags["twitter:card"] == "summary_large_image"
        assert tags["og:image"] == "http://testserver.local/preview.png"
    answer = await client.get(tags["og:image"])
    assert (answer.headers["content-type"], answer.content[:4]) == ("image/png", b"\x89PNG")
    assert struct.unpack(">II", answer.content[16:24]) == (1200, 630)


async def test_a_table_in_progress_is_shown_as_spectators_see_it_to_its_players_too(client, drawn):
    path = await create_table(client, new_game(3))
    client.cookies.set(tokens.COOKIE, MINE)
    tags = previewed((await Browser(client).get(path)).page)
    assert tags["og:title"].startswith("Ada · Ben")
    assert tags["og:url"].endswith(path)
    picture = tags["og:image"].replace("&amp;", "&")
    own = await client.get(picture)
    client.cookies.clear()
    for address in (picture, f"{path}/picture.png?lang=en&version=5"):
        stranger = await client.get(address)
        assert stranger.content == own.content
        assert stranger.headers["cache-control"] == "public, max-age=60"
    assert len(drawn) == 1
    assert re.findall(r"font-weight='bold'>([A-Z] I+)<", drawn[0]) == [], "at the start all cards are backs"


async def test_the_picture_is_in_the_language_of_the_link_and_of_no_cookie(client, drawn):
    path = await create_table(client, new_game(3))
    client.cookies.set("language", "pl")
    for query, accepts in (("?lang=de", "el"), ("", "de"), ("?lang=xx", "de")):
        answer = await client.get(f"{path}/picture.png{query}", headers={"accept-language": accepts})
        assert answer.status_code == 200
    assert len(drawn) == 1
    assert "Runde" in drawn[0]


async def test_a_table_that_waits_shows_no_position(client, drawn):
    browser = Browser(client)
    await browser.post("/games", {"seat1": "me", "seat2": "friend"})
    tags = previewed(browser.page)
    assert tags["og:image"].endswith("/preview.png")
    waiting = await client.get(f"{browser.path}/picture.png")
    assert waiting.headers["cache-control"] == "no-store", "the first position has the same address"
    invite = client.app.state.tables.get(browser.path.split("/")[2]).seats[1].invite
    invited = previewed((await Browser(client.another()).get(f"/join/{invite}")).page)
    assert invited["og:title"] == "You are invited to a game"
    assert (await client.get("/preview.png")).content == b"PNG"
    assert len(drawn) == 1


async def test_a_finished_game_says_how_it_ended(client, drawn):
    path = await create_table(client, new_game(3))
    await finish(client, path)
    tags = previewed((await Browser(client).get(path)).page)
    assert "won by" in tags["og:description"]
    answer = await client.get(tags["og:image"].replace("&amp;", "&"))
    assert answer.headers["cache-control"] == "public, max-age=3600"
    assert "★ " in drawn[0]


async def test_pictures_of_a_deal_of_the_day_are_not_cached(client, drawn):
    """Who may see it depends on who asks: its player may, and others may not yet."""
    path = await create_table(client, new_game(3), daily=f"{client.app.state.config.now():%Y-%m-%d}")
    client.cookies.set(tokens.COOKIE, MINE)
    assert (await client.get(f"{path}/picture.png?lang=en")).headers["cache-control"] == "no-store"
    client.cookies.clear()
    page = await client.get(path, headers={"accept": "text/html"})
    assert page.status_code == (await client.get(f"{path}/picture.png?lang=en")).status_code == 403
    assert previewed(page.text)["og:image"].endswith("/preview.png")


async def test_a_puzzle_shows_its_position_and_its_task(client, drawn):
    tags = previewed((await Browser(client).get("/puzzles/2?show=true")).page)
    assert tags["og:title"] == "Puzzle 2"
    for _ in range(2):
        answer = await client.get(tags["og:image"].replace("&amp;", "&"))
        assert answer.headers["cache-control"] == "public, max-age=3600"
    assert tags["og:description"].split(",")[0].encode() in drawn[0].encode()
    assert len(drawn) == 1
    assert (await client.get("/puzzles/99999/picture.png")).status_code == 404


async def test_a_public_profile_shows_its_results_and_a_private_one_nothing(client, drawn, monkeypatch):
    store, owner = client.app.state.tables.store, tokens.owner_of(MINE)
    await store.profiles.save(owner, name="Ada", public=True)
    public_id = (await store.profiles.load(owner)).public_id
    tags = previewed((await Browser(client).get(f"/players/{public_id}")).page)
    assert (tags["og:title"], tags["og:description"]) == ("Ada", "0 games, 0 won")
    picture = tags["og:image"].replace("&amp;", "&")
    assert (await client.get(picture)).status_code == 200
    assert ">0 games, 0 won<" in drawn[0]
    for name in ("groups", "months", "opponents"):  # it needs no statistics
        monkeypatch.setattr(store.results, name, None)
    assert (await client.get(picture)).status_code == 200
    assert len(drawn) == 1
    await store.profiles.save(owner, public=False)
    assert (await client.get(picture)).status_code == 404


async def test_new_pictures_are_limited_and_known_ones_are_not(database, drawn):
    limits = Limits(pictures=Limit(rate=0.01, burst=2))
    async with visiting(database, config_at(database, limits=limits)) as client:
        client._transport.client = ("203.0.113.5", 1)
        statuses = [
            (await client.get(f"/puzzles/{number}/picture.png?lang=en")).status_code
            for number in (1, 1, 2, 3, 1)
        ]
    assert statuses == [200, 200, 200, 429, 200]


def test_letters_of_all_languages_need_no_font_of_the_system():
    """Every letter is drawn: without it the picture would be that of a space."""
    size = "xmlns='http://www.w3.org/2000/svg' width='40' height='40' font-family='serif'"
    svg = f"<svg {size}><text y='30'>{{}}</text></svg>"
    for letter in "AzŁőűŐąΩώΆЖ★▶×…·“”„’–€":
        assert pictures._MISSING_CHARACTERS.search(svg.format(letter)) is None
        assert pictures.png_of(svg.format(letter)) != pictures.png_of(svg.format(" ")), letter
    assert pictures._MISSING_CHARACTERS.search("伊")


async def test_the_favicon_exists(client):
    answer = await client.get("/favicon.ico")
    assert answer.headers["content-type"] == "image/x-icon"
    assert answer.content[:6] == b"\0\0\1\0\1\0"
    assert answer.content[22:26] == b"\x89PNG"
    assert struct.unpack("<I", answer.content[14:18])[0] == len(answer.content) - 22


async def test_robots_may_read_public_pages_but_not_index_games(client):
    answer = await client.get("/robots.txt")
    assert answer.headers["content-type"].startswith("text/plain")
    assert "Disallow: /join/\n" in answer.text
    assert "Disallow: /games" not in answer.text, "previews of links need the page"
    path = await create_table(client, new_game(3))
    assert (await client.get(path)).headers["x-robots-tag"] == "noindex"
    assert "x-robots-tag" not in (await client.get("/rules")).headers


# ------------------------------------------------------------------ embeds


async def test_a_finished_game_is_stepped_through_in_a_frame_of_another_site(client):
    path = await create_table(client, new_game(3))
    table = await finish(client, path)
    client.cookies.set(tokens.COOKIE, MINE)
    replay = (await Browser(client).get(f"{path}/replay?seat=5&at=4")).page
    snippet = unescape(re.search(r"<textarea[^>]*>([^<]+)</textarea>", replay)[1])
    address = unescape(re.search(r'src="([^"]+)"', snippet)[1])
    assert address == f"http://testserver.local{path}/embed?lang=en&seat=5&at=4"
    own = await client.get(address)
    client.cookies.clear()
    stranger = await client.get(address)
    assert own.text == stranger.text, "cookies change nothing"
    assert "set-cookie" not in stranger.headers
    assert "frame-ancestors *" in stranger.headers["content-security-policy"]
    for other in (path, f"{path}/replay", "/"):
        assert "frame-ancestors 'none'" in (await client.get(other)).headers["content-security-policy"]
    for forbidden in ("<form", "<script", "<input", "<button", table.seats[0].owner):
        assert forbidden not in stranger.text
    assert f"4 / {len(table.game.moves)}" in stranger.text
    following = unescape(re.search(r'href="([^"]+)" rel="next"', stranger.text)[1])
    assert f"5 / {len(table.game.moves)}" in (await client.get(following)).text


async def test_an_embed_has_a_language_and_a_theme(client):
    path = await create_table(client, new_game(3))
    await finish(client, path)
    client.cookies.set("language", "pl")
    page = (await client.get(f"{path}/embed?theme=dark&lang=xx", headers={"accept-language": "de"})).text
    assert '<html lang="de" data-theme="dark">' in page
    page = (await client.get(f"{path}/embed?theme=%22&lang=el")).text
    assert '<html lang="el" data-theme="auto">' in page
    assert "fill='var(--felt)'" in page
    assert not re.search(r"(fill|stroke|color)='#", page), "every color follows the theme"


async def test_no_embed_of_a_deal_of_the_day_before_everyone_may_see_it(client):
    path = await create_table(client, new_game(3), daily=f"{client.app.state.config.now():%Y-%m-%d}")
    await finish(client, path)
    client.cookies.set(tokens.COOKIE, MINE)
    assert (await client.get(f"{path}/replay")).status_code == 200
    assert (await client.get(f"{path}/embed")).status_code == 403


async def test_sites_find_the_embed_of_a_link(client):
    path = await create_table(client, new_game(3))
    await finish(client, path)
    page = (await client.get(f"{path}/replay")).text
    address = unescape(re.search(r'json\+oembed" href="([^"]+)"', page)[1])
    facts = (await client.get(f"{address}&maxwidth=400&format=json")).json()
    assert (facts["type"], facts["version"], facts["width"]) == ("rich", "1.0", 400)
    assert f"{path}/embed" in facts["html"]
    assert (await client.get(f"{address}&format=xml")).status_code == 501
    for wrong in ("https://elsewhere.example/games/x", "http://testserver.local/rules", ""):
        assert (await client.get("/oembed", params={"url": wrong})).status_code == 404
    running = await create_table(client, new_game(4))
    answer = await client.get("/oembed", params={"url": f"http://testserver.local{running}"})
    assert answer.status_code == 403


# ------------------------------------------------------------------ the feed

ATOM = "{http://www.w3.org/2005/Atom}"


async def test_the_feed_has_the_results_of_public_games_and_nothing_of_others(client, monkeypatch):
    tables, paths = client.app.state.tables, []
    for number, public in enumerate((True, True, False)):
        rows = [SeatRow(None, tokens.owner_of(MINE), f"A<da>{number}"), SeatRow(None, "other", "Ben")]
        game = Game(2, seed=number, names=["Ada", "Ben"])
        paths.append(f"/games/{await tables.create(game, rows, public=public)}")
    await finish(client, paths[0])
    await finish(client, paths[2])
    answer = await client.get("/feed.atom?lang=de")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = ET.fromstring(answer.content)
    assert [entry.find(f"{ATOM}id").text for entry in feed.iter(f"{ATOM}entry")] == [
        f"http://testserver.local{paths[0]}"
    ]
    entry = feed.find(f"{ATOM}entry")
    assert entry.find(f"{ATOM}title").text == "A<da>0 · Ben"
    assert "gewinnt durch" in entry.find(f"{ATOM}summary").text
    assert tokens.owner_of(MINE) not in answer.text
    replayed = []
    monkeypatch.setattr(tables, "load", lambda *_, **__: replayed.append(1))
    assert (await client.get("/feed.atom?lang=de")).text == answer.text
    assert replayed == [], "a result is read once"


async def test_pages_of_a_server_with_a_lobby_name_the_feed(database):
    async with visiting(database, config_at(database, lobby=True)) as client:
        assert 'href="/feed.atom"' in (await client.get("/")).text
        assert ET.fromstring((await client.get("/feed.atom")).content).find(f"{ATOM}entry") is None

"""The pages, in a browser without JavaScript."""

import asyncio
import random

import pytest
from markupsafe import escape
from server_browser import finish

from hegemon import Game, read_record
from hegemon.prose.rulings import load_rulings

PLAYED = "seat1", "seat2", "seat3"


async def play_to_the_end(browser, chance, most=600):
    """Answer every question at random, reloading while the bots think."""
    while 'class="over"' not in browser.page:
        words = [choice for choice in browser.words if choice != "undo"]
        if words:
            await browser.submit_move(chance.choice(words))
            assert browser.status == 200, browser.page
            most -= 1
            assert most, "the game does not end"
        else:
            await asyncio.sleep(0.05)
            await browser.get(browser.path)


async def test_the_start_page_offers_a_quick_game(browser):
    await browser.get("/")
    assert browser.status == 200
    assert "Carta Impera Victoria" in browser.page


async def test_one_click_starts_a_game_of_three_against_two_bots(browser):
    await browser.take_seat()
    assert browser.path.startswith("/games/")
    assert browser.page.count('class="tag">bot<') == 2


@pytest.mark.slow
async def test_bots_have_names_in_the_readers_language(browser):
    await browser.post("/games", {})
    path = browser.path
    for code, shown, hidden in (("el", "Ζηνοβία", "Zenobia"), ("hu", "Zénóbia", "Zenobia")):
        for page in (path, "/"):
            await browser.get(page, **{"accept-language": code})
            assert (shown in browser.page, hidden in browser.page) == (True, False)


async def test_editions_are_listed(browser):
    await browser.get("/", **{"accept-language": "pl"})
    assert "wydanie angielskie, wydanie" in browser.page
    assert "<dd>żadne wydanie</dd>" in browser.page
    assert "1. hely" in (await browser.get("/", **{"accept-language": "hu"})).page


@pytest.mark.slow
async def test_a_whole_game_can_be_played_by_forms_and_reloads(browser):
    await browser.take_seat(seat1="me", seat2="chance", seat3="chance")
    await play_to_the_end(browser, random.Random(1))
    record = await browser.client.get(f"{browser.path}/record")
    assert read_record(record.text).result is not None


async def test_my_games_are_listed_and_can_be_resumed(browser):
    await browser.take_seat(seat1="me", seat2="greedy", name1="Ada")
    table = browser.path
    await browser.get("/")
    assert table in browser.page
    assert "Ada" in browser.page


async def test_a_game_on_one_device_has_a_curtain_between_the_players(browser):
    await browser.take_seat(seat1="me", seat2="person", name1="Ada", name2="Ben")
    assert "Ada" in browser.page
    assert "hand" not in browser.words
    await browser.get(f"{browser.path}?seat=1")
    first = browser.words[0]
    await browser.submit_move(first)
    while "." in browser.words:
        await browser.submit_move(".")
    assert "Ben" in browser.page
    assert not browser.words


async def test_a_draft_in_teams_of_four_on_one_device(browser):
    await browser.take_seat(
        seat1="me", seat2="person", seat3="person", seat4="person", variant="draft", teams="on"
    )
    table = browser.path
    for _ in range(3):
        for seat in (1, 2, 3, 4):
            await browser.get(f"{table}?seat={seat}")
            await browser.submit_move(browser.words[0])
            assert browser.status == 200
    await browser.get(f"{table}?seat=4")
    assert "The center" in browser.page


async def test_undo_takes_a_choice_back_or_says_why_not(browser):
    await browser.take_seat(seat1="me", seat2="person")
    await browser.get(f"{browser.path}?seat=1")
    before = [choice for choice in browser.words if choice != "undo"]
    await browser.submit_move(before[0])
    if "undo" not in browser.words:
        await browser.get(f"{browser.path}?seat=1")
    await browser.submit_move("undo")
    assert [choice for choice in browser.words if choice != "undo"] == before
    await browser.submit_move("undo")
    assert browser.status == 422
    assert "You have no choice to undo now." in browser.page


async def test_an_illegal_choice_is_rejected_with_the_reason(browser):
    await browser.take_seat(seat1="me", seat2="person")
    await browser.get(f"{browser.path}?seat=1")
    await browser.submit_move("mE")
    assert browser.status == 422
    assert "a card must be played" in browser.page


@pytest.mark.parametrize(
    "form", [{"seat1": "me"}, {"seat1": "me", "seat2": "nonsense"}, {"seat1": "chance", "seat2": "chance"}]
)
async def test_a_table_that_cannot_be_created_is_rejected_with_the_reason(browser, form):
    await browser.post("/games", form)
    assert browser.status == 422
    assert 'role="alert"' in browser.page


async def test_an_unknown_game_and_an_unknown_page_are_not_found(browser):
    for path in ("/games/nonsense", "/nonsense"):
        await browser.get(path)
        assert browser.status == 404


async def test_rules_and_rulings_can_be_read(browser):
    for path in ("/rules", "/rulings"):
        await browser.get(path)
        assert browser.status == 200


async def test_every_ruling_has_its_place_on_the_page(browser):
    await browser.get("/rulings")
    for chapter in load_rulings().chapters.values():
        for name, ruling in chapter.rulings.items():
            assert (
                f'<div id="{name}"><dt><a href="#{name}">{name}</a> {escape(ruling.question)}</dt>'
                in browser.page
            )
            assert escape(ruling.answer) in browser.page


async def test_settings_are_on_the_start_page_and_at_the_table(browser):
    await browser.get("/")
    for name in ("theme", "sound"):
        assert f'<select name="{name}">' in browser.page
    await browser.post("/games", {})
    assert '<select name="theme">' in browser.page


async def test_help_explains_the_symbols(browser):
    await browser.post("/games", {})
    legend = browser.page.partition('class="keys legend"')[2].partition("</dl>")[0]
    for symbol in ("★", "/7", "back b3", "seen:", "art.svg#embargo", "art.svg#democracy", "art.svg#coin"):
        assert symbol in legend
    assert 'class="keys by-key"' in browser.page, "the keys, which touch screens leave out, are listed too"


async def test_settings_are_saved_and_redirect_back(browser):
    await browser.post("/settings", {"theme": "dark", "back": "/rules", "nonsense": "yes"})
    assert browser.path == "/rules"
    assert 'data-theme="dark"' in browser.page
    await browser.post("/settings", {"language": "xx", "back": "//elsewhere"})
    assert browser.path == "/"


async def test_a_finished_game_can_be_stepped_through_from_every_perspective(browser):
    await browser.take_seat(seat1="me", seat2="person")
    table = browser.path
    await browser.get(f"{table}/replay")
    assert browser.status == 403
    await finish(browser.client, table)
    for query in ("", "?at=7", "?at=7&seat=1", "?at=100000&seat=2"):
        await browser.get(f"{table}/replay{query}")
        assert browser.status == 200, query


async def test_the_shuffle_is_committed_before_the_game_and_revealed_after_it(browser):
    await browser.take_seat(seat1="me", seat2="person")
    table = browser.path
    await browser.get(f"{table}/shuffle")
    assert "Salt" not in browser.page
    await finish(browser.client, table)
    await browser.get(f"{table}/shuffle")
    assert "Salt" in browser.page


async def test_a_record_from_a_file_can_be_opened(browser):
    game = Game(2, seed=4)
    while not game.over:
        game.play(game.choices[0])
    from hegemon import write_record

    opened = await browser.client.post(
        "/replays", files={"record": ("game.toml", write_record(game.record()))}, follow_redirects=True
    )
    assert opened.status_code == 200
    assert opened.url.path.endswith("/replay")
    for bad in (b"nonsense", b"\xff\xfe"):
        rejected = await browser.client.post("/replays", files={"record": ("game.toml", bad)})
        assert rejected.status_code == 422

"""Explanations on pages, in the reader's language: rejections, reasons, next steps, and the winner."""

import random
from html import unescape

import pytest
from server_browser import Browser, finish, visiting
from server_config import config_at

from hegemon import Game, write_record
from hegemon.prose import english
from hegemon.prose.translator import get_translator, languages
from hegemon.rules.position import Question
from hegemon.rules.victory import leaders_by_points, majority_winners
from hegemon.server.texts import SETUP_REJECTIONS
from hegemon.server.web.views.story import because
from hegemon.views import game_table
from hegemon.views.majority import tie_breaks
from random_games import new_game

# ------------------------------------------------------------------ in the reader's language


async def test_the_reason_for_a_rejected_table_is_in_the_readers_language(browser):
    form = {"seat1": "me", "name1": "Ada", "variant": "draft", "teams": "on", "rulings": "pl"}
    await browser.post("/games", form, **{"accept-language": "de"})
    assert browser.status == 422
    assert get_translator("de").text(SETUP_REJECTIONS["alone"]) in unescape(browser.page)
    for kept in (
        'value="Ada"',
        'value="draft" checked',
        'name="teams" checked',
        'value="pl" selected',
        'value="me" selected',
    ):
        assert kept in browser.page


@pytest.mark.parametrize(
    ("form", "key"),
    [
        ({"seat1": "me", "seat2": "easy", "teams": "on"}, "teams"),
        ({"seat1": "me", "seat2": "easy", "variant": "poker"}, "variant"),
        ({"seat1": "me", "seat2": "easy", "rulings": "poker"}, "rulings"),
        ({"seat1": "easy", "seat2": "easy"}, "no-person"),
    ],
)
async def test_every_rejected_table_has_a_reason(browser, form, key):
    await browser.post("/games", form)
    assert SETUP_REJECTIONS[key] in unescape(browser.page)


async def test_a_player_without_a_name_gets_a_default_name(browser):
    await browser.post(
        "/games", {"seat1": "me", "seat2": "person", "seat3": "chance"}, **{"accept-language": "de"}
    )
    table = await browser.client.app.state.tables.load(browser.path.rpartition("/")[2])
    assert table.game.names == ("Solon", "Hypatia", english.BOT_NAMES[2])


async def test_an_invalid_record_file_is_rejected_in_the_readers_language(browser):
    record = write_record(Game(2, seed=4).record())
    for content, key in (
        (b"\xff\xfe", "record-text"),
        (b"nonsense", "record-form"),
        (record.replace("M", "X").encode(), "record-game"),
        (write_record(Game.from_position("M1(M1)/(R1)").record()).encode(), "record-study"),
    ):
        rejected = await browser.client.post(
            "/replays", files={"record": ("game.toml", content)}, headers={"accept-language": "hu"}
        )
        assert rejected.status_code == 422
        assert get_translator("hu").text(SETUP_REJECTIONS[key]) in unescape(rejected.text)


async def test_my_games_are_listed_without_loading_their_tables(database, hands):
    config = config_at(database, now=hands)
    async with visiting(database, config) as client:
        ada = await Browser(client).take_seat(seat1="me", seat2="person", name1="Ada")
        tables = client.app.state.tables
        await tables.turns.save()
        hands.go(3600)
        await tables.import_game(Game(2, seed=1))  # a starting server schedules the games changed last
    async with visiting(database, config, cookies=client.cookies) as again:
        assert ada.path in (await again.get("/")).text
        assert not any("Ada" in table.game.names for table in again.app.state.tables._tables.values())


# ------------------------------------------------------------------ reasons and consequences


async def test_an_illegal_choice_shows_the_reason(browser):
    await browser.take_seat(seat1="me", seat2="person", name1="Ada", name2="Ben")
    await browser.get(f"{browser.path}?seat=2")
    assert browser.page.count("Not now: Ada is choosing.") > 6
    await browser.get(f"{browser.path}?seat=1")
    question = english.QUESTIONS[Question.PLAY]
    assert f'<p class="why">{question}' in browser.page
    assert browser.page.count("cards in your play area; you have 0.") == 10  # for every permanent effect
    assert browser.page.count("card in your play area to pay with.") == 5  # for every discard effect


async def test_the_board_describes_what_an_effect_would_do_now(browser):
    game = Game(2, seed=1)
    game.play(game.choices[0])
    await browser.take_seat(seat1="me", seat2="person")
    await browser.get(f"{browser.path}?seat=1")
    await browser.submit_move(browser.words[0])
    await browser.get(f"{browser.path}?seat=1")
    assert '<ul class="now">' in browser.page or "cards in your play area" in browser.page


async def test_confirming_the_end_of_a_turn_needs_no_script(browser):
    await browser.post("/settings", {"confirm": "on"})
    await browser.take_seat(seat1="me", seat2="person")
    table = browser.path
    for _ in range(40):
        await browser.get(f"{table}?seat={1 + await seat_at(browser, table)}")
        if "." in browser.words and len(browser.words) > 2:
            break
        await browser.submit_move("." if "." in browser.words else browser.words[0])
    assert 'popovertarget="confirm-end"' in browser.page
    await browser.submit_move(".")
    assert browser.status == 200


async def seat_at(browser, table):
    return (await browser.client.app.state.tables.load(table.rpartition("/")[2])).to_move[0]


async def test_a_page_without_script_reloads_while_others_think(browser):
    await browser.take_seat(seat1="me", seat2="person")
    await browser.get(f"{browser.path}?seat=2")
    assert '<noscript><meta http-equiv="refresh"' in browser.page
    await browser.get(f"{browser.path}?seat=1")
    assert '<noscript><meta http-equiv="refresh"' not in browser.page


def test_ties_are_broken_as_the_rules_say():
    broken = 0
    for seed in range(60):
        game, chance = new_game(seed), random.Random(seed)
        for _ in range(chance.randrange(300)):
            if game.over:
                break
            seat = next(seat for seat in range(game.players) if game.choices_of(seat))
            game.play(chance.choice(game.choices_of(seat)), seat)
        table = game.position
        ties = tie_breaks(table)
        ahead = sum(1 << side for side in ties[-1].ahead) if ties else leaders_by_points(table)
        assert ahead == majority_winners(table)
        broken += bool(ties)
    assert broken


# ------------------------------------------------------------------ after the end


async def test_the_end_gives_the_reason_and_offers_a_rematch(browser):
    await browser.take_seat(
        seat1="me", seat2="person", name1="Ada", name2="Ben", variant="draft", rulings="pl"
    )
    table = browser.path
    await finish(browser.client, table)
    await browser.get(table)
    assert 'class="because"' in browser.page
    await browser.post(f"{table}/rematch", {})
    assert browser.status == 200
    again = await browser.client.app.state.tables.load(browser.path.rpartition("/")[2])
    assert browser.path != table
    assert set(again.game.names) == {"Ada", "Ben"}
    assert (again.game.record().variant, again.game.record().rulings) == ("draft", "pl")


@pytest.mark.parametrize("seed", [1, 4])
def test_the_reasons_for_a_win_are_listed(seed):
    """Both kinds of ending, in every language."""
    game, chance = Game(3, seed=seed), random.Random(seed)
    while not game.over:
        words = game.choices
        game.play("." if "." in words and chance.random() < 0.9 else chance.choice(words))
    model = game_table(game, 0)
    for language in languages():
        told = because(game.result, model, get_translator(language))
        assert told
        assert all(game.names[seat] in " ".join(told) for seat in game.result.winners)


async def test_a_replay_with_all_cards_open_shows_every_hand(browser):
    game = Game(2, seed=4)
    while not game.over:
        game.play(game.choices[0])
    opened = await browser.client.post(
        "/replays", files={"record": ("game.toml", write_record(game.record()))}, follow_redirects=True
    )
    path = opened.url.path
    await browser.get(f"{path}?at=3&seat=0")
    assert 'data-card="?1" data-place="hand-' in browser.page
    await browser.get(f"{path}?at=3&seat=5")
    assert 'data-card="?1" data-place="hand-' not in browser.page
    for place in ("hand-0", "hand-1"):
        assert f'data-place="{place}"' in browser.page

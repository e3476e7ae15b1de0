"""Finished games: the result, the replay, the record as a file, and the verification of the shuffle."""

import hashlib
import re
from itertools import count

import pytest
from browser_site import game_on, played
from playwright.sync_api import expect

from hegemon import read_record
from hegemon.play.game import Game
from hegemon.prose.translator import get_translator
from hegemon.rules.position import Ending, Question
from hegemon.server.security import tokens

NAMES = ("Ada", "Zenobia", "Ashoka")


def gives(game, at):
    """Whether the move after this ply is a card given back after an Inquisition."""
    return moment_of(game, at).view(0).question == Question.GIVE


@pytest.fixture(scope="module")
def finished():
    """A game won by Hegemony in which cards were given back."""
    games = (played(Game(3, seed=seed, names=NAMES)) for seed in count(5))
    won = (game for game in games if game.result.ending == Ending.HEGEMONY)
    return next(game for game in won if any(gives(game, at) for at in range(len(game.moves))))


@pytest.fixture
def table(site, finished):
    """A finished game, and the token of its player."""
    token = tokens.new_token()
    return site.lay(finished, (None, "greedy", "greedy"), token), token


def moment_of(game, choices):
    """The game at this ply."""
    copy = game.copy()
    copy.rewind(choices)
    return copy


def at(page, moment, last):
    expect(page.get_by_text(f"{moment} / {last}", exact=True)).to_be_visible()
    page.wait_for_load_state()  # keys work once the script is loaded


@pytest.mark.parametrize("language", ["el", "en"])
def test_stepping_through_a_game(visit, table, finished, language):
    (game_id, token), last, said = table, len(finished.moves), get_translator(language).text
    page = visit(language, token=token)
    page.goto(f"/games/{game_id}")
    page.get_by_role("link", name=said("Step through the game")).click()
    at(page, 0, last)
    page.get_by_role("link", name=said("Next choice")).click()
    at(page, 1, last)
    for moment in (2, 3):
        page.keyboard.press("ArrowRight")
        at(page, moment, last)
    page.keyboard.press("ArrowLeft")
    at(page, 2, last)
    page.get_by_role("link", name=said("The end of the game")).click()
    at(page, last, last)
    page.get_by_role("link", name=said("Previous turn")).click()
    expect(page.get_by_text(f"{last} / {last}")).to_have_count(0)


def test_a_choice_without_an_event_shows_the_previous_event(visit, table, finished):
    """Between two gifts, the page shows the latest event; only at the beginning is there none."""
    (game_id, _), dealt = table, get_translator("hu").text("The cards have been dealt.")
    page = visit("hu")
    giving = next(at for at in range(len(finished.moves)) if gives(finished, at))
    page.goto(f"/games/{game_id}/replay?at={giving + 1}")
    expect(page.get_by_role("status")).to_contain_text(re.compile(r"\w"))
    expect(page.get_by_role("status")).not_to_contain_text(dealt)
    page.goto(f"/games/{game_id}/replay?at=0")
    expect(page.get_by_role("status")).to_contain_text(dealt)


def hands_on(page):
    """How many cards of each hand lie open on a replay's page, as its panels and the hand in front show them."""
    found = page.locator("[data-place^=hand-]:not([data-card^='?'])").all()
    hands = [card.get_attribute("data-place") for card in found]
    return [hands.count(f"hand-{seat}") for seat in range(3)]


def test_a_replay_can_be_seen_by_any_seat_or_with_open_cards(visit, table, finished):
    game_id, _ = table
    page = visit("de")
    moment = moment_of(finished, 40)
    sizes = [len(moment.view(seat).hand) for seat in range(3)]
    page.goto(f"/games/{game_id}/replay?at=40")
    seen_by = page.get_by_role("combobox")
    shown = {}
    for value in [option.get_attribute("value") for option in seen_by.locator("option").all()]:
        seen_by.select_option(value)
        page.goto(f"/games/{game_id}/replay?at=40&seat={value}")
        shown[value] = hands_on(page)
    open_cards = max(shown, key=int)
    assert shown == {
        "0": [0, 0, 0],
        "1": [sizes[0], 0, 0],
        "2": [0, sizes[1], 0],
        "3": [0, 0, sizes[2]],
        open_cards: sizes,
    }


def test_a_record_can_be_downloaded_and_opened(visit, site, table, finished, tmp_path):
    (game_id, token), said = table, get_translator("pl").text
    page = visit("pl", token=token, forgive=["the server responded with a status of 422"])
    page.goto(f"/games/{game_id}")
    with page.expect_download() as download:
        page.get_by_role("link", name=said("Download the record")).click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.suffix == ".toml"
    assert read_record(file.read_text()) == finished.record()
    page.goto("/")
    page.get_by_label(said("Open a record from a file")).set_input_files(file)
    page.get_by_role("button", name=said("Open"), exact=True).click()
    page.wait_for_url("**/replay*")
    assert game_on(page) != game_id
    assert site.game(game_on(page)).record() == finished.record()
    file.write_text("nonsense = [")
    page.goto("/")
    page.get_by_label(said("Open a record from a file")).set_input_files(file)
    page.get_by_role("button", name=said("Open"), exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()


@pytest.mark.parametrize("language", ["hu", "de"])
def test_the_shuffle_can_be_checked(visit, table, finished, language):
    (game_id, token), said = table, get_translator(language).text
    page = visit(language, token=token)
    page.goto(f"/games/{game_id}")
    page.get_by_role("link", name=said("Check the shuffle")).click()
    digest, salt, deck = page.get_by_role("code").all_inner_texts()
    assert digest == finished.commitment == hashlib.sha256(f"{salt}:{deck}".encode()).hexdigest()


def test_before_the_end_only_the_digest_is_shown(visit, site):
    game = played(Game(3, seed=5), lambda game: len(game.moves) > 20)
    page = visit()
    page.goto(f"/games/{site.lay(game)}/shuffle")
    assert page.get_by_role("code").all_inner_texts() == [game.commitment]


def test_the_page_explains_why_the_game_was_won(visit, table, finished):
    game_id, token = table
    page = visit("en", token=token)
    page.goto(f"/games/{game_id}")
    expect(page.get_by_role("main").get_by_role("heading", level=1)).to_contain_text("Hegemony")
    page.get_by_role("button", name="Play again").click()
    page.wait_for_url(lambda address: game_id not in address)
    assert tuple(page.locator(".player").all_inner_texts()).count("Zenobia") == 1


def test_one_touch_leads_to_where_the_game_was_decided(visit, site, table, finished):
    """From the end of the game to the costliest choice, to the next one, and to the reading with open cards."""
    game_id, token = table
    site.save_analysis(game_id)
    page = visit("en", token=token)
    page.goto(f"/games/{game_id}")
    page.get_by_role("link", name="Where it was decided").click()
    page.wait_for_load_state()
    page.evaluate("window.stays = true")
    expect(page.locator(".judged")).to_contain_text("Better:")
    page.keyboard.press("Home")
    at(page, 0, len(finished.moves))
    page.keyboard.press("n")
    expect(page.locator(".judged")).to_be_visible()
    page.keyboard.press("o")
    expect(page.get_by_role("heading", name="Turning points")).to_be_visible()
    assert all(hands_on(page))
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    at(page, len(finished.moves), len(finished.moves))
    assert page.evaluate("window.stays"), "no page was loaded"

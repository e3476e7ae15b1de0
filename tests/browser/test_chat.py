"""Chat at a table, in each reader's language, and the separate chat of spectators."""

import re

import pytest
from browser_players import invite, take_seat
from browser_site import ANSWERS, OVER, game_on
from playwright.sync_api import expect

from hegemon.prose.translator import get_translator

#: The browser's own message about rejected requests.
REJECTIONS = "the server responded with a status of 422"


@pytest.fixture(scope="module")
def site(company):
    """The server of these tests."""
    return company


@pytest.fixture
def table(visit):
    """Ada, who reads German, and Ben, who reads Greek, at one table."""
    ada, ben = visit("de", forgive=[REJECTIONS]), visit("el")
    (link,) = invite(ada, "me", "friend", name1="Ada")
    take_seat(ben, link, "Ben")
    ada.wait_for_selector(ANSWERS)
    return ada, ben


def said_on(page):
    """The chat messages on a page, the latest first."""
    return page.locator("[data-line]")


def say_phrase(page, key, about=None, domain=None):
    chat = page.locator("#chat")
    chat.locator("select[name=phrase]").select_option(key)
    if about:
        chat.locator("select[name=about]").select_option(label=about)
    if domain:
        chat.locator("select[name=domain]").select_option(domain)
    chat.locator("button[form=chat-phrase]").click()


def submit_move(page, text):
    page.locator("#chat input[name=text]").fill(text)
    page.keyboard.press("Enter")


def test_a_phrase_reaches_each_reader_in_their_language(table):
    ada, ben = table
    say_phrase(ada, "spare", "Ben", "S")
    for page, language in ((ada, "de"), (ben, "el")):
        words = get_translator(language)
        domain = next(name for key, name in words.domains.items() if key.letter == "S")
        sentence = words.text("{name}, I won’t attack your {domain} this round.", name="Ben", domain=domain)
        expect(said_on(page).first).to_contain_text(sentence)
    expect(ben.locator("#chat-live")).to_contain_text("Ada")
    expect(ben.locator("#chat select[name=domain]")).to_be_hidden()
    submit_move(ben, "Εντάξει!")
    expect(said_on(ada).first).to_contain_text("Εντάξει!")
    expect(ben.locator("#chat input[name=text]")).to_have_value("")


def test_a_message_being_typed_survives_updates(table, site):
    ada, ben = table
    ben.locator("#chat input[name=text]").fill("half a sen")
    site.play_on(game_on(ada), lambda game: len(game.moves) > 6)
    expect(ben.locator("input[name=version]")).to_have_value("7")
    expect(ben.locator("#chat input[name=text]")).to_have_value("half a sen")
    expect(ben.locator("#chat input[name=text]")).to_be_focused()


def test_too_many_messages_are_rejected_with_a_reason(table, site):
    ada, ben = table
    for number in range(5):
        submit_move(ada, f"Nummer {number}")
        expect(said_on(ben).first).to_contain_text(f"Nummer {number}")
    submit_move(ada, "Nummer 5")
    expect(ada.locator("#chat-notice")).to_have_text(
        get_translator("de").text("You are sending messages too fast. Wait a few seconds.")
    )
    expect(ada.locator("#chat input[name=text]")).to_have_value("Nummer 5")
    site.let_pass(10)
    ada.keyboard.press("Enter")
    expect(said_on(ben).first).to_contain_text("Nummer 5")
    expect(ada.locator("#chat-notice")).to_be_hidden()


def test_a_player_is_muted_and_unmuted(table):
    ada, ben = table
    greek = get_translator("el").text
    submit_move(ada, "laut")
    expect(said_on(ben)).to_have_count(1)
    ben.get_by_text(greek("Mute or report"), exact=True).click()
    ben.get_by_role("button", name=greek("Mute {name}", name="Ada")).click()
    expect(said_on(ben)).to_have_count(0)
    submit_move(ada, "lauter")
    expect(said_on(ada)).to_have_count(2)
    submit_move(ben, "ησυχία")
    expect(said_on(ben)).to_have_count(1)
    ben.get_by_text(greek("Mute or report"), exact=True).click()
    ben.get_by_role("button", name=greek("Unmute {name}", name="Ada")).click()
    expect(said_on(ben)).to_have_count(3)


def test_spectators_have_a_separate_chat_until_the_game_is_over(table, site, visit):
    ada, ben = table
    game_id = game_on(ada)
    eve, dan = visit("en"), visit("hu")
    for page in (eve, dan):
        page.goto(f"/games/{game_id}")
    german = get_translator("de")
    spectating = german.numbered("One spectator.", "{number} spectators.", 2)
    expect(ada.locator(".spectators")).to_have_text(spectating)
    expect(eve.locator("[data-place^=hand-]:not([data-card^='?'])")).to_have_count(0)
    submit_move(ben, "γεια")
    expect(said_on(eve).first).to_contain_text("γεια")
    eve.locator("#chat input[name=name]").fill("Eve")
    submit_move(eve, "Ada will win.")
    expect(said_on(dan).first).to_contain_text(re.compile("Eve.*Ada will win."))
    submit_move(ada, "Hallo")
    for page in (ada, ben):
        expect(said_on(page).first).to_contain_text("Hallo")
        expect(said_on(page)).to_have_count(2)
    site.play_on(game_id)
    for page in (ada, ben):
        expect(page.locator(OVER)).to_be_visible()
        expect(said_on(page)).to_have_count(3)
    dan.close()
    expect(ada.locator(".spectators")).to_have_text(
        german.numbered("One spectator.", "{number} spectators.", 1)
    )


def test_a_bar_on_a_phone_leads_to_the_latest_message(visit):
    ada, phone = visit("en"), visit("en", viewport={"width": 360, "height": 740}, has_touch=True)
    (link,) = invite(ada, "me", "friend", name1="Ada")
    take_seat(phone, link, "Ben")
    phone.locator("#table").wait_for()
    bar = phone.locator("#to-chat")
    expect(bar).to_be_hidden()
    phone.wait_for_load_state()
    submit_move(ada, "Look down here!")
    expect(bar).to_be_visible()
    expect(bar).to_contain_text("Look down here!")
    bar.tap()
    expect(said_on(phone).first).to_be_in_viewport()
    expect(bar).to_be_hidden()

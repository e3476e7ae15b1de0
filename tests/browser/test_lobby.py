"""The lobby: an open table is found without a link, and one click takes a seat."""

import pytest
from browser_players import invite, panel_of
from browser_site import ANSWERS, game_on
from playwright.sync_api import expect

from hegemon.prose.translator import get_translator


@pytest.fixture(scope="module")
def site(company):
    """The server of these tests."""
    return company


def test_a_table_appears_and_one_click_takes_a_seat(visit, site):
    ada, ben = visit("de"), visit("pl")
    polish = get_translator("pl").text
    ben.clock.install()
    ben.goto("/lobby")
    expect(ben.get_by_text("Ada")).to_have_count(0)
    invite(ada, "me", "friend", name1="Ada", variant="draft", public=True)
    ben.clock.fast_forward(5_000)
    offer = ben.locator("#offers > ul > li", has_text="Ada")
    expect(offer).to_contain_text(get_translator("pl").person_name(1))
    offer.get_by_role("button", name=polish("Take a seat")).click()
    for page in (ada, ben):
        page.wait_for_selector(ANSWERS)
    assert game_on(ada) == game_on(ben)
    expect(panel_of(ben, "Ada")).to_be_visible()


def test_tables_can_be_filtered(visit, site):
    ada, ben = visit("hu"), visit("en")
    invite(ada, "me", "friend", "friend", name1="Ilona", public=True)
    ben.goto("/")
    ben.get_by_role("link", name="Lobby").click()
    offer = ben.locator("#offers > ul > li", has_text="Ilona")
    expect(offer).to_be_visible()
    for label, wrong, right in (("Players", "2", "3"), ("Language", "Deutsch", "Magyar")):
        wish = ben.get_by_role("combobox", name=label)
        wish.select_option(wrong)
        ben.get_by_role("button", name="Refresh").click()
        expect(offer).to_have_count(0)
        wish.select_option(right)
        ben.get_by_role("button", name="Refresh").click()
        expect(offer).to_be_visible()


def test_a_name_being_typed_survives_updates(visit, site):
    ada, ben = visit("en"), visit("en")
    invite(ada, "me", "friend", name1="Livia", public=True)
    ben.clock.install()
    ben.goto("/lobby")
    field = ben.locator("#offers > ul > li", has_text="Livia").get_by_label("Your name")
    field.fill("Be")
    ben.clock.fast_forward(20_000)
    expect(field).to_have_value("Be")
    expect(field).to_be_focused()


def test_a_player_can_opt_in_to_a_rating(visit, site):
    ada, ben = visit("el"), visit("en")
    invite(ada, "me", "friend", name1="Ariadne", public=True, rated=True)
    greek = get_translator("el").text
    ada.goto("/me")
    ada.get_by_role("button", name=greek("Track my rating")).click()
    expect(ada.get_by_text("Ariadne: 1000")).to_be_visible()
    ben.goto("/lobby")
    offer = ben.locator("#offers > ul > li", has_text="Ariadne")
    expect(offer).to_contain_text("1000")
    expect(offer).to_contain_text("rated")

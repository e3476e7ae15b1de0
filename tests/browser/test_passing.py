"""The page makes forced choices automatically, unless the reader turns that off."""

import pytest
from browser_site import UNDO, answer, wait_for_number
from playwright.sync_api import expect

from hegemon import Game
from hegemon.notation.cards import read_deck, write_cards
from hegemon.server.security import tokens

pytestmark = pytest.mark.usefixtures("untraced")

PLAYED = "[data-place=area-0][data-card=M1]"


@pytest.fixture
def only_military(site):
    """A table at which the first player holds nothing but Military."""
    rest = list(Game(2, seed=1).record().deck)
    first = read_deck("M1M1M1E1R1S1")
    for kind in first:
        rest.remove(kind)
    token = tokens.new_token()
    return token, site.lay(Game(2, deck=write_cards([*first, *rest])), (None, "person"), token)


def test_the_only_card_is_played_once_and_undo_takes_it_back(visit, only_military):
    token, game = only_military
    page = visit(token=token, settings={"passing": "on"})
    page.goto(f"/games/{game}")
    wait_for_number(page, 1)
    expect(page.locator(PLAYED)).to_have_count(1)
    answer(page, page.locator(UNDO).first.click)
    expect(page.locator(PLAYED)).to_have_count(0)
    page.reload()
    expect(page.locator("input[name=version]")).to_have_value("2")


def test_a_reader_who_does_not_want_it_plays_every_card(visit, only_military):
    token, game = only_military
    page = visit(token=token, settings={"passing": "off"})
    page.goto(f"/games/{game}")
    assert page.locator("[data-forced]").count() == 0
    answer(page, page.locator("[data-region=hand] button[value=M]").first.click)
    expect(page.locator(PLAYED)).to_have_count(1)

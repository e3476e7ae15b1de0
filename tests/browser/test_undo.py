"""Undoing a choice, and confirming the end of a turn with unused effects."""

import pytest
from browser_site import ANSWERS, END, answer, number, played, wait_for_a_question
from playwright.sync_api import expect

from hegemon.play.game import Game
from hegemon.prose.translator import get_translator
from hegemon.rules.position import Question
from hegemon.server.security import tokens

SEATS = (None, "greedy", "greedy")
REJECTIONS = "the server responded with a status of 422"


def to_move(question, words=0):
    """Whether the first seat has this question at this ply."""
    return lambda game: (
        game.seat == 0 and game.choices and game.view(0).question == question and len(game.moves) >= words
    )


@pytest.fixture
def token():
    return tokens.new_token()


def hand_on(page):
    return sorted(
        card.get_attribute("data-card") for card in page.locator("[data-region=hand] [data-card]").all()
    )


@pytest.mark.parametrize("language", ["de", "el"])
def test_a_choice_can_be_undone_until_a_card_is_drawn(visit, site, token, language):
    game_id = site.lay(played(Game(3, seed=5), to_move(Question.PLAY, 20)), SEATS, token)
    page = visit(language, token=token, forgive=[REJECTIONS])
    page.goto(f"/games/{game_id}")
    hand, first = hand_on(page), number(page)
    undo = page.get_by_role("button", name=get_translator(language).text("Undo"))
    expect(undo).to_have_count(0)
    answer(page, page.locator(ANSWERS).first.click)
    assert len(hand_on(page)) == len(hand) - 1
    answer(page, undo.click)
    assert (hand_on(page), number(page)) == (hand, first + 2)
    answer(page, page.locator(ANSWERS).last.click)
    answer(page, lambda: page.keyboard.press("z"))
    assert hand_on(page) == hand
    answer(page, page.locator(ANSWERS).first.click)
    answer(page, page.locator(END).click)
    expect(undo).to_have_count(0)
    rejected = page.request.post(
        f"/games/{game_id}/moves",
        form={"choice": "undo", "version": str(number(page)), "seat": "1", "idempotency_key": "too-late"},
        headers={"Accept": "application/json"},
    )
    assert rejected.status == 422
    assert rejected.json()["why"]


@pytest.mark.parametrize("language", ["pl", "en"])
def test_a_turn_with_unused_effects_ends_only_after_confirmation(visit, site, token, language):
    game_id = site.lay(played(Game(3, seed=5), to_move(Question.EFFECTS, 20)), SEATS, token)
    page = visit(language, token=token, settings={"confirm": "on"})
    page.goto(f"/games/{game_id}")
    wait_for_a_question(page)
    before = number(page)
    page.keyboard.press(".")
    sure = page.get_by_role("dialog", name=get_translator(language).text(SURE))
    expect(sure).to_be_visible()
    page.keyboard.press("Escape")
    expect(sure).to_be_hidden()
    assert number(page) == before == site.row(game_id).moves[-1].version
    page.keyboard.press(".")
    expect(sure).to_be_visible()
    answer(page, lambda: page.keyboard.press("Enter"))
    assert site.row(game_id).moves[before].choice == "."


SURE = "You could still use effects. End your turn anyway?"


def test_without_unused_effects_no_confirmation_is_needed(visit, site, token):
    def no_effect_left(game):
        return to_move(Question.EFFECTS)(game) and game.choices == (".",)

    game_id = site.lay(played(Game(3, seed=5), no_effect_left), SEATS, token)
    page = visit("en", token=token, settings={"confirm": "on"})
    page.goto(f"/games/{game_id}")
    answer(page, lambda: page.keyboard.press("."))

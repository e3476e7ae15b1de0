"""Whole games in a real browser, each played in a different way and language, with short deals."""

from functools import partial
from random import Random

from browser_site import (
    ANSWERS,
    END,
    answer,
    create_table,
    game_on,
    in_tab_order,
    is_over,
    number,
    open_answers,
    wait_for_a_question,
)
from playwright.sync_api import expect

from hegemon import read_record
from hegemon.play.game import Game
from hegemon.prose.translator import get_translator
from hegemon.server.security import tokens


def record_of(page):
    return read_record(page.request.get(f"/games/{game_on(page)}/record").text())


def test_a_whole_game_by_clicking(visit, site):
    page, chance = visit("de"), Random(1)
    page.goto("/")
    create_table(page, "me", "greedy", "greedy", name1="Ada")
    wait_for_a_question(page)
    while not is_over(page):
        end = page.locator(END)
        buttons = end if end.count() and chance.random() < 0.7 else page.locator(ANSWERS)
        answer(page, buttons.nth(chance.randrange(buttons.count())).click)
    record = record_of(page)
    assert record.result is not None
    assert record.names[0] == "Ada"
    assert record == site.game(game_on(page)).record()


def test_a_whole_game_by_keyboard_alone(visit, site):
    token = tokens.new_token()
    game_id = site.lay(
        Game(3, seed=14, names=("Ada", "Zenobia", "Ashoka")), (None, "greedy", "greedy"), token
    )
    page = visit("en", token=token)
    page.goto("/")
    in_tab_order(page, f"a[href='/games/{game_id}']")
    page.keyboard.press("Enter")
    wait_for_a_question(page)
    while not is_over(page):
        key = "." if page.locator(END).count() else "1"
        answer(page, partial(page.keyboard.press, key))
    assert record_of(page).result is not None
    in_tab_order(page, "a[href$='/replay']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/replay*")


def test_a_whole_game_through_the_accessibility_tree_alone(visit, site):
    """Play by roles and names alone, as with a screen reader."""
    token = tokens.new_token()
    site.lay(Game(3, seed=38, names=("Ada", "Ben", "Cleo")), (None, "greedy", "greedy"), token)
    page, said, chance = visit("pl", token=token), get_translator("pl").text, Random(3)
    page.goto("/")
    page.get_by_role("link", name="Ben i Cleo").press("Enter")
    wait_for_a_question(page)
    main, questions = page.get_by_role("main"), set()
    while not page.get_by_role("link", name=said("Download the record")).count():
        question = main.get_by_role("heading", level=1).inner_text()
        answers = main.get_by_role("list", name=question, exact=True).get_by_role("button").all()
        questions.add(question)
        chosen = answers[-1] if chance.random() < 0.8 else chance.choice(answers)
        answer(page, partial(chosen.press, "Enter"))
    assert len(questions) >= 3
    expect(page.get_by_role("log", name=said("Game log"))).to_contain_text("Cleo")


def test_a_whole_game_without_javascript(visit):
    """Forms and reloads are enough; the bots answer meanwhile."""
    page, chance = visit("hu", java_script_enabled=False), Random(4)
    page.goto("/")
    create_table(page, "me", "greedy", "greedy", "greedy")
    while not is_over(page):
        words = open_answers(page)
        if not words:
            page.reload()
            continue
        before, choice = number(page), "." if "." in words and chance.random() < 0.9 else chance.choice(words)
        page.locator(f"{ANSWERS}[value='{choice}']").click()
        page.wait_for_load_state()
        assert number(page) > before
    page.get_by_role("link", name=get_translator("hu").text("Step through the game")).click()
    page.wait_for_url("**/replay*")
    page.locator("a[rel=next]").click()
    page.wait_for_url("**at=1**")

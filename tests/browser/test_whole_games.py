"""Whole games in a real browser."""

from functools import partial
from random import Random

from hegemon import read_record


def number(page):
    return page.locator("input[name=number]").get_attribute("value")


def wait_for_a_question(page):
    page.wait_for_selector(".answers button, h1.over")


def answer(page, act):
    """Give an answer and wait until the page asks the next question, or the game is over."""
    before = number(page)
    act()
    page.wait_for_function(
        "before => document.querySelector('input[name=number]').value !== before", arg=before
    )
    wait_for_a_question(page)


def is_over(page):
    return page.locator("h1.over").count() > 0


def record_of(page):
    answer = page.request.get(f"{page.url}/record")
    return read_record(answer.text())


def test_a_whole_game_by_clicking(page):
    chance = Random(1)
    page.goto("/")
    page.select_option("select[name=seat2]", "chance")
    page.select_option("select[name=seat3]", "nobody")
    page.fill("input[name=name1]", "Ada")
    page.click("text=Lay the table")
    wait_for_a_question(page)
    while not is_over(page):
        end = page.locator(".answers button.end")
        buttons = (
            end if end.count() and chance.random() < 0.8 else page.locator("button[name=word]:not(.undo)")
        )
        answer(page, buttons.nth(chance.randrange(buttons.count())).click)
    record = record_of(page)
    assert record.result is not None
    assert record.names[0] == "Ada"
    page.click("text=Step through the game")
    page.wait_for_url("**/replay")


def test_a_whole_game_by_keyboard_alone(page):
    page.goto("/")
    while page.evaluate("document.activeElement.textContent.trim()") != "Play now against two bots":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_for_a_question(page)
    while not is_over(page):
        key = "." if page.locator(".answers button.end").count() else "1"
        answer(page, partial(page.keyboard.press, key))
    assert record_of(page).result is not None

"""A choice is marked as pending immediately, without moving anything on the page."""

import pytest
from browser_site import number, wait_for_a_question, wait_for_number
from playwright.sync_api import expect

#: Press a choice, and return what has changed synchronously.
PRESS = """button => {
  const all = [...document.querySelectorAll("#table *")];
  const boxes = () => JSON.stringify(all.map((it) => it.getBoundingClientRect()));
  const before = boxes();
  button.click();
  const { backgroundImage } = getComputedStyle(button);
  return [button.matches(".pending"), backgroundImage.includes("gradient"), boxes() === before];
}"""


def new_game(page):
    page.goto("/")
    page.locator("form[action='/games'] button").first.click()
    wait_for_a_question(page)


def test_a_choice_that_is_on_its_way_is_marked_at_once_wherever_it_is_offered(visit):
    page, held = visit(reduced_motion="reduce"), []
    new_game(page)
    page.route("**/moves*", lambda move: held.append(move))
    button = page.locator(".answers button[name=choice]").first
    choice = button.get_attribute("value")
    with page.expect_request("**/moves*"):
        assert button.evaluate(PRESS) == [True, True, True]
    offered = page.locator(f"#table button[name=choice][value='{choice}']")
    assert offered.count() > 1
    expect(page.locator("#table button.pending")).to_have_count(offered.count())
    before = number(page)
    for move in held:
        move.continue_()
    wait_for_number(page, before + 1)
    expect(page.locator(".pending")).to_have_count(0)


def test_a_choice_that_was_rejected_can_be_made_again(visit):
    page = visit(forgive=("409",))
    new_game(page)
    reply = {"status": 409, "content_type": "application/json", "body": '{"why": "Not now."}'}
    page.route("**/moves*", lambda move: move.fulfill(**reply))
    page.locator(".answers button[name=choice]").first.evaluate(PRESS)
    expect(page.locator("#notice")).to_have_text("Not now.")
    expect(page.locator(".pending")).to_have_count(0)


@pytest.mark.parametrize("path", ["/learn/1", "/puzzles/1"])
def test_lessons_and_puzzles_show_it_too(visit, path):
    page = visit()
    page.goto(path)
    page.wait_for_load_state("load")
    with page.expect_navigation():
        assert page.locator(".answers button[name=choice]").first.evaluate(PRESS) == [True, True, True]

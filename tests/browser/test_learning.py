"""The first game in a real browser: by mouse in one language, by keyboard alone in another; puzzles and hints."""

import re

import pytest
from browser_site import answer, wait_for_a_question
from playwright.sync_api import expect

from hegemon.prose.puzzles import PUZZLES
from hegemon.prose.translator import get_translator
from hegemon.server.web.views.learn import STOPS


def at_stop(page, at, language):
    """Wait for a page of the first game, and return the teacher's explanation."""
    expect(page).to_have_url(re.compile(rf"/learn(/{at})?$"))
    task = page.locator("#task")
    expect(task).to_have_text(get_translator(language).learning[STOPS[at - 1].sentence])
    expect(task).to_be_focused()
    page.wait_for_load_state("load")  # keys work once the script is loaded


#: Problems of the teacher's explanation and its target: both must be visible and not covered.
WRONG = """() => {
  const words = document.querySelector(".lesson-text"), target = document.querySelector(".pointed");
  const [a, b] = [words, target].map((element) => element.getBoundingClientRect());
  const faults = [];
  const along = (from, to) => [from + 6, (from + to) / 2, to - 6];
  for (const [name, element, box] of [["words", words, a], ["target", target, b]]) {
    const inside = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
    if (!inside) faults.push(`${name}: off the screen`);
    for (const x of along(box.left, box.right)) for (const y of along(box.top, box.bottom)) {
      const hit = document.elementFromPoint(x, y); // a player's strip lies below the button that opens it
      if (element.contains(hit) || hit?.matches(".unfold")) continue;
      faults.push(`${name}: covered at ${x}, ${y} by ${hit?.outerHTML.slice(0, 80)}`);
    }
  }
  const apart = Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom);
  if (apart < 0 || apart > 20) faults.push(`the words are ${apart} px away`);
  return faults;
}"""


def open_choice(page, choice):
    """Report problems with the position of the explanation, also after the place of the choice has been opened."""
    target = page.locator(".pointed")
    target.wait_for()
    faults = page.evaluate(WRONG)
    if choice is not None and target.get_attribute("value") != choice:
        target.click()
        page.locator(f".pointed[value='{choice}']").wait_for()
        faults += [f"opened: {fault}" for fault in page.evaluate(WRONG)]
    return faults


def test_the_first_game_by_mouse(visit):
    """The explanation is next to its target, and both are visible."""
    page, said = visit("de", viewport={"width": 1280, "height": 800}), get_translator("de")
    page.goto("/")
    page.get_by_role("link", name=said.learning["lesson.page.never"]).click()
    faults = []
    for at, stop in enumerate(STOPS, 1):
        at_stop(page, at, "de")
        faults += [(at, fault) for fault in open_choice(page, stop.choice)]
        if at == len(STOPS):
            break
        if stop.choice is None:
            page.get_by_role("link", name=said.learning["lesson.page.on"], exact=True).click()
        else:
            page.locator(f".pointed[value='{stop.choice}']").click()
    page.get_by_role("button", name=said.learning["lesson.page.play"]).click()
    wait_for_a_question(page)
    assert "/games/" in page.url
    assert not faults, "\n".join(map(str, faults))


def test_the_first_game_by_keyboard_alone_on_a_phone(visit):
    """Explanation and target are visible here, too; what touch must open first, a key chooses directly."""
    page = visit("el", viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page.goto("/learn")
    faults = []
    for at, stop in enumerate(STOPS, 1):
        at_stop(page, at, "el")
        closed = page.locator(f".pointed[value='{stop.choice}']").count() == 0
        faults += [(at, fault) for fault in open_choice(page, stop.choice)]
        if stop.choice is None:
            page.keyboard.press("Enter")
            continue
        if closed:
            page.reload()  # keys choose without opening it
            at_stop(page, at, "el")
        button = page.locator(f"#table button[value='{stop.choice}'][data-key]").first
        page.keyboard.type(button.get_attribute("data-key"))
    wait_for_a_question(page)
    assert "/games/" in page.url
    assert not faults, "\n".join(map(str, faults))


def test_the_first_game_by_accessible_names_and_without_javascript(visit):
    """Headings, lists, links and buttons are found by their names alone; every step is a form or a link."""
    page, said = visit("pl", java_script_enabled=False), get_translator("pl")
    page.goto("/learn")
    main = page.get_by_role("main")
    for at, stop in enumerate(STOPS, 1):
        at_stop(page, at, "pl")
        expect(main.get_by_role("heading", level=1).first).to_have_text(
            said.learning[f"lesson.{stop.key}.title"]
        )
        if at == len(STOPS):
            break
        if stop.choice is None:
            main.get_by_role("link", name=said.learning["lesson.page.on"], exact=True).press("Enter")
            continue
        name = page.locator(f".answers button[value='{stop.choice}']").inner_text().split(maxsplit=1)[1]
        question = main.get_by_role("heading", level=1).last.inner_text()
        answers = main.get_by_role("list", name=question, exact=True)
        answers.get_by_role("button", name=name, exact=True).press("Enter")
    main.get_by_role("button", name=said.learning["lesson.page.play"]).press("Enter")
    page.wait_for_url("**/games/*")


def test_another_choice_is_explained_and_one_key_goes_back(visit):
    page = visit("en")
    page.goto("/learn/4")
    page.keyboard.press("m")
    expect(page.get_by_role("alert")).to_contain_text("You could do that in a real game.")
    page.wait_for_load_state("load")
    page.keyboard.press("Backspace")
    at_stop(page, 3, "en")
    page.keyboard.press("Enter")
    at_stop(page, 4, "en")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#table button[name=choice]:focus")).to_be_visible()


def test_a_puzzle_by_keyboard_with_an_undo(visit):
    page, puzzle = visit("pl"), PUZZLES[0]
    page.goto("/puzzles/1")
    for number, choice in enumerate(("M", "sS", *puzzle.solution[1:])):
        page.wait_for_load_state("load")
        button = page.locator(f"#table button[value='{choice}'][data-key]").first
        expect(button).to_be_visible()
        page.keyboard.type(button.get_attribute("data-key"))
        page.wait_for_url(re.compile(r"moves="))
        expect(page.locator("input[name=moves]")).to_have_value(re.compile(rf"{re.escape(choice)}$"))
        if number == 1:
            page.wait_for_load_state("load")
            page.keyboard.press("z")
            expect(page.locator("input[name=moves]")).to_have_value("M")
    expect(page.locator(".lesson-text")).to_contain_text(get_translator("pl").learning["puzzle.page.won"])
    page.wait_for_load_state("load")
    page.keyboard.press("Enter")
    page.wait_for_url("**/puzzles/2")


@pytest.mark.parametrize("language", ["en", "el"])
def test_hints_appear_step_by_step_and_disappear_with_the_question(visit, language):
    page, learning = visit(language), get_translator(language).learning
    page.goto("/")
    page.locator("form[action='/games'] button").first.click()
    wait_for_a_question(page)
    hint = page.locator("#hint")
    for step, ask in enumerate(("hint.ask", "hint.ask.choice", "hint.ask.why"), 1):
        button = hint.get_by_role("button", name=learning[ask])
        expect(button).to_be_visible()
        if step == 1:
            button.click()
        else:
            expect(button).to_be_focused()
            page.keyboard.press("h")
        expect(hint.locator("p").nth(step - 1)).to_be_visible()
    expect(hint.get_by_role("button")).to_have_count(0)
    answer(page, page.locator("[data-region=question] button[name=choice]").first.click)
    expect(page.locator("#hint section")).to_have_count(0)


def test_a_hint_stays_when_the_table_is_drawn_again(visit):
    """The stream begins with every region; one that opens late, or again, must not remove the hint."""
    page, late = visit(), []
    page.route("**/stream*", lambda stream: late.append(stream))
    page.goto("/")
    with page.expect_request("**/stream*"):
        page.locator("form[action='/games'] button").first.click()
    hint, told = page.locator("#hint"), get_translator("en").learning
    hint.get_by_role("button", name=told["hint.ask"]).click()
    expect(hint.locator("p")).to_be_visible()
    button = hint.get_by_role("button", name=told["hint.ask.choice"])
    expect(button).to_be_focused()
    page.evaluate("document.getElementById('question').dataset.old = 'yes'")
    for stream in late:
        stream.continue_()
    expect(page.locator("#question[data-old]")).to_have_count(0)
    expect(hint.locator("p")).to_be_visible()
    expect(button).to_be_focused()

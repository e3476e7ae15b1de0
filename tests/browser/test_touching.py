"""Playing on the table itself: unfold a column, aim its effect, see what would move, confirm; and dragging cards."""

import pytest
from browser_site import answer, wait_for_number
from playwright.sync_api import expect
from test_accessibility import color_problems, shape_problems

from hegemon import Game
from hegemon.notation.cards import read_deck, write_cards
from hegemon.prose.translator import get_translator
from hegemon.server.security import tokens

pytestmark = pytest.mark.usefixtures("untraced")

MINE = "#region-me .column[data-domain={}]"
THEIRS = ".others .column[data-domain={}]"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def game_with(top, *moves):
    """A game of two whose deck begins with some cards, after some moves."""
    rest = list(Game(2, seed=1).record().deck)
    first = read_deck(top)
    for kind in first:
        rest.remove(kind)
    game = Game(2, deck=write_cards([*first, *rest]))
    for move in moves:
        game.play(move)
    return game


def in_step_2():
    """Economy and Military against Economy: an Attack or an Embargo is possible."""
    return game_with("E1M1R1E1S1C1", "E", ".", "E", ".", "M")


@pytest.fixture
def sit(site, visit):
    """Take seat 1 of a game."""

    def sit(game, **facts):
        token = tokens.new_token()
        table = site.lay(game, (None, "person"), token)
        page = visit(token=token, **facts)
        page.goto(f"/games/{table}")
        page.wait_for_load_state()
        return page, lambda: site.game(table)

    return sit


def test_a_column_unfolds_is_aimed_and_confirmed_by_mouse(sit):
    page, game = sit(in_step_2())
    page.locator(f"{MINE.format('M')} .head").click()
    sheet = page.locator("#actions-0-M")
    expect(sheet).to_be_visible()
    lit = page.locator(".column.target")
    expect(lit).to_have_count(2)  # the Economy of both
    page.locator(THEIRS.format("E")).click()
    expect(sheet).to_be_hidden()
    expect(page.locator(".leaving")).to_have_count(3)
    expect(page.locator("body > .ghost")).to_have_count(3)
    expect(page.locator(THEIRS.format("E"))).to_have_attribute("data-change", "−1")
    expect(page.locator("#aimed-text")).to_contain_text("Attack Economy")
    page.locator("#aimed [data-do]").click()
    wait_for_number(page, 6)
    assert game().moves[-1] == "mE"
    expect(page.locator("body > .ghost")).to_have_count(0)
    expect(page.locator(".target")).to_have_count(0)


def test_touching_the_same_target_twice_is_enough_on_a_phone(sit):
    page, game = sit(in_step_2(), **PHONE)
    page.locator(f"{MINE.format('E')} .head").tap()
    expect(page.locator("#actions-0-E")).to_be_visible()
    page.locator(THEIRS.format("E")).tap()
    expect(page.locator("#aimed")).to_be_visible()
    assert game().moves[-1] == "M"  # nothing has happened yet
    page.locator(THEIRS.format("E")).tap()
    wait_for_number(page, 7)
    assert game().moves[-2:] == ("e+1", "E")


def test_a_touch_elsewhere_folds_everything(sit):
    page, game = sit(in_step_2(), **PHONE)
    page.locator(f"{MINE.format('M')} .head").tap()
    page.locator(THEIRS.format("E")).tap()
    expect(page.locator("#aimed")).to_be_visible()
    page.locator("#region-me .who h2").tap()
    expect(page.locator("#aimed")).to_be_hidden()
    expect(page.locator(".ghost, .target, .leaving, [data-change]")).to_have_count(0)
    assert game().moves[-1] == "M"


def test_keys_unfold_aim_and_confirm(sit):
    page, game = sit(in_step_2())
    page.keyboard.press("e")
    expect(page.locator("#actions-0-E")).to_be_visible()
    expect(page.locator("#actions-0-E button[name=choice]").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#actions-0-E")).to_be_hidden()
    page.keyboard.press("m")
    expect(page.locator("#actions-0-M button[name=choice]").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#aimed [data-do]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#aimed")).to_be_hidden()
    expect(page.locator(f"{MINE.format('M')} .head")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#actions-0-M button[name=choice]").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#aimed [data-do]")).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_number(page, 6)
    assert game().moves[-1] == "mE"


@pytest.mark.parametrize("aimed", [False, True])
def test_what_is_unfolded_stays_when_the_table_is_drawn_again(site, visit, aimed):
    token, late = tokens.new_token(), []
    table = site.lay(in_step_2(), (None, "person"), token)
    page = visit(token=token)
    page.route("**/stream*", lambda stream: late.append(stream))
    with page.expect_request("**/stream*"):
        page.goto(f"/games/{table}")
    page.locator(f"{MINE.format('M')} .head").click()
    expect(page.locator(".column.target")).to_have_count(2)
    if aimed:
        page.locator(THEIRS.format("E")).click()
    page.evaluate("document.getElementById('question').dataset.old = 'yes'")
    for stream in late:
        stream.continue_()
    expect(page.locator("#question[data-old]")).to_have_count(0)
    expect(page.locator("#aimed" if aimed else "#actions-0-M")).to_be_visible()
    expect(page.locator(".column.target")).to_have_count(2)


def test_an_effect_without_an_aim_is_one_touch(sit):
    game = game_with("M1M1M1R1R1R1M1R1M1R1", "M", ".", "R", ".", "M", ".", "R", ".", "M")
    page, played = sit(game)
    page.locator(f"{MINE.format('M')} .head").click()
    answer(page, page.locator("#actions-0-M button[value='M+']").click)
    assert played().moves[-1] == "M+"


def test_without_a_script_a_column_contains_whole_sentences(sit):
    page, game = sit(in_step_2(), java_script_enabled=False)
    page.locator(f"{MINE.format('E')} .head").click()
    button = page.locator("#actions-0-E button[name=choice]")
    expect(button.locator(".short")).to_be_hidden()
    expect(button.locator(".sentence")).to_have_text(
        "Embargo (costs 1 Economy): Player 2 cannot play Economy next turn"
    )
    button.click()
    assert game().moves[-2:] == ("e+1", "E")


@pytest.mark.parametrize("letter", ["M", "R"])
def test_a_card_is_dragged_to_its_column(sit, letter):
    page, game = sit(game_with("M1R1S1E1E1C1"))
    drag(page, page.locator(f"#region-hand [data-card={letter}1]"), page.locator(MINE.format(letter)))
    wait_for_number(page, 1)
    assert game().moves == (letter,)


def test_a_card_that_is_dropped_elsewhere_returns(sit):
    page, game = sit(game_with("M1R1S1E1E1C1"))
    drag(page, page.locator("#region-hand [data-card=M1]"), page.locator(MINE.format("R")))
    expect(page.locator(".dragged")).to_have_count(0)
    expect(page.locator(".leaving, .target")).to_have_count(0)
    assert page.locator("input[name=version]").input_value() == "0"
    answer(page, page.locator("#region-hand [data-card=M1]").click)  # and can be played by touch as before
    assert game().moves == ("M",)


def test_a_finger_drags_a_card_to_its_column(sit):
    page, game = sit(game_with("M1R1S1E1E1C1"), **PHONE)
    start = page.locator("#region-hand [data-card=M1]").bounding_box()
    end = page.locator(MINE.format("M")).bounding_box()
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        at = [{"x": x, "y": y} for x, y in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    x, y = start["x"] + 12, start["y"] + 30
    touch("touchStart", (x, y))
    for part in range(1, 6):
        touch("touchMove", (x + (end["x"] + 20 - x) * part / 5, y + (end["y"] + 60 - y) * part / 5))
    expect(page.locator(".column.target.aimed-at")).to_have_count(1)
    touch("touchEnd")
    wait_for_number(page, 1)
    assert game().moves == ("M",)


def drag(page, card, place):
    """Drag a card, and check what is highlighted on the way."""
    start, end = card.bounding_box(), place.bounding_box()
    page.mouse.move(start["x"] + 15, start["y"] + 30)
    page.mouse.down()
    page.mouse.move(start["x"] + 30, start["y"] + 10, steps=3)
    expect(page.locator(".target")).to_have_count(1)
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=4)
    page.mouse.up()


def test_the_board_is_one_touch_away_and_shows_who_has_each_effect(sit):
    page, _ = sit(in_step_2(), **PHONE)
    page.locator(".opens.board").tap()
    board = page.get_by_role("table")
    expect(board.locator("tbody tr")).to_have_count(3)
    expect(board.locator("thead th")).to_have_count(6)
    expect(board.locator("td.usable")).to_have_count(2)
    attack = board.get_by_role("button", name="Attack")
    expect(attack).to_have_accessible_name("Attack · now · has it: Player 1")
    attack.tap()
    expect(page.locator("#effect-10")).to_contain_text("Discard a Military card from play")


def test_what_unfolds_is_accessible_in_both_themes(sit):
    page, _ = sit(in_step_2())
    page.locator(f"{MINE.format('M')} .head").click()
    expect(page.locator("#actions-0-M")).to_be_visible()
    assert shape_problems(page) == []
    assert color_problems(page) == []
    page.locator(THEIRS.format("E")).click()
    expect(page.locator("#aimed")).to_be_visible()
    page.wait_for_function("() => document.getAnimations().every(it => it.playState !== 'running')")
    assert shape_problems(page) == []
    assert color_problems(page) == []


def test_a_hint_marks_its_choice_on_the_table(site, visit):
    token = tokens.new_token()
    table = site.lay(game_with("M1R1S1E1E1C1"), (None, "greedy"), token)
    page = visit(token=token)
    page.goto(f"/games/{table}")
    learning = get_translator("en").learning
    for ask in ("hint.ask", "hint.ask.choice"):
        expect(page.locator(".hinted")).to_have_count(0)
        page.locator("#hint").get_by_role("button", name=learning[ask]).click()
    choice = page.locator("#hint [data-choice]").get_attribute("data-choice")
    expect(page.locator(f"#region-hand .hinted[value={choice}]")).to_be_visible()
    answer(page, page.locator(f"#region-hand [value={choice}]").click)
    expect(page.locator(".hinted")).to_have_count(0)

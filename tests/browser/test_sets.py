"""Several cards are marked in any order, and confirmed once: by mouse, touch, keys, and without JavaScript."""

from itertools import combinations

import pytest
from browser_site import ANSWERS, UNDO, number, wait_for_number
from playwright.sync_api import expect
from test_accessibility import color_problems, shape_problems

from hegemon.rules.position import Question
from hegemon.server.security import tokens
from hegemon.server.web.new_game import PERSON
from random_games import asking_for_cards, can_be_chosen, some_set

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WITHOUT_SCRIPT = {"java_script_enabled": False}

REJECTIONS = "the server responded with a status of 422"
CONFIRM = "[data-region=question] button.confirm"


def has_several_sets(game):
    """Whether there is a choice between sets, and no more than three cards to mark."""
    selection = game.selection()
    letters = {card[0] for card in selection.cards}
    return selection.number <= 3 and len(selection.cards) > selection.number and len(letters) > 1


@pytest.fixture
def sit(visit, site):
    """A player at a table where several cards have to be chosen."""

    def sit(question, wanted=has_several_sets, **facts):
        game, token = asking_for_cards(question, wanted), tokens.new_token()
        seats = tuple(None if seat == game.seat else PERSON for seat in range(game.players))
        game_id = site.lay(game, seats, token)
        page = visit(token=token, forgive=[REJECTIONS], settings={"passing": "off"}, **facts)
        page.goto(f"/games/{game_id}")
        page.wait_for_selector(CONFIRM)
        page.wait_for_load_state()
        return page, game, game_id

    return sit


def card(page, name, nth=0):
    return page.locator(f".mark[data-card={name}]").nth(nth)


def marked(page):
    boxes = page.locator("input[name=card]:checked").all()
    return sorted(box.get_attribute("value") for box in boxes)


def answer(page, act):
    """Make a choice and wait for the next question; on a phone, its choices are in a closed sheet."""
    before = number(page)
    act()
    wait_for_number(page, before + 1)


def touch(page, cards):
    """Mark cards in their places, each of several equal ones once."""
    for place, name in enumerate(cards):
        card(page, name, cards[:place].count(name)).click(position={"x": 8, "y": 8})


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_cards_are_marked_in_any_order_counted_and_confirmed_once(sit, site, size):
    page, game, game_id = sit(Question.DISCARD_FROM_HAND, **size)
    cards, before = some_set(game), number(page)
    confirm = page.locator(CONFIRM)
    expect(confirm).to_be_disabled()
    expect(confirm).to_contain_text(f"0 of {len(cards)}")
    for place, name in enumerate(cards):
        card(page, name, cards[:place].count(name)).click(position={"x": 8, "y": 8})
        expect(confirm).to_contain_text(f"{place + 1} of {len(cards)}")
    expect(confirm).to_be_enabled()
    last = card(page, cards[-1], cards.count(cards[-1]) - 1)
    last.click(position={"x": 8, "y": 8})  # unmark a card
    expect(confirm).to_be_disabled()
    last.click(position={"x": 8, "y": 8})
    assert marked(page) == sorted(cards)
    answer(page, confirm.click)
    assert number(page) == before + 1
    game.play(cards)
    assert site.game(game_id).moves == game.moves
    answer(page, page.locator(UNDO).click)
    game.undo()
    assert site.game(game_id).moves == game.moves
    assert marked(page) == []
    expect(page.locator(CONFIRM)).to_be_disabled()


def test_cards_are_marked_by_their_letters_and_confirmed_by_enter(sit, site):
    page, game, game_id = sit(Question.DISCARD_FROM_HAND)
    cards = some_set(game)
    page.keyboard.press("Enter")  # nothing is marked yet
    for name in cards:
        page.keyboard.press(name[0])
    assert marked(page) == sorted(cards)
    answer(page, lambda: page.keyboard.press("Enter"))
    game.play(cards)
    assert site.game(game_id).moves == game.moves


@pytest.mark.parametrize("question", [Question.TAKE_BACK, Question.FETCH, Question.PLAY_MORE], ids=str)
def test_cards_are_marked_in_their_columns(sit, site, question):
    page, game, game_id = sit(question)
    cards = some_set(game)
    for name in cards:
        page.keyboard.press(name[0])
    assert marked(page) == sorted(cards)
    answer(page, page.locator(CONFIRM).click)
    game.play(cards)
    assert site.game(game_id).moves == game.moves


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_question_opens_the_discard_pile_and_the_set_is_confirmed_there(sit, site, size):
    page, game, game_id = sit(Question.FETCH, **size)
    cards = some_set(game)
    page.locator("[data-region=question] .pile-button").click()
    for place, name in enumerate(cards):
        card(page, name, cards[:place].count(name)).click(position={"x": 8, "y": 8})
    answer(page, page.locator("[data-region=pile] button.confirm").click)
    game.play(cards)
    assert site.game(game_id).moves == game.moves


def test_a_column_is_touched_to_mark_its_next_card(sit):
    page, game, _ = sit(Question.TAKE_BACK)
    first = str(next(iter(game.selection().cards)))
    column = page.locator(f".own .column[data-domain={first[0]}] .label")
    column.click()
    assert marked(page) == [first]
    number = [card[0] for card in game.selection().cards].count(first[0])
    for _ in range(number):
        column.click()
    assert len(marked(page)) == number - 1, "when all are marked, the last mark is taken off"


def test_cards_can_also_be_chosen_one_by_one(sit, site):
    page, game, game_id = sit(Question.DISCARD_FROM_HAND)
    touch(page, some_set(game)[:1])
    choice = game.choices[0]
    answer(page, page.locator(f"{ANSWERS}[value='{choice}']").click)
    game.play(choice)
    assert site.game(game_id).moves == game.moves


def test_a_complete_set_has_the_oldest_cards_of_each_domain(sit):
    def two_ages(game):
        return has_several_sets(game) and ages_of_a_domain(game) is not None

    page, game, _ = sit(Question.DISCARD_FROM_HAND, two_ages)
    old, young, *others = ages_of_a_domain(game)
    tip = page.locator("#oldest-first")
    touch(page, [*others, young])
    assert marked(page) == sorted([*others, old])
    expect(tip).to_be_visible()
    expect(page.locator(CONFIRM)).to_be_enabled()
    page.keyboard.press("Escape")
    card(page, old).click(position={"x": 8, "y": 8})
    card(page, young).click(position={"x": 8, "y": 8})
    assert marked(page) == sorted([*others, old])


def ages_of_a_domain(game):
    """Two cards of a Domain, the older first, and others of other Domains that complete a set with one of them."""
    number, cards = game.selection().number, [*map(str, game.selection().cards)]
    pairs = [pair for pair in combinations(cards, 2) if pair[0][0] == pair[1][0] and pair[0] < pair[1]]
    sets = [
        [old, young, *others]
        for old, young in pairs
        for others in combinations(cards, number - 1)
        if cards.count(old) == 1 and len({card[0] for card in (old, *others)}) == number
    ]
    return next((cards for cards in sets if can_be_chosen(game, [cards[0], *cards[2:]])), None)


def test_without_javascript_a_set_is_a_form(sit, site):
    page, game, game_id = sit(Question.DISCARD_FROM_HAND, **WITHOUT_SCRIPT)
    cards = some_set(game)
    touch(page, cards[:1])
    page.locator(CONFIRM).click()
    expect(page.locator("#notice")).to_have_text(f"Cards to choose: {len(cards)}. Cards chosen: 1.")
    assert marked(page) == cards[:1]
    for place, name in enumerate(cards[1:], 1):
        card(page, name, cards[:place].count(name)).click(position={"x": 8, "y": 8})
    page.locator("input[name=card]").first.press("Enter")
    expect(page.locator("#notice")).to_be_hidden()
    game.play(cards)
    assert site.game(game_id).moves == game.moves


@pytest.mark.parametrize(
    "question", [Question.DISCARD_FROM_HAND, Question.TAKE_BACK, Question.FETCH], ids=str
)
def test_axe_finds_nothing_where_cards_are_marked(sit, question):
    page, game, _ = sit(question)
    page.keyboard.press(str(next(iter(game.selection().cards)))[0])
    assert shape_problems(page) + color_problems(page) == []

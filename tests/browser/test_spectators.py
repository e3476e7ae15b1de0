"""Spectators, each with their own browser: live moves, no hands, or hands some rounds later."""

from random import Random

import pytest
from browser_players import invite, panel_of, take_seat
from browser_site import ANSWERS, OVER, game_on, number, read_in, wait_for_number
from playwright.sync_api import expect
from test_accessibility import PHONE, TOO_LOW, TOO_WIDE, color_problems, shape_problems

from hegemon.play.events import TurnBegan
from hegemon.prose.translator import get_translator, languages

#: Face-up cards in hands on a page.
OPEN_HANDS = "[data-place^=hand-]:not([data-card^='?'])"

#: What a page shows, by region; the status has the name of the next command, which is a new one every time.
#: A page that followed a game keeps the turns that it has shown, a new one has the last twelve.
REGIONS = """() => Object.fromEntries([...document.querySelectorAll("[data-region]:not([data-region=status])")]
  .map((region) => {
    const copy = region.cloneNode(true);
    copy.querySelectorAll(".turn:nth-child(n + 13)").forEach((turn) => turn.remove());
    return [region.dataset.region, copy.innerHTML.trim()];
  }))"""


@pytest.fixture(scope="module")
def site(company):
    """The server of these tests."""
    return company


def sit_together(ada, ben, **fields):
    """Ada and Ben at a table of two, on Ada's turn; returns its address."""
    (link,) = invite(ada, "me", "friend", name1="Ada", **fields)
    take_seat(ben, link, "Ben")
    ada.wait_for_selector(ANSWERS)
    return f"/games/{game_on(ada)}"


def turns(site, path, more):
    """Play this many turns."""
    game_id = path.split("/")[2]

    def started_at(game):
        return sum(isinstance(event, TurnBegan) for event in game.events)

    wanted = started_at(site.game(game_id)) + more
    return site.play_on(game_id, lambda game: started_at(game) >= wanted)


def test_a_spectator_sees_every_move_as_it_is_made_and_no_hand(visit, site):
    ada, ben, eve = visit(), visit("de"), visit("hu")
    path = sit_together(ada, ben)
    eve.goto(path)
    expect(ada.get_by_text("One spectator.")).to_be_visible()
    expect(
        ben.get_by_text(get_translator("de").numbered("One spectator.", "{number} spectators.", 1))
    ).to_be_visible()
    told = eve.locator("[data-region=log] .turn p")
    before = told.count()
    ada.locator(ANSWERS).first.click()
    wait_for_number(eve, 1)
    expect(told).not_to_have_count(before)
    assert eve.locator(OPEN_HANDS).count() == 0
    assert eve.locator("button[name=choice]").count() == 0
    assert eve.locator("a[href$='/hands']").count() == 0
    site.play_on(path.split("/")[2])
    expect(eve.locator(OVER)).to_be_visible()
    eve.get_by_role("link", name=get_translator("hu").text("Step through the game")).click()
    expect(eve.locator(".moments")).to_be_visible()


def test_expanded_sections_stay_open_during_a_game(visit, site):
    ada, ben, eve = visit(), visit(), visit()
    path = sit_together(ada, ben)
    eve.goto(path)
    column = panel_of(eve, "Ada").locator(".column").first
    column.locator(".head").click()
    expect(column.locator(".tip")).to_be_visible()
    game = turns(site, path, 2)
    wait_for_number(eve, len(game.moves))
    expect(panel_of(eve, "Ada").locator(".stack .card")).not_to_have_count(0)
    expect(column.locator(".tip")).to_be_visible()


def test_a_page_that_has_followed_a_game_equals_a_newly_loaded_one(visit, site):
    ada, ben, eve = visit(), visit(), visit()
    path, chance = sit_together(ada, ben), Random(4)
    eve.goto(path)
    game_id = path.split("/")[2]
    for moves in range(1, 61):
        game = site.play_on(game_id, lambda game, moves=moves: len(game.moves) >= moves, chance.choice)
        for page in (ada, eve):
            wait_for_number(page, len(game.moves))
        if moves % 12 == 0 or game.over:
            for page in (ada, eve):
                followed = page.evaluate(REGIONS)
                page.reload()
                assert page.evaluate(REGIONS) == followed
        if game.over:
            break
    assert len(game.moves) > 30


def test_spectators_have_a_separate_chat(visit, site):
    ada, ben, eve, zoe = visit(), visit(), visit(), visit()
    path = sit_together(ada, ben)
    for page in (eve, zoe):
        page.goto(path)
    eve.get_by_placeholder("Your name").fill("Eve")
    eve.get_by_placeholder("Your message").fill("She has it all in hand")
    eve.locator("button[form=chat-text]").click()
    expect(zoe.get_by_role("log", name="Talk").get_by_text("She has it all in hand")).to_be_visible()
    for page in (ada, ben):
        assert "all in hand" not in page.content()


def test_all_hands_are_shown_a_round_later_and_everyone_is_notified(visit, site):
    ada, ben, eve = visit(), visit("pl"), visit("el")
    path = sit_together(ada, ben, hands="1")
    expect(ada.get_by_text("Spectators see all hands as they were 1 round ago.")).to_be_visible()
    expect(ben.get_by_text(get_translator("pl").text("Anyone can watch, players included."))).to_be_visible()
    assert ada.locator("a[href$='/hands']").count() == 0
    greek = get_translator("el")

    eve.goto(path)
    eve.get_by_role("link", name=greek.text("Show all hands")).click()
    early = greek.text("It is too early for that; this page will show them automatically.")
    expect(eve.get_by_text(early)).to_be_visible()
    dealt = sorted(kind for hand in hands_in(site.game(path.split("/")[2])) for kind in hand)
    turns(site, path, 2)
    expect(eve.locator("h1#question")).to_have_text(before_turn(greek, "Ada", 1))
    assert sorted(card.get_attribute("data-card") for card in eve.locator(OPEN_HANDS).all()) == dealt

    # The page advances automatically, turn by turn, and shows nothing about the present.
    turns(site, path, 1)
    expect(eve.locator("h1#question")).to_have_text(before_turn(greek, "Ben", 1))
    assert eve.locator("button[name=choice]").count() == 0
    assert number(eve) < len(site.game(path.split("/")[2]).moves)
    eve.get_by_role("link", name=greek.text("Step through the game so far")).click()
    expect(eve.locator(OPEN_HANDS).first).to_be_visible()
    eve.get_by_role("link", name=greek.text("Go to the live table")).click()
    expect(eve.locator(OPEN_HANDS)).to_have_count(0)

    eve.goto(f"{path}/hands")
    site.play_on(path.split("/")[2])
    expect(eve.locator(OVER)).to_be_visible()


def before_turn(said, name, round_number):
    return said.text("As it was before {name}’s turn in round {number}", name=name, number=round_number)


def hands_in(game):
    return game.events[0].hands


def test_spectating_works_without_a_script(visit, site):
    ada, ben, eve = visit(), visit(), visit(java_script_enabled=False)
    path = sit_together(ada, ben, hands="1")
    eve.goto(path)
    assert number(eve) == 0
    turns(site, path, 2)
    eve.reload()
    assert number(eve) > 0
    assert eve.locator(OPEN_HANDS).count() == 0
    eve.get_by_role("link", name="Show all hands").click()
    expect(eve.locator(OPEN_HANDS)).to_have_count(6)
    expect(eve.locator("#notify")).to_have_count(0)


def test_all_hands_fit_on_a_phone(visit, site):
    ada, ben = visit(), visit()
    path = sit_together(ada, ben, hands="2", clock="1d a move")
    eve, host = visit(viewport=PHONE), visit(token=token_of(ada), viewport=PHONE)
    problems = []

    def look(page, place):
        page.goto(place)
        for language in languages():
            read_in(page, language)
            where = f"{place} in {language}"
            problems.extend((where, *found) for found in shape_problems(page, language))
            problems.extend((where, "too wide", html) for html in page.evaluate(TOO_WIDE))
            problems.extend((where, "too low for a thumb", html) for html in page.evaluate(TOO_LOW))
            if language == "en":
                problems.extend((where, *found) for found in color_problems(page))

    look(eve, f"{path}/hands")  # too early for them
    turns(site, path, 5)
    eve.wait_for_selector("h1#question")  # the page shows them automatically
    for place in (f"{path}/hands", f"{path}/replay?at=9&seat=5", path):
        look(eve, place)
    for place in (f"{path}/seats", path):
        look(host, place)
    assert not problems, "\n".join(map(str, problems))


def token_of(page):
    return next(it["value"] for it in page.context.cookies() if it["name"] == "hegemon")

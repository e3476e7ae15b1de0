"""Several people on one device: a curtain separates their turns, and the page behind it contains no cards."""

from browser_site import ANSWERS, cards_of, cards_on, game_on, number, to_move, wait_for_number

from hegemon.prose.translator import get_translator
from hegemon.rules.position import Question

NAMES = ("Ada", "Zenobia", "Ashoka", "Hypatia")
LANGUAGE = "hu"


def lift_the_curtain(page, game):
    """Check the page behind the curtain, then lift it; return whose cards are shown."""
    seat = to_move(game)[0]
    said = get_translator(LANGUAGE)
    behind = page.locator("main").inner_html()
    assert "data-card" not in behind
    assert 'name="choice"' not in behind
    assert not any(name in behind for name in said.domains.values())
    page.get_by_role("link", name=said.text("I am {name}: show my cards", name=NAMES[seat])).click()
    page.wait_for_selector(ANSWERS)
    assert page.locator("#region-status input[name=seat]").get_attribute("value") == str(seat + 1)
    return seat


def test_four_people_draft_in_teams(visit, site):
    page = visit(LANGUAGE)
    page.goto("/")
    form = page.locator("form", has=page.locator("select[name=seat1]"))
    for seat, name in enumerate(NAMES, 1):
        form.locator(f"select[name=seat{seat}]").select_option("me" if seat == 1 else "person")
        form.locator(f"input[name=name{seat}]").fill(name)
    form.locator("input[value=draft]").check()
    form.locator("input[name=teams]").check()
    form.locator("button").last.click()
    page.wait_for_url("**/games/*")
    game_id, picks, seat = game_on(page), [0] * 4, None
    while (game := site.game(game_id)).view(0).question in (Question.DRAFT, Question.CENTER):
        if seat not in to_move(game):
            seat = lift_the_curtain(page, game)
        assert cards_on(page) == cards_of(game.view(seat))
        with page.expect_response("**/moves"):
            page.locator(ANSWERS).first.click()
        picks[seat] += 1
        if seat in to_move(site.game(game_id)):
            wait_for_number(page, sum(picks))
        else:
            page.wait_for_url(f"**/games/{game_id}")
    assert picks == [4, 4, 4, 4]
    assert game.view(0).teams
    assert number(page) == len(game.moves) == 16


def test_there_is_no_curtain_between_choices_of_the_same_person(visit, site):
    page = visit(LANGUAGE)
    page.goto("/")
    form = page.locator("form", has=page.locator("select[name=seat1]"))
    for seat, who in enumerate(("me", "person", "nobody", "nobody"), 1):
        form.locator(f"select[name=seat{seat}]").select_option(who)
        form.locator(f"input[name=name{seat}]").fill(NAMES[seat - 1])
    form.locator("button").last.click()
    page.wait_for_url("**/games/*")
    game_id = game_on(page)
    lift_the_curtain(page, site.game(game_id))
    page.locator(ANSWERS).first.click()
    wait_for_number(page, 1)
    page.wait_for_selector("#table:not([aria-busy])")
    page.locator(f"{ANSWERS}[value='.']").click()
    page.wait_for_url(f"**/games/{game_id}")
    assert site.game(game_id).seat == 1
    lift_the_curtain(page, site.game(game_id))

"""Two people at two tables, each in their own language, without affecting each other."""

from browser_site import ANSWERS, END, answer, number, played, wait_for_a_question, wait_for_number
from playwright.sync_api import expect

from hegemon.play.game import Game
from hegemon.prose.translator import get_translator
from hegemon.server.security import tokens


def lay(site, seed, name):
    token = tokens.new_token()
    game = played(
        Game(3, seed=seed, names=(name, "Livia", "Ashoka")),
        lambda game: len(game.moves) > 20 and game.seat == 0,
    )
    return site.lay(game, (None, "greedy", "chance"), token), token


def test_two_tables_at_once_do_not_affect_each_other(visit, site):
    tables = []
    for language, name, seed in (("de", "Ada", 5), ("el", "Hypatia", 6)):
        game_id, token = lay(site, seed, name)
        page = visit(language, token=token)
        page.goto(f"/games/{game_id}")
        tables.append((page, game_id, name))
    for _ in range(4):
        for page, _, _ in tables:
            wait_for_a_question(page)
            end = page.locator(END)
            answer(page, (end if end.count() else page.locator(ANSWERS)).first.click)
    for page, game_id, name in tables:
        assert number(page) <= site.row(game_id).moves[-1].version
        assert site.game(game_id).names[0] == name
    (page, game_id, name), (_, other_id, other) = tables
    assert other not in page.content()
    page.goto(f"/games/{other_id}")
    expect(page.get_by_role("region", name=other)).to_be_visible()
    expect(page.locator("button[name=choice]")).to_have_count(0)
    page.goto("/")
    expect(page.locator(f"main a[href='/games/{game_id}']")).to_be_visible()
    expect(page.locator(f"main a[href='/games/{other_id}']")).to_have_count(0)


def test_a_change_of_language_stays_at_the_table(visit, site):
    game_id, token = lay(site, 5, "Ada")
    page = visit("pl", token=token)
    page.goto(f"/games/{game_id}")
    before = number(page)
    page.get_by_role("button", name=get_translator("pl").text("Language")).first.click()
    page.get_by_role("button", name="Magyar").click()
    expect(page.locator("html")).to_have_attribute("lang", "hu")
    expect(page.get_by_role("log", name=get_translator("hu").text("Game log"))).to_be_visible()
    assert number(page) == before


def test_a_spectator_sees_moves_live(visit, site):
    """A spectator's page is also live, and shows no hands."""
    game_id, token = lay(site, 5, "Ada")
    page, watching = visit("en", token=token), visit("de")
    page.goto(f"/games/{game_id}")
    watching.goto(f"/games/{game_id}")
    before = number(watching)
    page.locator(ANSWERS).first.click()
    wait_for_number(watching, before + 1)
    assert watching.locator("[data-place^=hand-]:not([data-card^='?'])").count() == 0

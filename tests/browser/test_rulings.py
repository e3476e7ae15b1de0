"""The page of rulings in a real browser: filtered while typing, linked to, and complete without JavaScript."""

from playwright.sync_api import expect

from hegemon.prose.rulings import load_rulings
from hegemon.prose.translator import get_translator

ROWS = ".rulings > div"
ALL = sum(len(chapter.rulings) for chapter in load_rulings().chapters.values())


def test_rulings_are_filtered_while_typing(visit):
    page = visit("pl")
    page.goto("/rulings")
    said = get_translator("pl").rulings
    page.get_by_label(said["page.find"]).fill("przelom  STOS pusty")
    expect(page.locator(f"{ROWS}:visible")).to_have_count(1)
    expect(page.locator("#A63")).to_be_visible()
    expect(page.locator(".contents li:visible")).to_have_count(1)
    expect(page.get_by_role("status")).to_have_text(said["page.found"].format(number=1, total=ALL))
    page.get_by_label(said["page.find"]).fill("xyz")
    expect(page.get_by_role("status")).to_have_text(said["page.none"])
    page.get_by_label(said["page.find"]).fill("")
    expect(page.locator(f"{ROWS}:visible")).to_have_count(ALL)


def test_a_ruling_can_be_typed_on_greek_keys(visit):
    page = visit("el")
    page.goto("/rulings")
    page.get_by_label(get_translator("el").rulings["page.find"]).fill("Α39")  # the first letter is an alpha
    expect(page.locator(f"{ROWS}:visible")).to_have_count(1)


def test_a_link_leads_to_a_ruling_that_the_filter_has_hidden(visit):
    page = visit("de")
    page.goto("/rulings#A39")
    expect(page.locator("#A39")).to_be_in_viewport()
    page.get_by_label(get_translator("de").rulings["page.find"]).fill("A40")
    expect(page.locator("#D52")).to_be_hidden()
    page.evaluate("location.hash = 'D52'")
    expect(page.locator("#D52")).to_be_in_viewport()


def test_without_a_script_the_rulings_are_a_plain_list(visit):
    page = visit("hu", java_script_enabled=False)
    page.goto("/rulings")
    expect(page.locator(f"{ROWS}:visible")).to_have_count(ALL)
    expect(page.locator(".find")).to_be_hidden()

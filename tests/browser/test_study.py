"""The study board without page loads: touching cards into place, trying lines by key, going back."""

import re

from playwright.sync_api import expect

LINE = "M11S1(E1S1C1)/R1E1(M1E1S1) 1p - - - M11R1 - 3"
PHONE = {"width": 360, "height": 740}


def mark(page):
    """Mark the page in a way that a page load would undo."""
    page.evaluate("window.marked = true")


def expect_no_load(page):
    assert page.evaluate("window.marked") is True


def test_a_position_is_set_up_by_touch_and_lines_are_tried_by_key(visit):
    page = visit()
    page.goto(f"/study/new?position={LINE.replace(' ', '+')}")
    mark(page)
    page.locator("label.tool", has=page.locator("[value=S2]")).click()
    page.locator("button[value=hand2]").click()
    expect(page.locator("#line")).to_have_value(re.compile(r"\(M1E1S12\)"))
    expect(page.locator("input[value=S2]")).to_be_checked()
    page.locator("button[value=hand2S2]").press("Enter")
    expect(page.locator("#line")).to_have_value(re.compile(r"\(M1E1S1\)"))
    page.locator("select[name=seat]").select_option("2")
    expect(page.locator("#line")).to_have_value(re.compile(" 2p "))
    page.go_back()
    expect(page.locator("#line")).to_have_value(re.compile(" 1p "))
    expect_no_load(page)

    page.get_by_role("button", name="Study this position").click()
    page.locator(".tree").wait_for()
    mark(page)
    for key, moves in (("s", 1), (".", 2), ("m", 3)):
        page.keyboard.press(key)
        expect(page.locator(".tree a")).to_have_count(moves + 1)
    for _ in range(3):
        at = page.url
        page.keyboard.press("<")
        expect(page).not_to_have_url(at)
    page.keyboard.press("c")
    expect(page.locator(".tree .branch a")).to_have_text("Culture")
    page.locator("textarea[name=comment]").fill("Culture copies.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".tree q")).to_have_text("Culture copies.")
    page.get_by_role("button", name="Promote this variation").click()
    expect(page.locator(".tree .branch a").first).to_have_text("Science")
    expect_no_load(page)


def test_on_a_phone_without_scripts_lines_open_above_the_table(visit):
    page = visit(viewport=PHONE, java_script_enabled=False)
    page.goto(f"/study/new?position={LINE.replace(' ', '+')}")
    page.get_by_role("button", name="Study this position").click()
    page.locator("#region-hand button[value=C]").click()
    page.locator(".opens[popovertarget=beside-lines]").click()
    expect(page.locator(".tree [aria-current]")).to_have_text("Culture")
    page.get_by_role("button", name="Delete from here on").click()
    expect(page.locator("#region-hand button[value=C]")).to_be_visible()

"""What axe says of the pages, in both themes: nothing."""

import pytest
from axe_playwright_python.sync_playwright import Axe

#: What WCAG 2.2 AA asks for.
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


def problems(page):
    found = Axe().run(page, options=RULES)
    return [
        (rule["id"], node["html"][:200]) for rule in found.response["violations"] for node in rule["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(page, theme):
    page.emulate_media(color_scheme=theme)
    for path in ("/", "/rules", "/rulings", "/nonsense"):
        page.goto(path)
        assert not problems(page), path
    page.goto("/")
    page.click("text=Play now against two bots")
    page.wait_for_selector(".answers button")
    assert not problems(page)
    page.keyboard.press("1")
    page.wait_for_selector(".answers button.end")
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    assert not problems(page)
    page.goto(f"{page.url}/shuffle")
    assert not problems(page)

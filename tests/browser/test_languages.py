"""A table in the middle of a game, a lesson and a puzzle, in every language and at every width: no text is cut off."""

import pytest
from browser_site import played
from conftest import LOCALES

from hegemon.play.game import Game
from hegemon.rules.position import Question
from hegemon.server.security import tokens

NAMES = ("Ada", "Zenobia", "Ashoka", "Hypatia")

#: Phones, a tablet in both orientations, and screens with and without the names of Domains and markers.
WIDTHS = (390, 768, 1024, 1100, 1280, 1600)

#: Every visible text with its box: cut off by an element that hides what sticks out, sticking out of its button, card
#: or label, or covered by another text of the same one.
CUT_OFF = """() => {
  const boxes = 'button, a, summary, .card, .column, .marker, .tag, .chip, .label, .panel, .deck li, th, td';
  const problems = [], inside = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const ancestors = [];
    for (let it = element; it && it !== document.body; it = it.parentElement) ancestors.push(it);
    const styles = ancestors.map(it => getComputedStyle(it));
    if (styles.some(style => style.clipPath !== 'none')) continue;  // read to people who do not see it
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(rect => rect.width > 1);
    const text = `${element.className || element.tagName}: ${node.data.trim().slice(0, 60)}`;
    const sticksOut = (rect, box) => rect.left < box.left - 1.5 || rect.right > box.right + 1.5;
    ancestors.forEach((it, number) => {
      if (styles[number].overflowX === 'visible') return;
      if (rects.some(rect => sticksOut(rect, it.getBoundingClientRect()))) problems.push(`cut off: ${text}`);
    });
    const ellipsis = styles[0].textOverflow === 'ellipsis' && element.scrollWidth > element.clientWidth;
    if (ellipsis) problems.push(`an ellipsis in ${text}`);
    const box = ancestors.filter(it => it.matches(boxes))
      .find(it => rects.some(rect => sticksOut(rect, it.getBoundingClientRect())));
    if (box) problems.push(`sticks out of ${box.className || box.tagName}: ${text}`);
    const whole = element.closest('button, .card, .panel, tr, summary');
    if (!whole) continue;
    for (const [other, area] of inside.get(whole) ?? []) {
      for (const rect of rects) {
        const wide = Math.min(rect.right, area.right) - Math.max(rect.left, area.left);
        const high = Math.min(rect.bottom, area.bottom) - Math.max(rect.top, area.top);
        // Lines that are set tight touch; texts that lie on each other share more.
        if (wide > 2 && high > Math.min(rect.height, area.height) / 3) problems.push(`${text} covers ${other}`);
      }
    }
    inside.set(whole, [...(inside.get(whole) ?? []), ...rects.map(rect => [text, rect])]);
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push('the page is wider than the screen');
  return problems;
}"""


def with_markers(game):
    """Whether the first player may use effects, with an Embargo and a Democracy on the table."""
    position = game.position
    return (
        game.seat == 0
        and position.question == Question.EFFECTS
        and any(map(any, position.democracies))
        and any(map(any, position.embargoes))
    )


@pytest.fixture(scope="module")
def token():
    return tokens.new_token()


@pytest.fixture(scope="module")
def pages(site, token):
    """Tables of three and of four, a lesson and a puzzle."""
    games = [
        played(Game(players, seed=5, names=NAMES[:players]), with_markers, "chance") for players in (3, 4)
    ]
    assert not any(game.over for game in games)
    tables = [site.lay(game, (None, *["greedy"] * (game.players - 1)), token) for game in games]
    return [*(f"/games/{table}" for table in tables), "/learn/9", "/puzzles/1"]


@pytest.mark.parametrize("language", LOCALES)
def test_no_text_of_a_table_is_cut_off(visit, token, pages, language):
    page = visit(language, token=token)
    problems = []
    for address in pages:
        page.goto(address)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            problems += [f"{address}, {width} px: {problem}" for problem in page.evaluate(CUT_OFF)]
    assert not problems, "\n".join(problems)

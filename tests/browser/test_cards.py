"""All cards at every size: numerals and names fit, and every form of color vision can tell the cards apart."""

import importlib.util
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from browser_site import played
from conftest import LOCALES
from PIL import ImageFilter

from hegemon.play.game import Game
from hegemon.server.security import tokens

SCRIPT = Path(__file__).parents[2] / "scripts" / "card_sheet.py"
SPEC = importlib.util.spec_from_file_location("card_sheet", SCRIPT)
card_sheet = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(card_sheet)

#: The server has to start before the browser does.
pytestmark = pytest.mark.usefixtures("site")

THEMES = ("light", "dark")

#: Colors that differ this much look different to everyone, also on small areas (CIE 1976, where 2 can just be noticed).
DIFFERENT = 15
#: How much of two cards has to look different.
ENOUGH = 0.06

#: The cards of each row, with their boxes and those of their parts.
BOXES = """() => [...document.querySelectorAll('.row')].map(row => [...row.children].map(card => {
  const box = it => {
    const { left, top, right, bottom } = it.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const parts = {};
  for (const name of ['numeral', 'motif', 'glyph']) {
    const part = card.querySelector(`.${name}`);
    if (part && getComputedStyle(part).display !== 'none') parts[name] = box(part);
  }
  return { card: card.dataset.card, box: box(card), parts };
}))"""

#: The visible names, the boxes of their letters, and their cards.
NAMES = """() => [...document.querySelectorAll('.card .name')]
  .filter(name => getComputedStyle(name).clipPath === 'none').map(name => {
    const range = document.createRange();
    range.selectNodeContents(name);
    return [name.textContent, range.getBoundingClientRect().toJSON(), range.getClientRects().length,
      name.closest('.card').getBoundingClientRect().toJSON()];
  })"""


def lab(picture):
    """The colors of a picture in CIELAB, where distances are what people see."""
    light = np.asarray(picture, float) / 255
    light = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
    matrix = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    ratios = light @ matrix.T / matrix.sum(axis=1)
    x, y, z = np.moveaxis(np.where(ratios > 0.008856, np.cbrt(ratios), 7.787 * ratios + 16 / 116), -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def difference(one, other):
    """The part of two pictures that looks different."""
    return float((np.linalg.norm(one - other, axis=-1) > DIFFERENT).mean())


def cards_seen(page, vision):
    """The colors of the cards of each row to someone who does not look closely: fine lines are blurred."""
    picture = card_sheet.screenshot_as_seen(page, vision)
    for row in page.evaluate(BOXES):
        yield {
            found["card"]: lab(
                picture.crop([round(side) for side in found["box"]]).filter(
                    ImageFilter.GaussianBlur((found["box"][2] - found["box"][0]) / 48)
                )
            )
            for found in row
        }


def overlap(one, other):
    left, top, right, bottom = (
        f(pair) for f, pair in zip((max, max, min, min), zip(one, other, strict=True), strict=True)
    )
    return left < right and top < bottom


@pytest.mark.parametrize("theme", THEMES)
def test_numerals_touch_neither_frames_nor_emblems(chromium, theme):
    with card_sheet.open_page(chromium, card_sheet.sheet("en", card_sheet.WIDTHS, theme), scale=2) as page:
        rows = page.evaluate(BOXES)
        page.add_style_tag(content=".art :is(.numeral, .motif, .glyph) { visibility: hidden; }")
        ground = card_sheet.screenshot_as_seen(page, "none")
    assert [len(row) for row in rows] == [18] * len(card_sheet.WIDTHS)
    for width, row in zip(card_sheet.WIDTHS, rows, strict=True):
        for found in row:
            numeral = found["parts"].pop("numeral")
            margin = width / 100
            around = [numeral[0] - margin, numeral[1] - margin, numeral[2] + margin, numeral[3] + margin]
            under = np.asarray(ground.crop([round(2 * side) for side in around]), int)
            assert np.ptp(under, axis=(0, 1)).max() <= 2, (found["card"], width, "frame")
            assert not any(overlap(around, part) for part in found["parts"].values()), (found["card"], width)


@pytest.mark.parametrize("language", LOCALES)
def test_names_fit_on_their_cards(chromium, language):
    widths = [width for width in card_sheet.WIDTHS if width > 60]
    with card_sheet.open_page(chromium, card_sheet.sheet(language, widths)) as page:
        names = page.evaluate(NAMES)
    assert len(names) == 15 * len(widths)
    for name, letters, lines, card in names:
        margin = card["width"] * 0.08
        assert lines == 1, name
        assert letters["left"] >= card["left"] + margin, (name, card["width"])
        assert letters["right"] <= card["right"] - margin, (name, card["width"])
        assert card["top"] + card["height"] * 0.8 < letters["top"] < letters["bottom"] <= card["bottom"], name


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", card_sheet.VISIONS)
def test_everyone_can_tell_the_cards_apart(chromium, vision, theme):
    with card_sheet.open_page(chromium, card_sheet.sheet("en", (24, 64, 100), theme)) as page:
        for cards in cards_seen(page, vision):
            for one, other in combinations(cards, 2):
                assert difference(cards[one], cards[other]) > ENOUGH, (one, other, cards[one].shape)


def test_cards_that_differ_only_in_color_would_fail(chromium):
    with card_sheet.open_page(chromium, card_sheet.sheet("en", (24, 64))) as page:
        page.add_style_tag(content=".art :is(.motif, .glyph) { visibility: hidden; }")
        for cards in cards_seen(page, "achromatopsia"):
            assert difference(cards["S1"], cards["C1"]) < ENOUGH / 2


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", card_sheet.VISIONS)
def test_everyone_sees_the_ages_where_cards_overlap(chromium, vision, theme):
    with card_sheet.open_page(chromium, card_sheet.sheet("en", (24, 40, 64), theme)) as page:
        for cards in cards_seen(page, vision):
            width = cards["M1"].shape[1]
            upper = {card: colors[: round(width * 0.36)] for card, colors in cards.items()}
            left = {card: colors[:, : width // 3] for card, colors in cards.items()}
            for one, other in combinations(cards, 2):
                if one[0] == other[0]:
                    assert difference(upper[one], upper[other]) > 2 * ENOUGH, (one, other, width)
                    assert difference(left[one], left[other]) > 2 * ENOUGH, (one, other, width)


def test_numerals_stand_out_in_a_winning_column(visit, site):
    games = (played(Game(3, seed=seed)) for seed in range(100))
    page = visit()
    page.goto(f"/games/{site.lay(next(game for game in games if game.result.domain is not None))}")
    # The column has the color of its Domain, which is the ink of cards of Age I and II and the ground of the others.
    colors = page.locator(".column.won .card").evaluate_all(
        """all => all.map(card => [card.matches('.a3'), getComputedStyle(card.querySelector('.numeral')).color,
          getComputedStyle(card.closest('.column')).backgroundColor])"""
    )
    assert len(colors) >= 7
    assert all((ink == domain) != inverse for inverse, ink, domain in colors)


#: How much is visible of each numeral in a column: of one that another card covers, what is above that card.
VISIBLE = """() => [...document.querySelectorAll('.own .stack, .others .stack')].filter(it => it.checkVisibility())
  .flatMap(stack => [...stack.querySelectorAll('.card')].map((card, index, cards) => {
    const numeral = card.querySelector('.numeral').getBoundingClientRect();
    const next = cards[index + 1]?.getBoundingClientRect();
    const covers = next && next.top > numeral.top && next.left < numeral.right && next.right > numeral.left;
    return (covers ? Math.min(next.top, numeral.bottom) : numeral.bottom) - numeral.top;
  }))"""

SCREENS = ((390, 844), (375, 667), (844, 390), (768, 1024), (1280, 800), (1366, 768), (1920, 1080))


def test_numerals_are_visible_in_the_fullest_columns(visit, site):
    game = played(Game(3, seed=5))
    token = tokens.new_token()
    page = visit(token=token)
    page.goto(f"/games/{site.lay(game, (None, 'greedy', 'greedy'), token)}")
    assert page.locator(".own .column.d0 .stack .card").count() == 8
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        visible = page.evaluate(VISIBLE)
        assert len(visible) >= 12, width
        assert min(visible) >= 4, (width, height, visible)

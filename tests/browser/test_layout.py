"""A table without scrolling: everything needed is visible at every moment of recorded games, on every screen."""

import dataclasses
from itertools import chain
from pathlib import Path

import pytest
from browser_site import ANSWERS, answer, create_table, is_over, number, wait_for_a_question
from conftest import LOCALES

from hegemon import read_record
from hegemon.play.game import Game
from hegemon.prose.translator import get_translator
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import count
from hegemon.rules.position import Question
from hegemon.server.security import tokens

RECORDS = Path(__file__).parents[1] / "golden" / "games"

#: Phones in portrait and landscape, a tablet, and large screens.
SIZES = ((390, 844), (375, 667), (844, 390), (768, 1024), (1280, 800), (1366, 768), (1920, 1080))

#: Names of the maximum length.
LONG_NAMES = ("Wilhelmine von Ansbach", "Maximilian Weyprechtshof", "Konstantinopolitanerin", "Theodora")

#: What is missing, cut off, covered or too small to touch: hand, own columns, the others' counts, question, End turn.
PROBLEMS = """() => {
  const problems = [];
  const name = (it) => `${it.className?.baseVal ?? it.className} ${it.textContent.trim().slice(0, 30)}`;
  const inside = (box, frame) => box.left >= frame.left - 1 && box.top >= frame.top - 1
    && box.right <= frame.right + 1 && box.bottom <= frame.bottom + 1;
  const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  function check(what, it, { within = it, at = [.5, .5], least = 1 } = {}) {
    if (!it?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) {
      problems.push(`${what} is hidden`);
      return;
    }
    const box = it.getBoundingClientRect();
    if (!inside(box, screen)) problems.push(`${what} is off the screen: ${name(it)}`);
    if (Math.min(box.width, box.height) < least) {
      problems.push(`${what} is only ${Math.round(box.width)} by ${Math.round(box.height)}: ${name(it)}`);
    }
    const top = document.elementFromPoint(box.left + at[0] * box.width, box.top + at[1] * box.height);
    if (!within.contains(top)) problems.push(`${what} is covered by ${top && name(top)}: ${name(it)}`);
    for (let frame = it.parentElement; frame && frame !== document.body; frame = frame.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(frame);
      const clips = overflowX !== 'visible' || overflowY !== 'visible';
      if (clips && !inside(box, frame.getBoundingClientRect())) problems.push(`${what} is cut off: ${name(it)}`);
    }
  }
  function checkText(what, it) {
    const range = document.createRange();
    range.selectNodeContents(it);
    const frame = it.closest('button, .region').getBoundingClientRect();
    const out = [...range.getClientRects()].some((box) => !inside(box, frame));
    if (out) problems.push(`${what} does not fit: ${name(it)}`);
  }
  const all = (selector) => [...document.querySelectorAll(selector)];
  const over = document.querySelector('h1.over');
  for (const card of over ? [] : all('[data-region=hand] .card')) check('a card in hand', card, { at: [.08, .1] });
  for (const head of all('[data-region=me] .head')) {
    check('an own column', head, { within: head.parentElement, at: [.5, .12], least: 44 });
    const floor = head.getBoundingClientRect().bottom;
    for (const card of head.querySelectorAll('.stack .card')) {
      const { top, bottom } = card.getBoundingClientRect();
      if (bottom > floor + 1) problems.push(`a card sticks out of its column: ${name(head)}`);
    }
  }
  for (const it of all('[data-region=me] .count')) check('an own count', it, { within: it.closest('.column') });
  for (const panel of all('.others .panel')) {
    const facts = panel.querySelectorAll('.count b, .player, .points');
    for (const it of facts) check('what an opponent has', it, { within: panel });
  }
  check('the question', document.getElementById('question'), { within: document.querySelector('.region.question') });
  checkText('the question', document.getElementById('question'));
  const pinned = document.querySelector('.act > .pinned');
  if (!over) {
    check('End turn', pinned, { least: 44 });
    all('.pinned .answer').filter((it) => it.checkVisibility()).forEach((it) => checkText('End turn', it));
  }
  const { scrollHeight, scrollWidth } = document.documentElement;
  const scrolls = scrollHeight > innerHeight || scrollWidth > innerWidth;
  if (scrolls) problems.push(`the page is ${scrollWidth} by ${scrollHeight}`);
  const place = pinned?.getBoundingClientRect();
  return [problems, place ? [place.left, place.top, place.width, place.height].map(Math.round) : null];
}"""

#: All layout shifts of a game, and what moved, except while something is open above the page.
#: Cards come and go, and their neighbors move; these shifts are expected.
SHIFTS = """
  window.shifts = [];
  const isCard = ({ node }) => (node?.closest ? node : node?.parentElement)?.closest('[data-card]');
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      if (document.querySelector(':popover-open, h1.over') || (sources.length && sources.every(isCard))) continue;
      const moved = sources.map(({ node }) => (node?.outerHTML ?? node?.textContent ?? '').slice(0, 100));
      window.shifts.push([value, moved]);
    }
  }).observe({ type: 'layout-shift', buffered: true });
"""


def fullness(game, seat):
    """How full a table is for a seat: by its hand, by its longest column, by the markers on the table."""
    position = game.position
    marked = [*chain(*position.embargoes), *chain(*position.democracies), position.coin_owner]
    return {
        "hand": len(game.view(seat).hand),
        "column": max(map(count, position.areas[seat])),
        "markers": sum(map(bool, marked)),
    }


def moments():
    """Every question of recorded games, and the fullest tables and an end of those for two, three and four."""
    found, asked = {}, set()
    for path in sorted(RECORDS.glob("*.toml")):
        record = read_record(path.read_text())
        game = Game.from_record(dataclasses.replace(record, moves=(), result=None))
        for seat, code in record.moves:
            players, question = game.players, Question(game.position.question).name
            if question not in asked:
                asked.add(question)
                found[players, question] = 0, game.copy(), seat
            for what, amount in fullness(game, seat).items():
                if amount > found.get((players, what), (0,))[0]:
                    found[players, what] = amount, game.copy(), seat
            game.play(CHOICES[code], seat)
        found.setdefault((game.players, "end"), (0, game, 0))
    return {key: (game, seat) for key, (_, game, seat) in sorted(found.items())}


def test_everything_needed_is_always_visible(visit, site):
    token = tokens.new_token()
    page = visit("en", token=token)
    problems, places, languages = [], {}, sorted(LOCALES)
    for turn, (moment, (game, seat)) in enumerate(moments().items()):
        language, people = languages[turn % len(languages)], turn % 3 == 0
        names = LONG_NAMES[: game.players] if turn % 2 else game.names
        game = Game.from_record(dataclasses.replace(game.record(), names=names))
        seats = tuple(
            None if other == seat else "person" if people else "greedy" for other in range(game.players)
        )
        page.context.add_cookies([{"name": "language", "value": language, "url": site.address}])
        page.goto(f"/games/{site.lay(game, seats, token)}")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            found, place = page.evaluate(PROBLEMS)
            problems += [f"{moment} {language} {width}×{height}: {problem}" for problem in found]
            if place is not None and moment[1] != "end":
                places.setdefault((width, height), {}).setdefault(tuple(place), moment)
    assert not problems, "\n".join(problems)
    assert all(len(found) == 1 for found in places.values()), places


@pytest.mark.parametrize(("size", "opponents"), [((390, 844), 3), ((1280, 800), 2)])
def test_the_layout_is_stable_during_a_game(visit, size, opponents):
    page = visit("de", viewport=dict(zip(("width", "height"), size, strict=True)))
    page.add_init_script(SHIFTS)
    page.goto("/")
    create_table(page, "me", *["greedy"] * opponents)
    wait_for_a_question(page)
    for _ in range(30):
        if is_over(page):
            break
        buttons = page.locator(ANSWERS)
        answer(
            page,
            lambda buttons=buttons: buttons.nth(number(page) % buttons.count()).evaluate("it => it.click()"),
        )
    shifts = page.evaluate("shifts")
    assert sum(value for value, _ in shifts) < 0.02, "\n".join(map(str, sorted(shifts, reverse=True)[:10]))


#: The lines of text outside the box of the question, and whether the button for the end of the turn is covered.
PATIENCE = """(sentence) => {
  const act = document.querySelector('.act');
  act.innerHTML = `<p class="thinking"><span>…</span></p><p class="patience">${sentence}</p>
    <p class="pinned idle"><span class="answer end">…</span></p>`;
  const frame = act.closest('.region').getBoundingClientRect(), range = document.createRange();
  range.selectNodeContents(act.querySelector('.patience'));
  const out = [...range.getClientRects()].filter((box) => box.bottom > frame.bottom || box.right > frame.right);
  const end = act.querySelector('.end').getBoundingClientRect();
  const covered = [...range.getClientRects()].some((box) => box.right > end.left && box.left < end.right);
  return [out.length, covered];
}"""


@pytest.mark.parametrize("width", [360, 1280])
def test_the_sentence_about_a_bot_that_takes_long_covers_nothing(visit, width):
    page = visit("en", viewport={"width": width, "height": 740})
    page.goto("/")
    create_table(page, "me", "greedy")
    wait_for_a_question(page)
    for language in LOCALES:
        sentence = get_translator(language).text(
            "This is taking longer than usual; just after a restart the bots are still warming up."
        )
        assert page.evaluate(PATIENCE, sentence) == [0, False], language

"""Every page in every language: what axe reports in both themes, and how it behaves on a small phone."""

from pathlib import Path

import axe_playwright_python
import pytest
from browser_site import played
from conftest import LOCALES

from hegemon.play.game import Game
from hegemon.play.study import Study
from hegemon.rules.position import Question
from hegemon.server.db.tournament_rows import OPEN, OVER, RUNNING
from hegemon.server.security import tokens

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()

#: The rules of WCAG 2.2 AA, and axe's best practices.
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLORS = ["color-contrast", "link-in-text-block"]

#: The rules whose outcome depends on words and their length. All others look at elements, roles and states,
#: which are the same in every language: the templates contain them, and the catalogs contain only words.
WORDED = [
    *("accesskeys", "area-alt", "aria-braille-equivalent", "aria-command-name", "aria-dialog-name"),
    *("aria-input-field-name", "aria-meter-name", "aria-progressbar-name", "aria-tab-name", "aria-text"),
    *("aria-toggle-field-name", "aria-tooltip-name", "aria-treeitem-name", "button-name", "document-title"),
    *("empty-heading", "empty-table-header", "frame-title", "html-has-lang", "html-lang-valid"),
    *("html-xml-lang-mismatch", "image-alt", "image-redundant-alt", "input-button-name", "input-image-alt"),
    *("label", "label-title-only", "landmark-unique", "link-name", "object-alt", "role-img-alt"),
    *("scrollable-region-focusable", "select-name", "skip-link", "summary-name", "svg-img-alt"),
    *("table-duplicate-name", "target-size", "valid-lang"),
]

NAMES = ("Ada", "Zenobia", "Ashoka", "Hypatia")
#: The browser itself reports pages with an error status.
REJECTIONS = "the server responded with a status of 4"

PHONE = {"width": 360, "height": 740}

#: Controls that are too low for a thumb; links within a text are as high as the text,
#: and a link to its own place exists only to be copied.
TOO_LOW = """() => [...document.querySelectorAll(
    'a[href], button, select, summary, textarea, input:not([type=hidden]), [role=button], [tabindex="0"]'
  )].filter(it => it.checkVisibility({ visibilityProperty: true }) && !it.closest('.skip'))
    .map(it => [it, /^(radio|checkbox)$/.test(it.type) ? it.closest('label') ?? it : it])
    .filter(([it, target]) => target.getBoundingClientRect().height < 43.5)
    .filter(([it]) => !(it.tagName === 'A' && getComputedStyle(it).display === 'inline'))
    .filter(([it]) => it.hash !== `#${it.closest('[id]')?.id}`)
    .map(([it]) => it.outerHTML.slice(0, 160))"""

#: What sticks out on the right, if the page can be scrolled that way.
TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [`${document.documentElement.scrollWidth} px`, ...[...document.querySelectorAll('main *')]
    .filter(it => it.getBoundingClientRect().right > innerWidth + 1 && it.checkVisibility())
    .slice(0, 5).map(it => it.outerHTML.slice(0, 160))]"""

#: A header that takes more of a small screen than one row.
TWO_ROWS = "() => document.querySelector('.top').offsetHeight < 64 ? [] : ['the header has two rows']"

OPEN_ALL = "document.querySelectorAll('details').forEach(details => { details.open = true; })"


def axe_finds(page, run):
    """A summary of axe's findings."""
    return page.evaluate(
        """run => axe.run(document, { resultTypes: ['violations'], ...run }).then(found =>
          found.violations.flatMap(rule => rule.nodes.map(node => [rule.id, node.html.slice(0, 200)])))""",
        run,
    )


def shape_problems(page, language="en"):
    """Problems other than colors, which do not depend on the language and take axe most of its time.

    In languages other than English, only rules that depend on words are checked.
    """
    page.evaluate(AXE)
    page.evaluate(OPEN_ALL)
    if language != "en":
        return axe_finds(page, {"runOnly": {"type": "rule", "values": WORDED}})
    return axe_finds(page, {"runOnly": STANDARDS, "rules": {rule: {"enabled": False} for rule in COLORS}})


def color_problems(page):
    """Texts with too little contrast in one of the themes."""
    problems = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        problems += [(theme, *found) for found in axe_finds(page, {"runOnly": COLORS})]
    return problems


@pytest.fixture(scope="module")
def site(company):
    """The server of these tests: it has a lobby."""
    return company


@pytest.fixture(scope="module")
def token():
    return tokens.new_token()


@pytest.fixture(scope="module")
def addresses(site, token):
    """Every page there is, by its address."""

    def lay(until=lambda game: False, variant="basic", players=3, seats=None, seed=5, bot="greedy", **facts):
        game = Game(players, variant, seed=seed, names=NAMES[:players], **facts)
        return f"/games/{site.lay(played(game, until, bot), seats or (None, *['greedy'] * (players - 1)), token)}"

    def to_move(question):
        return lambda game: game.seat == 0 and game.view(0).question == question and game.choices_of(0)

    finished = lay(seed=5)
    site.save_analysis(finished.split("/")[2])
    effects = lay(lambda game: to_move(Question.EFFECTS)(game) and len(game.moves) > 90)
    company = site.lay(
        played(Game(4, seed=5, names=NAMES), lambda game: len(game.moves) > 30 and game.choices_of(0)),
        (None, "person", "friend", "greedy"),
        token,
    )
    site.submit_move(
        company, (1, "Zenobia says something that takes more than one line of a narrow page."), (0, "Ah.")
    )
    others = site.lay(Game(3, seed=5, names=NAMES[:3]), ("person", "friend", "greedy"), public=True)
    site.submit_move(others, (0, "Hello"), (None, "Hello from a spectator"))
    started_at = site.lay(played(Game(2, seed=2), lambda game: len(game.moves) > 50), ("person", "person"))
    site.submit_move(started_at, (0, "Hello"), (None, "Hello from a spectator"))
    line = "M112e1u3S1(E1S1C1)/R1E1(M1E1S1)/C1(R1M1S1) 1p - - 2>1S M11R1 M1 3"
    study = Study(Game.from_position(line, NAMES[:3]).record())
    study.root.comment, study.title = "What now?", "Two Domains"
    for choice in ("E", "C"):
        node = study.play(study.root, choice)
        node.comment = "A remark that takes more than one line of a narrow page."
        study.play(node, ".")
    week = "2024-W10"
    site.lay_tournament(OVER, token, league=week)
    waiting_game = played(
        Game(2, seed=5, names=NAMES[:2]), lambda game: len(game.moves) > 9 and game.seat == 1
    )
    waiting = site.lay(waiting_game, (None, "person"), token, clock="3d a move")
    waiting_line = str(waiting_game.view(0).hand)[0]
    everyone = {"players": 4, "variant": "draft", "teams": True, "seats": (None,) * 4}
    return {
        "start": "/",
        "rules": "/rules",
        "rulings": "/rulings",
        "no such game": "/games/nonsense",
        "effects": effects,
        "draft": lay(lambda game: len(game.moves) > 4 and game.choices_of(0), "draft"),
        "curtain": lay(lambda game: len(game.moves) > 3, **everyone),
        "Hegemony": finished,
        "replay, open cards": f"{finished}/replay?at=90&seat=5",
        "where it was decided": f"{finished}/replay?decided=true&seat=1",
        "shuffle": f"{effects}/shuffle",
        "a lesson": "/learn/9?other=true",
        "a lesson at its end": "/learn/33",
        "puzzles": "/puzzles",
        "puzzle": "/puzzles/1?moves=M&show=true",
        "an invitation": f"/join/{site.row(others).seats[1].invite}",
        "the table is laid": lay(lambda game: True, seats=(None, "friend", "greedy")),
        "among people": f"/games/{company}",
        "the seats": f"/games/{company}/seats",
        "a report": f"/games/{company}/report",
        "me": "/me",
        "the deal of the day": "/daily",
        "series of the week": "/daily/week",
        "my games": "/me/games",
        "tournaments": "/tournaments",
        "an open tournament": site.lay_tournament(OPEN, token),
        "a running tournament": site.lay_tournament(RUNNING, token, game_id=company),
        "the league": f"/league/{week}",
        "my deadlines": "/me/days",
        "preparing a turn": f"/games/{waiting}/plan?line={waiting_line}",
        "statistics": "/me/statistics",
        "studies": "/study",
        "setting up": f"/study/new?position={line.replace(' ', '+')}",
        "study": f"{site.keep_study(study, token)}?at=4",
        "lobby": "/lobby",
    }, {
        "an invitation that was used": "/join/nonsense",
        "the table is laid, for others": f"/games/{others}",
        "looking on": f"/games/{started_at}",
        "a seat that is lost": f"/games/{started_at}?lost=true",
        "no table in the lobby": "/lobby?players=2&variant=draft",
        "a puzzle, missed": "/puzzles/1?moves=M+.",
        "puzzles of a theme": "/puzzles?theme=monopoly&stars=3",
        "no such page": "/nonsense",
        "for the host": "/admin",
        "an embed": f"{finished}/embed?at=60&seat=5",
        "leaving": "/me/delete",
        "signing out": "/me/sign-out",
        "a tournament that is over": site.lay_tournament(OVER, token),
        "setting up what cannot be played": "/study/new?position=()/()+1p",
        "a study of another's": f"{site.keep_study(study, tokens.new_token())}?at=1&closed=true",
        "the record of a game that goes on": f"{effects}/record",
        "to play": lay(to_move(Question.PLAY)),
        "to give": lay(to_move(Question.GIVE)),
        "Embargo": lay(to_move(Question.EMBARGO)),
        "center, in teams": lay(to_move(Question.CENTER), **everyone) + "?seat=1",
        "somebody else's": f"/games/{site.lay(played(Game(3, seed=2), lambda game: len(game.moves) > 50))}",
        "Majority": lay(seed=5, bot="chance"),
        "replay, not analyzed": f"{lay(seed=6)}/replay?at=60&seat=2",
        "shuffle, checked": f"{finished}/shuffle",
    }  # fmt: skip


def start_with_an_error(page):
    """Try to create a table with bots only, so that the start page shows an error."""
    page.goto("/")
    form = page.locator("form", has=page.locator("select[name=seat1]"))
    form.locator("select[name=seat1]").select_option("greedy")
    form.locator("button").last.click()
    page.get_by_role("alert").wait_for()


@pytest.mark.parametrize("language", LOCALES)
def test_every_page_in_every_language_on_a_phone(visit, token, addresses, language):
    page = visit(language, token=token, viewport=PHONE, forgive=[REJECTIONS])
    problems = []

    def look(name):
        problems.extend((name, *found) for found in shape_problems(page, language))
        problems.extend((name, "too wide", html) for html in page.evaluate(TOO_WIDE))
        problems.extend((name, "too low for a thumb", html) for html in page.evaluate(TOO_LOW))
        problems.extend((name, found) for found in page.evaluate(TWO_ROWS))
        assert page.locator("html").get_attribute("lang") == language

    for name, address in addresses[0].items():
        page.goto(address)
        look(name)
    start_with_an_error(page)
    look("start, with an error")
    assert not problems, "\n".join(map(str, problems))


def test_every_page_in_both_themes_on_a_large_screen(visit, token, addresses):
    page = visit(token=token, forgive=[REJECTIONS])
    problems = []
    for name, address in {**addresses[0], **addresses[1]}.items():
        page.goto(address)
        problems += [(name, *found) for found in shape_problems(page) + color_problems(page)]
    start_with_an_error(page)
    problems += shape_problems(page) + color_problems(page)
    assert not problems, "\n".join(map(str, problems))

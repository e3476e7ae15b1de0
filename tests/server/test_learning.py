"""The first game and the puzzles, with forms only."""

from contextlib import nullcontext

import pytest

from hegemon.prose.lessons import LESSONS
from hegemon.prose.puzzles import PUZZLES
from hegemon.prose.translator import LANGUAGES, get_translator
from hegemon.server.web.views.learn import STOPS
from tracing import without_tracing

pytestmark = pytest.mark.slow

OTHER = "You could do that in a real game."


@pytest.fixture
def traced_in_english(language):
    """Trace only English: the other languages execute the same lines."""
    with nullcontext() if language == "en" else without_tracing():
        yield


@pytest.mark.usefixtures("traced_in_english")
@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_whole_first_game_can_be_played_with_forms(browser, language):
    words = get_translator(language).learning
    await browser.get("/learn", **{"accept-language": language})
    browser.client.headers["accept-language"] = language
    for at, stop in enumerate(STOPS, 1):
        assert browser.status == 200
        assert browser.path in ("/learn", f"/learn/{at}")
        for sentence in (words[stop.sentence], words[f"lesson.{stop.key}.title"]):
            assert sentence in browser.page.replace("&#39;", "'")
        if at == len(STOPS):
            break
        if stop.choice is None:
            assert browser.words == []
            assert f'href="/learn/{at + 1}"' in browser.page
            await browser.get(f"/learn/{at + 1}")
        else:
            assert stop.choice in browser.words
            await browser.post(f"/learn/{at}", {"choice": stop.choice})
    await browser.post("/games", {})
    assert browser.path.startswith("/games/")


async def test_another_choice_gets_an_explanation_and_changes_nothing(browser):
    await browser.get("/learn/1")
    assert OTHER not in browser.page
    for choice in ("M", "nonsense", ""):
        await browser.post("/learn/1", {"choice": choice})
        assert (browser.status, browser.path) == (200, "/learn/1")
        assert OTHER in browser.page
    assert "S" in browser.words


async def test_a_step_says_what_happened_and_leads_back(browser):
    await browser.get("/learn/3")
    assert "Zenobia played Economy I." in browser.page
    assert 'href="/learn/2"' in browser.page
    await browser.get("/learn/1")
    assert 'rel="prev"' not in browser.page


async def test_after_a_lesson_there_is_nothing_to_choose(browser):
    for at, stop in enumerate(STOPS, 1):
        if stop.choice is None:
            await browser.get(f"/learn/{at}")
            assert browser.words == []


@pytest.mark.parametrize("path", ["/learn/0", "/learn/999", "/puzzles/0", "/puzzles/999", "/learn/x"])
async def test_pages_beyond_the_last_are_not_found(browser, path):
    await browser.get(path)
    assert browser.status == 404
    await browser.post(path, {"choice": "M"})
    assert browser.status == 404


async def test_the_start_page_leads_to_the_first_game(browser):
    await browser.get("/")
    assert 'href="/learn"' in browser.page
    assert 'href="/puzzles"' in browser.page


@pytest.mark.parametrize("number", range(1, len(PUZZLES) + 1))
async def test_a_puzzle_is_solved_with_forms_and_remembered(browser, number):
    puzzle = PUZZLES[number - 1]
    await browser.get(f"/puzzles/{number}")
    for choice in puzzle.solution:
        assert choice in browser.words
        moves = browser.hidden("moves")
        await browser.post(f"/puzzles/{number}", {"choice": choice, "moves": moves})
        assert browser.status == 200
    assert "Solved!" in browser.page
    assert browser.words == []
    await browser.get("/puzzles")
    assert browser.page.count("✓ solved") == 1


async def test_a_turn_that_ends_without_a_win_can_be_tried_again(browser):
    await browser.get("/puzzles/1")
    for choice in ("M", "."):
        await browser.post("/puzzles/1", {"choice": choice, "moves": browser.hidden("moves")})
    assert "the win has slipped away" in browser.page
    assert browser.words == []
    assert 'href="/puzzles/1?moves=M"' in browser.page
    await browser.get("/puzzles")
    assert "✓" not in browser.page


async def test_a_solution_is_shown_on_demand(browser):
    await browser.get("/puzzles/1?moves=M&show=true")
    assert get_translator("en").learning["puzzle.430-109"] in browser.page
    assert "Research: return 2 cards from play" in browser.page
    assert "S++" in browser.words, "the player can continue"


@pytest.mark.parametrize("moves", ["X", "M M M", "S++", ". ." * 50])
async def test_illegal_moves_lead_back_to_the_beginning(browser, moves):
    await browser.get(f"/puzzles/1?moves={moves}")
    assert browser.status == 200
    assert browser.hidden("moves") == ""
    await browser.post("/puzzles/1", {"choice": "M", "moves": moves})
    assert browser.status == 200
    assert browser.hidden("moves") == ""


async def test_moves_after_the_end_of_a_turn_are_not_played(browser):
    await browser.get("/puzzles/1?moves=M . R .")
    assert browser.status == 200
    assert "the win has slipped away" in browser.page


async def test_a_forged_list_of_solved_puzzles_is_ignored(browser):
    browser.client.cookies.set("solved", "1-x-99--<b>")
    await browser.get("/puzzles")
    assert browser.status == 200
    assert browser.page.count("✓ solved") == 1


def test_a_lesson_has_a_page_for_every_step_and_a_closing_page():
    assert len(STOPS) == sum(len(lesson.steps) + 1 for lesson in LESSONS.values())

"""Puzzles on the server: first attempts are rated once, despite reloads, forged requests and shown solutions."""

from datetime import UTC, date, datetime, timedelta
from urllib.parse import quote

import pytest
from sqlalchemy import select

from hegemon.prose.translator import LANGUAGES, get_translator
from hegemon.puzzles.collection import DEFENSE, DRAFT, all_puzzles, daily_puzzle, puzzles_with
from hegemon.server.db import puzzles as stored
from hegemon.server.db.puzzles import FAILED, SHOWN, SOLVED
from hegemon.server.db.schema import solvers
from hegemon.server.tables import puzzle_ratings

FIRST = all_puzzles()[0]


async def solver_of(browser):
    """The only person who has tried a puzzle."""
    store = browser.client.app.state.tables.store
    async with store.database.reading() as connection:
        (owner,) = await connection.scalars(select(solvers.c.owner))
    return await store.puzzles.solver(owner)


async def solve(browser, puzzle):
    await browser.get(f"/puzzles/{puzzle.number}")
    for choice in puzzle.solution:
        await browser.post(f"/puzzles/{puzzle.number}", {"choice": choice, "moves": browser.hidden("moves")})


async def test_the_first_attempt_is_rated_and_no_other(browser):
    await solve(browser, FIRST)
    assert "Solved!" in browser.page
    assert "Your rating: 1000 → " in browser.page
    assert "1 of 1 players solved it at the first attempt." in browser.page
    solver = await solver_of(browser)
    assert (solver.attempts, solver.solved, solver.row) == (1, 1, 1)
    assert puzzle_ratings.shown_rating(solver) > 1000
    await solve(browser, FIRST)
    assert await solver_of(browser) == solver
    assert "Your rating: " not in browser.page


async def test_a_wrong_choice_ends_the_attempt_and_is_refuted(browser):
    await browser.get("/puzzles/1")
    for choice in ("M", "S+"):
        await browser.post("/puzzles/1", {"choice": choice, "moves": browser.hidden("moves")})
    assert "That is not the way." in browser.page
    assert "After this you can reach at most" in browser.page
    solver = await solver_of(browser)
    assert (solver.attempts, solver.solved) == (1, 0)
    await solve(browser, FIRST)
    assert "Solved!" in browser.page
    assert await solver_of(browser) == solver
    await browser.get("/puzzles")
    assert "✓" not in browser.page


async def test_moves_in_the_url_reveal_nothing_before_the_first_attempt(browser):
    await browser.get("/puzzles/1?moves=M S%2B")
    assert "That is not the way." not in browser.page


async def test_a_puzzle_whose_solution_was_shown_is_not_solved(browser):
    """With a token, and in a browser that has none yet."""
    await browser.get("/puzzles/1?show=true")
    await solve(browser, FIRST)
    solver = await solver_of(browser)
    assert (solver.attempts, solver.solved) == (1, 0)
    await browser.get("/puzzles/2?show=true")
    await solve(browser, all_puzzles()[1])
    solver = await solver_of(browser)
    assert (solver.attempts, solver.solved) == (2, 0)
    await browser.get(f"/puzzles/3?moves={quote(' '.join(all_puzzles()[2].solution))}")
    assert "Solved!" in browser.page
    await solve(browser, all_puzzles()[2])
    assert (await solver_of(browser)).solved == 0


async def test_a_defense_is_solved_and_refuted_by_forms(browser):
    puzzle = next(one for one in puzzles_with(DEFENSE) if len(one.game().choices) > 1)
    await solve(browser, puzzle)
    assert "No one else can win before your next turn" in browser.page
    other = next(one for one in puzzles_with(DEFENSE) if one.key != puzzle.key)
    await browser.get(f"/puzzles/{other.number}")
    assert "Another player could win next." in browser.page
    await browser.post(f"/puzzles/{other.number}", {"choice": other.solution[0], "moves": ""})
    await browser.post(f"/puzzles/{other.number}", {"choice": ".", "moves": browser.hidden("moves")})
    assert "would win with it." in browser.page
    assert "another player can still win" in browser.page


async def test_a_draft_puzzle_is_solved_by_the_best_pick_and_refuted_by_the_expected_result(browser):
    """Also if the same seat continues after the pick: from its packet to the center, and from there to its turn."""
    wrong, *rest = puzzles_with(DRAFT)
    await browser.get(f"/puzzles/{wrong.number}")
    assert "one is best by far according to a long search." in browser.page
    await browser.post(f"/puzzles/{wrong.number}", {"choice": [*wrong.shares][-1], "moves": ""})
    assert "That is not the way.</b> According to a long search you win" in browser.page
    assert "Undo the pick" in browser.page
    assert "Solved!" not in browser.page
    for puzzle in rest[:3]:
        await solve(browser, puzzle)
        assert "Solved!" in browser.page
        assert "What a long search expects" in browser.page
        assert "That is a judgment, not a proof." in browser.page
        assert "Why it works" not in browser.page
    assert (await solver_of(browser)).solved == len(rest[:3])
    await browser.get("/puzzles?theme=draft")
    assert browser.page.count('class="solved"') == len(rest[:3])


async def test_the_puzzle_of_the_day_and_a_puzzle_near_the_rating(browser):
    await browser.get("/puzzles/daily")
    today = daily_puzzle(browser.client.app.state.tables.now().date())
    assert browser.path == f"/puzzles/{today.number}"
    await solve(browser, today)
    solver = await solver_of(browser)
    assert (solver.days, solver.best_days) == (1, 1)
    await browser.get("/puzzles")
    assert "There is a new one every day." in browser.page
    await browser.get("/puzzles/next?theme=research")
    assert int(browser.path.split("/")[2]) in {puzzle.number for puzzle in puzzles_with("research")}
    await browser.get("/puzzles/next?theme=nonsense")
    assert browser.path == "/puzzles"


async def test_puzzles_are_listed_by_theme_difficulty_and_progress(browser):
    await browser.get("/puzzles?theme=embargo&stars=1")
    easy = [one for one in puzzles_with("embargo") if one.stars == 1]
    assert browser.page.count('href="/puzzles/') == len(easy) + 2
    await browser.get("/puzzles?stars=1&theme=republic&unsolved=true")
    assert browser.status == (200 if puzzles_with("republic") else 404)
    for wrong in ("theme=nonsense", "stars=9"):
        await browser.get(f"/puzzles?{wrong}")
        assert browser.status in (400, 404)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_pages_are_in_every_language(browser, language):
    browser.client.headers["accept-language"] = language
    words = get_translator(language).learning
    await browser.get("/puzzles")
    assert words["puzzle.page.themes"] in browser.page
    await browser.get(f"/puzzles/{puzzles_with(DEFENSE)[0].number}?show=true")
    assert words["puzzle.page.held"] in browser.page


# ------------------------------------------------------------------ ratings


def test_a_streak_of_days_ends_with_a_missed_day():
    solver, day = puzzle_ratings.new_solver("ada"), date(2026, 11, 1)
    for days in range(1, 4):
        solver = puzzle_ratings.with_daily_solved(solver, day)
        assert solver == puzzle_ratings.with_daily_solved(solver, day), "a day counts once"
        assert solver.days == days
        day += timedelta(days=1)
    assert puzzle_ratings.daily_streak(solver, day) == 3, "today's may still be solved"
    assert puzzle_ratings.daily_streak(solver, day + timedelta(days=1)) == 0
    solver = puzzle_ratings.with_daily_solved(solver, day + timedelta(days=1))
    assert (solver.days, solver.best_days) == (1, 3)


def test_both_ratings_change_and_the_streak_ends_with_a_failure():
    solver, puzzle = puzzle_ratings.new_solver("ada"), puzzle_ratings.first_rating(FIRST)
    better, easier = puzzle_ratings.rate(solver, puzzle, solved=True)
    assert better.mu > solver.mu
    assert easier.mu < puzzle.mu
    worse, harder = puzzle_ratings.rate(better, easier, solved=False)
    assert (worse.row, worse.best_row, worse.attempts, worse.solved) == (0, 1, 2, 1)
    assert (harder.attempts, harder.solved) == (2, 1)
    assert harder.mu > easier.mu


def test_the_first_puzzles_of_a_person_are_easy_and_none_comes_twice():
    solver, tried = puzzle_ratings.new_solver("ada"), {}
    first = puzzle_ratings.pick_puzzle(solver, tried, {})
    assert first.stars == 1
    for _ in range(5):
        puzzle = puzzle_ratings.pick_puzzle(solver, tried, {}, "research")
        assert puzzle.key not in tried
        tried[puzzle.key] = SOLVED
    everything = {puzzle.key: SOLVED for puzzle in all_puzzles()}
    assert puzzle_ratings.pick_puzzle(solver, everything, {}) is None


async def test_the_puzzle_of_the_day_counts_at_a_second_attempt_unless_its_solution_was_shown(browser):
    store, now = browser.client.app.state.tables.store, datetime(2026, 11, 1, tzinfo=UTC)
    daily = puzzle_ratings.daily_puzzle(now.date())
    for owner, first in (("ada", FAILED), ("ben", SHOWN)):
        await puzzle_ratings.save_attempt(store, owner, daily, first, now)
        assert await puzzle_ratings.save_attempt(store, owner, daily, SOLVED, now) is None
    ada, ben = await store.puzzles.solver("ada"), await store.puzzles.solver("ben")
    assert (ada.days, ada.day, ada.solved) == (1, now.date(), 0)
    assert (ben.days, ben.day, ben.solved) == (0, None, 0)


async def test_the_least_recently_seen_solvers_are_deleted(browser, monkeypatch):
    monkeypatch.setattr(stored, "MAX_SOLVERS", 2)
    monkeypatch.setattr(stored, "_MAX_EXPIRED", 1)
    store, now = browser.client.app.state.tables.store, datetime(2026, 11, 1, tzinfo=UTC)
    for number, owner in enumerate(("ada", "ben", "cleo")):
        await puzzle_ratings.save_attempt(store, owner, FIRST, FAILED, now + timedelta(hours=number))
    assert await store.puzzles.solver("ada") is None
    assert await store.puzzles.outcomes("ada") == {}
    assert await store.puzzles.outcomes("ben") == {FIRST.key: FAILED}
    await puzzle_ratings.save_attempt(store, "ben", FIRST, SHOWN, now + timedelta(hours=3))
    assert await store.puzzles.outcomes("ben") == {FIRST.key: SHOWN}
    while await store.puzzles.expire(now + timedelta(days=1)):
        pass
    assert await store.puzzles.solver("cleo") is None
    assert (await store.puzzles.ratings())[FIRST.key].attempts == 3


async def test_attempts_move_to_a_new_key_and_are_erased(browser):
    store, now = browser.client.app.state.tables.store, datetime(2026, 11, 1, tzinfo=UTC)
    await puzzle_ratings.save_attempt(store, "ada", FIRST, SOLVED, now)
    await store.people.change_owner("ada", "ada2")
    assert await store.puzzles.outcomes("ada2") == {FIRST.key: SOLVED}
    await store.people.erase("ada2")
    assert await store.puzzles.outcomes("ada2") == {}
    assert await store.puzzles.solver("ada2") is None

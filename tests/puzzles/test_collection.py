"""The shipped puzzles: enough of them, of every kind, small, quick to load, and proved."""

from collections import Counter
from datetime import date, timedelta

import pytest

from hegemon.prose.puzzles import PUZZLES as MADE_BY_HAND
from hegemon.prose.translator import LANGUAGES, get_translator
from hegemon.puzzles import drafting
from hegemon.puzzles.collection import (
    DEFENSE,
    DRAFT,
    HEGEMONY,
    MAJORITY,
    MAX_STARS,
    THEMES,
    all_puzzles,
    daily_puzzle,
    puzzles_with,
    read_puzzles,
    shipped_text,
    write_puzzles,
)
from hegemon.puzzles.mining import canonical
from hegemon.puzzles.selecting import problem_of
from hegemon.puzzles.words import ending, explanation, refutation, solution_steps, task, theme_name

PROVED = [puzzle for puzzle in all_puzzles() if not puzzle.judged]

#: Proving all takes half a minute: `hegemon puzzles --check` does.
SAMPLE = [puzzle for puzzle in PROVED[len(MADE_BY_HAND) :] if int(puzzle.key, 16) % 40 == 0]

EFFECTS_WITHOUT_PUZZLES = {"inquisition", "republic"}


def test_there_are_hundreds_of_puzzles_of_every_kind():
    puzzles = all_puzzles()
    assert len(puzzles) >= 600
    assert [puzzle.number for puzzle in puzzles] == list(range(1, len(puzzles) + 1))
    assert [puzzle.position for puzzle in puzzles[: len(MADE_BY_HAND)]] == [
        one.position for one in MADE_BY_HAND
    ]
    assert len({puzzle.key for puzzle in puzzles}) == len(puzzles)
    kinds = Counter(puzzle.kind for puzzle in PROVED)
    assert kinds.keys() == {HEGEMONY, MAJORITY, DEFENSE}
    assert min(kinds.values()) > 80
    assert {puzzle.kind for puzzle in puzzles if puzzle.judged} == {DRAFT}
    assert len(puzzles_with(DRAFT)) >= 20
    assert {puzzle.players for puzzle in puzzles} == {2, 3, 4}
    assert {puzzle.stars for puzzle in puzzles} == set(range(1, MAX_STARS + 1))
    assert {theme for theme in THEMES if not puzzles_with(theme)} <= EFFECTS_WITHOUT_PUZZLES


def test_no_two_puzzles_are_alike():
    tables = {(puzzle.goal, canonical(puzzle.game().view(puzzle.seat))) for puzzle in all_puzzles()}
    assert len(tables) == len(all_puzzles())


def test_the_file_is_small():
    assert len(shipped_text()) < 200_000
    first = len(MADE_BY_HAND) + 1
    assert write_puzzles(read_puzzles(shipped_text(), first)) == shipped_text()


@pytest.mark.parametrize("puzzle", SAMPLE, ids=[f"{puzzle.number}" for puzzle in SAMPLE])
def test_a_puzzle_is_proven(puzzle):
    assert problem_of(puzzle) == ""


def test_judged_puzzles_are_picks_of_a_draft_that_are_best_by_far(monkeypatch):
    """What a search expects depends on the network, so only `hegemon puzzles --check` judges again."""
    monkeypatch.setattr(drafting, "can_compile", lambda: False)
    assert [problem for problem in map(problem_of, puzzles_with(DRAFT)) if problem] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pick_says_what_a_search_expects_and_claims_no_proof(language):
    tr = get_translator(language)
    puzzle = puzzles_with(DRAFT)[0]
    best, *others = puzzle.shares
    game = puzzle.game(moves=others[:1])
    assert not puzzle.is_in_progress(game)
    assert not puzzle.is_solved(game)
    assert puzzle.is_solved(puzzle.game(moves=[best]))
    for pick in puzzle.shares:
        assert f"{round(100 * puzzle.shares[pick])}" in explanation(puzzle, tr)
    for pick in (best, others[0]):
        assert f"{round(100 * puzzle.shares[pick])}" in refutation(puzzle, game, tr)
    assert ending(puzzle, game, tr) != tr.learning["puzzle.page.held"]


def test_a_wrong_puzzle_is_found():
    easy = "M111122(M2R2)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard"
    lost = "M1112(M2R2)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard"
    for line, problem in ((easy, "several solutions"), (lost, "no solution")):
        (puzzle,) = read_puzzles(f"hegemony\t5.0\tM .\t{line}", 1)
        assert problem in problem_of(puzzle)


@pytest.mark.parametrize("language", LANGUAGES)
def test_solutions_are_explained_in_every_language(language):
    tr = get_translator(language)
    for theme in THEMES:
        assert theme_name(theme, tr)
        for puzzle in puzzles_with(theme)[:1]:
            assert len(solution_steps(puzzle, tr)) == len(puzzle.solution)
            assert len(explanation(puzzle, tr)) > 20
            assert puzzle.judged or task(puzzle, tr) != task(puzzle, tr, going=True)


def test_a_wrong_choice_is_refuted_in_words():
    tr = get_translator("en")
    said = {}
    for kind in (HEGEMONY, MAJORITY, DEFENSE):
        puzzle = next(one for one in puzzles_with(kind) if len(one.game().choices) > 1)
        game = puzzle.game()
        wrong = next(choice for choice in game.choices if choice != puzzle.solution[0])
        game.play(wrong)
        while puzzle.is_in_progress(game):
            game.play("." if "." in game.choices else game.choices[0])
        said[kind] = refutation(puzzle, game, tr)
    assert "After this you can reach at most" in said[HEGEMONY]
    assert said[MAJORITY].startswith("After this")
    assert "would win with it" in said[DEFENSE]


def test_the_puzzle_of_the_day_is_the_same_for_all_and_changes_themes():
    days = [date(2026, 11, 16) + timedelta(days=number) for number in range(60)]
    puzzles = [daily_puzzle(day) for day in days]
    assert puzzles == [daily_puzzle(day) for day in days]
    themes = [theme for theme in THEMES if puzzles_with(theme)]
    assert len({puzzle.key for puzzle in puzzles}) > 50
    for start in range(40):
        shown = puzzles[start : start + len(themes)]
        assert {theme for puzzle in shown for theme in puzzle.themes} == set(themes)

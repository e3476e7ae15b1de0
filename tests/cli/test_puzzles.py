"""Puzzles in the terminal: solving one, and mining games for more."""

import pytest

from hegemon.kernels import mining
from hegemon.puzzles import drafting, selecting
from hegemon.puzzles.collection import DRAFT, all_puzzles, puzzles_with
from hegemon.puzzles.journal import read_journal
from hegemon.puzzles.mining import MinedPuzzle
from hegemon.puzzles.tasks import PICK

FIRST = all_puzzles()[0]


def test_a_puzzle_is_solved_by_its_solution(hegemon):
    run = hegemon("puzzle", "1", typed="\n".join(FIRST.solution))
    assert run.status == 0
    assert "Puzzle 1 · Difficulty: 1 of 5" in run.out
    assert "It is your turn. Win before it ends." in run.out
    assert "Solved! " in run.out
    assert "Research lets you play two cards at once." in run.out.replace("\n", " ")


def test_a_wrong_choice_is_refuted_and_the_puzzle_starts_over(hegemon):
    run = hegemon("puzzle", "1", typed="nonsense\nM\n.\n")
    out = " ".join(run.out.split())
    assert "Type one of the choices" in out
    assert "That is not the way. After this you can reach at most 7 of 8 cards in Science." in out
    assert "Solved!" not in out
    assert run.status == 0, "the end of the input leaves the puzzle"


def test_the_solution_is_shown_on_demand(hegemon):
    run = hegemon("puzzle", "1", typed="?\n")
    assert "2. Research: return 2 cards from play" in run.out


def test_the_puzzle_of_the_day_and_those_of_a_theme_can_be_left(hegemon):
    assert hegemon("puzzle", typed="q\n").status == 0
    assert "Another player could win next." in hegemon("puzzle", "--theme", "defense", typed="q\n").out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(("puzzle", "9999"), "There is no puzzle 9999"), (("puzzle", "--theme", "x"), "There is no theme x"),
     (("puzzles",), "Name a journal")],
)  # fmt: skip
def test_what_does_not_exist_is_reported(hegemon, arguments, sentence):
    run = hegemon(*arguments)
    assert run.status == 2
    assert sentence in " ".join(run.err.split())


def test_games_are_mined_and_the_puzzles_written(hegemon, tmp_path, monkeypatch):
    monkeypatch.setattr(
        mining, "positions_of", lambda series: [(series.first, 1, mining.CAN_WIN, all_puzzles()[2].start)]
    )
    journal, file = tmp_path / "journal.jsonl", tmp_path / "puzzles.tsv"
    run = hegemon("puzzles", journal, "--games", "20", "--jobs", "1", "--write", file)
    assert run.status == 0
    assert "puzzle" in run.out
    assert journal.exists()
    assert file.exists()


def test_a_pick_is_judged_and_its_expectations_are_shown(hegemon):
    puzzle = puzzles_with(DRAFT)[0]
    best, *others = puzzle.shares
    run = hegemon("puzzle", str(puzzle.number), typed=f"{others[0]}\n{best}\n")
    out = " ".join(run.out.split())
    assert "one is best by far according to a long search." in out
    assert "That is not the way. According to a long search you win" in out
    assert "Solved! This pick is best by far according to a long search." in out
    assert "That is a judgment, not a proof." in out


def test_drafts_are_mined_into_the_same_journal(hegemon, tmp_path, monkeypatch):
    puzzle = puzzles_with(DRAFT)[0]
    found = MinedPuzzle(
        0, 1, PICK, 2, puzzle.seat, puzzle.position, puzzle.solution, 0.5, 2, 0, puzzle.judged
    )
    monkeypatch.setattr(drafting, "mine_drafts", lambda seed, number: [found])
    journal, file = tmp_path / "journal.jsonl", tmp_path / "puzzles.tsv"
    run = hegemon("puzzles", journal, "--draft", "--games", "4", "--jobs", "1", "--write", file)
    assert "1 puzzle was found in 4 games." in run.out
    (line,) = file.read_text().splitlines()
    assert line.startswith("draft\t")
    assert line.endswith(f"\t{puzzle.judged}")
    assert read_journal(journal, 1) == {}
    assert read_journal(journal, 1, DRAFT) == {0: [found]}


def test_shipped_puzzles_are_checked(hegemon, monkeypatch):
    from hegemon.cli.commands import puzzles

    monkeypatch.setattr(puzzles, "all_puzzles", lambda: all_puzzles()[:1])
    run = hegemon("puzzles", "--check", "--jobs", "1")
    assert "All puzzles are right. Proved again: 1, judged again: 0." in run.out
    monkeypatch.setattr(selecting, "problem_of", lambda puzzle: "it has no solution")
    run = hegemon("puzzles", "--check", "--jobs", "1")
    assert run.status == 1
    assert "Puzzle 1: it has no solution" in run.out

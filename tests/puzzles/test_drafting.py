"""Picks that are clearly best: two evaluations have to agree, and nothing is called proved."""

import pytest

from hegemon.play.game import Game
from hegemon.puzzles import drafting
from hegemon.puzzles.collection import read_puzzles, write_puzzles
from hegemon.puzzles.drafting import CONFIRMING, DRAFTING, ITERATIONS, mine_drafts, pick_at, problem_of_pick
from hegemon.puzzles.selecting import MAX_ALIKE_PICKS, problem_of, select_puzzles

SHARES = {"C1": 0.57, "E1": 0.51, "R1": 0.5}


class FixedEvaluator:
    """An evaluator with the same values everywhere, for each number of iterations."""

    def __init__(self, short=SHARES, long=SHARES):
        self.shares = {ITERATIONS: short, CONFIRMING: long}
        self.seeds = {ITERATIONS: set(), CONFIRMING: set()}

    def value_after(self, infostate, choice, iterations, seed):
        self.seeds[iterations].add(seed)
        return self.shares[iterations].get(choice, 0.2)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(drafting, "can_compile", lambda: False)
    monkeypatch.setattr(drafting, "SOLVERS", ("greedy",))


@pytest.fixture
def draft():
    """A seat that has picked a card, and may choose among three Domains."""
    deck = "".join(["E1", "R1", "C1"])
    position = f"({deck})[R1]/(M11E1)[S1] 1d - - - {'S1' * 5}{'M2' * 8}{'U3' * 14} - 0 standard"
    return Game.from_position(position)


def test_a_pick_is_best_by_far_if_two_judgments_say_so(draft):
    look = FixedEvaluator()
    found = pick_at(draft, look, 3)
    assert found.solution == ("C1",)
    assert found.judged == "C1:0.570 E1:0.510 R1:0.500"
    assert found.missed in (0, 1)
    assert [len(seeds) for seeds in look.seeds.values()] == [1, 1], "all picks have the same determinizations"
    assert not look.seeds[ITERATIONS] & look.seeds[CONFIRMING]
    (puzzle,) = select_puzzles([found], 622)
    assert (puzzle.number, puzzle.kind, puzzle.themes) == (622, "draft", ("draft",))
    assert list(read_puzzles(write_puzzles([puzzle]), 622)) == [puzzle]
    assert problem_of(puzzle) == ""


@pytest.mark.parametrize("doubted", ["short", "long"])
def test_a_pick_that_is_a_little_better_is_left_out(draft, doubted):
    assert pick_at(draft, FixedEvaluator(**{doubted: SHARES | {"E1": 0.54}})) is None


def test_drafts_are_mined_to_their_end(monkeypatch):
    monkeypatch.setattr(
        drafting, "evaluator_for", lambda iterations: FixedEvaluator({"M1": 0.5}, {"M1": 0.5})
    )
    monkeypatch.setattr(drafting, "BATCH", 2)
    found = mine_drafts(1, 1)
    assert found == mine_drafts(1, 1)
    assert {one.game for one in found} == {2, 3}
    for one in found:
        game = Game.from_position(one.position)
        assert (game.players, game.seat, one.solution) == (3, one.seat, ("M1",))
        assert game.position.question in DRAFTING
        assert len(game.choices) > 1
    shipped = select_puzzles(found, 1)
    ideas = [(puzzle.start.question, frozenset(puzzle.shares)) for puzzle in shipped]
    assert max(map(ideas.count, ideas)) <= MAX_ALIKE_PICKS


def test_a_judged_puzzle_is_checked_by_its_form_and_judged_again(draft, monkeypatch):
    (right,) = select_puzzles([pick_at(draft, FixedEvaluator())], 1)

    def problem_with(old, new):
        (puzzle,) = read_puzzles(write_puzzles([right]).replace(old, new), 1)
        return problem_of_pick(puzzle)

    assert "not those of the position" in problem_with(" E1:0.510", "")
    assert "not best by far" in problem_with("E1:0.510", "E1:0.550")
    assert "not best by far" in problem_with("\tC1\t", "\tE1\t")
    monkeypatch.setattr(drafting, "can_compile", lambda: True)
    for expected, problem in ((0.58, ""), (0.6, "a search finds another pick better")):
        monkeypatch.setattr(
            drafting, "evaluator_for", lambda _, share=expected: FixedEvaluator(SHARES | {"E1": share})
        )  # fmt: skip
        assert problem_of_pick(right) == problem

"""Mining: what compiled code looks for, what is proved, and the journal of a run."""

import pytest

from hegemon.kernels import mining as kernel
from hegemon.kernels.batch_games import PositionList
from hegemon.kernels.random_play import Series
from hegemon.notation.reading import read_position
from hegemon.prose.puzzles import PUZZLES
from hegemon.puzzles import mining
from hegemon.puzzles.journal import mine, read_journal
from hegemon.puzzles.mining import MinedPuzzle, mine_batch, puzzle_at
from hegemon.puzzles.selecting import MAX_ALIKE, select_puzzles
from hegemon.puzzles.tasks import DEFEND, WIN, Defense, is_goal_reached, keeps_goal
from hegemon.puzzles.threats import Unclear
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply
from hegemon.rules.view import view

EASY = "M22222E112(M22)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard"


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setattr(kernel, "can_compile", lambda: False)


def winning_cards(line):
    position = read_position(line)
    stack = PositionList([position] * (kernel.MAX_POSITIONS + 1))
    return kernel.winning_cards(position, stack, kernel.np.zeros(kernel._SLOTS, int))


@pytest.mark.parametrize("puzzle", PUZZLES[:2], ids=[puzzle.game for puzzle in PUZZLES[:2]])
def test_the_cards_that_win_are_counted_as_the_solver_does(puzzle):
    assert winning_cards(puzzle.position) == len(puzzle.first)


def test_a_breakthrough_may_end_the_game_but_its_cards_are_not_played():
    line = "M22(E1)/R22(E1)/S222C2(C2M2) 3p - - - {} M1 9 standard"
    assert winning_cards(line.format("M1111111")) == 2
    assert winning_cards(line.format("M11111111")) == 0


def test_games_are_mined_for_threats():
    found = kernel.positions_of(Series(1, 3, seed=3))
    assert found
    for _, ply, reason, position in found:
        assert ply > 0
        assert reason == kernel.IS_THREATENED
        assert kernel.is_threatened(position)


def test_a_batch_keeps_the_hardest_puzzle_of_a_game(monkeypatch):
    positions = [(7, ply, kernel.CAN_WIN, read_position(one.position)) for ply, one in enumerate(PUZZLES[:2])]
    monkeypatch.setattr(kernel, "positions_of", lambda series: positions)
    monkeypatch.setattr(mining, "is_puzzle", lambda outlook, goal: outlook.wins)
    monkeypatch.setattr(mining, "SOLVERS", ("greedy",))
    (found,) = mine_batch(1, 0)
    both = [puzzle_at(position, WIN, game, ply) for game, ply, _, position in positions]
    assert found == max(both, key=lambda one: one.difficulty)
    assert found.goal == WIN


def test_a_win_that_is_too_easy_is_not_a_puzzle():
    assert puzzle_at(read_position(EASY), WIN) is not None
    assert puzzle_at(read_position(EASY.replace("M22222", "M222222")), WIN) is None, "one card is enough"


def after(line, *choices):
    position = read_position(line)
    for choice in choices:
        apply(position, CHOICES.index(choice))
    return position


@pytest.mark.parametrize(
    ("table", "turn", "holds"),
    [
        ("E3C3(M2R2)/M1111222R2(M3R2S3)", ("M", "."), False),
        ("E3C3(M2R2)/M1111222R2(M3R2S3)", ("M", "e+1", "R", "."), False),
        ("E3C3(M2R2)/M1111222R2(M3R2S3)", ("M", "e+1", "M", "."), True),
        ("U3C3(M2R2)/M1111222R2(M3R2S3)", ("R", "u+1", "M", "."), True),
        ("E3C3(M2R2)/M1111222E222R2(M3R2S3)", ("M", "e+1", "R", "."), False),
        ("U3C3(M2R2)/M1111222E222R2(M3R2S3)", ("R", "u+1", "M", "."), True),
    ],
    ids=["nothing", "another Domain", "Embargo", "Democracy", "in vain", "not clear"],
)
def test_what_stops_a_player_who_needs_one_card(table, turn, holds):
    line = f"{table} 1p - - - {'C3' * 20} - 9 standard"
    assert is_goal_reached(view(read_position(line), 0), DEFEND, after(line, *turn)) is holds


def test_choices_keep_the_goal_or_lose_it():
    line = f"E3C3(M2R2)/M1111222R2(M3R2S3) 1p - - - {'C3' * 20} - 9 standard"
    start = view(read_position(line), 0)
    assert keeps_goal(start, DEFEND, "M")
    later = view(after(line, "M", "e+1"), 0)
    assert keeps_goal(later, DEFEND, "M")
    assert not keeps_goal(later, DEFEND, "R")


def test_an_inquisition_that_could_replace_a_hand_is_not_judged():
    line = f"E3R2(M2R2S222)/M1111222R2(M3R2S3) 1p - - - {'C3' * 20} - 9 standard"
    with pytest.raises(Unclear):
        Defense(view(read_position(line), 0)).outlook(read_position(line))


def found_at(game, position=PUZZLES[0].position):
    return MinedPuzzle(game, 1, WIN, 2, 0, position, PUZZLES[0].solution, 0.005, 300, 1)


def test_a_run_continues_where_it_was_interrupted(tmp_path):
    path, mined = tmp_path / "journal.jsonl", []

    def batch(seed, number):
        mined.append(number)
        return [found_at(number)]

    assert list(mine(path, batch, seed=1, batches=2, jobs=1)) == [0, 1, 2]
    with path.open("a") as journal:
        journal.write('\n{"seed": 1, "bat')  # a line that was cut off
    assert list(mine(path, batch, seed=1, batches=3, jobs=1)) == [2, 3]
    assert mined == [0, 1, 2]
    assert read_journal(path, 1) == {number: [found_at(number)] for number in range(3)}
    assert read_journal(path, 2) == {}


def test_the_same_position_is_selected_once():
    (puzzle,) = select_puzzles([found_at(1), found_at(2)], 10)
    assert (puzzle.number, puzzle.position, puzzle.kind) == (10, PUZZLES[0].position, "hegemony")
    assert MAX_ALIKE > 1

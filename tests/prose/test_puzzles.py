"""Every puzzle comes from a played game, can be won for certain, and has the right difficulty."""

from pathlib import Path
from random import Random

import pytest

from hegemon.notation.reading import read_position
from hegemon.notation.writing import write_position
from hegemon.play.determinization import determinize
from hegemon.play.game import Game
from hegemon.play.solver import solve
from hegemon.prose.puzzles import MAX_DIFFICULTY, PUZZLES
from hegemon.rules.position import Question
from hegemon.rules.view import view as view_of

RECORDS = Path(__file__).parents[1] / "golden" / "puzzles"
each = pytest.mark.parametrize("puzzle", PUZZLES, ids=[puzzle.game for puzzle in PUZZLES])


def names(puzzle):
    return [str(seat) for seat in range(puzzle.players)]


def game_of(puzzle):
    return Game.from_record((RECORDS / f"{puzzle.game}.toml").read_text())


@each
def test_a_puzzle_comes_from_a_played_game(puzzle):
    game = game_of(puzzle)
    assert write_position(game.position) == puzzle.position
    assert (game.players, game.seat, len(game.moves)) == (
        puzzle.players,
        puzzle.seat,
        int(puzzle.game.split("-")[1]),
    )
    assert game.position.question == Question.PLAY


@each
def test_a_puzzle_can_be_won_for_certain_by_its_first_cards(puzzle):
    position = read_position(puzzle.position)
    outlook = solve(view_of(position, puzzle.seat))
    assert outlook.wins
    assert outlook.choices == puzzle.first
    assert len(outlook.line) == len(puzzle.solution), "the solution is a shortest one"
    assert outlook.chance < 0.02, "choosing blindly hardly ever wins"


@each
def test_the_solution_wins_whatever_is_hidden(puzzle):
    game = game_of(puzzle)
    chance = Random(7)
    for _ in range(5):
        world = determinize(game.view(puzzle.seat), game.memory(puzzle.seat), chance)
        study = Game.from_position(write_position(world), names(puzzle))
        for choice in puzzle.solution:
            study.play(choice)
        assert study.result is not None
        assert study.result.winners == (puzzle.seat,)


def test_puzzles_grow_harder():
    stars = [puzzle.difficulty for puzzle in PUZZLES]
    assert stars == sorted(stars)
    assert stars[0] == 1
    assert stars[-1] == MAX_DIFFICULTY
    assert len(PUZZLES) >= 8
    assert len({puzzle.game for puzzle in PUZZLES}) == len(PUZZLES)


def test_every_record_is_of_a_puzzle():
    assert {path.stem for path in RECORDS.iterdir()} == {puzzle.game for puzzle in PUZZLES}

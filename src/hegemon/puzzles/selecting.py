"""Selection of mined puzzles for the package: varied, from easy to hard."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from hegemon.play.game import Game
from hegemon.play.solver import position_to_solve
from hegemon.puzzles.collection import DEFENSE, DRAFT, Puzzle, kind_of_win
from hegemon.puzzles.drafting import problem_of_pick
from hegemon.puzzles.mining import MinedPuzzle, canonical, is_puzzle
from hegemon.puzzles.tasks import DEFEND, MAX_POSITIONS, PICK, TURNS, WIN, Win
from hegemon.puzzles.threats import Unclear
from hegemon.rules.victory import side_of

#: The maximum number of puzzles with the same effects and goal.
MAX_ALIKE: Final = 60

#: The maximum number of draft puzzles with the same number of players, the same packet and the same solution.
MAX_ALIKE_PICKS: Final = 3


def select_puzzles(found: Iterable[MinedPuzzle], first: int) -> list[Puzzle]:
    """The selected puzzles, the easiest first; among similar ones, the hardest are selected."""
    known: set[object] = set()
    alike: dict[object, int] = {}
    chosen = []
    for one in sorted(found, key=lambda one: (-one.difficulty, one.game)):
        puzzle = puzzle_of(one)
        view = Game.from_position(one.position).view(one.seat)
        table = (one.goal, canonical(view))
        idea, most = idea_of(puzzle)
        if table not in known and alike.get(idea, 0) < most:
            known.add(table)
            alike[idea] = alike.get(idea, 0) + 1
            chosen.append(puzzle)
    chosen.sort(key=lambda puzzle: (puzzle.difficulty, puzzle.key))
    return [replace(puzzle, number=number) for number, puzzle in enumerate(chosen, first)]


def idea_of(puzzle: Puzzle) -> tuple[object, int]:
    """The key of similar puzzles, and the maximum number of them."""
    if puzzle.kind == DRAFT:
        question = puzzle.start.question
        return (question, puzzle.players, puzzle.solution, frozenset(puzzle.shares)), MAX_ALIKE_PICKS
    return (puzzle.kind, tuple(sorted(puzzle.effects))), MAX_ALIKE


def puzzle_of(found: MinedPuzzle) -> Puzzle:
    if found.goal == PICK:
        return Puzzle(0, found.position, found.solution, DRAFT, found.difficulty, judged=found.judged)
    solution = played_out(found.position, found.solution)
    kind = kind_of_win(found.position, solution) if found.goal == WIN else DEFENSE
    return Puzzle(0, found.position, solution, kind, found.difficulty)


def played_out(position: str, line: Sequence[str]) -> tuple[str, ...]:
    """A line as it is played in the game, including the discards of cards that a Breakthrough draws."""
    game, moves = Game.from_position(position), []
    for choice in line:
        before = game.position.hand(game.seat)
        game.play(choice)
        moves.append(choice)
        if choice.startswith("s"):
            drawn = Counter(game.position.hand(game.seat)) - Counter(before)
            for card in sorted(drawn.elements(), key=lambda card: card.domain):
                moves.append(card.domain.letter)
                game.play(moves[-1])
    return tuple(moves)


def problem_of(puzzle: Puzzle) -> str:
    """Why a puzzle is invalid, checked again, or an empty text."""
    if puzzle.kind == DRAFT:
        return problem_of_pick(puzzle)
    view = puzzle.game().view(puzzle.seat)
    try:
        outlook = TURNS[puzzle.goal](view, 4 * MAX_POSITIONS).outlook(position_to_solve(view))
    except Unclear:
        return "it cannot be proved"
    if not outlook.wins:
        return "it has no solution"
    if not puzzle.why and not is_puzzle(outlook, puzzle.goal):
        return "it has several solutions, or is found by chance"
    if puzzle.goal == DEFEND and Win(view, 4 * MAX_POSITIONS).outlook(position_to_solve(view)).wins:
        return "it can be won"
    game = puzzle.game(moves=puzzle.solution)
    if puzzle.is_in_progress(game):
        return "its solution does not end the turn"
    winners = () if game.result is None else game.result.winners
    sides = {side_of(puzzle.start, seat) for seat in winners}
    if puzzle.goal == WIN and sides != {side_of(puzzle.start, puzzle.seat)}:
        return "its solution does not win"
    return ""

"""Mining drafts for picks that are clearly best.

Picks are evaluated by a search guided by the network, with what their seat can see; nothing is proved. All picks
get the same number of iterations and the same determinizations, and a pick that is clearly ahead is evaluated again,
with other random numbers and ten times the iterations.
"""

from collections.abc import Mapping
from typing import Final

from hegemon.analysis.analyzer import evaluator_for
from hegemon.analysis.evaluators import Evaluator, InformationState
from hegemon.bots.learned import Learned
from hegemon.kernels.compiler import can_compile
from hegemon.notation.writing import write_position
from hegemon.play.game import Game
from hegemon.puzzles.collection import Puzzle, write_shares
from hegemon.puzzles.mining import SOLVERS, MinedPuzzle, bot_by_name
from hegemon.puzzles.tasks import PICK
from hegemon.rules.position import Question

#: The minimum lead of the best pick in the confirming evaluation, and in the first one.
MIN_GAP: Final = 0.05
PROMISING: Final = 0.04

#: The tolerance of a short search: another pick may have a value that much higher than the solution.
TOLERANCE: Final = 0.02

#: The iterations of the first and of the second evaluation.
ITERATIONS: Final = 500
CONFIRMING: Final = 10 * ITERATIONS

#: The numbers of players, which batches rotate through, and the number of drafts in a batch.
PLAYERS: Final = (2, 3, 4)
BATCH: Final = 4

DRAFTING: Final = (Question.DRAFT, Question.CENTER)


def mine_drafts(seed: int, number: int) -> list[MinedPuzzle]:
    """Play the drafts of a batch, sampling picks from the network's policy; return the picks that are clearly best."""
    evaluator, found = evaluator_for(ITERATIONS), []
    for draft in range(number * BATCH, (number + 1) * BATCH):
        game = Game(PLAYERS[number % len(PLAYERS)], "draft", seed=seed * 1_000_003 + draft)
        bot = Learned(draft, temperature=1.0)
        while game.position.question in DRAFTING:
            if (puzzle := pick_at(game, evaluator, draft)) is not None:
                found.append(puzzle)
            game.play(bot.choose(game.view(game.seat), game.memory(game.seat), game.choices))
    return found


def pick_at(game: Game, evaluator: Evaluator, draft: int = 0) -> MinedPuzzle | None:
    """The puzzle of the next pick of a draft, if one pick is clearly best."""
    # The player of the puzzle sees the position, but not the packets that were passed on before.
    shown = Game.from_position(write_position(game.position))
    if len(shown.choices) == 1 or gap_of(evaluate_picks(shown, evaluator, ITERATIONS, 2 * draft)) < PROMISING:
        return None
    shares = evaluate_picks(shown, evaluator, CONFIRMING, 2 * draft + 1)
    if gap_of(shares) < MIN_GAP:
        return None
    best, seat = best_of(shares), shown.seat
    missed = sum(
        bot_by_name(name).choose(shown.view(seat), shown.memory(seat), shown.choices) != best
        for name in SOLVERS
    )
    return MinedPuzzle(
        draft,
        len(game.moves),
        PICK,
        shown.players,
        seat,
        write_position(shown.position),
        (best,),
        1 / len(shares),
        len(shares),
        missed,
        write_shares(shares),
    )


def evaluate_picks(game: Game, evaluator: Evaluator, iterations: int, seed: int) -> dict[str, float]:
    """The expected share of the win of the next seat of a draft after each pick, given what it knows."""
    infostate = InformationState(game.view(game.seat), game.memory(game.seat), game.seat)
    return {
        choice: round(evaluator.value_after(infostate, choice, iterations, seed), 3)
        for choice in game.choices
    }


def best_of(shares: Mapping[str, float]) -> str:
    return max(shares, key=shares.__getitem__)


def gap_of(shares: Mapping[str, float]) -> float:
    """The difference between the values of the best two picks."""
    best, second = sorted(shares.values(), reverse=True)[:2]
    return round(best - second, 3)


def problem_of_pick(puzzle: Puzzle) -> str:
    """Why a draft puzzle is invalid, or an empty text; with Numba, its picks are evaluated again."""
    game, shares = puzzle.game(), puzzle.shares
    if game.position.question not in DRAFTING or {*shares} != {*game.choices}:
        return "its picks are not those of the position"
    if puzzle.solution != (best_of(shares),) or gap_of(shares) < MIN_GAP:
        return "its solution is not best by far"
    if can_compile():
        again = evaluate_picks(game, evaluator_for(ITERATIONS), ITERATIONS, 0)
        if max(again.values()) - again[best_of(shares)] > TOLERANCE:
            return "a search finds another pick better"
    return ""

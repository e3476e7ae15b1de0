"""Mining drafts for picks that are best by far.

A pick is judged by a search that the network guides, on what its seat can see; nothing is proved. Each pick gets the
same number of iterations and the same imagined cards, and a pick that is far ahead is judged again, with other random
numbers and ten times the iterations.
"""

from collections.abc import Mapping
from typing import Final

from hegemon.analysis.judge import look_by
from hegemon.analysis.look import Look, Sight
from hegemon.bots.learned import Learned
from hegemon.kernels.compiler import can_compile
from hegemon.notation.writing import write_position
from hegemon.play.game import Game
from hegemon.puzzles.collection import Puzzle, write_shares
from hegemon.puzzles.mining import TRYING, Found, bot_called
from hegemon.puzzles.tasks import PICK
from hegemon.rules.position import Question

#: A pick is best by far if a seat wins this part of all games more than after any other; less is worth a longer look.
MIN_GAP: Final = 0.05
PROMISING: Final = 0.04

#: What a short search may find better than the shipped pick: its expectations are not exact.
TOLERANCE: Final = 0.02

#: The iterations of the first judgment and of the second one.
ITERATIONS: Final = 500
CONFIRMING: Final = 10 * ITERATIONS

#: The numbers of players of the drafts, in turn, and the drafts of a batch.
PLAYERS: Final = (2, 3, 4)
BATCH: Final = 4

DRAFTING: Final = (Question.DRAFT, Question.CENTER)


def mine_drafts(seed: int, number: int) -> list[Found]:
    """Draft at the tables of a batch, each pick by the odds of the network, and return those that are best by far."""
    look, found = look_by(ITERATIONS), []
    for draft in range(number * BATCH, (number + 1) * BATCH):
        game = Game(PLAYERS[number % len(PLAYERS)], "draft", seed=seed * 1_000_003 + draft)
        bot = Learned(draft, temperature=1.0)
        while game.position.question in DRAFTING:
            if (puzzle := pick_at(game, look, draft)) is not None:
                found.append(puzzle)
            game.play(bot.choose(game.view(game.seat), game.memory(game.seat), game.choices))
    return found


def pick_at(game: Game, look: Look, draft: int = 0) -> Found | None:
    """The puzzle of the next pick of a draft, if one is best by far."""
    # Who solves the puzzle sees the position, and not the packets that were passed on before.
    shown = Game.from_position(write_position(game.position))
    if len(shown.choices) == 1 or gap_of(judged(shown, look, ITERATIONS, 2 * draft)) < PROMISING:
        return None
    shares = judged(shown, look, CONFIRMING, 2 * draft + 1)
    if gap_of(shares) < MIN_GAP:
        return None
    best, seat = best_of(shares), shown.seat
    missed = sum(
        bot_called(name).choose(shown.view(seat), shown.memory(seat), shown.choices) != best
        for name in TRYING
    )
    return Found(
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


def judged(game: Game, look: Look, iterations: int, seed: int) -> dict[str, float]:
    """What the next seat of a draft may expect of each pick, by what it knows."""
    sight = Sight(game.view(game.seat), game.memory(game.seat), game.seat)
    return {choice: round(look.share_after(sight, choice, iterations, seed), 3) for choice in game.choices}


def best_of(shares: Mapping[str, float]) -> str:
    return max(shares, key=shares.__getitem__)


def gap_of(shares: Mapping[str, float]) -> float:
    """By how much the best pick is ahead of the next."""
    best, second = sorted(shares.values(), reverse=True)[:2]
    return round(best - second, 3)


def problem_of_pick(puzzle: Puzzle) -> str:
    """What is wrong with a judged puzzle; empty if nothing is. It is judged again where a search can be compiled."""
    game, shares = puzzle.game(), puzzle.shares
    if game.position.question not in DRAFTING or {*shares} != {*game.choices}:
        return "its picks are not those of the position"
    if puzzle.solution != (best_of(shares),) or gap_of(shares) < MIN_GAP:
        return "its solution is not best by far"
    if can_compile():
        again = judged(game, look_by(ITERATIONS), ITERATIONS, 0)
        if max(again.values()) - again[best_of(shares)] > TOLERANCE:
            return "a search finds another pick better"
    return ""

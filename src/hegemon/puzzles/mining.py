"""Mining games for puzzles: positions with a unique way to win this turn or to defend, proved by exhaustive search.

Compiled code plays the games and selects candidate positions; the solver proves them.
"""

from dataclasses import dataclass
from functools import cache
from math import log2
from typing import Final

from hegemon.bots import make_bot
from hegemon.notation.writing import write_position
from hegemon.play.game import Game
from hegemon.play.player import Player
from hegemon.play.solver import Outlook, TurnTooLarge, position_to_solve
from hegemon.puzzles.tasks import DEFEND, PICK, WIN, Defense, Win, is_goal_reached
from hegemon.puzzles.threats import Unclear, can_exhaust_deck
from hegemon.rules.cards import count
from hegemon.rules.position import Position
from hegemon.rules.setup import Variant
from hegemon.rules.view import View
from hegemon.rules.view import view as view_of

#: The maximum probability that random choices solve a puzzle, and the minimum length of its solution.
MAX_CHANCE: Final = {WIN: 0.03, DEFEND: 0.06}
MIN_LENGTH: Final = {WIN: 4, DEFEND: 3}

#: The extra difficulty of a goal in bits: nothing on the table shows that a draft pick is right.
_EXTRA_BITS: Final = {PICK: 5.0}

#: The setups, which games rotate through: players, variant and teams.
SETUPS: Final = (
    (2, Variant.BASIC, False),
    (3, Variant.DRAFT, False),
    (4, Variant.BASIC, False),
    (3, Variant.BASIC, False),
    (4, Variant.DRAFT, True),
)

#: The number of games in a batch, the unit of work of a process.
BATCH: Final = 20

#: The bots that try to solve the puzzles.
SOLVERS: Final = ("greedy", "learned")


@dataclass(frozen=True)
class MinedPuzzle:
    """A mined puzzle with its origin."""

    game: int
    ply: int
    goal: str
    players: int
    seat: int
    position: str
    solution: tuple[str, ...]
    chance: float
    """The probability that random choices solve it."""
    size: int
    """The number of positions of the turn."""
    missed: int
    """The number of bots that missed the solution."""
    judged: str = ""
    """The values of the picks of a draft, as text."""

    @property
    def difficulty(self) -> float:
        """An estimate in bits, from the probability of guessing the solution and from the bots that missed it."""
        steps = len(self.solution) - MIN_LENGTH.get(self.goal, 1)
        bits = -log2(self.chance) + _EXTRA_BITS.get(self.goal, 0.0)
        return round(bits + 0.5 * steps + 1.5 * self.missed, 1)


def mine_batch(seed: int, number: int) -> list[MinedPuzzle]:
    """Play the games of a batch; return the hardest puzzle of each game for each goal."""
    from hegemon.kernels.mining import CAN_WIN, positions_of
    from hegemon.kernels.random_play import Series

    players, variant, teams = SETUPS[number % len(SETUPS)]
    best: dict[tuple[int, str], MinedPuzzle] = {}
    series = Series(BATCH, players, variant, teams, seed=seed, first=number * BATCH)
    for game, ply, reason, position in positions_of(series):
        found = puzzle_at(position, WIN if reason == CAN_WIN else DEFEND, game, ply)
        if found is not None:
            key = (game, found.goal)
            if key not in best or found.difficulty > best[key].difficulty:
                best[key] = found
    return list(best.values())


def puzzle_at(position: Position, goal: str, game: int = 0, ply: int = 0) -> MinedPuzzle | None:
    """The puzzle of a position at the start of a turn, or None."""
    seat = position.seat
    view = view_of(position, seat)
    if goal == DEFEND and can_exhaust_deck(position):
        return None
    turn = Defense(view) if goal == DEFEND else Win(view)
    try:
        outlook = turn.outlook(position_to_solve(view))
        # A player who can win does not need to defend.
        if not is_puzzle(outlook, goal) or (
            goal == DEFEND and Win(view).outlook(position_to_solve(view)).wins
        ):
            return None
    except (TurnTooLarge, Unclear):
        return None
    return MinedPuzzle(
        game,
        ply,
        goal,
        position.players,
        seat,
        write_position(position),
        outlook.line,
        outlook.chance,
        len(turn),
        sum(not solves(name, position, goal) for name in SOLVERS),
    )


def is_puzzle(outlook: Outlook, goal: str) -> bool:
    """Whether a turn has a unique solution that is unlikely to be found by chance."""
    return (
        outlook.wins
        and len(outlook.ways) == 1
        and len(outlook.line) >= MIN_LENGTH[goal]
        and outlook.chance <= MAX_CHANCE[goal]
    )


def solves(name: str, position: Position, goal: str) -> bool:
    """Whether a bot finds a solution."""
    game, seat, bot = Game.from_position(position), position.seat, bot_by_name(name)
    start = game.view(seat)
    while not game.over and game.seat == seat:
        game.play(bot.choose(game.view(seat), game.memory(seat), game.choices))
    return is_goal_reached(start, goal, game.position)


@cache
def bot_by_name(name: str) -> Player:
    return make_bot(name, 1)


def canonical(view: View) -> tuple[object, ...]:
    """A key that is equal for equivalent puzzles: the visible counts, without Ages and the order of seats."""
    seats = [(view.viewer + distance) % view.players for distance in range(view.players)]
    return (
        view.teams,
        tuple(tuple(map(count, view.areas[seat])) for seat in seats),
        tuple(tuple(view.democracies[seat]) for seat in seats),
        tuple(map(count, view.hand_piles)),
        tuple(map(count, view.kept_piles)),
        tuple(map(count, view.center_piles)),
    )

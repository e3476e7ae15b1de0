"""Mining games for puzzles: positions with one way to win this turn, or to hold on, proved by exhaustive search.

Compiled code plays the games and finds the positions in which something can be won or has to be held; the proofs are
those of the solver.
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
from hegemon.puzzles.tasks import DEFEND, PICK, WIN, Defense, Win, reached
from hegemon.puzzles.threats import Unclear, may_go_out
from hegemon.rules.cards import count
from hegemon.rules.position import Position
from hegemon.rules.setup import Variant
from hegemon.rules.view import View
from hegemon.rules.view import view as view_of

#: A position is a puzzle if random choices solve it less often, and its solution has this many choices or more.
MAX_CHANCE: Final = {WIN: 0.03, DEFEND: 0.06}
MIN_LENGTH: Final = {WIN: 4, DEFEND: 3}

#: The difficulty of a goal in bits, besides what is guessed: nothing on the table shows that a pick is right.
_JUDGMENT: Final = {PICK: 5.0}

#: The tables that the games are played at, in turn: players, variant and teams.
SETUPS: Final = (
    (2, Variant.BASIC, False),
    (3, Variant.DRAFT, False),
    (4, Variant.BASIC, False),
    (3, Variant.BASIC, False),
    (4, Variant.DRAFT, True),
)

#: The games of a batch, which is mined by one process.
BATCH: Final = 20

#: The bots that try what was found.
TRYING: Final = ("greedy", "learned")


@dataclass(frozen=True)
class Found:
    """A puzzle that was found, and in which game."""

    game: int
    ply: int
    goal: str
    players: int
    seat: int
    position: str
    solution: tuple[str, ...]
    chance: float
    """How often random choices solve it."""
    size: int
    """The number of positions of the turn."""
    missed: int
    """How many of the bots that tried missed the solution."""
    judged: str = ""
    """What a search expects of each pick of a draft."""

    @property
    def difficulty(self) -> float:
        """An estimate in bits: what random choices would have to guess, and what bots miss."""
        steps = len(self.solution) - MIN_LENGTH.get(self.goal, 1)
        bits = -log2(self.chance) + _JUDGMENT.get(self.goal, 0.0)
        return round(bits + 0.5 * steps + 1.5 * self.missed, 1)


def mine_batch(seed: int, number: int) -> list[Found]:
    """Play the games of a batch, and return the hardest puzzle of each game with each goal."""
    from hegemon.kernels.mining import CAN_WIN, positions_of
    from hegemon.kernels.random_play import Series

    players, variant, teams = SETUPS[number % len(SETUPS)]
    best: dict[tuple[int, str], Found] = {}
    series = Series(BATCH, players, variant, teams, seed=seed, first=number * BATCH)
    for game, ply, reason, position in positions_of(series):
        found = puzzle_at(position, WIN if reason == CAN_WIN else DEFEND, game, ply)
        if found is not None:
            key = (game, found.goal)
            if key not in best or found.difficulty > best[key].difficulty:
                best[key] = found
    return list(best.values())


def puzzle_at(position: Position, goal: str, game: int = 0, ply: int = 0) -> Found | None:
    """The puzzle of a position whose player begins a turn, if it is one."""
    seat = position.seat
    view = view_of(position, seat)
    if goal == DEFEND and may_go_out(position):
        return None
    turn = Defense(view) if goal == DEFEND else Win(view)
    try:
        outlook = turn.outlook(position_to_solve(view))
        # Where one can win, there is no need to hold on.
        if not is_puzzle(outlook, goal) or (
            goal == DEFEND and Win(view).outlook(position_to_solve(view)).wins
        ):
            return None
    except (TurnTooLarge, Unclear):
        return None
    return Found(
        game,
        ply,
        goal,
        position.players,
        seat,
        write_position(position),
        outlook.line,
        outlook.chance,
        len(turn),
        sum(not solves(name, position, goal) for name in TRYING),
    )


def is_puzzle(outlook: Outlook, goal: str) -> bool:
    """Whether a turn is worth solving: there is one way, and it is not found by chance."""
    return (
        outlook.wins
        and len(outlook.ways) == 1
        and len(outlook.line) >= MIN_LENGTH[goal]
        and outlook.chance <= MAX_CHANCE[goal]
    )


def solves(name: str, position: Position, goal: str) -> bool:
    """Whether a bot finds a solution."""
    game, seat, bot = Game.from_position(position), position.seat, bot_called(name)
    start = game.view(seat)
    while not game.over and game.seat == seat:
        game.play(bot.choose(game.view(seat), game.memory(seat), game.choices))
    return reached(start, goal, game.position)


@cache
def bot_called(name: str) -> Player:
    return make_bot(name, 1)


def canonical(view: View) -> tuple[object, ...]:
    """What makes two positions the same puzzle: the counts of what is seen, whatever the Ages and the seats are."""
    seats = [(view.viewer + distance) % view.players for distance in range(view.players)]
    return (
        view.teams,
        tuple(tuple(map(count, view.areas[seat])) for seat in seats),
        tuple(tuple(view.democracies[seat]) for seat in seats),
        tuple(map(count, view.hand_piles)),
        tuple(map(count, view.kept_piles)),
        tuple(map(count, view.center_piles)),
    )

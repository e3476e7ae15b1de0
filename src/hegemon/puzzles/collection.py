"""The shipped puzzles: those made by hand first, then those that were mined, each with its number for good."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files
from typing import Final

from hegemon.notation.choices import read_choice
from hegemon.notation.reading import read_position
from hegemon.play.game import Game
from hegemon.prose import puzzles as handmade
from hegemon.puzzles.tasks import DEFEND, PICK, WIN, keeps, reached
from hegemon.rules.actions import ACTIONS, Effect
from hegemon.rules.position import Ending, Position

#: The kinds of puzzles, which are themes as their effects are.
HEGEMONY: Final = "hegemony"
MAJORITY: Final = "majority"
DEFENSE: Final = "defense"
DRAFT: Final = "draft"

#: Every theme, in the order of the page.
THEMES: Final = (HEGEMONY, MAJORITY, DEFENSE, DRAFT, *(effect.name.lower() for effect in Effect))

MAX_STARS: Final = handmade.MAX_DIFFICULTY
#: The difficulty, in bits, from which a puzzle has one star more.
_STARS: Final = (7.0, 9.0, 11.0, 13.0)
#: The difficulty of a puzzle made by hand, by its stars.
_BITS: Final = (6.0, 8.0, 10.0, 12.0, 14.0)

#: The days of the daily puzzle are counted from here.
_FIRST_DAY: Final = date(2026, 1, 1)

_KEY_LENGTH: Final = 12


#: The goals of kinds that are not won.
_GOALS: Final = {DEFENSE: DEFEND, DRAFT: PICK}


@dataclass(frozen=True)
class Puzzle:
    """A position and what is to be done there."""

    number: int
    position: str
    solution: tuple[str, ...]
    """The shortest line of choices."""
    kind: str
    """`hegemony` and `majority` are won this turn; in `defense` the others are stopped; a `draft` is one pick."""
    difficulty: float
    """An estimate in bits."""
    why: str = ""
    """The key of the explanation of a puzzle made by hand."""
    judged: str = ""
    """What a long search expects of each pick; empty if the solution is proved."""

    @cached_property
    def key(self) -> str:
        """A name that stays the same when other puzzles are added."""
        return sha256(self.position.encode()).hexdigest()[:_KEY_LENGTH]

    @property
    def goal(self) -> str:
        return _GOALS.get(self.kind, WIN)

    @cached_property
    def shares(self) -> dict[str, float]:
        """The part of the games that a long search expects to win after each pick; empty if the solution is proved."""
        return {choice: float(share) for choice, share in (one.split(":") for one in self.judged.split())}

    @property
    def stars(self) -> int:
        return 1 + sum(self.difficulty >= bits for bits in _STARS)

    @cached_property
    def start(self) -> Position:
        return read_position(self.position)

    @property
    def seat(self) -> int:
        return self.start.seat

    @property
    def players(self) -> int:
        return self.start.players

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """The effects of the solution, in its order; a copied one comes after Inspiration."""
        found: list[Effect] = []
        for choice in self.solution:
            action = ACTIONS[read_choice(choice)]
            if action.effect is not None:
                found += [Effect.INSPIRATION, action.effect] if action.copied else [action.effect]
        return tuple(found)

    @cached_property
    def themes(self) -> tuple[str, ...]:
        return (self.kind, *dict.fromkeys(effect.name.lower() for effect in self.effects))

    def game(self, names: Sequence[str] | None = None, moves: Iterable[str] = ()) -> Game:
        """The game of the puzzle after some moves of its turn; what comes after the turn is not played."""
        game = Game.from_position(self.position, names)
        for choice in moves:
            if not self.goes_on(game):
                break
            game.play(choice)
        return game

    def goes_on(self, game: Game) -> bool:
        """Whether the turn of the puzzle goes on; a pick is all of it."""
        if self.goal == PICK:
            return not game.moves
        return not game.over and game.seat == self.seat

    def keeps(self, game: Game, choice: str) -> bool:
        """Whether the goal can still be reached after a choice in a game of the puzzle."""
        if self.goal == PICK:
            return (choice,) == self.solution
        return keeps(game.view(self.seat), self.goal, choice)

    def is_solved(self, game: Game) -> bool:
        """Whether the goal was reached in a game of the puzzle whose turn is over."""
        if self.goal == PICK:
            return game.moves == self.solution
        return reached(self.game().view(self.seat), self.goal, game.position)


def kind_of_win(position: str, solution: Sequence[str]) -> str:
    """How a solution wins."""
    game = Game.from_position(position)
    for choice in solution:
        game.play(choice)
    return HEGEMONY if game.result is not None and game.result.ending == Ending.HEGEMONY else MAJORITY


@cache
def all_puzzles() -> tuple[Puzzle, ...]:
    return (*_made_by_hand(), *read_puzzles(shipped_text(), len(handmade.PUZZLES) + 1))


def _made_by_hand() -> Iterable[Puzzle]:
    for number, puzzle in enumerate(handmade.PUZZLES, 1):
        bits = _BITS[puzzle.difficulty - 1]
        kind = kind_of_win(puzzle.position, puzzle.solution)
        yield Puzzle(number, puzzle.position, puzzle.solution, kind, bits, puzzle.game)


def shipped_text() -> str:
    return (files("hegemon.puzzles") / "data" / "puzzles.tsv").read_text(encoding="utf-8")


def read_puzzles(text: str, first: int) -> Iterable[Puzzle]:
    """The puzzles of a file: a kind, a difficulty, a solution and a position a line, and what a search expects."""
    for number, line in enumerate(text.splitlines(), first):
        kind, difficulty, solution, position, *judged = line.split("\t")
        yield Puzzle(
            number, position, tuple(solution.split()), kind, float(difficulty), judged="".join(judged)
        )


def write_puzzles(puzzles: Iterable[Puzzle]) -> str:
    lines = []
    for one in puzzles:
        fields = (one.kind, str(one.difficulty), " ".join(one.solution), one.position, one.judged)
        lines.append("\t".join(filter(None, fields)) + "\n")
    return "".join(lines)


def write_shares(shares: Mapping[str, float]) -> str:
    """What a search expects of each pick, the best first: `M1:0.512 E1:0.448`."""
    return " ".join(
        f"{choice}:{shares[choice]:.3f}" for choice in sorted(shares, key=lambda one: -shares[one])
    )


@cache
def puzzles_with(theme: str) -> tuple[Puzzle, ...]:
    """The puzzles of a theme; all of them for an empty one."""
    return tuple(puzzle for puzzle in all_puzzles() if not theme or theme in puzzle.themes)


def daily_puzzle(day: date) -> Puzzle:
    """The puzzle of a day, the same everywhere: the themes take turns, and a theme repeats when all of it was used."""
    days = (day - _FIRST_DAY).days
    themes = [theme for theme in THEMES if puzzles_with(theme)]
    theme = themes[days % len(themes)]
    shuffled = sorted(
        puzzles_with(theme), key=lambda puzzle: sha256(f"{theme} {puzzle.key}".encode()).digest()
    )
    return shuffled[days // len(themes) % len(shuffled)]

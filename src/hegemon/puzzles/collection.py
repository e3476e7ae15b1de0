"""The puzzles in the package: handmade ones first, then mined ones, each with a permanent number."""

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
from hegemon.puzzles.tasks import DEFEND, PICK, WIN, is_goal_reached, keeps_goal
from hegemon.rules.actions import ACTIONS, Effect
from hegemon.rules.position import Ending, Position

#: The kinds of puzzles; kinds and effects are themes.
HEGEMONY: Final = "hegemony"
MAJORITY: Final = "majority"
DEFENSE: Final = "defense"
DRAFT: Final = "draft"

#: All themes, in the order of the page.
THEMES: Final = (HEGEMONY, MAJORITY, DEFENSE, DRAFT, *(effect.name.lower() for effect in Effect))

MAX_STARS: Final = handmade.MAX_DIFFICULTY
#: The thresholds of difficulty in bits for each further star.
_STARS: Final = (7.0, 9.0, 11.0, 13.0)
#: The difficulty of a handmade puzzle, by its stars.
_BITS: Final = (6.0, 8.0, 10.0, 12.0, 14.0)

#: The first day of the daily puzzle.
_FIRST_DAY: Final = date(2026, 1, 1)

_KEY_LENGTH: Final = 12


#: The goals of kinds other than winning.
_GOALS: Final = {DEFENSE: DEFEND, DRAFT: PICK}


@dataclass(frozen=True)
class Puzzle:
    """A position with a goal and its solution."""

    number: int
    position: str
    solution: tuple[str, ...]
    """A shortest line that reaches the goal."""
    kind: str
    """`hegemony` and `majority`: win this turn; `defense`: stop the others; `draft`: one pick."""
    difficulty: float
    """An estimate in bits."""
    why: str = ""
    """The key of the explanation of a handmade puzzle."""
    judged: str = ""
    """The values of all picks by a long search, as text; empty if the solution is proved."""

    @cached_property
    def key(self) -> str:
        """A key that stays the same when other puzzles are added."""
        return sha256(self.position.encode()).hexdigest()[:_KEY_LENGTH]

    @property
    def goal(self) -> str:
        return _GOALS.get(self.kind, WIN)

    @cached_property
    def shares(self) -> dict[str, float]:
        """The expected share of the win after each pick, by a long search; empty if the solution is proved."""
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
        """The effects of the solution, in order; a copied one follows Inspiration."""
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
        """The game of the puzzle after some moves of its turn; moves after the turn are ignored."""
        game = Game.from_position(self.position, names)
        for choice in moves:
            if not self.is_in_progress(game):
                break
            game.play(choice)
        return game

    def is_in_progress(self, game: Game) -> bool:
        """Whether the turn of the puzzle is still in progress; a draft puzzle ends with its pick."""
        if self.goal == PICK:
            return not game.moves
        return not game.over and game.seat == self.seat

    def keeps_goal(self, game: Game, choice: str) -> bool:
        """Whether the goal can still be reached after a choice in a game of the puzzle."""
        if self.goal == PICK:
            return (choice,) == self.solution
        return keeps_goal(game.view(self.seat), self.goal, choice)

    def is_solved(self, game: Game) -> bool:
        """Whether the goal was reached in a game of the puzzle whose turn is over."""
        if self.goal == PICK:
            return game.moves == self.solution
        return is_goal_reached(self.game().view(self.seat), self.goal, game.position)


def kind_of_win(position: str, solution: Sequence[str]) -> str:
    """The kind of a winning solution: by Hegemony or by Majority."""
    game = Game.from_position(position)
    for choice in solution:
        game.play(choice)
    return HEGEMONY if game.result is not None and game.result.ending == Ending.HEGEMONY else MAJORITY


@cache
def all_puzzles() -> tuple[Puzzle, ...]:
    return (*_handmade_puzzles(), *read_puzzles(shipped_text(), len(handmade.PUZZLES) + 1))


def _handmade_puzzles() -> Iterable[Puzzle]:
    for number, puzzle in enumerate(handmade.PUZZLES, 1):
        bits = _BITS[puzzle.difficulty - 1]
        kind = kind_of_win(puzzle.position, puzzle.solution)
        yield Puzzle(number, puzzle.position, puzzle.solution, kind, bits, puzzle.game)


def shipped_text() -> str:
    return (files("hegemon.puzzles") / "data" / "puzzles.tsv").read_text(encoding="utf-8")


def read_puzzles(text: str, first: int) -> Iterable[Puzzle]:
    """Read puzzles: a kind, a difficulty, a solution, a position and optional values of picks per line."""
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
    """The values of picks as text, the best first: `M1:0.512 E1:0.448`."""
    return " ".join(
        f"{choice}:{shares[choice]:.3f}" for choice in sorted(shares, key=lambda one: -shares[one])
    )


@cache
def puzzles_with(theme: str) -> tuple[Puzzle, ...]:
    """The puzzles of a theme; all puzzles if it is empty."""
    return tuple(puzzle for puzzle in all_puzzles() if not theme or theme in puzzle.themes)


def daily_puzzle(day: date) -> Puzzle:
    """The puzzle of a day: it rotates through the themes, and repeats a puzzle after all others of its theme."""
    days = (day - _FIRST_DAY).days
    themes = [theme for theme in THEMES if puzzles_with(theme)]
    theme = themes[days % len(themes)]
    shuffled = sorted(
        puzzles_with(theme), key=lambda puzzle: sha256(f"{theme} {puzzle.key}".encode()).digest()
    )
    return shuffled[days // len(themes) % len(shuffled)]

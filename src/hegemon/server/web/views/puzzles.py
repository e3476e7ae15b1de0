"""The pages of puzzles."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Final

from hegemon.prose.puzzles import PUZZLES as HANDMADE_PUZZLES
from hegemon.prose.translator import Translator, get_translator
from hegemon.puzzles.collection import MAX_STARS, THEMES, Puzzle, all_puzzles, daily_puzzle, puzzles_with
from hegemon.puzzles.tasks import is_possible
from hegemon.puzzles.words import (
    ending,
    explanation,
    lost,
    names_at,
    refutation,
    solution_steps,
    task,
    theme_name,
)
from hegemon.server.db.puzzles import SOLVED
from hegemon.server.db.rows import PuzzleRating, Solver
from hegemon.server.tables.puzzle_ratings import daily_streak, shown_rating
from hegemon.server.web.render import Preview
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.learn import LearningPages
from hegemon.server.web.views.pictures import HEIGHT, WIDTH
from hegemon.views import game_table
from hegemon.views.drawing import draw_preview

#: Judging a position takes a search, so judgments are cached.
_MAX_JUDGED: Final = 2_000


@dataclass(frozen=True)
class PuzzleProgress:
    """A person's progress with puzzles."""

    solver: Solver | None = None
    outcomes: Mapping[str, str] = field(default_factory=dict)
    solved_here: Collection[int] = ()
    """The numbers of puzzles that this browser solved before there were ratings."""

    def has_solved(self, puzzle: Puzzle) -> bool:
        return self.outcomes.get(puzzle.key) == SOLVED or puzzle.number in self.solved_here

    def has_tried(self, puzzle: Puzzle) -> bool:
        return puzzle.key in self.outcomes


@dataclass(frozen=True)
class Filter:
    """Which puzzles a list shows."""

    theme: str = ""
    stars: int = 0
    unsolved: bool = False

    @property
    def is_empty(self) -> bool:
        return self == Filter()

    def matching(self, progress: PuzzleProgress) -> list[Puzzle]:
        """The puzzles that match, the easiest first; without a filter, the handmade ones."""
        if self.is_empty:
            return list(all_puzzles()[: len(HANDMADE_PUZZLES)])
        found = [
            puzzle
            for puzzle in puzzles_with(self.theme)
            if self.stars in (0, puzzle.stars) and not (self.unsolved and progress.has_solved(puzzle))
        ]
        return sorted(found, key=lambda puzzle: (puzzle.difficulty, puzzle.number))


@dataclass(frozen=True)
class PuzzleExtras:
    """The contents of the page of a puzzle in addition to the position."""

    solution: bool = False
    judged: bool = False
    """Whether wrong choices are pointed out: only after the first attempt, which is judged when it is made."""
    rating_before: int | None = None
    notice: str = ""
    marked: Sequence[str] = ()


@lru_cache(maxsize=_MAX_JUDGED)
def can_be_solved(puzzle: Puzzle, moves: tuple[str, ...]) -> bool:
    """Whether a puzzle can still be solved after some moves of its turn."""
    return is_possible(puzzle.game(moves=moves).view(puzzle.seat), puzzle.goal)


class PuzzlePages(LearningPages):
    def puzzles(self, visitor: Visitor, progress: PuzzleProgress, chosen: Filter, today: date) -> str:
        """The puzzle of the day, the themes, and a list."""
        tr = get_translator(visitor.language)
        solver, daily = progress.solver, daily_puzzle(today)
        return self._render(
            "puzzles.html",
            visitor,
            most_stars=MAX_STARS,
            daily=daily,
            daily_solved=solver is not None and solver.day == today,
            solver=solver,
            rating=shown_rating(solver) if solver is not None else None,
            days=daily_streak(solver, today) if solver is not None else 0,
            chosen=chosen,
            title=theme_name(chosen.theme, tr) if chosen.theme else "",
            themes=[self._theme(theme, progress, tr) for theme in THEMES if puzzles_with(theme)],
            puzzles=[(puzzle, progress.has_solved(puzzle)) for puzzle in chosen.matching(progress)],
        )

    @staticmethod
    def _theme(theme: str, progress: PuzzleProgress, tr: Translator) -> dict[str, object]:
        puzzles = puzzles_with(theme)
        return {
            "key": theme,
            "name": theme_name(theme, tr),
            "all": len(puzzles),
            "solved": sum(map(progress.has_solved, puzzles)),
        }

    def puzzle(
        self,
        visitor: Visitor,
        puzzle: Puzzle,
        moves: Sequence[str],
        progress: PuzzleProgress,
        rating: PuzzleRating | None,
        extras: PuzzleExtras,
    ) -> str:
        """A puzzle after some moves, perhaps with cards marked that could not be chosen together."""
        tr = get_translator(visitor.language)
        game = puzzle.game(names_at(puzzle, tr, visitor.name), moves)
        is_in_progress = puzzle.is_in_progress(game)
        won = not is_in_progress and puzzle.is_solved(game)
        judged = bool(moves) and (extras.judged or not is_in_progress)
        wrong = judged and not won and not (is_in_progress and can_be_solved(puzzle, tuple(moves)))
        solver = progress.solver
        return self._study(
            "puzzle.html",
            visitor,
            game,
            puzzle.seat,
            is_open=is_in_progress,
            marked=extras.marked,
            notice=extras.notice,
            puzzle=puzzle,
            has_next=puzzle.number < len(HANDMADE_PUZZLES),
            most_stars=MAX_STARS,
            moves=list(moves),
            won=won,
            task=task(puzzle, tr, going=bool(moves)) if is_in_progress else lost(puzzle, tr),
            ending=ending(puzzle, game, tr) if won else "",
            wrong=refutation(puzzle, game, tr) if wrong else None,
            why=explanation(puzzle, tr),
            solution=solution_steps(puzzle, tr) if extras.solution or won else [],
            themes=[(theme, theme_name(theme, tr)) for theme in puzzle.themes],
            tried=progress.has_tried(puzzle),
            rating_before=extras.rating_before,
            rating=shown_rating(solver) if solver is not None else None,
            solved_by=rating,
            preview=Preview(
                tr.learning["puzzle.page.number"].format(number=puzzle.number),
                task(puzzle, tr),
                f"/puzzles/{puzzle.number}",
                f"/puzzles/{puzzle.number}/picture.png?lang={tr.code}",
            ),
        )

    def puzzle_picture(self, puzzle: Puzzle, visitor: Visitor) -> str:
        """The position of a puzzle as its solver sees it, with the task, as an SVG."""
        tr = get_translator(visitor.language)
        model = game_table(puzzle.game(names_at(puzzle, tr)), puzzle.seat)
        return draw_preview(model, [task(puzzle, tr)], WIDTH, HEIGHT)

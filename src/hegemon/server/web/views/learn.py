"""The pages to learn by: a first game that teaches, and puzzles, both at tables like the real ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from markupsafe import Markup

from hegemon.play.events import GameEnded
from hegemon.play.game import Game
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.lessons import LESSONS, OTHERS, Lesson
from hegemon.prose.puzzles import MAX_DIFFICULTY, PUZZLES, Puzzle
from hegemon.prose.translator import Translator, get_translator
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.pages import Pages
from hegemon.server.web.views.regions import narrator_for
from hegemon.views import TableInfo, TableView, game_table

#: Who sits on the other seats, as the table knows it.
_BOT: Final = "normal"

_BESIDE: Final = ("majority", "pile", "board", "log")


@dataclass(frozen=True)
class Stop:
    """A page of the first game: a lesson, and how many of its steps have been taken."""

    key: str
    taken: int

    @property
    def lesson(self) -> Lesson:
        """The lesson."""
        return LESSONS[self.key]

    @property
    def choice(self) -> str | None:
        """The word that this page is about; None where the lesson is over."""
        return self.lesson.steps[self.taken].choice if self.taken < len(self.lesson.steps) else None

    @property
    def sentence(self) -> str:
        """The sentence that this page is about, as the catalogs know it."""
        return f"lesson.{self.key}.{self.taken + 1 if self.choice is not None else 'closing'}"

    def play(self, names: Sequence[str]) -> tuple[Game, int]:
        """The game as it stands here, and how many events had been before the last step."""
        game, before = Game.from_position(self.lesson.position, names), 0
        for step in self.lesson.steps[: self.taken]:
            before = len(game.events)
            for choice in (step.choice, *step.replies):
                game.play(choice)
        return game, before


#: Every page of the first game, in order.
STOPS: Final = tuple(
    Stop(key, taken) for key, lesson in LESSONS.items() for taken in range(len(lesson.steps) + 1)
)


def names_at(seat: int, players: int, others: Sequence[str], tr: Translator) -> list[str]:
    """The names at a table: the reader's on one seat, and the others' clockwise from there."""
    names = [""] * players
    names[seat] = tr.text("Player {number}", number=seat + 1)
    for distance in range(1, players):
        names[(seat + distance) % players] = others[distance - 1]
    return names


def without_answers(model: TableView) -> TableView:
    """A table at which there is nothing to choose."""
    return replace(model, choices=(), place="", hand=tuple(replace(card, choice=None) for card in model.hand))


class LearningPages(Pages):
    """Draws the pages to learn by."""

    def _study(
        self, template: str, visitor: Visitor, game: Game, viewer: int, *, is_open: bool, **facts: Any
    ) -> str:
        """A page about a study: the regions of its table, and what the page says about it."""
        bots = tuple(None if seat == viewer else _BOT for seat in range(game.players))
        model = game_table(game, viewer, info=TableInfo(version=len(game.moves), bots=tuple(bots)))
        model = replace(model, can_undo=False)
        if not is_open:
            model = without_answers(model)
        regions = {name: Markup(html) for name, html in self._regions(game, model, visitor).items()}
        if not is_open:
            del regions["question"]
        return self._render(template, visitor, t=model, regions=regions, aside=_BESIDE, **facts)

    # ---------------------------------------------------------------- the first game

    def lesson(self, visitor: Visitor, at: int, *, other: bool = False) -> str:
        """A page of the first game, counted from 1."""
        stop, tr = STOPS[at - 1], get_translator(visitor.language)
        others = [tr.learning[f"lesson.name.{name}"] for name in OTHERS]
        seat = stop.lesson.seat
        game, before = stop.play(names_at(seat, len(others) + 1, others, tr))
        events = game.events_seen_by(seat, since=before)
        narrator = narrator_for(game_table(game, seat), tr)
        return self._study(
            "learn.html",
            visitor,
            game,
            seat,
            is_open=stop.choice is not None,
            at=at,
            stop=stop,
            other=other,
            happened=narrator.narrate(events) if stop.taken else [],
            lessons=[
                {"key": key, "at": STOPS.index(Stop(key, 0)) + 1, "here": key == stop.key} for key in LESSONS
            ],
            last=at == len(STOPS),
        )

    # ---------------------------------------------------------------- puzzles

    def puzzles(self, visitor: Visitor, solved: frozenset[int]) -> str:
        """The list of puzzles."""
        return self._render(
            "puzzles.html",
            visitor,
            most_stars=MAX_DIFFICULTY,
            puzzles=[
                {"number": number, "stars": puzzle.difficulty, "solved": number in solved}
                for number, puzzle in enumerate(PUZZLES, 1)
            ],
        )

    def puzzle(self, visitor: Visitor, number: int, moves: Sequence[str], *, show: bool = False) -> str:
        """A puzzle after so many words of its turn."""
        puzzle, tr = PUZZLES[number - 1], get_translator(visitor.language)
        game = puzzle_game(puzzle, tr, moves)
        seat, is_open = puzzle.seat, game_goes_on(puzzle, game)
        model = game_table(game, seat)
        narrator = narrator_for(model, tr)
        won = won_by(game, seat)
        return self._study(
            "puzzle.html",
            visitor,
            game,
            seat,
            is_open=is_open,
            number=number,
            puzzles=len(PUZZLES),
            puzzle=puzzle,
            most_stars=MAX_DIFFICULTY,
            moves=list(moves),
            won=won,
            ending=narrator.ending(GameEnded(game.result)) if game.result is not None and won else "",
            way=way_to_win(puzzle, tr) if show or won else [],
            show=show,
        )


def puzzle_game(puzzle: Puzzle, tr: Translator, words: Sequence[str]) -> Game:
    """The game of a puzzle after those words; a word that the rules do not allow is refused."""
    others = [tr.text("Player {number}", number=place) for place in range(1, puzzle.players + 1)]
    game = Game.from_position(puzzle.position, others)
    for choice in words:
        if not game_goes_on(puzzle, game):
            break
        game.play(choice)
    return game


def game_goes_on(puzzle: Puzzle, game: Game) -> bool:
    """Whether the turn of a puzzle is not over yet."""
    return not game.over and game.seat == puzzle.seat


def won_by(game: Game, seat: int) -> bool:
    """Whether a game was won by that seat."""
    return game.result is not None and seat in game.result.winners


def way_to_win(puzzle: Puzzle, tr: Translator) -> list[str]:
    """The words of a solution, each as the table would offer it."""
    game, told = puzzle_game(puzzle, tr, ()), []
    for choice in puzzle.solution:
        told.append(ChoiceDescriber(game.view(puzzle.seat), game.names, tr).describe(choice))
        game.play(choice)
    return told

"""Lessons and puzzles. The moves so far are part of the URL."""

from typing import Annotated, Any, Final
from urllib.parse import urlencode

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.notation.errors import NotationError
from hegemon.play.legality import IllegalMoveError
from hegemon.play.selection import text_of_choice
from hegemon.prose.puzzles import PUZZLES, Puzzle
from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.errors import move_rejection_text
from hegemon.server.tables.passing import AIMED_AT
from hegemon.server.web.forms import ChoiceForm, PuzzleForm
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.session import Visitor, cookie
from hegemon.server.web.views.learn import STOPS, LearningPages, game_goes_on, puzzle_game, won_by

#: The cookie with the numbers of the puzzles that were solved in this browser.
SOLVED: Final = "solved"

#: The moves of any turn fit.
_MAX_MOVES_LENGTH: Final = 400


@get("/learn")
async def first_lesson(
    visitor: NamedDependency[Visitor], learning_pages: NamedDependency[LearningPages]
) -> Response[str]:
    return page(learning_pages.lesson(visitor, 1))


@get("/learn/{at:int}")
async def lesson(
    at: FromPath[int],
    visitor: NamedDependency[Visitor],
    learning_pages: NamedDependency[LearningPages],
    other: Annotated[bool, QueryParameter()] = False,
) -> Response[str]:
    if not 1 <= at <= len(STOPS):
        raise NotFoundException
    return page(learning_pages.lesson(visitor, at, other=other))


@post("/learn/{at:int}")
async def answer_lesson(at: FromPath[int], data: URLEncodedBody[ChoiceForm]) -> Redirect:
    """Go on with the choice that the step teaches; show the step again for any other."""
    if not 1 <= at <= len(STOPS):
        raise NotFoundException
    is_right = data.choice.partition(AIMED_AT)[0] == STOPS[at - 1].choice
    return redirect(f"/learn/{at + 1}" if is_right else f"/learn/{at}?other=true")


def solved_in(request: Request[Any, Any, Any]) -> frozenset[int]:
    """The puzzles that were solved in this browser."""
    saved = request.cookies.get(SOLVED, "").split("-")
    return frozenset(number for number in range(1, len(PUZZLES) + 1) if str(number) in saved)


def puzzle_of(number: int) -> Puzzle:
    if not 1 <= number <= len(PUZZLES):
        raise NotFoundException
    return PUZZLES[number - 1]


@get("/puzzles")
async def puzzles(
    request: Request[Any, Any, Any],
    visitor: NamedDependency[Visitor],
    learning_pages: NamedDependency[LearningPages],
) -> Response[str]:
    return page(learning_pages.puzzles(visitor, solved_in(request)))


@get("/puzzles/{number:int}")
async def puzzle(
    number: FromPath[int],
    visitor: NamedDependency[Visitor],
    learning_pages: NamedDependency[LearningPages],
    moves: Annotated[str, QueryParameter(max_length=_MAX_MOVES_LENGTH)] = "",
    show: Annotated[bool, QueryParameter()] = False,
) -> Response[str] | Redirect:
    """A puzzle after some moves; from illegal ones, back to its beginning."""
    puzzle_of(number)
    try:
        return page(learning_pages.puzzle(visitor, number, moves.split(), show=show))
    except (IllegalMoveError, NotationError):
        return redirect(f"/puzzles/{number}")


@post("/puzzles/{number:int}")
async def play_puzzle(
    request: Request[Any, Any, Any],
    number: FromPath[int],
    data: URLEncodedBody[PuzzleForm],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    learning_pages: NamedDependency[LearningPages],
    config: NamedDependency[ServerConfig],
) -> Redirect | Response[str]:
    """Make the next move of a puzzle; a cookie stores that it is solved."""
    current, before = puzzle_of(number), data.moves[:_MAX_MOVES_LENGTH].split()
    try:
        game = puzzle_game(current, tr, before)
    except (IllegalMoveError, NotationError):
        return redirect(f"/puzzles/{number}")
    try:
        moves = before[:]
        for part in data.choice.split(AIMED_AT) if data.choice else (data.cards,):
            moves.append(text_of_choice(part))
            if game_goes_on(current, game):
                game.play(part)
    except (IllegalMoveError, NotationError) as error:
        why = move_rejection_text(error, tr)
        return page(learning_pages.puzzle(visitor, number, before, notice=why, marked=data.cards), 422)
    response = redirect(f"/puzzles/{number}?{urlencode({'moves': ' '.join(moves)})}")
    if won_by(game, current.seat):
        solved = "-".join(map(str, sorted(solved_in(request) | {number})))
        response.cookies.append(cookie(SOLVED, solved, secure=config.secure))
    return response


ROUTES: Final = (first_lesson, lesson, answer_lesson, puzzles, puzzle, play_puzzle)

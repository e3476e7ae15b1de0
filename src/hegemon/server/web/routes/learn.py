"""The routes to learn by: the first game, step by step, and the puzzles. What was said so far is in the address."""

from typing import Annotated, Any, Final
from urllib.parse import urlencode

from litestar import Request, Response, Router, get, post
from litestar.datastructures import State
from litestar.enums import MediaType, RequestEncodingType
from litestar.exceptions import NotFoundException
from litestar.params import Body, FromPath, QueryParameter
from litestar.response import Redirect

from hegemon.notation.errors import NotationError
from hegemon.play.legality import IllegalMoveError
from hegemon.prose.puzzles import PUZZLES
from hegemon.prose.translator import get_translator
from hegemon.server.web.session import cookie, visitor_of
from hegemon.server.web.views.learn import STOPS, puzzle_game, won_by

#: The cookie that knows which puzzles have been solved in this browser.
SOLVED: Final = "solved"

#: No turn has more words than this.
_LONGEST_TURN: Final = 400

Form = Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)]
Words = Annotated[str, QueryParameter(max_length=_LONGEST_TURN)]


def page(html: str, status: int = 200) -> Response[str]:
    """A page of ours."""
    return Response(
        html, status_code=status, media_type=MediaType.HTML, headers={"Cache-Control": "no-store"}
    )


# ------------------------------------------------------------------ the first game


@get("/learn")
async def first_lesson(request: Request[Any, Any, State], state: State) -> Response[str]:
    """The beginning of the first game."""
    return page(state.learning.lesson(visitor_of(request), 1))


@get("/learn/{at:int}")
async def lesson(
    request: Request[Any, Any, State],
    at: FromPath[int],
    state: State,
    other: Annotated[bool, QueryParameter()] = False,
) -> Response[str]:
    """A page of the first game."""
    if not 1 <= at <= len(STOPS):
        raise NotFoundException
    return page(state.learning.lesson(visitor_of(request), at, other=other))


@post("/learn/{at:int}")
async def try_it(request: Request[Any, Any, State], at: FromPath[int], data: Form, state: State) -> Redirect:
    """Try a word: the one that the step is about leads on, any other gets a kind sentence."""
    if not 1 <= at <= len(STOPS):
        raise NotFoundException
    right = data.get("choice") == STOPS[at - 1].choice
    return Redirect(f"/learn/{at + 1}" if right else f"/learn/{at}?other=true", status_code=303)


# ------------------------------------------------------------------ puzzles


def solved_by(request: Request[Any, Any, State]) -> frozenset[int]:
    """The puzzles that have been solved in this browser, as far as it remembers."""
    kept = request.cookies.get(SOLVED, "").split("-")
    return frozenset(number for number in range(1, len(PUZZLES) + 1) if str(number) in kept)


@get("/puzzles")
async def puzzles(request: Request[Any, Any, State], state: State) -> Response[str]:
    """The list of puzzles."""
    return page(state.learning.puzzles(visitor_of(request), solved_by(request)))


@get("/puzzles/{number:int}")
async def puzzle(
    request: Request[Any, Any, State],
    number: FromPath[int],
    state: State,
    said: Words = "",
    show: Annotated[bool, QueryParameter()] = False,
) -> Response[str] | Redirect:
    """A puzzle after some words of its turn; words that do not fit lead back to its beginning."""
    check_number(number)
    try:
        return page(state.learning.puzzle(visitor_of(request), number, said.split(), show=show))
    except (IllegalMoveError, NotationError):
        return Redirect(f"/puzzles/{number}", status_code=303)


@post("/puzzles/{number:int}")
async def choose(
    request: Request[Any, Any, State], number: FromPath[int], data: Form, state: State
) -> Redirect:
    """Say the next word of a puzzle; whoever wins has it remembered."""
    check_number(number)
    words = f"{data.get('said', '')} {data.get('choice', '')}"[:_LONGEST_TURN].split()
    try:
        game = puzzle_game(PUZZLES[number - 1], get_translator("en"), words)
    except (IllegalMoveError, NotationError):
        words, game = [], puzzle_game(PUZZLES[number - 1], get_translator("en"), [])
    answer = Redirect(address(number, words), status_code=303)
    if won_by(game, PUZZLES[number - 1].seat):
        solved = sorted(solved_by(request) | {number})
        kept = "-".join(map(str, solved))
        answer.cookies.append(cookie(SOLVED, kept, secure=state.config.secure))
    return answer


def check_number(number: int) -> None:
    """There are only so many puzzles."""
    if not 1 <= number <= len(PUZZLES):
        raise NotFoundException


def address(number: int, words: list[str]) -> str:
    """Where a puzzle is found after those words."""
    return f"/puzzles/{number}" + (f"?{urlencode({'said': ' '.join(words)})}" if words else "")


ROUTES: Final = Router(
    "/",
    route_handlers=[first_lesson, lesson, try_it, puzzles, puzzle, choose],
    include_in_schema=False,
)

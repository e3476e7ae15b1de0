"""Puzzles. The moves so far are part of the URL; the first attempt at a puzzle is rated."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import urlencode

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.notation.errors import NotationError
from hegemon.play.legality import IllegalMoveError
from hegemon.play.selection import text_of_choice
from hegemon.prose.puzzles import PUZZLES as HANDMADE_PUZZLES
from hegemon.prose.translator import Translator
from hegemon.puzzles.collection import MAX_STARS, Puzzle, all_puzzles, daily_puzzle, puzzles_with
from hegemon.rules.actions import CHOICES
from hegemon.server.config import ServerConfig
from hegemon.server.db.puzzles import FAILED, SHOWN, SOLVED
from hegemon.server.errors import move_rejection_text
from hegemon.server.tables import puzzle_ratings
from hegemon.server.tables.page_moves import TARGET_SEPARATOR
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.web.forms import PuzzleForm
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.session import Visitor, cookie
from hegemon.server.web.views.puzzles import Filter, PuzzleExtras, PuzzlePages, PuzzleProgress

Result = TypeVar("Result")

#: The cookie with the numbers of puzzles that were solved in this browser before there were ratings.
_SOLVED_COOKIE: Final = "solved"
#: The cookie with the numbers of puzzles whose solution a browser without a token has seen.
_SEEN_COOKIE: Final = "seen"
_MAX_SEEN: Final = 50

#: Judging a choice takes a search, so judgments are cached.
_MAX_JUDGED: Final = 2_000

_JUDGE: Final = ThreadPoolExecutor(1, "puzzles")

#: The moves of any turn fit.
_MAX_MOVES_LENGTH: Final = 400


async def run_judge(work: Callable[..., Result], *arguments: Any) -> Result:
    """Run work that may need a search in the thread for searches, so that it does not block other pages."""
    return await asyncio.get_running_loop().run_in_executor(_JUDGE, work, *arguments)


def puzzle_of(number: int) -> Puzzle:
    if not 1 <= number <= len(all_puzzles()):
        raise NotFoundException
    return all_puzzles()[number - 1]


def numbers_in(request: Request[Any, Any, Any], name: str) -> list[str]:
    return request.cookies.get(name, "").split("-")


async def progress_of(
    request: Request[Any, Any, Any], visitor: Visitor, tables: TableRegistry
) -> PuzzleProgress:  # fmt: skip
    saved = numbers_in(request, _SOLVED_COOKIE)
    solved_here = [number for number in range(1, len(HANDMADE_PUZZLES) + 1) if str(number) in saved]
    if visitor.owner is None:
        return PuzzleProgress(solved_here=solved_here)
    puzzles = tables.store.puzzles
    return PuzzleProgress(
        await puzzles.solver(visitor.owner), await puzzles.outcomes(visitor.owner), solved_here
    )


@get("/puzzles")
async def puzzles(
    request: Request[Any, Any, Any],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    puzzle_pages: NamedDependency[PuzzlePages],
    theme: Annotated[str, QueryParameter(max_length=20)] = "",
    stars: Annotated[int, QueryParameter(ge=0, le=MAX_STARS)] = 0,
    unsolved: Annotated[bool, QueryParameter()] = False,
) -> Response[str]:
    if not puzzles_with(theme):
        raise NotFoundException
    progress = await progress_of(request, visitor, tables)
    chosen = Filter(theme, stars, unsolved)
    return page(puzzle_pages.puzzles(visitor, progress, chosen, tables.now().date()))


@get("/puzzles/daily")
async def puzzle_of_the_day(tables: NamedDependency[TableRegistry]) -> Redirect:
    return Redirect(f"/puzzles/{daily_puzzle(tables.now().date()).number}", status_code=302)


@get("/puzzles/next")
async def next_puzzle(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    theme: Annotated[str, QueryParameter(max_length=20)] = "",
) -> Redirect:
    """A puzzle near the visitor's rating that the visitor has not tried; the list if there is none."""
    store, owner = tables.store.puzzles, visitor.owner or ""
    solver = await store.solver(owner) or puzzle_ratings.new_solver(owner)
    found = puzzle_ratings.pick_puzzle(solver, await store.outcomes(owner), await store.ratings(), theme)
    return Redirect(f"/puzzles/{found.number}" if found is not None else "/puzzles", status_code=302)


@get("/puzzles/{number:int}")
async def puzzle(
    request: Request[Any, Any, Any],
    number: FromPath[int],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    puzzle_pages: NamedDependency[PuzzlePages],
    moves: Annotated[str, QueryParameter(max_length=_MAX_MOVES_LENGTH)] = "",
    show: Annotated[bool, QueryParameter()] = False,
    was: Annotated[int | None, QueryParameter()] = None,
) -> Response[str] | Redirect:
    """A puzzle after some moves; illegal moves lead back to its start.

    Opening the solution, or the end of a line that was not played here, does not count as solving the puzzle.
    """
    current = puzzle_of(number)
    try:
        ended = not current.is_in_progress(current.game(moves=moves.split()))
    except (IllegalMoveError, NotationError):
        return redirect(f"/puzzles/{number}")
    if (show or ended) and visitor.owner is not None:
        await puzzle_ratings.save_attempt(
            tables.store, visitor.owner, current, SHOWN if show else FAILED, tables.now()
        )
    progress = await progress_of(request, visitor, tables)
    rating = (await tables.store.puzzles.ratings()).get(current.key) if progress.has_tried(current) else None
    extras = PuzzleExtras(solution=show, judged=show or progress.has_tried(current), rating_before=was)
    response = page(
        await asyncio.to_thread(
            puzzle_pages.puzzle, visitor, current, moves.split(), progress, rating, extras
        )
    )
    if (show or ended) and visitor.owner is None:
        seen = [*numbers_in(request, _SEEN_COOKIE), str(number)][-_MAX_SEEN:]
        response.cookies.append(
            cookie(_SEEN_COOKIE, "-".join(filter(str.isdecimal, seen)), secure=config.secure)
        )
    return response


@post("/puzzles/{number:int}")
async def play_puzzle(
    request: Request[Any, Any, Any],
    number: FromPath[int],
    data: URLEncodedBody[PuzzleForm],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    puzzle_pages: NamedDependency[PuzzlePages],
    config: NamedDependency[ServerConfig],
) -> Redirect | Response[str]:
    """Make the next choice of a puzzle; the first one that is wrong, or the solution, ends the first attempt."""
    current, before = puzzle_of(number), data.moves[:_MAX_MOVES_LENGTH].split()
    parts = tuple(data.choice.split(TARGET_SEPARATOR)) if data.choice else (tuple(data.cards),)
    try:
        current.game(moves=before)
    except (IllegalMoveError, NotationError):
        return redirect(f"/puzzles/{number}")
    try:
        moves = " ".join([*before, *map(text_of_choice, parts)])
        outcome = await run_judge(outcome_of, current, tuple(before), parts)
    except (IllegalMoveError, NotationError) as error:
        progress = await progress_of(request, visitor, tables)
        extras = PuzzleExtras(notice=move_rejection_text(error, tr), marked=data.cards)
        return page(puzzle_pages.puzzle(visitor, current, before, progress, None, extras), 422)
    query: dict[str, object] = {"moves": moves}
    if outcome is not None:
        if str(number) in numbers_in(request, _SEEN_COOKIE):
            await puzzle_ratings.save_attempt(tables.store, owner, current, SHOWN, tables.now())
        change = await puzzle_ratings.save_attempt(tables.store, owner, current, outcome, tables.now())
        if change is not None:
            query["was"] = change.before
    return redirect_with_token(f"/puzzles/{number}?{urlencode(query)}", token, config)


@lru_cache(maxsize=_MAX_JUDGED)
def outcome_of(
    puzzle: Puzzle, before: tuple[str, ...], parts: tuple[str | tuple[str, ...], ...]
) -> str | None:
    """The outcome of an attempt after some moves and a choice, which may have several parts; None if it goes on."""
    game, lost = puzzle.game(moves=before), False
    for part in parts:
        if not puzzle.is_in_progress(game):
            break
        for action in game.actions_of(part):
            choice = CHOICES[action]
            lost = lost or not puzzle.keeps_goal(game, choice)
            game.play(choice)
    if lost:
        return FAILED
    if puzzle.is_in_progress(game):
        return None
    return SOLVED if puzzle.is_solved(game) else FAILED


ROUTES: Final = (puzzles, puzzle_of_the_day, next_puzzle, puzzle, play_puzzle)

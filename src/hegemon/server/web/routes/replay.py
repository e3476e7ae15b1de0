"""After the game: its record, the proof of the shuffle, and the replay; also of games from files."""

import asyncio
import dataclasses
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.datastructures import UploadFile
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.exceptions import ClientException, HTTPException
from litestar.params import QueryParameter
from litestar.response import Redirect

from hegemon.notation.record import write_record
from hegemon.server.dependencies import ALLOWED_WHEN_CLOSED
from hegemon.server.security.rate_limit import check_limit
from hegemon.server.tables.analyst import AnalysisJob
from hegemon.server.tables.errors import TableClosed
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.setup import SetupRejected
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS
from hegemon.server.tournaments.errors import RoundClosed
from hegemon.server.web.me.games import latest_games
from hegemon.server.web.new_game import read_game
from hegemon.server.web.own_seat import check_own_seat
from hegemon.server.web.responses import page, redirect, script_response
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.home import HomePages
from hegemon.server.web.views.replay import (
    ALL_OPEN,
    Perspective,
    Replay,
    ReplayPages,
    ReplayStep,
    perspective_of,
)
from hegemon.server.web.views.spectate import game_for
from hegemon.server.web.views.table import TablePages

Ply = Annotated[int, QueryParameter(ge=0, le=100_000)]
SeenFrom = Annotated[int | None, QueryParameter(ge=0, le=ALL_OPEN)]

#: The largest upload; a record with comments is much smaller.
MAX_RECORD_BYTES: Final = 256 * 1024


def check_over(table: Table) -> None:
    """Raise an error if the game is not over, or if another table may still play the same deal."""
    if not table.game.over:
        raise HTTPException(REJECTIONS["record"], status_code=403)
    if table.sealed:
        raise RoundClosed


@get("/games/{game_id:str}/record", opt={ALLOWED_WHEN_CLOSED: True})
async def record(table: NamedDependency[Table], visitor: NamedDependency[Visitor]) -> Response[str]:
    """The record of a finished game; earlier, it would reveal hidden cards. A closed table has one for its players."""
    if not table.closed:
        check_over(table)
    elif not visitor.seats_at(table):
        raise TableClosed(table.id, table.seats)
    return Response(
        write_record(table.game.record()),
        media_type="application/toml",
        headers={"Content-Disposition": f'attachment; filename="hegemon-{table.id}.toml"'},
    )


@get("/games/{game_id:str}/shuffle")
async def shuffle(
    table: NamedDependency[Table], visitor: NamedDependency[Visitor], table_pages: NamedDependency[TablePages]
) -> Response[str]:
    if table.game.over:  # before that, only the digest is shown
        check_over(table)
    return page(table_pages.shuffle(table, visitor))


@get("/games/{game_id:str}/replay")
async def replay(
    request: Request[Any, Any, Any],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    replay_pages: NamedDependency[ReplayPages],
    base_url: NamedDependency[str],
    wants_json: NamedDependency[bool],
    at: Ply = 0,
    seat: SeenFrom = None,
    decided: Annotated[bool, QueryParameter()] = False,
) -> Response[Any]:
    """One ply of a game, from a seat, as a spectator (0), or with all hands open (5).

    The decisive ply is the one before the costliest choice, which an analysis finds; until then it is the last one.
    """
    if table.game.over:
        check_over(table)
    shown = Replay(table, game_for(table, visitor), visitor, perspective_of(table, visitor, seat), base_url)
    if table.game.over:
        analysis = await tables.analyst.find(table)
        if decided and analysis is None:
            start_analysis(request, tables, table)
        shown = dataclasses.replace(shown, analysis=analysis, job=tables.analyst.job(table), decides=decided)
    return step_response(replay_pages.step(shown, shown.decisive_ply() if decided else at), wants_json)


def start_analysis(request: Request[Any, Any, Any], tables: TableRegistry, table: Table) -> AnalysisJob:
    """Analyze a game, or join the computation in progress; a new one counts against the limit of the caller."""
    if tables.analyst.job(table) is None:
        check_limit(request, "analyses")
    return tables.analyst.start(table, table.charged_caller)


@get("/games/{game_id:str}/moment")
async def moment(
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    replay_pages: NamedDependency[ReplayPages],
    wants_json: NamedDependency[bool],
    at: Ply = 0,
    seat: Annotated[int, QueryParameter(ge=0, le=4)] = 0,
) -> Response[Any] | Redirect:
    """One ply of a game in progress, as one of the visitor's seats or a spectator (0) saw it."""
    if table.game.over:
        return redirect(f"/games/{table.id}/replay?seat={seat}&at={at}")
    if table.is_waiting:  # no hand is shown before the game starts
        raise HTTPException(REJECTIONS["record"], status_code=403)
    if seat:
        check_own_seat(table, visitor, seat - 1)
    shown = Replay(table, table.game, visitor, Perspective(seat), is_live=True)
    return step_response(replay_pages.step(shown, at), wants_json)


def step_response(step: ReplayStep, wants_json: bool) -> Response[Any]:
    """A step as a page, or the regions of it for the script of the page."""
    return script_response(step.regions()) if wants_json else page(step.html())


async def uploaded_record(request: Request[Any, Any, Any]) -> bytes:
    """The file that a form has sent."""
    try:
        # Fields without files are parsed on the event loop, and 256 kB of them would block other requests.
        is_upload = request.content_type[0] == RequestEncodingType.MULTI_PART
        file = (await request.form()).get("record") if is_upload else None
    except (LookupError, UnicodeError):  # a part in an encoding that does not exist
        raise ClientException from None
    return await file.read() if isinstance(file, UploadFile) else b""


@post("/replays", request_max_body_size=MAX_RECORD_BYTES)
async def import_record(
    request: Request[Any, Any, Any],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    home_pages: NamedDependency[HomePages],
) -> Response[str] | Redirect:
    """Create a finished table from a record file."""
    content = await uploaded_record(request)
    try:
        game = await asyncio.to_thread(read_game, content)
    except SetupRejected as error:
        return page(home_pages.home(visitor, await latest_games(tables, visitor.owner), error), 422)
    return redirect(f"/games/{await tables.import_game(game)}/replay")


ROUTES: Final = (record, shuffle, replay, moment, import_record)

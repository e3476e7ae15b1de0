"""After the game: its record, the proof of the shuffle, and the replay; also of games from files."""

from typing import Annotated, Final

from litestar import Response, get, post
from litestar.datastructures import UploadFile
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import MultipartBody, QueryParameter
from litestar.response import Redirect

from hegemon.notation.record import write_record
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.new_game import SetupRejected, read_game
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.pages import Pages
from hegemon.server.web.views.spectate import record_for


@get("/games/{game_id:str}/record")
async def record(table: NamedDependency[Table]) -> Response[str]:
    """The record of a finished game; before, it would show every hidden card."""
    if not table.game.over:
        raise HTTPException(REJECTIONS["record"], status_code=403)
    return Response(
        write_record(table.game.record()),
        media_type="application/toml",
        headers={"Content-Disposition": f'attachment; filename="hegemon-{table.id}.toml"'},
    )


@get("/games/{game_id:str}/shuffle")
async def shuffle(
    table: NamedDependency[Table], visitor: NamedDependency[Visitor], pages: NamedDependency[Pages]
) -> Response[str]:
    return page(pages.shuffle(table, visitor))


@get("/games/{game_id:str}/replay")
async def replay(
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    pages: NamedDependency[Pages],
    at: Annotated[int, QueryParameter(ge=0, le=100_000)] = 0,
    seat: Annotated[int, QueryParameter(ge=0, le=5)] = 0,
) -> Response[str]:
    """One ply of a game, from a seat, as a spectator (0), or with all hands open (5)."""
    path = f"/games/{table.id}"
    back = "" if table.game.over else path
    return page(pages.replay(record_for(table, visitor), visitor, f"{path}/replay", at, seat, back))


@post("/replays")
async def import_record(
    data: MultipartBody[dict[str, UploadFile]],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    pages: NamedDependency[Pages],
) -> Response[str] | Redirect:
    """Create a finished table from a record file."""
    file = data.get("record")
    try:
        game = read_game(await file.read() if file is not None else b"")
    except SetupRejected as error:
        return page(pages.home(visitor, await tables.store.games.owned_by(visitor.owner), error), 422)
    return redirect(f"/games/{await tables.import_game(game)}/replay")


ROUTES: Final = (record, shuffle, replay, import_record)

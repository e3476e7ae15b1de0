"""A moment of a finished game: as a picture, as a QR code, and played on from there."""

from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.english import BOT_NAMES
from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.tables.errors import SeatRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.async_cache import AsyncCache
from hegemon.server.web.forms import PlayOnForm
from hegemon.server.web.responses import redirect_with_token
from hegemon.server.web.routes.replay import Ply, SeenFrom, check_over
from hegemon.server.web.routes.sharing import Language, cached_picture, image, picture_max_age
from hegemon.server.web.session import Visitor, anonymous_reader
from hegemon.server.web.views.pictures import qr_image
from hegemon.server.web.views.replay import ALL_OPEN, Replay, ReplayPages, perspective_of


@get("/games/{game_id:str}/replay/picture.png")
async def picture(
    request: Request[Any, Any, Any],
    table: NamedDependency[Table],
    tables: NamedDependency[TableRegistry],
    replay_pages: NamedDependency[ReplayPages],
    pictures: NamedDependency[AsyncCache[bytes]],
    at: Ply = 0,
    seat: Annotated[int, QueryParameter(ge=0, le=ALL_OPEN)] = 0,
    lang: Language = "",
) -> Response[bytes]:
    """The position for link previews, as a spectator saw it unless the link names another perspective."""
    check_over(table)
    reader = anonymous_reader(request, lang)
    seen, names = perspective_of(table, reader, seat), table.game.names
    at = min(at, len(table.game.moves))

    key = table.id, at, seen, names, reader.language

    def draw() -> str:
        return replay_pages.step(Replay(table, table.game, reader, seen), at).picture()

    png = await cached_picture(request, tables, pictures, key, draw, table.charged_caller)
    return image(png, max_age=picture_max_age(table))


@get("/games/{game_id:str}/replay/code.svg")
async def code(
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    replay_pages: NamedDependency[ReplayPages],
    base_url: NamedDependency[str],
    at: Ply = 0,
    seat: SeenFrom = 0,
) -> Response[bytes]:
    """The QR code of a link to a moment."""
    check_over(table)
    shown = Replay(table, table.game, visitor, perspective_of(table, visitor, seat), base_url)
    return image(qr_image(replay_pages.step(shown, at).link), "image/svg+xml")


@post("/games/{game_id:str}/play-on")
async def play_on(
    data: URLEncodedBody[PlayOnForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    """Create a game that begins at a moment of this one, in which bots have the other seats.

    All hidden cards are where they were, and the visitor sees what the seat sees. The bots get new names, because the
    names of the players belong to people, who may be erased.
    """
    check_over(table)
    if not 1 <= data.seat <= table.game.players:
        raise HTTPException(REJECTIONS["nobody"], status_code=422)
    if data.bot not in config.bots:
        raise SeatRejected("bot")
    if not 0 <= data.at < len(table.game.moves):
        raise SeatRejected("over")
    own = data.seat - 1
    seats = [
        SeatRow(None, owner, color=row.color) if seat == own else SeatRow(data.bot, None, color=row.color)
        for seat, row in enumerate(table.seats)
    ]
    names = list(BOT_NAMES[: table.game.players])
    names[own] = visitor.name or tr.person_name(own)
    game = table.game.at(data.at)
    game.rename(names)
    daily = table.options.daily or table.options.origin_daily
    options = TableOptions(language=visitor.language, origin=table.id, origin_daily=daily)
    game_id = await tables.create(game, seats, host=owner, options=options)
    return redirect_with_token(f"/games/{game_id}", token, config)


ROUTES: Final = (picture, code, play_on)

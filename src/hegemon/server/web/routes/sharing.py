"""Resources for other sites: previews, embeds, the feed, icons and robots.txt."""

import re
from collections.abc import Callable, Hashable
from functools import partial
from typing import Annotated, Any, Final

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import FromPath, QueryParameter

from hegemon.prose.translator import get_translator
from hegemon.server.db.rows import Summary, in_utc
from hegemon.server.security.rate_limit import check_limit
from hegemon.server.tables import daily
from hegemon.server.tables.errors import BrokenGame, TableClosed
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.tournaments import access
from hegemon.server.web.async_cache import AsyncCache
from hegemon.server.web.responses import page, script_response
from hegemon.server.web.routes.puzzles import puzzle_of
from hegemon.server.web.routes.replay import Ply, check_over
from hegemon.server.web.session import anonymous_reader
from hegemon.server.web.views.pictures import HEIGHT, WIDTH, favicon, png_of
from hegemon.server.web.views.puzzles import PuzzlePages
from hegemon.server.web.views.replay import ALL_OPEN, Replay, perspective_of
from hegemon.server.web.views.sharing import FeedEntry, SharingPages
from hegemon.server.web.views.statistics import results_line
from hegemon.server.web.views.table import TablePages
from hegemon.views.drawing import draw_cover

#: The language of a page for another site; otherwise that of the browser.
Language = Annotated[str, QueryParameter(max_length=10)]

#: Seconds for which browsers and proxies may cache responses that are the same for all readers.
_CACHE_SECONDS: Final = 3600
_LIVE_CACHE_SECONDS: Final = 60
_LONG_CACHE_SECONDS: Final = 24 * 3600

#: Pages that are useless to search engines. Tables are not excluded, because link previews need their pages.
_DISALLOWED_TO_ROBOTS: Final = ("/api/", "/admin", "/join/", "/me", "/puzzles/next", "/settings")

#: The path of a table or its replay, and perhaps a moment.
_TABLE: Final = re.compile(r"/games/([\w-]+)(?:/replay)?(?:\?[^#]*)?(?:#.*)?")

#: Other sites may frame an embed; it sends nothing and runs nothing.
_FRAME_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors *"
)


def _cache_headers(seconds: int) -> dict[str, str]:
    """The caching headers of a response that is the same for all readers of a language."""
    return {"Cache-Control": f"public, max-age={seconds}", "Vary": "Accept-Language"}


def image(content: bytes, media_type: str = "image/png", max_age: int = 0) -> Response[bytes]:
    """An image; with a maximum age, it may be cached, and is the same for all readers."""
    return Response(content, media_type=media_type, headers=_cache_headers(max_age) if max_age else {})


async def cached_picture(
    request: Request[Any, Any, Any],
    tables: TableRegistry,
    pictures: AsyncCache[bytes],
    key: Hashable,
    draw: Callable[[], str],
    caller: str = "",
) -> bytes:
    """A picture as a PNG, drawn only once; the request that draws it counts against the limit of its caller."""
    if key not in pictures:
        check_limit(request, "pictures")

    async def compute() -> bytes:
        svg = draw()
        return await tables.bots.run_for(caller, lambda: png_of(svg))

    return await pictures.get(key, compute)


def picture_max_age(table: Table) -> int:
    """The seconds for which the picture of a table may be cached; 0 if it differs between readers."""
    if daily.day_shown(table) is not None or table.sealed:
        return 0
    return _CACHE_SECONDS if table.game.over else _LIVE_CACHE_SECONDS


@get("/games/{game_id:str}/picture.png")
async def table_picture(
    request: Request[Any, Any, Any],
    table: NamedDependency[Table],
    tables: NamedDependency[TableRegistry],
    table_pages: NamedDependency[TablePages],
    pictures: NamedDependency[AsyncCache[bytes]],
    lang: Language = "",
) -> Response[bytes]:
    """The table as a spectator sees it now, even for players; before the game starts, a picture without a position."""
    if table.is_waiting:
        # Not cached, because the picture of the first position has the same URL.
        return await cover(request, tables, pictures, max_age=0)
    reader = anonymous_reader(request, lang)
    key = table.id, table.version, table.game.names, reader.language
    draw = partial(table_pages.picture, table, reader)
    png = await cached_picture(request, tables, pictures, key, draw, table.charged_caller)
    return image(png, max_age=picture_max_age(table))


@get("/puzzles/{number:int}/picture.png")
async def puzzle_picture(
    request: Request[Any, Any, Any],
    number: FromPath[int],
    tables: NamedDependency[TableRegistry],
    puzzle_pages: NamedDependency[PuzzlePages],
    pictures: NamedDependency[AsyncCache[bytes]],
    network: NamedDependency[str],
    lang: Language = "",
) -> Response[bytes]:
    """The position of a puzzle, with its task."""
    puzzle, reader = puzzle_of(number), anonymous_reader(request, lang)
    png = await cached_picture(
        request,
        tables,
        pictures,
        ("puzzle", number, reader.language),
        lambda: puzzle_pages.puzzle_picture(puzzle, reader),
        network,
    )
    return image(png, max_age=_CACHE_SECONDS)


@get("/players/{public_id:str}/picture.png")
async def profile_picture(
    request: Request[Any, Any, Any],
    public_id: FromPath[str],
    tables: NamedDependency[TableRegistry],
    pictures: NamedDependency[AsyncCache[bytes]],
    network: NamedDependency[str],
    lang: Language = "",
) -> Response[bytes]:
    """The name and the results of a person whose profile is public."""
    profile, language = await tables.store.profiles.find(public_id), anonymous_reader(request, lang).language
    if profile is None:
        raise NotFoundException
    number, won = await tables.store.results.counts(profile.owner)

    def draw() -> str:
        line = results_line(number, won, get_translator(language))
        return draw_cover(profile.name, WIDTH, HEIGHT, line)

    key = "profile", profile.name, number, won, language
    png = await cached_picture(request, tables, pictures, key, draw, network)
    return image(png, max_age=_LIVE_CACHE_SECONDS)


async def cover(
    request: Request[Any, Any, Any],
    tables: TableRegistry,
    pictures: AsyncCache[bytes],
    max_age: int = _LONG_CACHE_SECONDS,
) -> Response[bytes]:
    def draw() -> str:
        return draw_cover("Hegemon", WIDTH, HEIGHT)

    return image(await cached_picture(request, tables, pictures, "cover", draw), max_age=max_age)


@get("/preview.png")
async def cover_picture(
    request: Request[Any, Any, Any],
    tables: NamedDependency[TableRegistry],
    pictures: NamedDependency[AsyncCache[bytes]],
) -> Response[bytes]:
    """The picture of links that show no position."""
    return await cover(request, tables, pictures)


@get("/favicon.ico")
async def icon() -> Response[bytes]:
    """The icon, for programs that look for it under this name."""
    return image(favicon(), "image/x-icon", _LONG_CACHE_SECONDS)


@get("/robots.txt", media_type="text/plain")
async def robots() -> Response[str]:
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _DISALLOWED_TO_ROBOTS), "Disallow: /*/stream"]
    return Response(
        "\n".join(lines) + "\n", media_type="text/plain", headers=_cache_headers(_LONG_CACHE_SECONDS)
    )


@get("/games/{game_id:str}/embed")
async def embed(
    request: Request[Any, Any, Any],
    game_id: FromPath[str],
    tables: NamedDependency[TableRegistry],
    sharing_pages: NamedDependency[SharingPages],
    at: Ply = 0,
    seat: Annotated[int, QueryParameter(ge=0, le=ALL_OPEN)] = 0,
    lang: Language = "",
    theme: Annotated[str, QueryParameter(max_length=10)] = "auto",
) -> Response[str]:
    """One ply of a finished game, for a frame of another site: the same for all readers, whatever their cookies."""
    reader = anonymous_reader(request, lang)
    table = await load_finished(tables, game_id)
    shown = Replay(table, table.game, reader, perspective_of(table, reader, seat), reader.base)
    response = page(sharing_pages.embed(shown, at, theme))
    response.headers |= {"Content-Security-Policy": _FRAME_POLICY, **_cache_headers(_CACHE_SECONDS)}
    return response


async def load_finished(tables: TableRegistry, game_id: str) -> Table:
    """A table whose game is over, and that everyone may see."""
    table = await tables.load(game_id)
    if table.closed:
        raise TableClosed(table.id, table.seats)
    await daily.check_access(tables, table, None)
    await access.check_access(tables, table, None)
    check_over(table)
    return table


@get("/oembed")
async def oembed(
    request: Request[Any, Any, Any],
    tables: NamedDependency[TableRegistry],
    sharing_pages: NamedDependency[SharingPages],
    url: Annotated[str, QueryParameter(max_length=500)],
    kind: Annotated[str, QueryParameter(name="format", max_length=10)] = "json",
    maxwidth: Annotated[int, QueryParameter(ge=0, le=10_000)] = 0,
    maxheight: Annotated[int, QueryParameter(ge=0, le=10_000)] = 0,
    lang: Language = "",
) -> Response[Any]:
    """How to embed a finished game, for sites that know its link."""
    reader = anonymous_reader(request, lang)
    found = _TABLE.fullmatch(url.removeprefix(reader.base)) if url.startswith(reader.base) else None
    if found is None:
        raise NotFoundException
    if kind != "json":
        raise HTTPException(status_code=501)
    table = await load_finished(tables, found[1])
    response = script_response(sharing_pages.oembed(table, reader, maxwidth, maxheight))
    response.headers |= _cache_headers(_CACHE_SECONDS)
    return response


@get("/feed.atom")
async def feed(
    request: Request[Any, Any, Any],
    tables: NamedDependency[TableRegistry],
    sharing_pages: NamedDependency[SharingPages],
    feed_entries: NamedDependency[AsyncCache[FeedEntry | None]],
    lang: Language = "",
) -> Response[str]:
    """The latest results of public games."""
    reader = anonymous_reader(request, lang)

    async def entry(game: Summary) -> FeedEntry | None:
        try:
            table = await tables.load(game.id, requested=False)
        except BrokenGame:  # the registry has logged it
            return None
        return sharing_pages.entry(table, reader, in_utc(game.updated_at))

    entries = [
        await feed_entries.get((game.id, game.names, game.updated_at, reader.language), partial(entry, game))
        for game in await tables.store.games.latest_finished_public()
    ]
    shown = [found for found in entries if found is not None]
    return Response(
        sharing_pages.feed(shown, reader, tables.now()),
        media_type="application/atom+xml",
        headers=_cache_headers(_LIVE_CACHE_SECONDS),
    )


ROUTES: Final = (
    embed,
    oembed,
    feed,
    table_picture,
    profile_picture,
    puzzle_picture,
    cover_picture,
    icon,
    robots,
)

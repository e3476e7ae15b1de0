"""The server: routes, and what guards them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Final

from litestar import Litestar, Request, Response, Router, get, post
from litestar.config.compression import CompressionConfig
from litestar.datastructures import State, UploadFile
from litestar.enums import MediaType, RequestEncodingType
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.params import Body, FromPath, QueryParameter
from litestar.response import Redirect, Stream
from litestar.static_files import create_static_files_router

from hegemon.notation.errors import NotationError
from hegemon.notation.record import write_record
from hegemon.play.legality import IllegalMoveError
from hegemon.prose.translator import get_translator, languages
from hegemon.rules.view import SPECTATOR
from hegemon.server.api import router as api_router
from hegemon.server.api import schemas as api
from hegemon.server.config import ServerConfig
from hegemon.server.db.store import Store
from hegemon.server.errors import move_rejection_text
from hegemon.server.logging import noting_requests
from hegemon.server.security import tokens as identity
from hegemon.server.security.csrf import guard, security_headers
from hegemon.server.security.rate_limit import Counters
from hegemon.server.sse import event_stream
from hegemon.server.tables import ratings
from hegemon.server.tables.registry import StaleVersionError, Table, Tables
from hegemon.server.texts import REJECTIONS, SEAT_LOST
from hegemon.server.web.new_game import SetupRejected, open_table, options_in, read_game
from hegemon.server.web.routes import chat as besides
from hegemon.server.web.routes import learn as learning
from hegemon.server.web.routes import lobby, webhooks
from hegemon.server.web.routes import seating as together
from hegemon.server.web.routes import spectate as watching
from hegemon.server.web.routes.hints import Adviser, give_hint
from hegemon.server.web.routes.seating import base_of, led_to, token_of
from hegemon.server.web.session import SETTINGS, Visitor, cookie, visitor_of
from hegemon.server.web.sse import Elsewhere, Regions, changes
from hegemon.server.web.views.learn import LearningPages
from hegemon.server.web.views.pages import Pages
from hegemon.server.web.views.seating import CompanyPages
from hegemon.server.webhooks.dispatcher import WebhookDispatcher

_HERE: Final = Path(__file__).parent

#: The largest request that is read: a record with comments fits many times over.
MAX_REQUEST_BYTES: Final = 256 * 1024

Form = Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)]


@dataclass(frozen=True)
class Command:
    """A word for the open question, as a form sends it."""

    choice: str
    version: int
    idempotency_key: str
    seat: int


def page(html: str, status: int = 200) -> Response[str]:
    """A page of ours."""
    return Response(
        html, status_code=status, media_type=MediaType.HTML, headers={"Cache-Control": "no-store"}
    )


# ------------------------------------------------------------------ the start


@get("/", include_in_schema=False)
async def start(request: Request[Any, Any, State], state: State) -> Response[str]:
    """The start page: a form for a new game, and the games of this browser."""
    visitor = visitor_of(request)
    return page(state.pages.start(visitor, await state.tables.games_of(visitor.owner)))


@post("/games", include_in_schema=False)
async def new_game(request: Request[Any, Any, State], data: Form, state: State) -> Response[str] | Redirect:
    """Lay a table and sit down at it."""
    visitor = visitor_of(request)
    token = token_of(request)
    owner = identity.owner_of(token)
    try:
        game, seats = open_table(data, owner, get_translator(visitor.language), state.config.new_seed())
        options = options_in(data, visitor.language, lobby=state.config.lobby)
    except SetupRejected as error:
        return page(state.pages.start(visitor, await state.tables.games_of(visitor.owner), error, data), 422)
    public = state.config.lobby and data.get("public") == "on"
    game_id = await state.tables.open(game, seats, host=owner, options=options, public=public)
    return led_to(f"/games/{game_id}", token, state)


# ------------------------------------------------------------------ a table


def looking_from(table: Table, visitor: Visitor, wanted: int | None) -> int | None:
    """The seat from which a visitor sees the table: a spectator's, one's own, or None where a curtain comes first."""
    own = table.seats_of(visitor.owner or "")
    if not own:
        return SPECTATOR
    if wanted is not None and wanted - 1 in own:
        return wanted - 1
    if len(own) == 1 or table.game.over:
        return own[0]
    return None


@get("/games/{game_id:str}", include_in_schema=False)
async def table_page(
    request: Request[Any, Any, State],
    game_id: FromPath[str],
    state: State,
    seat: Annotated[int | None, QueryParameter(ge=1, le=4)] = None,
    lost: Annotated[bool, QueryParameter()] = False,
) -> Response[str]:
    """The table from one's own side, or the curtain between players who share a device.

    Whoever has just lost the seat is told so.
    """
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    if table.is_waiting:
        return page(state.company.seats(table, visitor, base_of(request, state)))
    state.tables.touch(table, table.seats_of(visitor.owner or ""))
    viewer = looking_from(table, visitor, seat)
    if viewer is None:
        return page(state.pages.curtain(table, visitor))
    notice = get_translator(visitor.language).text(SEAT_LOST) if lost and viewer == SPECTATOR else ""
    return page(state.pages.table(table, visitor, viewer, notice))


@post("/games/{game_id:str}/moves", include_in_schema=False)
async def submit_move(
    request: Request[Any, Any, State],
    game_id: FromPath[str],
    data: Annotated[Command, Body(media_type=RequestEncodingType.URL_ENCODED)],
    state: State,
) -> Response[Any] | Redirect:
    """Answer the open question, or take an answer back."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    seat = data.seat - 1
    if seat not in table.seats_of(visitor.owner or ""):
        raise HTTPException(REJECTIONS["seat"], status_code=403)
    live = request.headers.get("accept", "").startswith("application/json")
    try:
        await state.tables.submit_move(
            table, seat, data.choice, data.version, data.idempotency_key[:64], table.seats[seat]
        )
    except StaleVersionError as error:
        return rejected(state, table, visitor, seat, error, 409, live)
    except (IllegalMoveError, NotationError) as error:
        return rejected(state, table, visitor, seat, error, 422, live)
    following = next_page(table, visitor, seat)
    if live:
        stays = (
            following.endswith((table.id, f"?seat={seat + 1}"))
            and len(table.seats_of(visitor.owner or "")) == 1
        )
        return Response(
            {"version": table.version, "next": None if stays else following}, media_type=MediaType.JSON
        )
    return Redirect(following, status_code=303)


def rejected(
    state: State, table: Table, visitor: Visitor, seat: int, why: Exception, status: int, live: bool
) -> Response[Any]:
    """Say why nothing has changed, and show the table as it is."""
    sentence = move_rejection_text(why, get_translator(visitor.language))
    if live:
        return Response(
            {"why": sentence, "version": table.version}, status_code=status, media_type=MediaType.JSON
        )
    return page(state.pages.table(table, visitor, seat, sentence), status)


def next_page(table: Table, visitor: Visitor, seat: int) -> str:
    """Where to go after a word: back to one's own side, or to the curtain if another person here is asked now."""
    own = table.seats_of(visitor.owner or "")
    if len(own) == 1:
        return f"/games/{table.id}"
    if seat in table.to_move or not set(own) & set(table.to_move):
        return f"/games/{table.id}?seat={seat + 1}"
    return f"/games/{table.id}"


@get("/games/{game_id:str}/stream", include_in_schema=False)
async def stream(
    request: Request[Any, Any, State],
    game_id: FromPath[str],
    state: State,
    seat: Annotated[int | None, QueryParameter(ge=1, le=4)] = None,
) -> Stream:
    """The parts of the page that change, as they change."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    viewer = looking_from(table, visitor, seat)
    if viewer is None:
        raise HTTPException(REJECTIONS["curtain"], status_code=403)
    pages: Pages = state.pages
    following = table.next_game

    def render() -> Regions:
        if table.next_game != following:
            raise Elsewhere(f"/games/{table.next_game}")
        if viewer != SPECTATOR and not table.seats_of(visitor.owner or ""):
            raise Elsewhere(f"/games/{table.id}?lost=true")
        if table.is_waiting or looking_from(table, visitor, seat) != viewer:
            raise Elsewhere(f"/games/{table.id}")
        return pages.regions(table, visitor, viewer)

    own = table.seats_of(visitor.owner or "")
    now = state.tables.now if table.clock.pace else None
    return event_stream(state.tables, table, own, changes(table, render, now=now))


# ------------------------------------------------------------------ afterwards


@get("/games/{game_id:str}/record", include_in_schema=False)
async def record(game_id: FromPath[str], state: State) -> Response[str]:
    """The record of a finished game; while it goes on it would show every hidden card."""
    table = await state.tables.table(game_id)
    if not table.game.over:
        raise HTTPException(REJECTIONS["record"], status_code=403)
    return Response(
        write_record(table.game.record()),
        media_type="application/toml",
        headers={"Content-Disposition": f'attachment; filename="hegemon-{game_id}.toml"'},
    )


@get("/games/{game_id:str}/shuffle", include_in_schema=False)
async def shuffle(request: Request[Any, Any, State], game_id: FromPath[str], state: State) -> Response[str]:
    """The digest that committed the shuffle, and when the game is over the deck and the salt, to check it by."""
    table = await state.tables.table(game_id)
    return page(state.pages.shuffle(table, visitor_of(request)))


@get("/games/{game_id:str}/replay", include_in_schema=False)
async def replay_game(
    request: Request[Any, Any, State],
    game_id: FromPath[str],
    state: State,
    at: Annotated[int, QueryParameter(ge=0, le=100_000)] = 0,
    seat: Annotated[int, QueryParameter(ge=0, le=5)] = 0,
) -> Response[str]:
    """A game, moment by moment, seen by anybody who sat there, by a spectator, or with all cards open.

    One that goes on is only for those who look on, and only where they may see all hands some rounds later.
    """
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    record = watching.record_for(table, visitor)
    back = "" if table.game.over else f"/games/{game_id}"
    return page(state.pages.replay(record, visitor, f"/games/{game_id}/replay", at, seat, back))


@post("/replays", include_in_schema=False)
async def open_record(
    request: Request[Any, Any, State],
    data: Annotated[dict[str, UploadFile], Body(media_type=RequestEncodingType.MULTI_PART)],
    state: State,
) -> Response[str] | Redirect:
    """Open a record from a file: it is laid as a finished table of its own, or refused with the reason."""
    visitor = visitor_of(request)
    file = data.get("record")
    try:
        game = read_game(await file.read() if file is not None else b"")
    except SetupRejected as error:
        return page(state.pages.start(visitor, await state.tables.games_of(visitor.owner), error), 422)
    return Redirect(f"/games/{await state.tables.import_game(game)}/replay", status_code=303)


# ------------------------------------------------------------------ reading


@get("/rules", include_in_schema=False)
async def rules(request: Request[Any, Any, State], state: State) -> Response[str]:
    """The rules in our words."""
    return page(state.pages.rules(visitor_of(request)))


@get("/rulings", include_in_schema=False)
async def rulings(request: Request[Any, Any, State], state: State) -> Response[str]:
    """How it is played where the rulebooks differ or are silent."""
    return page(state.pages.rulings(visitor_of(request)))


# ------------------------------------------------------------------ settings and service


@post("/settings", include_in_schema=False)
async def set_up(request: Request[Any, Any, State], data: Form, state: State) -> Redirect:
    """Remember the language and how the reader likes the page."""
    back = data.get("back", "/")
    answer = Redirect(back if back.startswith("/") and not back.startswith("//") else "/", status_code=303)
    wishes = {"language": tuple(languages()), **SETTINGS}
    for name, values in wishes.items():
        if data.get(name) in values:
            answer.cookies.append(cookie(name, data[name], secure=state.config.secure))
    return answer


@dataclass(frozen=True)
class Health:
    """Whether the server is well."""

    status: str


@get("/health")
async def health(state: State) -> Response[Health]:
    """Whether the server answers, and its store too."""
    well = await state.tables.store.database.is_healthy()
    return Response(Health("ok" if well else "the store does not answer"), status_code=200 if well else 503)


# ------------------------------------------------------------------ the whole


def create_app(config: ServerConfig) -> Litestar:
    """The server as an ASGI application."""

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        app.state.counters = Counters()
        tables = app.state.tables = Tables(Store(config.database), config)
        dispatcher = app.state.dispatcher = WebhookDispatcher(tables, private=config.private_webhooks)
        tables.when_asked = dispatcher.look_at
        tables.when_over = lambda table: ratings.settle(tables.store, table)
        try:
            await tables.store.migrate()
            tables.start()
            dispatcher.start()
            yield
        finally:
            await dispatcher.close()
            await tables.close()

    how: dict[str, Any] = {"lobby": config.lobby, "now": config.now}
    pages = Pages(config.new_idempotency_key, **how)

    def failure(request: Request[Any, Any, State], error: Exception) -> Response[Any]:
        """Answer unknown paths and methods, which no router handles: a page for browsers, else JSON."""
        is_browser = "text/html" in request.headers.get("accept", "")
        return pages.failure(request, error) if is_browser else api.failure(request, error)

    web_router = Router(
        "/",
        route_handlers=[
            start, new_game, table_page, submit_move, stream, record, shuffle, replay_game, open_record,
            rules, rulings, set_up, health, learning.ROUTES, together.ROUTES,
            lobby.ROUTES, watching.ROUTES, webhooks.ROUTES, give_hint, *besides.ROUTES,
        ],
        exception_handlers={Exception: pages.failure},
    )  # fmt: skip
    return Litestar(
        [
            web_router,
            api_router.ROUTER,
            create_static_files_router("/static", [_HERE / "web" / "static"], include_in_schema=False),
        ],
        state=State(
            {
                "config": config,
                "pages": pages,
                "learning": LearningPages(config.new_idempotency_key, **how),
                "adviser": Adviser(),
                "watching": watching.WatchingPages(config.new_idempotency_key, **how),
                "company": CompanyPages(config.new_idempotency_key, **how),
            }
        ),
        lifespan=[lifespan],
        before_request=guard,
        after_request=security_headers,
        exception_handlers={Exception: failure},
        compression_config=CompressionConfig(backend="gzip", gzip_compress_level=5, exclude=["/stream"]),
        request_max_body_size=MAX_REQUEST_BYTES,
        openapi_config=OpenAPIConfig(
            title="Hegemon",
            version=version("hegemon"),
            description="Tables of Carta Impera Victoria for programs.",
            path="/schema",
            render_plugins=[JsonRenderPlugin()],
            components=api.COMPONENTS,
            use_handler_docstrings=True,
        ),
        plugins=[api.ExactSchemas()],
        middleware=[noting_requests],
        logging_config=None,
        debug=False,
    )

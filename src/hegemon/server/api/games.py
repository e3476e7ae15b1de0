"""Games: create one, read its state, submit moves, follow the stream, read the record."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import HeaderParameter, JSONBody
from litestar.response import Stream

from hegemon.bots import BOTS
from hegemon.notation.errors import NotationError
from hegemon.notation.record import write_record
from hegemon.notation.writing import write_view
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.play.selection import Selection
from hegemon.play.serialization import result_to_dict
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.english import BOT_NAMES, PERSON_NAMES
from hegemon.prose.translator import Translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.api.auth import TOKEN_OPTIONAL, TOKEN_REQUIRED, AuthenticatedPlayer, unauthorized
from hegemon.server.api.errors import RequestRejected, errors
from hegemon.server.api.schemas import (
    BotInfo,
    Choice,
    CreateGameRequest,
    MoveRequest,
    MoveResponse,
    NewSeat,
    NewTable,
    RecordResponse,
    SeatRequest,
    SelectionInfo,
    TableState,
)
from hegemon.server.api.seats import seat_infos
from hegemon.server.api.sse import table_events
from hegemon.server.config import ServerConfig
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import UNDO, SeatRow
from hegemon.server.dependencies import provide_translator
from hegemon.server.errors import move_rejection_text
from hegemon.server.security import tokens
from hegemon.server.sse import event_stream
from hegemon.server.tables import moves
from hegemon.server.tables.clock import read_time_control
from hegemon.server.tables.errors import GameNotStarted, StaleVersionError
from hegemon.server.tables.names import is_blocked
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import clean_name, open_seat_row
from hegemon.server.tables.setup import SetupRejected, check_setup
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS
from hegemon.server.tournaments.errors import RoundClosed
from hegemon.views import TableInfo, table_to_dict

_TAGS: Final = ["tables"]


@get("/bots", tags=_TAGS)
async def get_bots(config: NamedDependency[ServerConfig]) -> list[BotInfo]:
    """The bots that can be seated here."""
    return [BotInfo(name, name in BOTS) for name in config.bots]


@post("/games", responses=errors(403, 413, 422), tags=_TAGS)
async def create_game(
    data: JSONBody[CreateGameRequest],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    base_url: NamedDependency[str],
) -> NewTable:
    """Create a table; returns an invitation for every open seat, and a token for every other seat without a bot.

    A request repeated with the same idempotency key returns the same table.
    """
    secret = data.idempotency_key or tokens.new_token()
    seat_tokens = [
        None if seat.bot is not None or seat.open else tokens.derived_token(secret, f"seat {number}")
        for number, seat in enumerate(data.seats, 1)
    ]
    rows: Sequence[SeatRow] = [
        open_seat_row() if seat.open else SeatRow(seat.bot, tokens.owner_of(token))
        for seat, token in zip(data.seats, seat_tokens, strict=True)
    ]
    check_bots(data.seats, config.bots)
    if await is_blocked(tables.store, *(clean_name(seat.name) for seat in data.seats)):
        raise SetupRejected("name")
    check_setup(rows, data.teams, data.variant, data.rulings)
    names = [
        clean_name(seat.name) or (BOT_NAMES if seat.bot else PERSON_NAMES)[number]
        for number, seat in enumerate(data.seats)
    ]
    game = Game(
        len(rows), data.variant, teams=data.teams, rulings=data.rulings, seed=config.new_seed(), names=names
    )
    host, game_id = tokens.derived_token(secret, "host"), tokens.derived_token(secret, "game")[:16]
    options = TableOptions(clock=read_clock(data.clock), spectator_delay=data.spectator_delay)
    try:
        await tables.create(game, rows, host=tokens.owner_of(host), options=options, game_id=game_id)
    except ConflictError:
        rows = (await tables.load(game_id)).seats
        if len(rows) != len(names):
            raise SetupRejected("key") from None
    return NewTable(
        game_id,
        f"{base_url}/games/{game_id}",
        host,
        [
            NewSeat(seat, name, row.bot, row.is_open, False, None, token, row.invite)
            for seat, (name, row, token) in enumerate(zip(names, rows, seat_tokens, strict=True), 1)
        ],
    )


def check_bots(seats: list[SeatRequest], bots: Sequence[str]) -> None:
    for seat in seats:
        if seat.bot is not None and seat.bot not in bots:
            raise SetupRejected("bot", f"The bots are {', '.join(bots)}.")
        if seat.open and seat.bot is not None:
            raise SetupRejected("bot-or-open")


def read_clock(text: str) -> str:
    try:
        return read_time_control(text).text
    except NotationError as error:
        raise SetupRejected("clock", str(error)) from None


@get("/games/{game_id:str}", responses=errors(401, 403, 404), security=TOKEN_OPTIONAL, tags=_TAGS)
async def get_state(
    table: NamedDependency[Table], viewer: NamedDependency[int], tr: NamedDependency[Translator]
) -> TableState:
    """The table as the caller sees it: the view, the open question, and the legal choices."""
    # The cards are dealt at the start: until then a player sees what a spectator sees.
    perspective = SPECTATOR if table.is_waiting else viewer
    substitutes = tuple(seat for seat, row in enumerate(table.seats) if row.substitute is not None)
    table_view = table.snapshot.table_view(
        perspective, TableInfo(table.id, substitutes=substitutes), with_memory=False
    )
    describer = ChoiceDescriber(table_view.view, table_view.names, tr)
    return TableState(
        game=table.id,
        seat=viewer + 1 if viewer != SPECTATOR else None,
        version=table.version,
        is_waiting=table.is_waiting,
        seats=seat_infos(table),
        view=write_view(table_view.view),
        table=table_to_dict(table_view),
        question=move_rejection_text(GameNotStarted(), tr) if table.is_waiting else describer.question(),
        choices=[Choice(choice, describer.describe(choice)) for choice in table_view.choices],
        selection=selection_info(table_view.selection),
        to_move=[seat + 1 for seat in table.to_move],
        undo=viewer != SPECTATOR and table.may_undo(viewer),
        clock=table.options.clock,
        spectator_delay=table.options.spectator_delay,
        result=result_to_dict(table.game.result),
        next_game=table.next_game,
    )


def selection_info(selection: Selection | None) -> SelectionInfo | None:
    return SelectionInfo(selection.number, [*map(str, selection.cards)]) if selection is not None else None


@post(
    "/games/{game_id:str}/moves",
    status_code=200,
    responses=errors(401, 403, 404, 409, 413, 422),
    security=TOKEN_REQUIRED,
    tags=_TAGS,
)
async def submit_move(
    request: Request[Any, Any, Any],
    data: JSONBody[MoveRequest],
    tables: NamedDependency[TableRegistry],
    table: NamedDependency[Table],
    player: NamedDependency[AuthenticatedPlayer],
) -> MoveResponse:
    """Submit a move, or undo the last one; the response means that it has been saved.

    If the question asks for several cards, they can be submitted as one move: all of them count, or none.
    """
    occupant = table.seats[player.seat]
    if occupant.owner != player.owner:  # reassigned since the seat was looked up
        raise unauthorized()
    if data.chosen is None:
        tr = provide_translator(request)
        raise RequestRejected(422, tr.text("A move is either a choice or several cards."))
    try:
        version = await moves.submit_move(
            tables,
            table,
            player.seat,
            data.chosen,
            data.version,
            data.idempotency_key,
            occupant,
        )
    except StaleVersionError as error:
        text = move_rejection_text(error, provide_translator(request))
        raise RequestRejected(409, text, version=table.version) from None
    except (IllegalMoveError, NotationError) as error:
        choices = [*table.snapshot.choices_of(player.seat)]
        if table.may_undo(player.seat):
            choices.append(UNDO)
        text = move_rejection_text(error, provide_translator(request))
        raise RequestRejected(422, text, choices=choices) from None
    return MoveResponse(version)


@get(
    "/games/{game_id:str}/stream",
    media_type="text/event-stream",
    responses=errors(401, 403, 404),
    security=TOKEN_OPTIONAL,
    tags=_TAGS,
)
async def stream(
    tables: NamedDependency[TableRegistry],
    table: NamedDependency[Table],
    viewer: NamedDependency[int],
    token: NamedDependency[str | None],
    tr: NamedDependency[Translator],
    since: Annotated[int, HeaderParameter(name="Last-Event-ID", ge=-1, le=1_000_000)] = -1,
) -> Stream:
    """The game as the caller sees it, as server-sent events, until it is over.

    Every `move` event has the version of the table as its id, and as data `{"version": 3, "events": [...]}`. The stream
    starts with the deal, version 0, or after the version in `Last-Event-ID`. Chat messages are events called `chat`.
    The player of a seat counts as present while the stream is open.
    """
    owner = tokens.owner_of(token)

    def may_follow() -> bool:
        return viewer == SPECTATOR or table.seats[viewer].owner == owner

    events = table_events(table, viewer, since, tr, may_follow=may_follow)
    own = (viewer,) if viewer != SPECTATOR else ()
    return event_stream(tables, table, own, events, program=True)


@get("/games/{game_id:str}/record", responses=errors(403, 404), tags=_TAGS)
async def get_record(table: NamedDependency[Table]) -> RecordResponse:
    """The record of a finished game; it contains every hidden card."""
    if not table.game.over:
        raise HTTPException(REJECTIONS["record"], status_code=403)
    if table.sealed:
        raise RoundClosed
    return RecordResponse(write_record(table.game.record()))


ROUTES: Final = (get_bots, create_game, get_state, submit_move, stream, get_record)

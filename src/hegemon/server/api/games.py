"""A table for programs: lay it, look at it, answer, follow what happens, read the record."""

from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Request, Response, Router, get, post
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.params import FromPath, HeaderParameter, JSONBody
from litestar.response import Stream
from msgspec import Meta, Struct

from hegemon.bots import BOTS
from hegemon.notation.errors import NotationError
from hegemon.notation.record import write_record
from hegemon.notation.setup import SetupError
from hegemon.notation.writing import write_view
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.play.serialization import result_to_dict
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.translator import get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.api import schemas as api
from hegemon.server.api.sse import table_events
from hegemon.server.db.options import TableOptions
from hegemon.server.db.schema import UNDO, SeatRow
from hegemon.server.errors import move_rejection_text
from hegemon.server.language import preferred_language
from hegemon.server.security import tokens as identity
from hegemon.server.sse import event_stream
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.clock import read_time_control
from hegemon.server.tables.errors import GameNotStarted, StaleVersionError
from hegemon.server.tables.seats import clean_name, open_seat_row
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS

# ------------------------------------------------------------------ what is sent


class SeatWish(api.Sent):
    """Who is to sit on a seat: a bot, whoever comes by an invitation, or otherwise whoever gets the token."""

    name: Annotated[str, Meta(max_length=100)] = ""
    bot: Annotated[str, Meta(max_length=40)] | None = None
    open: bool = False
    """Whether the seat waits for somebody with an invitation; the game begins when every seat is taken."""


class GameWish(api.Sent):
    """The table that is to be laid."""

    seats: Annotated[list[SeatWish], Meta(min_length=2, max_length=4)]
    variant: Literal["basic", "draft"] = "basic"
    teams: bool = False
    rulings: Annotated[str, Meta(max_length=200)] = "standard"
    clock: Annotated[str, Meta(max_length=30)] = ""
    """How long each seat may think: `90s a move`, `3d a move`, `10m a game + 15s`; nothing is as long as it likes."""
    spectator_delay: Literal[0, 1, 2, 4] = 0
    """After how many rounds those who look on see all hands; 0 is not before the game is over."""


class Word(api.Sent):
    """An answer to the open question, or `undo`, which takes the last answer back."""

    choice: Annotated[str, Meta(min_length=1, max_length=8)]
    version: Annotated[int, Meta(ge=0, le=1_000_000)]
    """The number of the question, as `look` and `stream` tell it."""
    idempotency_key: Annotated[str, Meta(min_length=1, max_length=64)]
    """A name that no other command of this game has: the same one twice counts once and gets the same answer."""


# ------------------------------------------------------------------ what comes back


class OpenSeat(api.SeatInfo):
    """A seat of a new table, with the token that holds it, or the invitation if it is open; a bot needs none.

    The token is shown only this once.
    """

    token: str | None
    invite: str | None


class NewGame(Struct):
    """A table that was laid."""

    game: str
    address: str
    """The page of the table, for people who want to watch."""
    host: str
    """The token that can give seats away; it holds none itself."""
    seats: list[OpenSeat]


class Choice(Struct):
    """A word on offer, and what it would do now."""

    choice: str
    meaning: str


class Outcome(Struct):
    """How a game ended, and which seats won it; a Hegemony names its Domain."""

    ending: str
    winners: list[int]
    domain: str | None


class Look(Struct):
    """A table as one seat sees it, or somebody who only watches."""

    game: str
    seat: int | None
    """One's own seat; null for somebody who watches."""
    version: int
    """How many entries have been made: the number that a word answers."""
    is_waiting: bool
    """Whether somebody has still to come; nobody sees a hand before."""
    seats: list[api.SeatInfo]
    view: str
    """What is to be seen, as one line (see the notation)."""
    question: str
    choices: list[Choice]
    to_move: list[int]
    """The seats that may choose now."""
    undo: bool
    """Whether one's last word can be taken back."""
    clock: str
    """How long each seat may think, as it was laid down; nothing is as long as it likes."""
    spectator_delay: int
    """After how many rounds those who look on see all hands; anybody can look on. 0 is not before the game is over."""
    result: Outcome | None
    next_game: str | None
    """The game that was laid after this one for the same people, if anybody asked for another."""


class Kept(Struct):
    """A word that is kept."""

    version: int
    """The number under which it is kept."""


class RecordText(Struct):
    """The record of a finished game."""

    record: str


# ------------------------------------------------------------------ routes


@post("/games", responses=api.failing(400, 403, 413, 422, 429))
async def lay_table(request: Request[Any, Any, State], data: JSONBody[GameWish], state: State) -> NewGame:
    """Lay a table; the answer has a token for every seat that is not a bot's, or an invitation if it is open."""
    data = await api.as_sent(request, GameWish)
    tokens = [None if wish.bot is not None or wish.open else identity.new_token() for wish in data.seats]
    rows = [
        open_seat_row() if wish.open else SeatRow(wish.bot, identity.owner_of(token))
        for wish, token in zip(data.seats, tokens, strict=True)
    ]
    names = [clean_name(wish.name) or f"Player {number}" for number, wish in enumerate(data.seats, 1)]
    for row in rows:
        if row.bot is not None and row.bot not in BOTS:
            raise SetupError(f'Nobody called "{row.bot}" can sit down; bots are {", ".join(BOTS)}.')
    if any(wish.open and wish.bot is not None for wish in data.seats):
        raise SetupError("A seat is a bot's or open, not both.")
    if all(row.bot for row in rows):
        raise SetupError("At least one person sits at the table.")
    seed = state.config.new_seed()
    game = Game(len(rows), data.variant, teams=data.teams, rulings=data.rulings, seed=seed, names=names)
    host = identity.new_token()
    options = TableOptions(clock=read_time_control(data.clock).text, spectator_delay=data.spectator_delay)
    game_id = await state.tables.create(game, rows, host=identity.owner_of(host), options=options)
    base = state.config.base_url or str(request.base_url)
    return NewGame(
        game_id,
        f"{base.rstrip('/')}/games/{game_id}",
        host,
        [
            OpenSeat(seat, name, row.bot, row.is_open, False, None, token, row.invite)
            for seat, (name, row, token) in enumerate(zip(names, rows, tokens, strict=True), 1)
        ],
    )


@get("/games/{game:str}", responses=api.failing(400, 401, 404, 429), security=api.ANY_VIEWER)
async def look(request: Request[Any, Any, State], game: FromPath[str], state: State) -> Look:
    """The table as the caller's seat sees it: its view, the open question, and what may be chosen."""
    table: Table = await state.tables.load(game)
    seat, tr = api.seat_of(request, table), get_translator(preferred_language(request))
    # The cards are dealt when everybody has come: until then a seat sees what everybody sees.
    view = table.game.view(SPECTATOR if table.is_waiting else seat)
    describer = ChoiceDescriber(view, table.game.names, tr)
    stood_in = seat != SPECTATOR and table.seats[seat].substitute is not None
    words = () if table.is_waiting or stood_in else table.game.choices_of(seat)
    return Look(
        game=table.id,
        seat=seat + 1 if seat != SPECTATOR else None,
        version=table.version,
        is_waiting=table.is_waiting,
        seats=api.occupants(table),
        view=write_view(view),
        question=move_rejection_text(GameNotStarted(), tr) if table.is_waiting else describer.question(),
        choices=[Choice(choice, describer.describe(choice)) for choice in words],
        to_move=[to_move + 1 for to_move in table.to_move],
        undo=seat != SPECTATOR and table.game.undoable(seat) is not None,
        clock=table.options.clock,
        spectator_delay=table.options.spectator_delay,
        result=msgspec.convert(result_to_dict(table.game.result), Outcome | None),
        next_game=table.next_game,
    )


@post(
    "/games/{game:str}/moves",
    status_code=200,
    responses=api.failing(400, 401, 403, 404, 409, 413, 422, 429),
    security=api.OWN_SEAT,
)
async def act(
    request: Request[Any, Any, State], game: FromPath[str], data: JSONBody[Word], state: State
) -> Response[Kept | api.Failure]:
    """Answer the open question, or take the last answer back; the word is on disk when this is answered."""
    data = await api.as_sent(request, Word)
    table: Table = await state.tables.load(game)
    seat = api.own_seat(request, table)
    try:
        occupant = table.seats[seat]
        version = await table_moves.submit_move(
            state.tables, table, seat, data.choice, data.version, data.idempotency_key, occupant
        )
        return Response(Kept(version))
    except StaleVersionError as error:
        return rejected(request, 409, error, version=table.version)
    except (IllegalMoveError, NotationError) as error:
        choices = [*table.game.choices_of(seat)]
        if table.game.undoable(seat) is not None:
            choices.append(UNDO)
        return rejected(request, 422, error, choices=choices)


def rejected(
    request: Request[Any, Any, State], status: int, why: Exception, **facts: Any
) -> Response[Kept | api.Failure]:
    """Why a word does not count, in the caller's language, and what to do about it."""
    return Response(
        api.Failure(move_rejection_text(why, get_translator(preferred_language(request))), **facts),
        status_code=status,
    )


@get(
    "/games/{game:str}/stream",
    media_type="text/event-stream",
    responses=api.failing(400, 401, 404, 429),
    security=api.ANY_VIEWER,
)
async def follow(
    request: Request[Any, Any, State],
    game: FromPath[str],
    state: State,
    since: Annotated[int, HeaderParameter(name="Last-Event-ID", ge=-1, le=1_000_000)] = -1,
) -> Stream:
    """What happens at the table, as the caller's seat sees it, as server-sent events.

    Every message has an entry's number as its id and its events as data: `{"version": 3, "events": [...]}`. Without
    `Last-Event-ID` it begins with the deal, number 0; with it, after that entry. What is said besides the game comes as
    events called `talk`. It ends when the game is over. Whoever follows is here for the others.
    """
    table: Table = await state.tables.load(game)
    viewer, owner = api.seat_of(request, table), api.owner_of(request)

    def still_there() -> bool:
        return viewer == SPECTATOR or table.seats[viewer].owner == owner

    events = table_events(
        table, viewer, since, get_translator(preferred_language(request)), may_follow=still_there
    )
    own = (viewer,) if viewer != SPECTATOR else ()
    return event_stream(state.tables, table, own, events, program=True)


@get("/games/{game:str}/record", responses=api.failing(400, 403, 404, 429))
async def read_record(game: FromPath[str], state: State) -> RecordText:
    """The record of a finished game; while it goes on it would show every hidden card."""
    table: Table = await state.tables.load(game)
    if not table.game.over:
        raise HTTPException(REJECTIONS["record"], status_code=403)
    return RecordText(write_record(table.game.record()))


ROUTES: Final = Router("/", route_handlers=[lay_table, look, act, follow, read_record], tags=["tables"])

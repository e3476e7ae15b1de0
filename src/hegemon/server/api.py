"""The API: a table for programs. A seat is held by a token, and everything a seat is told is what it may know."""

import json
import re
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from litestar import Request, Response, Router, get, post
from litestar._openapi.schema_generation.plugins.struct import StructSchemaPlugin
from litestar.datastructures import State
from litestar.enums import MediaType
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Components, Schema, SecurityScheme
from litestar.params import FromPath, HeaderParameter, JSONBody
from litestar.response import Stream
from litestar.typing import FieldDefinition
from msgspec import Meta, Struct

from hegemon.bots import BOTS
from hegemon.notation.errors import NotationError
from hegemon.notation.record import write_record
from hegemon.notation.table import TableError
from hegemon.notation.writing import write_view
from hegemon.play.facts import facts_of_result
from hegemon.play.game import Game
from hegemon.play.refusal import Refusal
from hegemon.prose.meanings import Meanings
from hegemon.prose.speech import speech
from hegemon.rules.view import SPECTATOR
from hegemon.server import identity
from hegemon.server.absence import present
from hegemon.server.clocks import read_pace
from hegemon.server.failures import what_went_wrong
from hegemon.server.guards import HEADERS
from hegemon.server.pages import Pages
from hegemon.server.seats import clean_name, open_seat_row
from hegemon.server.store import TAKE_BACK, SeatRow
from hegemon.server.streams import news
from hegemon.server.tables import NotBegun, Stale, Table
from hegemon.server.terms import Terms
from hegemon.server.texts import REFUSED
from hegemon.server.visitor import visitor_of

#: Where the API is.
API: Final = "/api"

NO_SEAT: Final = "A seat is needed for this: send its token as `Authorization: Bearer TOKEN`."

_BEARER: Final = re.compile(r"Bearer +(\S+) *", re.IGNORECASE)


# ------------------------------------------------------------------ what is sent


class Sent(Struct, forbid_unknown_fields=True):
    """What programs send: exactly what is described, so that a misspelt wish is not a wish forgotten."""


class SeatWish(Sent):
    """Who is to sit on a seat: a bot, whoever comes by an invitation, or otherwise whoever gets the token."""

    name: Annotated[str, Meta(max_length=100)] = ""
    bot: Annotated[str, Meta(max_length=40)] | None = None
    open: bool = False
    """Whether the seat waits for somebody with an invitation; the game begins when every seat is taken."""


class GameWish(Sent):
    """The table that is to be laid."""

    seats: Annotated[list[SeatWish], Meta(min_length=2, max_length=4)]
    variant: Literal["basic", "draft"] = "basic"
    teams: bool = False
    rulings: Annotated[str, Meta(max_length=200)] = "standard"
    clock: Annotated[str, Meta(max_length=30)] = ""
    """How long each seat may think: `90s a move`, `3d a move`, `10m a game + 15s`; nothing is as long as it likes."""
    hands_after: Literal[0, 1, 2, 4] = 0
    """After how many rounds those who look on see all hands; 0 is not before the game is over."""


class Word(Sent):
    """An answer to the open question, or `undo`, which takes the last answer back."""

    word: Annotated[str, Meta(min_length=1, max_length=8)]
    number: Annotated[int, Meta(ge=0, le=1_000_000)]
    """The number of the question, as `look` and `stream` tell it."""
    command: Annotated[str, Meta(min_length=1, max_length=64)]
    """A name that no other command of this game has: the same one twice counts once and gets the same answer."""


Wish = TypeVar("Wish", bound=Sent)


async def as_sent(request: Request[Any, Any, State], kind: type[Wish]) -> Wish:
    """The body exactly as it was sent: the framework would read "1" as 1 and 0 as false, which nobody described."""
    sent = json.loads(
        await request.body(), parse_float=_whole_where_possible
    )  # in JSON, 1.0 is the integer 1
    try:
        return msgspec.convert(sent, type=kind)
    except msgspec.ValidationError as error:
        raise ValidationException(extra=[{"message": str(error)}]) from None


def _whole_where_possible(number: str) -> int | float:
    value = float(number)
    return int(value) if value.is_integer() else value


class ExactSchemas(StructSchemaPlugin):
    """Describes what is sent as exactly as it is read."""

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        """Whether it is something that programs send."""
        return not field_definition.is_union and field_definition.is_subclass_of(Sent)

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:
        """Its schema, closed."""
        schema = super().to_openapi_schema(field_definition, schema_creator)
        schema.additional_properties = False
        return schema


# ------------------------------------------------------------------ what comes back


class Sitter(Struct):
    """Who sits on a seat; seats count from 1."""

    seat: int
    name: str
    bot: str | None
    open: bool
    """Whether nobody sits there yet, or any more."""
    stand_in: bool
    """Whether a bot answers for whoever holds the seat, and is away."""
    until: datetime | None
    """When the time of the seat is up, while it is asked and there is a clock."""


class OpenSeat(Sitter):
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

    word: str
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
    number: int
    """How many entries have been made: the number that a word answers."""
    waits: bool
    """Whether somebody has still to come; nobody sees a hand before."""
    seats: list[Sitter]
    view: str
    """What is to be seen, as one line (see the notation)."""
    question: str
    choices: list[Choice]
    asked: list[int]
    """The seats that may choose now."""
    undo: bool
    """Whether one's last word can be taken back."""
    clock: str
    """How long each seat may think, as it was laid down; nothing is as long as it likes."""
    hands_after: int
    """After how many rounds those who look on see all hands; anybody can look on. 0 is not before the game is over."""
    result: Outcome | None
    following: str | None
    """The game that was laid after this one for the same people, if anybody asked for another."""


class Kept(Struct):
    """A word that is kept."""

    number: int
    """The number under which it is kept."""


class RecordText(Struct):
    """The record of a finished game."""

    record: str


class Failure(Struct, omit_defaults=True):
    """Why nothing has changed, in a sentence."""

    why: str
    number: int | None = None
    """The number of the question that is open now, where the answer was to an older one."""
    choices: list[str] | None = None
    """What may be chosen instead, where the rules refused a word."""


def failing(*statuses: int) -> dict[int, ResponseSpec]:
    """How those refusals are described."""
    return {status: ResponseSpec(Failure, description=_REFUSALS[status]) for status in statuses}


_REFUSALS: Final = {
    400: "The request cannot be understood.",
    401: "The token holds no seat at this table.",
    403: "Not for this caller, or not yet.",
    404: "There is no such game, seat or invitation.",
    409: "Meanwhile something else has happened; `number` is that of the question that is open now.",
    410: "Somebody else has used the invitation.",
    413: "The request is too large.",
    422: "The rules do not allow it; `choices` are what they allow.",
    429: "Too many requests; `Retry-After` says when to come again.",
}

#: A token is asked for, or may be left out by somebody who only watches.
OWN_SEAT: Final[list[dict[str, list[str]]]] = [{"seat": []}]
ANY_VIEWER: Final[list[dict[str, list[str]]]] = [{"seat": []}, {}]

COMPONENTS: Final = Components(
    security_schemes={
        "seat": SecurityScheme(
            type="http", scheme="bearer", description="The token of a seat, from whoever laid the table."
        )
    }
)


# ------------------------------------------------------------------ who calls


def seat_of(request: Request[Any, Any, State], table: Table) -> int:
    """The seat that the caller's token holds; a caller without a token watches, and so does a host without a seat."""
    holder = holder_of(request)
    if holder is None:
        return SPECTATOR
    own = table.seats_of(holder)
    if not own and holder != table.host:
        raise no_seat()
    return own[0] if own else SPECTATOR


def token_in(request: Request[Any, Any, State]) -> str | None:
    """The token that the caller sends; None where there is none, and what is no token of ours is refused."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    bearer = _BEARER.fullmatch(header)
    if bearer is None or identity.holder_of(bearer[1]) is None:
        raise no_seat()
    return bearer[1]


def holder_of(request: Request[Any, Any, State]) -> str | None:
    """Who calls, by the digest of the token; None for a caller without one."""
    return identity.holder_of(token_in(request))


def no_seat() -> HTTPException:
    """The refusal of a caller whose token holds no seat here."""
    return HTTPException(NO_SEAT, status_code=401, headers={"WWW-Authenticate": "Bearer"})


def sitters(table: Table) -> list[Sitter]:
    """Who sits where."""
    return [
        Sitter(seat, name, row.bot, row.is_open, row.stand_in is not None, table.clock.deadline(seat - 1))
        for seat, (name, row) in enumerate(zip(table.game.names, table.seats, strict=True), 1)
    ]


# ------------------------------------------------------------------ routes


@post("/games", responses=failing(400, 403, 413, 422, 429))
async def lay_table(request: Request[Any, Any, State], data: JSONBody[GameWish], state: State) -> NewGame:
    """Lay a table; the answer has a token for every seat that is not a bot's, or an invitation if it is open."""
    data = await as_sent(request, GameWish)
    tokens = [None if wish.bot is not None or wish.open else identity.new_token() for wish in data.seats]
    rows = [
        open_seat_row() if wish.open else SeatRow(wish.bot, identity.holder_of(token))
        for wish, token in zip(data.seats, tokens, strict=True)
    ]
    names = [clean_name(wish.name) or f"Player {number}" for number, wish in enumerate(data.seats, 1)]
    for row in rows:
        if row.bot is not None and row.bot not in BOTS:
            raise TableError(f'Nobody called "{row.bot}" can sit down; bots are {", ".join(BOTS)}.')
    if any(wish.open and wish.bot is not None for wish in data.seats):
        raise TableError("A seat is a bot's or open, not both.")
    if all(row.bot for row in rows):
        raise TableError("At least one person sits at the table.")
    game = Game(len(rows), data.variant, teams=data.teams, rulings=data.rulings, names=names)
    host = identity.new_token()
    terms = Terms(clock=read_pace(data.clock).text, hands_after=data.hands_after)
    game_id = await state.tables.open(game, rows, host=identity.holder_of(host), terms=terms)
    base = state.settings.base_url or str(request.base_url)
    return NewGame(
        game_id,
        f"{base.rstrip('/')}/games/{game_id}",
        host,
        [
            OpenSeat(seat, name, row.bot, row.is_open, False, None, token, row.invite)
            for seat, (name, row, token) in enumerate(zip(names, rows, tokens, strict=True), 1)
        ],
    )


@get("/games/{game:str}", responses=failing(400, 401, 404, 429), security=ANY_VIEWER)
async def look(request: Request[Any, Any, State], game: FromPath[str], state: State) -> Look:
    """The table as the caller's seat sees it: its view, the open question, and what may be chosen."""
    table: Table = await state.tables.table(game)
    seat, said = seat_of(request, table), speech(visitor_of(request).language)
    # The cards are dealt when everybody has come: until then a seat sees what everybody sees.
    view = table.game.view(SPECTATOR if table.waits else seat)
    meanings = Meanings(view, table.game.names, said)
    stood_in = seat != SPECTATOR and table.seats[seat].stand_in is not None
    words = () if table.waits or stood_in else table.game.choices_of(seat)
    return Look(
        game=table.id,
        seat=seat + 1 if seat != SPECTATOR else None,
        number=table.number,
        waits=table.waits,
        seats=sitters(table),
        view=write_view(view),
        question=state.pages.why(visitor_of(request), NotBegun()) if table.waits else meanings.question(),
        choices=[Choice(word, meanings.meaning(word)) for word in words],
        asked=[asked + 1 for asked in table.asked],
        undo=seat != SPECTATOR and table.game.undoable(seat) is not None,
        clock=table.terms.clock,
        hands_after=table.terms.hands_after,
        result=msgspec.convert(facts_of_result(table.game.result), Outcome | None),
        following=table.following,
    )


@post(
    "/games/{game:str}/words",
    status_code=200,
    responses=failing(400, 401, 403, 404, 409, 413, 422, 429),
    security=OWN_SEAT,
)
async def act(
    request: Request[Any, Any, State], game: FromPath[str], data: JSONBody[Word], state: State
) -> Response[Kept | Failure]:
    """Answer the open question, or take the last answer back; the word is on disk when this is answered."""
    data = await as_sent(request, Word)
    table: Table = await state.tables.table(game)
    seat = seat_of(request, table)
    if seat == SPECTATOR:
        raise no_seat()
    try:
        sitter = table.seats[seat]
        number = await state.tables.say(table, seat, data.word, data.number, data.command, sitter)
        return Response(Kept(number))
    except Stale as error:
        return refused(request, state.pages, 409, error, number=table.number)
    except (Refusal, NotationError) as error:
        choices = [*table.game.choices_of(seat)]
        if table.game.undoable(seat) is not None:
            choices.append(TAKE_BACK)
        return refused(request, state.pages, 422, error, choices=choices)


def refused(
    request: Request[Any, Any, State], pages: Pages, status: int, why: Exception, **facts: Any
) -> Response[Kept | Failure]:
    """Why a word does not count, in the caller's language, and what to do about it."""
    return Response(Failure(pages.why(visitor_of(request), why), **facts), status_code=status)


@get(
    "/games/{game:str}/stream",
    media_type="text/event-stream",
    responses=failing(400, 401, 404, 429),
    security=ANY_VIEWER,
)
async def follow(
    request: Request[Any, Any, State],
    game: FromPath[str],
    state: State,
    since: Annotated[int, HeaderParameter(name="Last-Event-ID", ge=-1, le=1_000_000)] = -1,
) -> Stream:
    """What happens at the table, as the caller's seat sees it, as server-sent events.

    Every message has an entry's number as its id and its events as data: `{"number": 3, "events": [...]}`. Without
    `Last-Event-ID` it begins with the deal, number 0; with it, after that entry. What is said besides the game comes as
    events called `talk`. It ends when the game is over. Whoever follows is here for the others.
    """
    table: Table = await state.tables.table(game)
    viewer, holder = seat_of(request, table), holder_of(request)

    def still_there() -> bool:
        return viewer == SPECTATOR or table.seats[viewer].holder == holder

    told = news(table, viewer, since, speech(visitor_of(request).language), still_there=still_there)
    return Stream(
        present(state.tables, table, (viewer,) if viewer != SPECTATOR else (), told, program=True),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


@get("/games/{game:str}/record", responses=failing(400, 403, 404, 429))
async def read_record(game: FromPath[str], state: State) -> RecordText:
    """The record of a finished game; while it goes on it would show every hidden card."""
    table: Table = await state.tables.table(game)
    if not table.game.over:
        raise HTTPException(REFUSED["record"], status_code=403)
    return RecordText(write_record(table.game.record()))


# ------------------------------------------------------------------ what went wrong


def failure(request: Request[Any, Any, Any], error: Exception) -> Response[Failure]:
    """What went wrong, for a program: the same sentence that a page would say, and what a program can mend."""
    if isinstance(error, (TableError, NotationError)):
        status, sentence = 422, str(error)
    elif isinstance(error, HTTPException) and error.status_code == 401:
        status, sentence = 401, NO_SEAT
    else:
        status, sentence = what_went_wrong(error, speech(visitor_of(request).language))
    if isinstance(error, ValidationException):
        sentence = f"{sentence} {_details(error)}".strip()
    return Response(Failure(sentence), status_code=status, media_type=MediaType.JSON, headers=HEADERS)


def _details(error: ValidationException) -> str:
    """What a validator complains about, by field."""
    found = [item for item in error.extra or () if isinstance(item, dict)]
    return "; ".join(
        f"{item['key']}: {item['message']}" if item.get("key") else str(item.get("message", ""))
        for item in found
    )


ROUTES: Final = Router(API, route_handlers=[lay_table, look, act, follow, read_record], tags=["tables"])

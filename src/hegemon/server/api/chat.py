"""Chat, votes and returns to a seat, for programs."""

from typing import Annotated, Any, Final

from litestar import Request, Response, Router, get, post
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from hegemon.prose.translator import get_translator
from hegemon.server.api import schemas as api
from hegemon.server.errors import vote_rejection_text
from hegemon.server.language import preferred_language
from hegemon.server.tables import chat as table_chat
from hegemon.server.tables import substitutes
from hegemon.server.tables.chat import ChatMessage, MessageRequest, spoken
from hegemon.server.tables.errors import ChatRejected, VoteRejected
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS


class Saying(api.Sent):
    """Something to say: one of the phrases with what it names, or a text of one's own."""

    phrase: Annotated[str, Meta(max_length=16)] = ""
    """A phrase by its key; it reaches each reader in their own language."""
    about: Annotated[int, Meta(ge=1, le=4)] | None = None
    """The seat that the phrase names."""
    domain: Annotated[str, Meta(max_length=1)] = ""
    """The Domain that the phrase names, by its letter."""
    text: Annotated[str, Meta(max_length=1000)] = ""


@get("/games/{game:str}/chat", responses=api.failing(400, 401, 404, 429), security=api.ANY_VIEWER)
async def listen(request: Request[Any, Any, State], game: FromPath[str], state: State) -> list[ChatMessage]:
    """The last lines that the caller's seat has heard; onlookers talk apart until the game is over."""
    table: Table = await state.tables.load(game)
    viewer = api.seat_of(request, table)
    language = preferred_language(request)
    return [
        spoken(line, table.game.names, get_translator(language))
        for line in table.chat.visible_to(viewer, table.game.over)
    ]


@post(
    "/games/{game:str}/chat",
    status_code=200,
    responses=api.failing(400, 401, 403, 404, 413, 422, 429),
    security=api.OWN_SEAT,
)
async def say_something(
    request: Request[Any, Any, State], game: FromPath[str], data: JSONBody[Saying], state: State
) -> Response[ChatMessage | api.Failure]:
    """Say something to everybody at the table: a phrase, or a text."""
    data = await api.as_sent(request, Saying)
    table: Table = await state.tables.load(game)
    seat = api.own_seat(request, table)
    language = preferred_language(request)
    about = data.about - 1 if data.about is not None else None
    message = MessageRequest(phrase=data.phrase, target=about, domain=data.domain, text=data.text)
    try:
        line = await table_chat.post_message(
            state.tables, table, seat, table.seats[seat].owner or "", message
        )
    except ChatRejected as error:
        return Response(api.Failure(error.sentence(get_translator(language))), status_code=422)
    return Response(spoken(line, table.game.names, get_translator(language)))


class Vote(api.Sent):
    """For whom a bot is to stand in: the seat of somebody who is away."""

    about: Annotated[int, Meta(ge=1, le=4)]


@post(
    "/games/{game:str}/vote",
    status_code=200,
    responses=api.failing(400, 401, 403, 404, 409, 413, 422, 429),
    security=api.OWN_SEAT,
)
async def vote(
    request: Request[Any, Any, State], game: FromPath[str], data: JSONBody[Vote], state: State
) -> Response[api.SeatInfo | api.Failure]:
    """Vote for a bot to stand in for somebody who is away; it does when more than half of the others who vote want it.

    A program that does not vote is not waited for.
    """
    data = await api.as_sent(request, Vote)
    table: Table = await state.tables.load(game)
    seat, about = api.own_seat(request, table), data.about - 1
    if about >= table.game.players:
        raise HTTPException(REJECTIONS["nobody"], status_code=422)
    try:
        await substitutes.vote(state.tables, table, [seat], about)
    except VoteRejected as error:
        why = vote_rejection_text(error, table.game.names[about], get_translator(preferred_language(request)))
        return Response(api.Failure(why), status_code=409)
    return Response(api.occupants(table)[about])


@post(
    "/games/{game:str}/return",
    status_code=200,
    responses=api.failing(400, 401, 403, 404, 429),
    security=api.OWN_SEAT,
)
async def take_back_seat(
    request: Request[Any, Any, State], game: FromPath[str], state: State
) -> api.SeatInfo:
    """Take one's own seat back from the bot that stands in; where none does, nothing changes."""
    table: Table = await state.tables.load(game)
    seat = api.own_seat(request, table)
    await substitutes.return_to_seat(state.tables, table, seat, api.owner_of(request) or "")
    return api.occupants(table)[seat]


ROUTES: Final = (
    Router("/", route_handlers=[listen, say_something], tags=["chat"]),
    Router("/", route_handlers=[take_back_seat, vote], tags=["seats"]),
)

"""What people at a table do besides playing: they talk, and need not hear everybody. For pages and for programs."""

from dataclasses import replace
from typing import Annotated, Any, Final

from litestar import Request, Response, Router, get, post
from litestar.datastructures import State
from litestar.enums import MediaType, RequestEncodingType
from litestar.exceptions import HTTPException
from litestar.params import Body, FromPath, JSONBody
from litestar.response import Redirect
from msgspec import Meta

from hegemon.prose.translator import get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.api import schemas as api
from hegemon.server.security import tokens as identity
from hegemon.server.tables import substitutes as absence
from hegemon.server.tables.chat import ChatMessage, ChatRejected, MessageRequest, spoken
from hegemon.server.tables.registry import Table
from hegemon.server.tables.seats import clean_name
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.responses import asked_by_script, page
from hegemon.server.web.session import MAX_MUTED, MUTED, Visitor, cookie, visitor_of

Form = Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)]


def seat_in(form: dict[str, str], table: Table, visitor: Visitor) -> int:
    """The seat for which somebody acts: the one that the form names, if it is theirs; without any they look on."""
    own = table.seats_of(visitor.owner or "")
    if not own:
        return SPECTATOR
    wanted = form.get("seat", "")
    seat = int(wanted) - 1 if wanted.isascii() and wanted.isdigit() else own[0]
    if seat not in own:
        raise HTTPException(REJECTIONS["seat"], status_code=403)
    return seat


def back_to(table: Table, seat: int, place: str) -> str:
    """The table as that seat sees it, at a place of its page."""
    query = f"?seat={seat + 1}" if seat != SPECTATOR else ""
    return f"/games/{table.id}{query}#{place}"


# ------------------------------------------------------------------ talk


@post("/games/{game_id:str}/chat", include_in_schema=False)
async def post_message(
    request: Request[Any, Any, State], game_id: FromPath[str], data: Form, state: State
) -> Response[Any] | Redirect:
    """Say something besides the game: a phrase, or a text."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    seat = seat_in(data, table, visitor)
    token = request.cookies.get(identity.COOKIE) if visitor.owner is not None else identity.new_token()
    about = data.get("about", "")
    message = MessageRequest(
        phrase=data.get("phrase", ""),
        about=int(about) - 1 if about.isascii() and about.isdigit() else None,
        domain=data.get("domain", ""),
        text=data.get("text", ""),
        name=clean_name(data.get("name", "")),
    )
    live = asked_by_script(request)
    try:
        await state.tables.post_message(
            table, seat if seat != SPECTATOR else None, identity.owner_of(token) or "", message
        )
    except ChatRejected as error:
        sentence = error.sentence(get_translator(visitor.language))
        if live:
            return Response({"why": sentence}, status_code=422, media_type=MediaType.JSON)
        return page(state.pages.table(table, visitor, seat, sentence), 422)
    answer: Response[Any] | Redirect = (
        Response({}, media_type=MediaType.JSON)
        if live
        else Redirect(back_to(table, seat, "talk"), status_code=303)
    )
    if visitor.owner is None:
        answer.cookies.append(cookie(identity.COOKIE, token or "", secure=state.config.secure))
    return answer


@post("/games/{game_id:str}/mute", include_in_schema=False)
async def mute(
    request: Request[Any, Any, State], game_id: FromPath[str], data: Form, state: State
) -> Redirect:
    """Hear somebody at this table no longer, or again; nobody else learns of it."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    voice = data.get("voice", "")
    muted = sorted(visitor.muted ^ {voice}) if voice.isascii() and voice.isalnum() else sorted(visitor.muted)
    answer = Redirect(back_to(table, seat_in(data, table, visitor), "talk"), status_code=303)
    answer.cookies.append(
        replace(
            cookie(MUTED, "-".join(muted[:MAX_MUTED]), secure=state.config.secure),
            path=f"/games/{table.id}",
        )
    )
    return answer


# ------------------------------------------------------------------ who is away


@post("/games/{game_id:str}/vote", include_in_schema=False)
async def vote_for_a_bot(
    request: Request[Any, Any, State], game_id: FromPath[str], data: Form, state: State
) -> Response[str] | Redirect:
    """Vote for a bot to stand in for somebody who is away."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    seat, about = seat_in(data, table, visitor), data.get("about", "")
    if about not in map(str, range(1, table.game.players + 1)):
        raise HTTPException(REJECTIONS["nobody"], status_code=422)
    try:
        await absence.vote(state.tables, table, table.seats_of(visitor.owner or ""), int(about) - 1)
    except absence.VoteRejected as error:
        sentence = why_no_vote(error, table, int(about) - 1, visitor)
        return page(state.pages.table(table, visitor, seat, sentence), 409)
    return Redirect(back_to(table, seat, "table"), status_code=303)


def why_no_vote(error: absence.VoteRejected, table: Table, about: int, visitor: Visitor) -> str:
    """Why a vote about somebody does not count, in the reader's language."""
    return get_translator(visitor.language).text(
        absence.VOTE_REJECTIONS[error.key], name=table.game.names[about]
    )


@post("/games/{game_id:str}/return", include_in_schema=False)
async def return_to_seat(
    request: Request[Any, Any, State], game_id: FromPath[str], data: Form, state: State
) -> Redirect:
    """Take one's own seat back from the bot that stands in."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    seat = seat_in(data, table, visitor)
    if seat == SPECTATOR:
        raise HTTPException(REJECTIONS["seat"], status_code=403)
    await absence.return_to_seat(state.tables, table, seat, visitor.owner or "")
    return Redirect(back_to(table, seat, "question"), status_code=303)


# ------------------------------------------------------------------ for programs


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
    table: Table = await state.tables.table(game)
    viewer = api.seat_of(request, table)
    language = visitor_of(request).language
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
    table: Table = await state.tables.table(game)
    seat = api.own_seat(request, table)
    language = visitor_of(request).language
    about = data.about - 1 if data.about is not None else None
    message = MessageRequest(phrase=data.phrase, about=about, domain=data.domain, text=data.text)
    try:
        line = await state.tables.post_message(table, seat, table.seats[seat].owner or "", message)
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
    table: Table = await state.tables.table(game)
    seat, about = api.own_seat(request, table), data.about - 1
    if about >= table.game.players:
        raise HTTPException(REJECTIONS["nobody"], status_code=422)
    try:
        await absence.vote(state.tables, table, [seat], about)
    except absence.VoteRejected as error:
        why = why_no_vote(error, table, about, visitor_of(request))
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
    table: Table = await state.tables.table(game)
    seat = api.own_seat(request, table)
    await absence.return_to_seat(state.tables, table, seat, api.owner_of(request) or "")
    return api.occupants(table)[seat]


ROUTES: Final = (
    post_message,
    mute,
    vote_for_a_bot,
    return_to_seat,
    Router(api.API, route_handlers=[listen, say_something], tags=["chat"]),
    Router(api.API, route_handlers=[take_back_seat, vote], tags=["seats"]),
)

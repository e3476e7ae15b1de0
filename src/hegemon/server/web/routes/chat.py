"""What people at a table do besides playing: they talk, and need not hear everybody. For pages and for programs."""

from dataclasses import replace
from typing import Annotated, Any, Final

from litestar import Request, Response, post
from litestar.datastructures import State
from litestar.enums import MediaType, RequestEncodingType
from litestar.exceptions import HTTPException
from litestar.params import Body, FromPath
from litestar.response import Redirect

from hegemon.prose.translator import get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.errors import vote_rejection_text
from hegemon.server.security import tokens as identity
from hegemon.server.tables import substitutes as absence
from hegemon.server.tables.chat import ChatRejected, MessageRequest
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
        target=int(about) - 1 if about.isascii() and about.isdigit() else None,
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
        sentence = vote_rejection_text(
            error, table.game.names[int(about) - 1], get_translator(visitor.language)
        )
        return page(state.pages.table(table, visitor, seat, sentence), 409)
    return Redirect(back_to(table, seat, "table"), status_code=303)


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


ROUTES: Final = (post_message, mute, vote_for_a_bot, return_to_seat)

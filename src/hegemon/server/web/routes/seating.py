"""The routes by which people come together: invitations, the seats of a table, another game, and oneself elsewhere."""

from typing import Annotated, Any, Final

from litestar import Request, Response, Router, get, post
from litestar.datastructures import State
from litestar.enums import MediaType, RequestEncodingType
from litestar.params import Body, FromPath, PathParameter, QueryParameter
from litestar.response import Redirect, Stream

from hegemon.bots import BOTS
from hegemon.prose.translator import get_translator
from hegemon.server.db.schema import SeatRow
from hegemon.server.security import tokens as identity
from hegemon.server.sse import event_stream
from hegemon.server.tables import seats
from hegemon.server.tables.registry import Table
from hegemon.server.tables.seats import BOT_NAMES, SeatRejected
from hegemon.server.texts import COLORS, SEAT_REJECTIONS
from hegemon.server.web.session import Visitor, cookie, visitor_of
from hegemon.server.web.sse import Elsewhere, Regions, changes
from hegemon.server.web.views.seating import CompanyPages

Form = Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)]
SeatNumber = Annotated[int, PathParameter(ge=1, le=4)]


def page(html: str, status: int = 200) -> Response[str]:
    """A page of ours."""
    return Response(
        html, status_code=status, media_type=MediaType.HTML, headers={"Cache-Control": "no-store"}
    )


def base_of(request: Request[Any, Any, State], state: State) -> str:
    """How this server is reached from outside."""
    base: str = state.config.base_url or str(request.base_url)
    return base.rstrip("/")


def token_of(request: Request[Any, Any, State]) -> str:
    """The token of this browser, or a new one for a browser that comes for the first time."""
    token = request.cookies.get(identity.COOKIE)
    return token if token is not None and identity.owner_of(token) is not None else identity.new_token()


def led_to(path: str, token: str, state: State) -> Redirect:
    """Lead a browser to a page, with its token."""
    answer = Redirect(path, status_code=303)
    answer.cookies.append(cookie(identity.COOKIE, token, secure=state.config.secure))
    return answer


# ------------------------------------------------------------------ an invitation


@get("/join/{invite:str}")
async def invitation(
    request: Request[Any, Any, State], invite: FromPath[str], state: State
) -> Response[str] | Redirect:
    """Where an invitation leads: to a form to sit down by; whoever sits there already is led to the table."""
    visitor = visitor_of(request)
    table, seat = await seats.invited(state.tables, invite)
    if table.seats_of(visitor.owner or ""):
        return Redirect(f"/games/{table.id}", status_code=303)
    if not table.seats[seat].is_open:
        raise SeatRejected("used")
    return page(state.company.invitation(table, seat, invite, visitor))


@post("/join/{invite:str}")
async def take_seat(
    request: Request[Any, Any, State], invite: FromPath[str], data: Form, state: State
) -> Redirect:
    """Sit down by an invitation."""
    table, seat = await seats.invited(state.tables, invite)
    token = token_of(request)
    owner = identity.owner_of(token) or ""
    await seats.take_seat(state.tables, table, seat, invite, owner, data.get("name", ""), color_in(data))
    return led_to(f"/games/{table.id}", token, state)


def color_in(data: dict[str, str]) -> int | None:
    """The color that a form asks for."""
    wanted = data.get("color", "")
    return int(wanted) if wanted in map(str, range(len(COLORS))) else None


# ------------------------------------------------------------------ the seats


@get("/games/{game_id:str}/seats")
async def seats_page(
    request: Request[Any, Any, State], game_id: FromPath[str], state: State
) -> Response[str]:
    """Who sits where; the host gives seats away here."""
    table = await state.tables.table(game_id)
    await state.dispatcher.know(table)
    return page(state.company.seats(table, visitor_of(request), base_of(request, state)))


@get("/games/{game_id:str}/seats/stream")
async def seats_stream(
    request: Request[Any, Any, State],
    game_id: FromPath[str],
    state: State,
    is_waiting: Annotated[bool, QueryParameter()] = False,
) -> Stream:
    """The seats as they change; whoever waits is led to the table when everybody has come."""
    table, visitor, base = await state.tables.table(game_id), visitor_of(request), base_of(request, state)
    pages: CompanyPages = state.company

    def render() -> Regions:
        if is_waiting and not table.is_waiting:
            raise Elsewhere(f"/games/{table.id}")
        return pages.seat_regions(table, visitor, base)

    own = table.seats_of(visitor.owner or "")
    return event_stream(state.tables, table, own, changes(table, render))


async def seat_to_change(
    request: Request[Any, Any, State], state: State, game_id: str, number: int
) -> tuple[Table, int, Visitor]:
    """The table and the seat that somebody wants to give away, if they may."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    if number > table.game.players or not seats.may_change(table, number - 1, visitor.owner):
        raise SeatRejected("host")
    return table, number - 1, visitor


@post("/games/{game_id:str}/seats/{number:int}/open")
async def open_seat(
    request: Request[Any, Any, State], game_id: FromPath[str], number: SeatNumber, state: State
) -> Redirect:
    """Open a seat: whoever sits there is removed, and there is a new invitation."""
    table, seat, visitor = await seat_to_change(request, state, game_id, number)
    name = get_translator(visitor.language).text("Player {number}", number=number)
    await seats.reassign_seat(state.tables, table, seat, seats.open_seat_row(name), visitor.owner)
    return Redirect(f"/games/{game_id}/seats", status_code=303)


@post("/games/{game_id:str}/seats/{number:int}/bot")
async def seat_bot(
    request: Request[Any, Any, State], game_id: FromPath[str], number: SeatNumber, data: Form, state: State
) -> Redirect:
    """Give a seat to a bot."""
    table, seat, visitor = await seat_to_change(request, state, game_id, number)
    bot = data.get("bot", "")
    if bot not in BOTS:
        raise SeatRejected("bot")
    await seats.reassign_seat(state.tables, table, seat, SeatRow(bot, None, BOT_NAMES[seat]), visitor.owner)
    return Redirect(f"/games/{game_id}/seats", status_code=303)


@post("/games/{game_id:str}/seats/{number:int}/name")
async def name_seat(
    request: Request[Any, Any, State], game_id: FromPath[str], number: SeatNumber, data: Form, state: State
) -> Redirect:
    """Take another name and color."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    if number > table.game.players:
        raise SeatRejected("lost")
    await seats.call(
        state.tables, table, number - 1, visitor.owner or "", data.get("name", ""), color_in(data)
    )
    return Redirect(f"/games/{game_id}/seats", status_code=303)


# ------------------------------------------------------------------ another game


@post("/games/{game_id:str}/rematch")
async def rematch(request: Request[Any, Any, State], game_id: FromPath[str], state: State) -> Redirect:
    """The next game of the series, for everybody at the table."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    if not (table.seats_of(visitor.owner or "") or seats.is_host(table, visitor.owner)):
        raise SeatRejected("lost")
    return Redirect(f"/games/{await seats.rematch(state.tables, table)}", status_code=303)


# ------------------------------------------------------------------ oneself elsewhere


@get("/me")
async def me(request: Request[Any, Any, State], state: State) -> Response[str]:
    """One's personal link. The key stands behind a #, which browsers never send, so no log has it."""
    visitor = visitor_of(request)
    if visitor.owner is None:
        return page(state.company.me(visitor, ""))
    people = await state.tables.store.players.load([visitor.owner])
    link = f"{base_of(request, state)}/me#{request.cookies[identity.COOKIE]}"
    return page(state.company.me(visitor, link, rating=people.get(visitor.owner)))


@post("/me")
async def go_on_here(request: Request[Any, Any, State], data: Form, state: State) -> Response[str] | Redirect:
    """Go on in this browser with the seats of another one, by its personal link or the key in it."""
    token = data.get("key", "").strip().rpartition("#")[2]
    if identity.owner_of(token) is None:
        status, sentence = SEAT_REJECTIONS["key"]
        return page(state.company.me(visitor_of(request), "", sentence), status)
    return led_to("/#games", token, state)


ROUTES: Final = Router(
    "/",
    route_handlers=[
        invitation, take_seat, seats_page, seats_stream, open_seat, seat_bot, name_seat, rematch, me, go_on_here,
    ],
    include_in_schema=False,
)  # fmt: skip

"""The API, continued: seats that are open, taken by invitation, given away by the host; and the next game."""

from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Router, get, post
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, JSONBody, PathParameter
from msgspec import Meta, Struct

from hegemon.bots import BOTS
from hegemon.server.api import schemas as api
from hegemon.server.db.schema import SeatRow
from hegemon.server.security import tokens as identity
from hegemon.server.tables import seats
from hegemon.server.tables.errors import SeatRejected
from hegemon.server.tables.rematch import create_rematch
from hegemon.server.tables.seats import BOT_NAMES
from hegemon.server.tables.table import Table
from hegemon.server.texts import COLORS


class Guest(api.Sent):
    """Whoever takes a seat; without a color it is one that is free."""

    name: Annotated[str, Meta(max_length=100)] = ""
    # The framework forgets to describe a bound of 0.
    color: Annotated[int, Meta(gt=-1, lt=len(COLORS))] | None = None


class Seated(Struct):
    """A seat that was taken, with the token that holds it; the token is shown only this once."""

    game: str
    seat: int
    token: str


class SeatChange(api.Sent):
    """Who is to have a seat from now on: a bot, or with none whoever comes by a new invitation."""

    bot: Annotated[str, Meta(max_length=40)] | None = None


class HostedSeat(api.SeatInfo):
    """A seat as the host sees it; an open one has an invitation."""

    invite: str | None


class NextGame(Struct):
    """The game that follows; every token holds its seat there too, though another one."""

    game: str


def hosted(table: Table, seat: int) -> HostedSeat:
    """A seat as the host sees it."""
    row = table.seats[seat]
    shown = api.occupants(table)[seat]
    return HostedSeat(**msgspec.structs.asdict(shown), invite=row.invite if row.is_open else None)


def caller(request: Request[Any, Any, State]) -> str:
    """Who calls, by the digest of the token."""
    owner = api.owner_of(request)
    if owner is None:
        raise api.no_seat()
    return owner


@post(
    "/invitations/{invite:str}",
    responses=api.failing(400, 401, 403, 404, 409, 410, 413, 429),
    security=api.ANY_VIEWER,
)
async def take_seat(
    request: Request[Any, Any, State], invite: FromPath[str], data: JSONBody[Guest], state: State
) -> Seated:
    """Take the seat of an invitation; a caller who sends a token of their own holds the seat by it."""
    data = await api.as_sent(request, Guest)
    token = api.token_in(request) or identity.new_token()
    table, seat = await seats.invited(state.tables, invite)
    await seats.take_seat(
        state.tables, table, seat, invite, identity.owner_of(token) or "", data.name, data.color
    )
    return Seated(table.id, seat + 1, token)


@get("/games/{game:str}/seats", responses=api.failing(400, 401, 403, 404, 429), security=api.OWN_SEAT)
async def list_seats(
    request: Request[Any, Any, State], game: FromPath[str], state: State
) -> list[HostedSeat]:
    """The seats with their invitations, for the host."""
    table: Table = await state.tables.load(game)
    if not seats.is_host(table, caller(request)):
        raise SeatRejected("host")
    return [hosted(table, seat) for seat in range(table.game.players)]


@post(
    "/games/{game:str}/seats/{seat:int}",
    status_code=200,
    responses=api.failing(400, 401, 403, 404, 409, 413, 422, 429),
    security=api.OWN_SEAT,
)
async def change_seat(
    request: Request[Any, Any, State],
    game: FromPath[str],
    seat: Annotated[int, PathParameter(ge=1, le=4)],
    data: JSONBody[SeatChange],
    state: State,
) -> HostedSeat:
    """Give a seat away: the host any, and everybody their own. Whoever sat there sees its cards no longer."""
    data = await api.as_sent(request, SeatChange)
    table: Table = await state.tables.load(game)
    owner = caller(request)
    if seat > table.game.players:
        raise NotFoundException
    if data.bot is not None and data.bot not in BOTS:
        raise SeatRejected("bot")
    row = SeatRow(data.bot, None, BOT_NAMES[seat - 1]) if data.bot else seats.open_seat_row(f"Player {seat}")
    await seats.reassign_seat(state.tables, table, seat - 1, row, owner)
    shown = hosted(table, seat - 1)
    if not seats.is_host(table, owner):
        shown.invite = None
    return shown


@post(
    "/games/{game:str}/rematch",
    status_code=200,
    responses=api.failing(400, 401, 403, 404, 409, 429),
    security=api.OWN_SEAT,
)
async def rematch(request: Request[Any, Any, State], game: FromPath[str], state: State) -> NextGame:
    """The next game of the series, with everybody moved up by one seat; however many ask, there is one."""
    table: Table = await state.tables.load(game)
    owner = caller(request)
    if not (table.seats_of(owner) or seats.is_host(table, owner)):
        raise api.no_seat()
    return NextGame(await create_rematch(state.tables, table))


ROUTES: Final = Router("/", route_handlers=[take_seat, list_seats, change_seat, rematch], tags=["seats"])

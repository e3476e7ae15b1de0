"""Invitations, the seats of a table, and rematches."""

from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath, PathParameter, QueryParameter, URLEncodedBody
from litestar.response import Redirect, Stream

from hegemon.prose.english import BOT_NAMES
from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.rows import SeatRow
from hegemon.server.tables import seats
from hegemon.server.tables.errors import SeatRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.rematch import create_rematch
from hegemon.server.tables.table import Table
from hegemon.server.web.forms import BotForm, PlayerForm
from hegemon.server.web.me.profile import remember_name
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.session import Visitor
from hegemon.server.web.sse import Regions, StreamRedirect, region_stream
from hegemon.server.web.views.seating import SeatPages
from hegemon.server.webhooks.dispatcher import WebhookDispatcher

SeatNumber = Annotated[int, PathParameter(ge=1, le=4)]

# ------------------------------------------------------------------ invitations


@get("/join/{invite:str}")
async def invitation(
    invite: FromPath[str],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    seat_pages: NamedDependency[SeatPages],
) -> Response[str] | Redirect:
    """The form to take the seat of an invitation; players of that table are redirected to it."""
    table, seat = await seats.find_invited_seat(tables, invite)
    if visitor.seats_at(table):
        return redirect(f"/games/{table.id}")
    if not table.seats[seat].is_open:
        raise SeatRejected("used")
    return page(seat_pages.invitation(table, seat, invite, visitor))


@post("/join/{invite:str}")
async def take_seat(
    invite: FromPath[str],
    data: URLEncodedBody[PlayerForm],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    table, seat = await seats.find_invited_seat(tables, invite)
    offered = seats.free_color(table.seats, seat, visitor.color)
    await seats.take_seat(tables, table, seat, invite, owner, data.name or visitor.name, data.color_number)
    await remember_name(tables.store, owner, visitor, data.name, chosen_color(data, offered))
    return redirect_with_token(f"/games/{table.id}", token, config)


def chosen_color(data: PlayerForm, offered: int) -> int | None:
    """The color in a form, if it differs from the one that the form suggested."""
    return data.color_number if data.color_number != offered else None


# ------------------------------------------------------------------ the seats


@get("/games/{game_id:str}/seats")
async def seats_page(
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    dispatcher: NamedDependency[WebhookDispatcher],
    seat_pages: NamedDependency[SeatPages],
    base_url: NamedDependency[str],
) -> Response[str]:
    await dispatcher.load_webhook(table)
    return page(seat_pages.seats(table, visitor, base_url))


@get("/games/{game_id:str}/seats/stream")
async def seats_stream(
    request: Request[Any, Any, Any],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    seat_pages: NamedDependency[SeatPages],
    base_url: NamedDependency[str],
    is_waiting: Annotated[bool, QueryParameter()] = False,
) -> Stream:
    """The seats as they change; a page that waits for the game is redirected to the table when it starts."""

    def render() -> Regions:
        if is_waiting and not table.is_waiting:
            raise StreamRedirect(f"/games/{table.id}")
        return table.cached(
            ("seats", visitor.language, *seats.seats_page_key(table, visitor.owner, base_url)),
            lambda: seat_pages.seat_regions(table, visitor, base_url),
        )

    return region_stream(request, tables, table, visitor.seats_at(table), render)


def provide_seat(table: NamedDependency[Table], number: SeatNumber) -> int:
    if number > table.game.players:
        raise SeatRejected("lost")
    return number - 1


def provide_changeable_seat(
    table: NamedDependency[Table], visitor: NamedDependency[Visitor], number: SeatNumber
) -> int:
    """A seat that the visitor may give away."""
    if number > table.game.players or not seats.may_change(table, number - 1, visitor.owner):
        raise SeatRejected("host")
    return number - 1


_CHANGEABLE: Final = {"seat": Provide(provide_changeable_seat, sync_to_thread=False)}


@post("/games/{game_id:str}/seats/{number:int}/open", dependencies=_CHANGEABLE)
async def open_seat(
    table: NamedDependency[Table],
    seat: NamedDependency[int],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    """Open a seat to a new player, with a new invitation."""
    row = seats.open_seat_row(tr.person_name(seat))
    await seats.reassign_seat(tables, table, seat, row, visitor.owner)
    return redirect(f"/games/{table.id}/seats")


@post("/games/{game_id:str}/seats/{number:int}/bot", dependencies=_CHANGEABLE)
async def seat_bot(
    data: URLEncodedBody[BotForm],
    table: NamedDependency[Table],
    seat: NamedDependency[int],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    if data.bot not in tables.config.bots:
        raise SeatRejected("bot")
    await seats.reassign_seat(tables, table, seat, SeatRow(data.bot, None, BOT_NAMES[seat]), visitor.owner)
    return redirect(f"/games/{table.id}/seats")


@post(
    "/games/{game_id:str}/seats/{number:int}/name",
    dependencies={"seat": Provide(provide_seat, sync_to_thread=False)},
)
async def rename_seat(
    data: URLEncodedBody[PlayerForm],
    table: NamedDependency[Table],
    seat: NamedDependency[int],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    """Change the name and color of a player."""
    owner, before = visitor.owner or "", seats.color_of(table.seats, seat)
    await seats.rename_player(tables, table, seat, owner, data.name, data.color_number)
    await remember_name(tables.store, owner, visitor, data.name, chosen_color(data, before))
    return redirect(f"/games/{table.id}/seats")


@post("/games/{game_id:str}/rematch")
async def rematch(
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    other_seats: Annotated[bool, QueryParameter()] = False,
) -> Redirect:
    if not (visitor.seats_at(table) or seats.is_host(table, visitor.owner)):
        raise SeatRejected("lost")
    next_game = await create_rematch(tables, table, visitor.owner or "", other_seats=other_seats)
    return redirect(f"/games/{next_game}")


ROUTES: Final = (
    invitation, take_seat, seats_page, seats_stream, open_seat, seat_bot, rename_seat, rematch,
)  # fmt: skip

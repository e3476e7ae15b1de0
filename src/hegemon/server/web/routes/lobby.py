"""The lobby: the public tables of this server, and ratings."""

from typing import Annotated, Any, Final

from litestar import Response, Router, get, post
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.server.config import ServerConfig
from hegemon.server.tables import ratings, seats
from hegemon.server.tables.names import check_names
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.web.forms import PlayerForm, RatingForm
from hegemon.server.web.me.profile import remember_name
from hegemon.server.web.responses import page, redirect_with_token
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.seating import SeatPages

Filter = Annotated[str, QueryParameter(max_length=10)]


def requires_lobby(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A guard for pages that exist only on a server with a lobby."""
    if not connection.app.state.config.lobby:
        raise NotFoundException


@get("/lobby")
async def lobby(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    seat_pages: NamedDependency[SeatPages],
    players: Filter = "",
    variant: Filter = "",
    language: Filter = "",
) -> Response[str]:
    filters = {"players": players, "variant": variant, "language": language}
    offers = await seats.offers(tables, filters)
    owners = [row.owner for offer in offers for row in offer.game.seats if row.owner is not None]
    return page(seat_pages.lobby(visitor, offers, filters, await tables.store.players.load(owners)))


@post("/lobby/{game_id:str}")
async def take_seat(
    data: URLEncodedBody[PlayerForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    """Take any open seat of a public table."""
    await seats.take_any_seat(tables, table, owner, data.name or visitor.name, visitor.color)
    await remember_name(tables.store, owner, visitor, data.name)
    return redirect_with_token(f"/games/{table.id}", token, config)


@post("/me/rating")
async def change_rating(
    data: URLEncodedBody[RatingForm],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    """Start or delete the visitor's rating."""
    name = seats.clean_name(data.name)
    if data.wanted == "yes" and name:
        await check_names(tables.store, name)
        await tables.store.players.save(ratings.new_player(owner, name))
        await remember_name(tables.store, owner, visitor, name)
    elif data.wanted == "no":
        await tables.store.players.delete(owner)
    return redirect_with_token("/me", token, config)


ROUTES: Final = (Router("/", route_handlers=[lobby, take_seat, change_rating], guards=[requires_lobby]),)

"""The routes of the lobby: open tables of this server for everybody, and ratings for those who want one."""

from typing import Annotated, Any, Final

from litestar import Request, Response, Router, get, post
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from hegemon.server.security import tokens as identity
from hegemon.server.tables import ratings, seats
from hegemon.server.web.routes.seating import Form, led_to, page, token_of
from hegemon.server.web.session import visitor_of

Wish = Annotated[str, QueryParameter(max_length=10)]


def only_with_lobby(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A server that was started without a lobby has no such pages."""
    if not connection.app.state.config.lobby:
        raise NotFoundException


@get("/lobby")
async def lobby(
    request: Request[Any, Any, State],
    state: State,
    players: Wish = "",
    variant: Wish = "",
    language: Wish = "",
) -> Response[str]:
    """The open tables, as far as they are as somebody wishes."""
    wishes = {"players": players, "variant": variant, "language": language}
    found = await seats.offers(state.tables, wishes)
    owners = [row.owner for offer in found for row in offer.game.seats if row.owner is not None]
    people = await state.tables.store.players.load(owners)
    return page(state.company.lobby(visitor_of(request), found, wishes, people))


@post("/lobby/{game_id:str}")
async def take_seat(
    request: Request[Any, Any, State], game_id: FromPath[str], data: Form, state: State
) -> Redirect:
    """Sit down at a table of the lobby, wherever there is a seat."""
    token = token_of(request)
    owner = identity.owner_of(token) or ""
    table = await state.tables.table(game_id)
    people = await state.tables.store.players.load([owner])
    name = data.get("name") or (people[owner].name if owner in people else "")
    await seats.take_any_seat(state.tables, table, owner, name)
    return led_to(f"/games/{game_id}", token, state)


@post("/me/rating")
async def want_rating(request: Request[Any, Any, State], data: Form, state: State) -> Redirect:
    """Have a rating from now on, or no longer."""
    token = token_of(request)
    owner = identity.owner_of(token) or ""
    name = seats.clean_name(data.get("name", ""))
    if data.get("wanted") == "yes" and name:
        await state.tables.store.players.save(ratings.stranger(owner, name))
    elif data.get("wanted") == "no":
        await state.tables.store.players.delete(owner)
    return led_to("/me", token, state)


ROUTES: Final = Router(
    "/", route_handlers=[lobby, take_seat, want_rating], guards=[only_with_lobby], include_in_schema=False
)

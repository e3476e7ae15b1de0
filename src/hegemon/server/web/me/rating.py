"""The rating of a person, on a server with a lobby."""

from typing import Any

from litestar import Request

from hegemon.server.tables import ratings
from hegemon.server.web.session import Visitor


async def rating_section(request: Request[Any, Any, Any], visitor: Visitor) -> dict[str, Any]:
    owner = visitor.owner or ""
    rating = (await request.app.state.tables.store.players.load([owner])).get(owner)
    return {
        "rating": rating
        and {"name": rating.name, "points": ratings.shown_points(rating), "games": rating.games}
    }

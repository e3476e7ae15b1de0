"""The health check, for load balancers and monitoring."""

from dataclasses import dataclass

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from hegemon.server.tables.registry import TableRegistry


@dataclass(frozen=True)
class Health:
    status: str
    failing: list[str]
    """The background tasks that are failing, such as `clocks`, `expiry` or `webhooks`."""
    broken_games: int
    """The number of games that could not be loaded since startup; the log names them."""


@get(
    "/health",
    responses={
        503: ResponseSpec(
            Health, description="The database cannot be read or written, or a background task fails."
        )
    },
)
async def health(tables: NamedDependency[TableRegistry]) -> Response[Health]:
    """Whether the server answers, can save moves, and does its work in the background."""
    failing = sorted(tables.background.failing)
    status = "ok"
    if failing:
        status = "A background task fails; the log has its error."
    if not await tables.store.database.is_healthy():
        status = "The database cannot be read or written; the log has its error code."
    health = Health(status, failing, len(tables.broken))
    return Response(health, status_code=200 if status == "ok" else 503)

"""The health check, for load balancers and monitoring."""

from dataclasses import dataclass

from litestar import Response, get
from litestar.di import NamedDependency

from hegemon.server.tables.registry import TableRegistry


@dataclass(frozen=True)
class Health:
    status: str


@get("/health")
async def health(tables: NamedDependency[TableRegistry]) -> Response[Health]:
    """Whether the server answers, and its store too."""
    if await tables.store.database.is_healthy():
        return Response(Health("ok"))
    return Response(Health("the store does not answer"), status_code=503)

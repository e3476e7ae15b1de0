"""The health check, for load balancers and monitoring."""

from dataclasses import dataclass

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from hegemon.server.tables.registry import TableRegistry


@dataclass(frozen=True)
class Health:
    status: str


@get("/health", responses={503: ResponseSpec(Health, description="The database cannot be read or written.")})
async def health(tables: NamedDependency[TableRegistry]) -> Response[Health]:
    """Whether the server answers, and can save moves."""
    if await tables.store.database.is_healthy():
        return Response(Health("ok"))
    return Response(
        Health("The database cannot be read or written; the log has its error code."), status_code=503
    )

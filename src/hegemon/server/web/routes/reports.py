"""Reports to the host of the server, from a table."""

from typing import Annotated, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.rules.view import SPECTATOR
from hegemon.server.config import ServerConfig
from hegemon.server.tables import moderation
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.web.forms import ReportForm
from hegemon.server.web.responses import page, redirect_with_token
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.admin import AdminPages


def viewer_at(table: Table, visitor: Visitor) -> int:
    """The seat from which a visitor reads the chat."""
    return next(iter(visitor.seats_at(table)), SPECTATOR)


@get("/games/{game_id:str}/report")
async def report_page(
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    admin_pages: NamedDependency[AdminPages],
    sent: Annotated[bool, QueryParameter()] = False,
) -> Response[str]:
    """The page for reporting something at a table, or a confirmation."""
    items = moderation.reportable_items(table, visitor.owner, viewer_at(table, visitor))
    return page(admin_pages.report(table, visitor, items, sent=sent))


@post("/games/{game_id:str}/report")
async def send_report(
    data: URLEncodedBody[ReportForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    await moderation.report(tables, table, owner, viewer_at(table, visitor), data.what, data.comment)
    return redirect_with_token(f"/games/{table.id}/report?sent=true", token, config)


ROUTES: Final = (report_page, send_report)

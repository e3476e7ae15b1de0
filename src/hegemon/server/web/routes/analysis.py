"""The analysis of a finished game: started by a form, and streamed while it is computed."""

import dataclasses
from typing import Any, Final

from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import URLEncodedBody
from litestar.response import Redirect, Stream

from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.web.forms import ReplayForm
from hegemon.server.web.responses import redirect
from hegemon.server.web.routes.replay import SeenFrom, check_over, start_analysis
from hegemon.server.web.session import Visitor
from hegemon.server.web.sse import Regions, StreamRedirect, region_stream
from hegemon.server.web.views.replay import Replay, ReplayPages, perspective_of


@post("/games/{game_id:str}/analysis")
async def analyze(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[ReplayForm],
    table: NamedDependency[Table],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    """Start the analysis, and return to the moment from which it was started."""
    check_over(table)
    if await tables.analyst.find(table) is None:
        start_analysis(request, tables, table)
    return redirect(f"/games/{table.id}/replay?seat={data.seat}&at={data.at}")


@get("/games/{game_id:str}/analysis/stream")
async def analysis_stream(
    request: Request[Any, Any, Any],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    replay_pages: NamedDependency[ReplayPages],
    seat: SeenFrom = None,
) -> Stream:
    """The regions of the analysis as it progresses; at the end, a link to where the game was decided."""
    check_over(table)
    shown = Replay(table, table.game, visitor, perspective_of(table, visitor, seat))
    known = await tables.analyst.find(table)
    job = start_analysis(request, tables, table) if known is None else None

    def render() -> Regions:
        analysis = known if job is None else job.analysis if job.stopped and not job.failed else None
        if analysis is not None:
            at = dataclasses.replace(shown, analysis=analysis).decisive_ply()
            raise StreamRedirect(f"{shown.path}?seat={shown.seen.number}&at={at}")
        return replay_pages.analysis(dataclasses.replace(shown, job=job))

    def number() -> int:
        return len(job.items) if job is not None else 0

    return region_stream(request, tables, table, (), render, version=number)


ROUTES: Final = (analyze, analysis_stream)

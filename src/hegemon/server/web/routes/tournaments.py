"""Tournaments and the weekly league: pages, their stream, and the actions of hosts and players."""

import asyncio
import json
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Any, Final

from anyio import CancelScope
from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, URLEncodedBody
from litestar.response import Redirect, Stream

from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.errors import describe_error
from hegemon.server.sse import HEARTBEAT, HEARTBEAT_INTERVAL, event, sse_response
from hegemon.server.tables.daily import day_of, first_day_of, week_of
from hegemon.server.tables.setup import SetupRejected
from hegemon.server.texts import SETUP_REJECTIONS
from hegemon.server.tournaments import league, organizing
from hegemon.server.tournaments.director import Director
from hegemon.server.tournaments.errors import TournamentRejected
from hegemon.server.tournaments.organizing import TournamentSettings
from hegemon.server.web.encoding import PlainStream, encoding_for
from hegemon.server.web.forms import BotForm, EntryForm, PlayerForm, TournamentForm, read_number
from hegemon.server.web.me.profile import remember_name
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.session import Visitor
from hegemon.server.web.sse import Regions
from hegemon.server.web.views.tournaments import STARTS, TournamentPages


@get("/tournaments")
async def overview(
    visitor: NamedDependency[Visitor],
    director: NamedDependency[Director],
    tournament_pages: NamedDependency[TournamentPages],
    config: NamedDependency[ServerConfig],
) -> Response[str]:
    return page(await _overview(visitor, director, tournament_pages, config, TournamentForm()))


async def _overview(
    visitor: Visitor,
    director: Director,
    pages: TournamentPages,
    config: ServerConfig,
    form: TournamentForm,
    problem: str = "",
) -> str:
    public = await director.store.listed() if config.lobby else []
    own = await director.store.of_person(visitor.owner)
    return pages.overview(visitor, own, public, form, problem)


@post("/tournaments")
async def create(
    data: URLEncodedBody[TournamentForm],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tr: NamedDependency[Translator],
    director: NamedDependency[Director],
    tournament_pages: NamedDependency[TournamentPages],
    config: NamedDependency[ServerConfig],
) -> Response[str] | Redirect:
    """Open a tournament, whose host is the visitor."""
    try:
        settings = settings_in(data, director, lobby=config.lobby)
        tournament_id = await organizing.open_tournament(director, settings, owner, language=visitor.language)
    except (SetupRejected, TournamentRejected) as error:
        status, problem = problem_of(error, tr)
        return page(await _overview(visitor, director, tournament_pages, config, data, problem), status)
    return redirect_with_token(f"/tournaments/{tournament_id}", token, config)


def settings_in(form: TournamentForm, director: Director, *, lobby: bool) -> TournamentSettings:
    name, _, players = form.kind.rpartition("-")
    wait = read_number(form.starts)
    starts_at = director.tables.now() + timedelta(minutes=wait) if wait in STARTS and wait else None
    return TournamentSettings(
        form.title,
        name,
        read_number(players) or 0,
        read_number(form.rounds) or 0,
        form.clock,
        form.variant,
        read_number(form.pause) or 0,
        form.bot,
        public=lobby and form.public == "on",
        starts_at=starts_at,
    )


def problem_of(error: SetupRejected | TournamentRejected, tr: Translator) -> tuple[int, str]:
    if isinstance(error, SetupRejected):
        return 422, tr.text(SETUP_REJECTIONS[error.key], **error.facts)
    return describe_error(error, tr)


@get("/tournaments/{tournament_id:str}")
async def tournament(
    tournament_id: FromPath[str],
    visitor: NamedDependency[Visitor],
    director: NamedDependency[Director],
    tournament_pages: NamedDependency[TournamentPages],
) -> Response[str]:
    return page(tournament_pages.tournament(visitor, await organizing.find(director, tournament_id)))


@get("/tournaments/{tournament_id:str}/stream")
async def stream(
    request: Request[Any, Any, Any],
    tournament_id: FromPath[str],
    visitor: NamedDependency[Visitor],
    director: NamedDependency[Director],
    tournament_pages: NamedDependency[TournamentPages],
) -> Stream:
    """The regions of the page as they change, as server-sent events."""
    await organizing.find(director, tournament_id)
    encoding = encoding_for(request.headers.get("accept-encoding", ""))
    events = changes(director, tournament_id, visitor, tournament_pages, encoding)
    return sse_response(events, encoding.headers)


async def changes(
    director: Director,
    tournament_id: str,
    visitor: Visitor,
    pages: TournamentPages,
    encoding: PlainStream,
    heartbeat: float = HEARTBEAT_INTERVAL,
) -> AsyncGenerator[bytes, None]:
    """All regions of the page, then those that change; the database is read again with every heartbeat."""
    sent: Regions = {}
    state = ""
    with director.following(tournament_id) as follower:
        while not follower.closed:
            follower.news.clear()
            with CancelScope(shield=True):  # a cancelled query would cost a connection
                snapshot = await director.snapshot(tournament_id)
            if snapshot is None:
                break
            if state and state != snapshot.tournament.state:  # the page has different forms now
                yield encoding.encode(event("go", json.dumps(f"/tournaments/{tournament_id}")))
                break
            state = snapshot.tournament.state
            regions = pages.live_regions(visitor, snapshot)
            changed = {name: html for name, html in regions.items() if sent.get(name) != html}
            sent = regions
            revision = snapshot.tournament.revision
            yield encoding.encode(event("regions", json.dumps(changed), revision) if changed else HEARTBEAT)
            try:
                async with asyncio.timeout(heartbeat):
                    await follower.news.wait()
            except TimeoutError:
                continue
    if end := encoding.end():
        yield end


@post("/tournaments/{tournament_id:str}/join")
async def join(
    tournament_id: FromPath[str],
    data: URLEncodedBody[PlayerForm],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tr: NamedDependency[Translator],
    director: NamedDependency[Director],
    tournament_pages: NamedDependency[TournamentPages],
    config: NamedDependency[ServerConfig],
) -> Response[str] | Redirect:
    """Enter the visitor under a name."""
    try:
        await organizing.join(director, tournament_id, owner, data.name)
    except TournamentRejected as error:
        snapshot = await organizing.find(director, tournament_id)
        status, problem = problem_of(error, tr)
        return page(tournament_pages.tournament(visitor, snapshot, problem), status)
    await remember_name(director.tables.store, owner, visitor, data.name)
    return redirect_with_token(f"/tournaments/{tournament_id}", token, config)


@post("/tournaments/{tournament_id:str}/withdraw")
async def withdraw(
    tournament_id: FromPath[str],
    data: URLEncodedBody[EntryForm],
    visitor: NamedDependency[Visitor],
    director: NamedDependency[Director],
) -> Redirect:
    """Withdraw an entry: the visitor's own, or any as the host."""
    await organizing.withdraw(director, tournament_id, read_number(data.number) or 0, visitor.owner or "")
    return redirect(f"/tournaments/{tournament_id}")


@post("/tournaments/{tournament_id:str}/bots")
async def add_bot(
    tournament_id: FromPath[str],
    data: URLEncodedBody[BotForm],
    visitor: NamedDependency[Visitor],
    director: NamedDependency[Director],
) -> Redirect:
    await organizing.add_bot(director, tournament_id, data.bot, visitor.owner or "")
    return redirect(f"/tournaments/{tournament_id}")


@post("/tournaments/{tournament_id:str}/start")
async def start(
    tournament_id: FromPath[str], visitor: NamedDependency[Visitor], director: NamedDependency[Director]
) -> Redirect:
    await organizing.start(director, tournament_id, visitor.owner or "")
    return redirect(f"/tournaments/{tournament_id}")


@post("/tournaments/{tournament_id:str}/delete")
async def cancel(
    tournament_id: FromPath[str], visitor: NamedDependency[Visitor], director: NamedDependency[Director]
) -> Redirect:
    await organizing.delete(director, tournament_id, visitor.owner or "")
    return redirect("/tournaments")


@get("/league")
async def this_week(
    visitor: NamedDependency[Visitor],
    director: NamedDependency[Director],
    tournament_pages: NamedDependency[TournamentPages],
    config: NamedDependency[ServerConfig],
) -> Response[str]:
    week = week_of(day_of(director.tables.now()))
    return await _league(visitor, director, tournament_pages, config, week)


@get("/league/{week:str}")
async def earlier_week(
    week: FromPath[str],
    visitor: NamedDependency[Visitor],
    director: NamedDependency[Director],
    tournament_pages: NamedDependency[TournamentPages],
    config: NamedDependency[ServerConfig],
) -> Response[str]:
    return await _league(visitor, director, tournament_pages, config, week)


async def _league(
    visitor: Visitor, director: Director, pages: TournamentPages, config: ServerConfig, week: str
) -> Response[str]:
    if not config.league or first_day_of(week) is None:
        raise NotFoundException
    weeks = await league.load_weeks(director.store, week)
    is_now = week == week_of(day_of(director.tables.now()))
    return page(pages.league(visitor, weeks, week, is_now=is_now, number_of_weeks=league.WEEKS))


ROUTES: Final = (
    overview,
    create,
    tournament,
    stream,
    join,
    withdraw,
    add_bot,
    start,
    cancel,
    this_week,
    earlier_week,
)

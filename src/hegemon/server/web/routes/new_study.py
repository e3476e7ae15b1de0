"""New studies: from a position that is set up on a board, from a finished game, or from a record file."""

import asyncio
from random import Random
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.notation.arrangement import EMPTY, Arrangement
from hegemon.notation.errors import NotationError
from hegemon.notation.record import Record
from hegemon.notation.writing import write_position
from hegemon.play.game import Game
from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.studies import (
    clean_record,
    create_study,
)
from hegemon.server.tables.daily import day_shown, deadline_of
from hegemon.server.tables.errors import DealClosed
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import shown_names
from hegemon.server.tables.setup import SetupRejected
from hegemon.server.texts import REJECTIONS, SETUP_REJECTIONS
from hegemon.server.tournaments import access
from hegemon.server.tournaments.errors import RoundClosed
from hegemon.server.web.forms import (
    ArrangeForm,
    NewStudyForm,
)
from hegemon.server.web.new_game import read_record_file
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.routes.replay import MAX_RECORD_BYTES, uploaded_record
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.study import StudyPages, problem_of

#: The maximum length of a position; any position fits.
MAX_LINE_LENGTH: Final = 1_000


@get("/study")
async def studies(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    study_pages: NamedDependency[StudyPages],
) -> Response[str]:
    return page(study_pages.studies(visitor, await tables.store.studies.owned_by(visitor.owner)))


@get("/study/new")
async def set_up(
    visitor: NamedDependency[Visitor],
    study_pages: NamedDependency[StudyPages],
    position: Annotated[str, QueryParameter(max_length=MAX_LINE_LENGTH)] = "",
    tool: Annotated[str, QueryParameter(max_length=2)] = "",
    deal: Annotated[int, QueryParameter(ge=2, le=4)] = 3,
) -> Response[str] | Redirect:
    """The board for setting up the position of a line of notation; without a line, that of a new deal."""
    line = " ".join(position.split())
    if not line:
        return redirect(f"/study/new?{urlencode({'position': write_position(Game(deal).position)})}")
    try:
        arrangement = Arrangement.read(line)
    except NotationError:
        return page(study_pages.setup(visitor, line, None, tool))
    return page(study_pages.setup(visitor, line, arrangement, tool))


@post("/study/new")
async def arrange(data: URLEncodedBody[ArrangeForm]) -> Redirect:
    """Put a card down, take one away, or change the settings of the whole table."""
    line = data.position[:MAX_LINE_LENGTH]
    try:
        arrangement = Arrangement.read(line)
    except NotationError:
        return redirect(f"/study/new?{urlencode({'position': line})}")
    apply_form(arrangement, data)
    return redirect(f"/study/new?{urlencode({'position': str(arrangement), 'tool': data.tool[:2]})}")


def apply_form(arrangement: Arrangement, data: ArrangeForm) -> None:
    """Apply a form to an arrangement: the button that was pressed, and the fields of the table."""
    if data.put:
        arrangement.put(data.tool, data.put)
    if data.take:
        arrangement.take(data.take)
    if data.seat or data.step:
        arrangement.turn = f"{data.seat[:1] or arrangement.turn[:1]}{data.step[:1] or arrangement.turn[1:]}"
    for name in ("used", "asked", "coin", "round"):
        text = getattr(data, name)
        if text is not None:
            setattr(arrangement, name, "".join(text.split())[:40] or EMPTY)
    if data.rulings:
        arrangement.rules = f"{data.rulings.partition(',')[0][:80]}{',teams' if data.teams else ''}"
    if data.players in ("2", "3", "4"):
        arrangement.set_players(int(data.players))
    if data.fill:
        arrangement.fill_deck(Random(str(arrangement)))


@post("/study")
async def create(
    data: URLEncodedBody[NewStudyForm],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    study_pages: NamedDependency[StudyPages],
) -> Response[str] | Redirect:
    """Begin a study: at a position, or with a finished game."""
    if data.game:
        record = await finished_record(tables, data.game, tr)
    else:
        line = " ".join(data.position[:MAX_LINE_LENGTH].split())
        try:
            players = Arrangement.read(line).places.players
            names = [tr.person_name(seat) for seat in range(players)]
            record = Game.from_position(line, names).record()
        except NotationError as error:
            arrangement = arrangement_or_none(line)
            return page(study_pages.setup(visitor, line, arrangement, "", problem_of(error, tr)), 422)
    study_id = await create_study(tables, owner, record)
    at = f"?at={min(max(data.at, 0), len(record.moves))}" if data.at else ""
    return redirect_with_token(f"/study/{study_id}{at}", token, config)


def arrangement_or_none(line: str) -> Arrangement | None:
    try:
        return Arrangement.read(line)
    except NotationError:
        return None


async def finished_record(tables: TableRegistry, game_id: str, tr: Translator) -> Record:
    """The record of a finished game; earlier, it would reveal every hidden card."""
    table = await tables.load(game_id)
    if not table.game.over:
        raise HTTPException(REJECTIONS["record"], status_code=403)
    day = day_shown(table)
    if day is not None and tables.now() < deadline_of(day):
        raise DealClosed  # people who have not played the deal yet could read the study
    await access.update_seal(tables, table)
    if table.sealed:
        raise RoundClosed
    game = table.game.copy()
    game.rename(shown_names(table, tr))
    return game.record()


@post("/study/upload", request_max_body_size=MAX_RECORD_BYTES)
async def upload(
    request: Request[Any, Any, Any],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    study_pages: NamedDependency[StudyPages],
) -> Response[str] | Redirect:
    """Create a study from a record file."""
    content = await uploaded_record(request)
    try:
        record = await asyncio.to_thread(read_record_file, content)
    except SetupRejected as error:
        problem = tr.text(SETUP_REJECTIONS[error.key])
        rows = await tables.store.studies.owned_by(visitor.owner)
        return page(study_pages.studies(visitor, rows, problem), 422)
    study_id = await create_study(tables, owner, clean_record(record))
    return redirect_with_token(f"/study/{study_id}", token, config)


ROUTES: Final = (studies, set_up, arrange, create, upload)

"""The study board: set a position up, try lines from it, save and share them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import ClientException, HTTPException
from litestar.params import FromPath, QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.notation.arrangement import EMPTY, Arrangement
from hegemon.notation.errors import NotationError
from hegemon.notation.record import Record
from hegemon.notation.writing import write_position
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.play.study import Node, Study, StudyFull
from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.schema import StudyRow
from hegemon.server.errors import move_rejection_text
from hegemon.server.studies import (
    StudyRejected,
    clean_comment,
    clean_title,
    cleaned,
    create_study,
    load_study,
    read_study,
    save_study,
)
from hegemon.server.tables.daily import day_shown, deadline_of
from hegemon.server.tables.errors import DealClosed
from hegemon.server.tables.passing import AIMED_AT
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import shown_names
from hegemon.server.tables.setup import SetupRejected
from hegemon.server.texts import REJECTIONS, SETUP_REJECTIONS
from hegemon.server.tournaments import access
from hegemon.server.tournaments.errors import RoundClosed
from hegemon.server.web.forms import (
    ArrangeForm,
    LineForm,
    MomentForm,
    NewStudyForm,
    NoteForm,
    StudyMoveForm,
    ThinkForm,
)
from hegemon.server.web.new_game import read_record_file
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.routes.replay import MAX_RECORD_BYTES, uploaded_record
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.study import StudyPages, problem_of
from hegemon.server.web.views.study import shown_names as names_in_study
from hegemon.server.web.views.thoughts import Ponderer, panel_of

#: The maximum length of a position; any position fits.
MAX_LINE_LENGTH: Final = 1_000


# ------------------------------------------------------------------ setting up


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
    """The board of a line, as far as it can be read; without one, of a new deal."""
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
    """Put a card down, take one away, or change what belongs to the whole table."""
    line = data.position[:MAX_LINE_LENGTH]
    try:
        arrangement = Arrangement.read(line)
    except NotationError:
        return redirect(f"/study/new?{urlencode({'position': line})}")
    apply_form(arrangement, data)
    return redirect(f"/study/new?{urlencode({'position': str(arrangement), 'tool': data.tool[:2]})}")


def apply_form(arrangement: Arrangement, data: ArrangeForm) -> None:
    """Change an arrangement by what was pressed, and by the fields of the table."""
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
        arrangement.seat_players(int(data.players))
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
        record = await finished_game(tables, data.game, tr)
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


async def finished_game(tables: TableRegistry, game_id: str, tr: Translator) -> Record:
    """The record of a finished game; earlier, it would reveal every hidden card."""
    table = await tables.load(game_id)
    if not table.game.over:
        raise HTTPException(REJECTIONS["record"], status_code=403)
    day = day_shown(table)
    if day is not None and tables.now() < deadline_of(day):
        raise DealClosed  # the study could be read by people who have yet to play the deal
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
    """A study of a record file."""
    content = await uploaded_record(request)
    try:
        record = await asyncio.to_thread(read_record_file, content)
    except SetupRejected as error:
        problem = tr.text(SETUP_REJECTIONS[error.key])
        rows = await tables.store.studies.owned_by(visitor.owner)
        return page(study_pages.studies(visitor, rows, problem), 422)
    study_id = await create_study(tables, owner, cleaned(record))
    return redirect_with_token(f"/study/{study_id}", token, config)


# ------------------------------------------------------------------ a study


def changed_study(row: StudyRow, at: int, change: Callable[[Study, Node], Node]) -> tuple[Study, Node, bool]:
    """A study after a change at a node, the node to go to, and whether anything is different."""
    study = read_study(row)
    before, nodes = study.record(), study.nodes
    node = change(study, nodes[min(at, len(nodes) - 1)])
    return study, node, study.record() != before


@dataclass(frozen=True)
class Moment:
    """A node of a study by its number, and whether the other hands are closed there."""

    at: int = 0
    closed: bool = False


@dataclass(frozen=True)
class Desk:
    """A study, and its visitor."""

    row: StudyRow
    visitor: Visitor
    tr: Translator
    tables: TableRegistry
    pages: StudyPages
    base_url: str

    @property
    def is_own(self) -> bool:
        return self.visitor.owner == self.row.owner

    async def study(self) -> Study:
        return await asyncio.to_thread(read_study, self.row)

    async def show(self, moment: Moment, status: int = 200, **facts: Any) -> Response[str]:
        """The page of a moment as it is stored."""
        study = await self.study()
        html = self.pages.study(
            self.visitor,
            self.row,
            study,
            moment.at,
            open_cards=not moment.closed,
            base=self.base_url,
            **facts,
        )
        return page(html, status)

    async def change(
        self,
        data: MomentForm,
        change: Callable[[Study, Node], Node],
        **typed: Any,
    ) -> Response[str] | Redirect:
        """Change a study and go to a moment of it; if that fails, show the page with what was typed."""
        moment = Moment(max(data.at, 0), data.closed == "true")
        try:
            if not self.is_own:
                raise StudyRejected("owner")
            if data.version != self.row.version:
                raise StudyRejected("stale")
            study, node, is_new = await asyncio.to_thread(changed_study, self.row, moment.at, change)
            if is_new:
                await save_study(self.tables, self.row, study)
        except StudyFull:
            return await self.refuse(StudyRejected("full"), moment, **typed)
        except StudyRejected as error:
            return await self.refuse(error, moment, **typed)
        except (IllegalMoveError, NotationError) as error:
            return await self.show(moment, 422, notice=move_rejection_text(error, self.tr), **typed)
        at = next(number for number, one in enumerate(study.nodes) if one is node)
        return redirect(f"/study/{self.row.id}?at={at}{'&closed=true' if moment.closed else ''}")

    async def refuse(self, error: StudyRejected, moment: Moment, **typed: Any) -> Response[str]:
        """The study as it is stored now, and why it was not changed."""
        desk = replace(self, row=await load_study(self.tables, self.row.id))
        return await desk.show(moment, error.status, notice=self.tr.text(error.sentence), **typed)


async def provide_desk(
    study_id: FromPath[str],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    study_pages: NamedDependency[StudyPages],
    base_url: NamedDependency[str],
) -> Desk:
    row = await load_study(tables, study_id)
    return Desk(row, visitor, tr, tables, study_pages, base_url)


@get("/study/{study_id:str}")
async def show(
    desk: NamedDependency[Desk],
    at: Annotated[int, QueryParameter(ge=0, le=10_000)] = 0,
    closed: Annotated[bool, QueryParameter()] = False,
) -> Response[str]:
    """A moment of a study, with all cards open or as the seat to move could know them."""
    return await desk.show(Moment(at, closed))


@get("/study/{study_id:str}/record")
async def download(desk: NamedDependency[Desk]) -> Response[str]:
    return Response(
        desk.row.record,
        media_type="application/toml",
        headers={"Content-Disposition": f'attachment; filename="hegemon-study-{desk.row.id}.toml"'},
    )


@post("/study/{study_id:str}/move")
async def move(data: URLEncodedBody[StudyMoveForm], desk: NamedDependency[Desk]) -> Response[str] | Redirect:
    """Try a choice; one that was tried before leads to the existing node."""

    def play(study: Study, node: Node) -> Node:
        for part in data.choice.split(AIMED_AT) if data.choice else (data.cards,):
            node = study.play(node, part)
        return node

    return await desk.change(data, play, marked=data.cards)


@post("/study/{study_id:str}/note")
async def write_note(data: URLEncodedBody[NoteForm], desk: NamedDependency[Desk]) -> Response[str] | Redirect:
    """Save the comment on a moment, and the title."""

    def note(study: Study, node: Node) -> Node:
        node.comment, study.title = clean_comment(data.comment), clean_title(data.title)
        return node

    return await desk.change(data, note, typed=data.comment)


@post("/study/{study_id:str}/line")
async def change_line(
    data: URLEncodedBody[LineForm], desk: NamedDependency[Desk]
) -> Response[str] | Redirect:
    """Promote the variation of a moment, or delete a moment with all that follows."""

    def promote(study: Study, node: Node) -> Node:
        study.promote(node)
        return node

    changes = {"promote": promote, "delete": Study.delete}
    if data.do not in changes:
        raise ClientException
    return await desk.change(data, changes[data.do])


@post("/study/{study_id:str}/copy")
async def copy(
    desk: NamedDependency[Desk],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    """A copy of a study, which belongs to the visitor."""
    record = (await desk.study()).record()
    study_id = await create_study(desk.tables, owner, record)
    return redirect_with_token(f"/study/{study_id}", token, config)


@post("/study/{study_id:str}/delete")
async def delete(desk: NamedDependency[Desk]) -> Redirect:
    if not desk.is_own:
        raise StudyRejected("owner")
    await desk.tables.store.studies.delete(desk.row.id)
    return redirect("/study")


@post("/study/{study_id:str}/think", status_code=200)
async def think(
    data: URLEncodedBody[ThinkForm],
    desk: NamedDependency[Desk],
    network: NamedDependency[str],
    ponderer: NamedDependency[Ponderer],
) -> Response[str]:
    """What the network and the search think of a moment, with what the seat could know or with open cards."""
    study, tr = await desk.study(), desk.tr
    at, open_cards = min(max(data.at, 0), len(study.nodes) - 1), data.how == "open"
    game, thoughts = study.game(study.nodes[at]), None
    if not game.over:
        caller = desk.visitor.owner or network or desk.row.id
        pondered = await ponderer.pondered(desk.tables, caller, game, open_cards=open_cards)
        thoughts = panel_of(game, pondered, names_in_study(game, tr), tr, open_cards=open_cards)
    return await desk.show(Moment(at, data.closed == "true"), thoughts=thoughts)


ROUTES: Final = (
    studies,
    set_up,
    arrange,
    create,
    upload,
    show,
    download,
    move,
    write_note,
    change_line,
    copy,
    delete,
    think,
)

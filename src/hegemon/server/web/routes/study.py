"""A study: try lines from its position, comment on them, share them, and evaluate them with a search."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import ClientException
from litestar.params import FromPath, QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.notation.errors import NotationError
from hegemon.play.legality import IllegalMoveError
from hegemon.play.study import Node, Study, StudyFull
from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.rows import StudyRow
from hegemon.server.errors import move_rejection_text
from hegemon.server.studies import (
    StudyRejected,
    clean_comment,
    clean_title,
    create_study,
    load_study,
    read_study,
    save_study,
)
from hegemon.server.tables.page_moves import TARGET_SEPARATOR
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.web.forms import (
    LineForm,
    MomentForm,
    NoteForm,
    StudyMoveForm,
    ThinkForm,
)
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.study import StudyPages
from hegemon.server.web.views.study import shown_names as names_in_study
from hegemon.server.web.views.thoughts import StudyEvaluator, panel_of


def changed_study(row: StudyRow, at: int, change: Callable[[Study, Node], Node]) -> tuple[Study, Node, bool]:
    """A study after a change at a node, the node to show next, and whether anything has changed."""
    study = read_study(row)
    before, nodes = study.record(), study.nodes
    node = change(study, nodes[min(at, len(nodes) - 1)])
    return study, node, study.record() != before


@dataclass(frozen=True)
class StudyMoment:
    """A node of a study by its number, and whether the hands of the other seats are hidden."""

    at: int = 0
    closed: bool = False


@dataclass(frozen=True)
class StudyContext:
    """The context of a request about a study."""

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

    async def show(self, moment: StudyMoment, status: int = 200, **extra: Any) -> Response[str]:
        """The page of a moment of the stored study."""
        study = await self.study()
        html = self.pages.study(
            self.visitor,
            self.row,
            study,
            moment.at,
            open_cards=not moment.closed,
            base=self.base_url,
            **extra,
        )
        return page(html, status)

    async def change(
        self,
        data: MomentForm,
        change: Callable[[Study, Node], Node],
        **typed: Any,
    ) -> Response[str] | Redirect:
        """Change a study and go to a moment of it; if that fails, show the page with the entered text."""
        moment = StudyMoment(max(data.at, 0), data.closed == "true")
        try:
            if not self.is_own:
                raise StudyRejected("owner")
            if data.version != self.row.version:
                raise StudyRejected("stale")
            study, node, is_new = await asyncio.to_thread(changed_study, self.row, moment.at, change)
            if is_new:
                await save_study(self.tables, self.row, study)
        except StudyFull:
            return await self.reject(StudyRejected("full"), moment, **typed)
        except StudyRejected as error:
            return await self.reject(error, moment, **typed)
        except (IllegalMoveError, NotationError) as error:
            return await self.show(moment, 422, notice=move_rejection_text(error, self.tr), **typed)
        at = next(number for number, one in enumerate(study.nodes) if one is node)
        return redirect(f"/study/{self.row.id}?at={at}{'&closed=true' if moment.closed else ''}")

    async def reject(self, error: StudyRejected, moment: StudyMoment, **typed: Any) -> Response[str]:
        """The study as it is stored now, and why it was not changed."""
        context = replace(self, row=await load_study(self.tables, self.row.id))
        return await context.show(moment, error.status, notice=self.tr.text(error.sentence), **typed)


async def provide_study_context(
    study_id: FromPath[str],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    study_pages: NamedDependency[StudyPages],
    base_url: NamedDependency[str],
) -> StudyContext:
    row = await load_study(tables, study_id)
    return StudyContext(row, visitor, tr, tables, study_pages, base_url)


@get("/study/{study_id:str}")
async def show(
    context: NamedDependency[StudyContext],
    at: Annotated[int, QueryParameter(ge=0, le=10_000)] = 0,
    closed: Annotated[bool, QueryParameter()] = False,
) -> Response[str]:
    """A moment of a study, with all cards open or as the seat to move could know them."""
    return await context.show(StudyMoment(at, closed))


@get("/study/{study_id:str}/record")
async def download(context: NamedDependency[StudyContext]) -> Response[str]:
    return Response(
        context.row.record,
        media_type="application/toml",
        headers={"Content-Disposition": f'attachment; filename="hegemon-study-{context.row.id}.toml"'},
    )


@post("/study/{study_id:str}/move")
async def move(
    data: URLEncodedBody[StudyMoveForm], context: NamedDependency[StudyContext]
) -> Response[str] | Redirect:
    """Try a choice; one that was tried before leads to the existing node."""

    def play(study: Study, node: Node) -> Node:
        for part in data.choice.split(TARGET_SEPARATOR) if data.choice else (data.cards,):
            node = study.play(node, part)
        return node

    return await context.change(data, play, marked=data.cards)


@post("/study/{study_id:str}/note")
async def write_note(
    data: URLEncodedBody[NoteForm], context: NamedDependency[StudyContext]
) -> Response[str] | Redirect:
    """Save the comment on a moment, and the title."""

    def note(study: Study, node: Node) -> Node:
        node.comment, study.title = clean_comment(data.comment), clean_title(data.title)
        return node

    return await context.change(data, note, typed=data.comment)


@post("/study/{study_id:str}/line")
async def change_line(
    data: URLEncodedBody[LineForm], context: NamedDependency[StudyContext]
) -> Response[str] | Redirect:
    """Promote the variation of a moment, or delete a moment with all that follows."""

    def promote(study: Study, node: Node) -> Node:
        study.promote(node)
        return node

    changes = {"promote": promote, "delete": Study.delete}
    if data.do not in changes:
        raise ClientException
    return await context.change(data, changes[data.do])


@post("/study/{study_id:str}/copy")
async def copy(
    context: NamedDependency[StudyContext],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    """A copy of a study, which belongs to the visitor."""
    record = (await context.study()).record()
    study_id = await create_study(context.tables, owner, record)
    return redirect_with_token(f"/study/{study_id}", token, config)


@post("/study/{study_id:str}/delete")
async def delete(context: NamedDependency[StudyContext]) -> Redirect:
    if not context.is_own:
        raise StudyRejected("owner")
    await context.tables.store.studies.delete(context.row.id)
    return redirect("/study")


@post("/study/{study_id:str}/think", status_code=200)
async def think(
    data: URLEncodedBody[ThinkForm],
    context: NamedDependency[StudyContext],
    network: NamedDependency[str],
    study_evaluator: NamedDependency[StudyEvaluator],
) -> Response[str]:
    """The evaluation of a moment by the network and the search, with the knowledge of the seat or with open cards."""
    study, tr = await context.study(), context.tr
    at, open_cards = min(max(data.at, 0), len(study.nodes) - 1), data.how == "open"
    game, thoughts = study.game(study.nodes[at]), None
    if not game.over:
        caller = context.visitor.owner or network or context.row.id
        evaluation = await study_evaluator.evaluate(context.tables, caller, game, open_cards=open_cards)
        thoughts = panel_of(game, evaluation, names_in_study(game, tr), tr, open_cards=open_cards)
    return await context.show(StudyMoment(at, data.closed == "true"), thoughts=thoughts)


ROUTES: Final = (show, download, move, write_note, change_line, copy, delete, think)

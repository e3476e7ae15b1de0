"""All hands for those who look on, where the host has laid the table so: the whole table as it was some rounds ago."""

from typing import Annotated, Any, Final

from litestar import Request, Response, Router, get
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect, Stream
from markupsafe import Markup

from hegemon.notation.record import Record
from hegemon.play.game import Game
from hegemon.prose.translator import get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.sse import event_stream
from hegemon.server.tables.registry import Table
from hegemon.server.tables.seats import color_of
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.responses import page
from hegemon.server.web.session import Visitor, visitor_of
from hegemon.server.web.sse import Elsewhere, Regions, changes
from hegemon.server.web.views.pages import Pages
from hegemon.server.web.views.presence import hands_in_words
from hegemon.views import TableInfo, game_table

#: What is drawn of a table of then; what an effect needs is a matter of now.
_SHOWN: Final = ("status", "other1", "other2", "other3", "other4", "hand", "pile", "majority", "log")


def plays(table: Table, visitor: Visitor) -> bool:
    """Whether somebody holds a seat here, so that the hands of the others are not for them."""
    return bool(table.seats_of(visitor.owner or ""))


def check_spectator(table: Table, visitor: Visitor) -> None:
    """Refuse whoever may not see all hands, not even later."""
    if not table.options.spectator_delay:
        raise HTTPException(REJECTIONS["hands"], status_code=403)
    if plays(table, visitor):
        raise HTTPException(REJECTIONS["own-hands"], status_code=403)


def record_for(table: Table, visitor: Visitor) -> Record:
    """The record that somebody may step through: the whole of it when the game is over, before that as far as shown."""
    if table.game.over:
        return table.game.record()
    then = None if plays(table, visitor) else table.delayed_game()
    if then is None:
        raise HTTPException(REJECTIONS["record"], status_code=403)
    return then.record()


class WatchingPages(Pages):
    """Draws a table as it was some rounds ago, with all hands open."""

    def hands(self, table: Table, visitor: Visitor) -> str:
        """The page of that table, or one that says when there will be something to see."""
        then, tr = table.delayed_game(), get_translator(visitor.language)
        if then is None:
            return self._draw(
                "early.html", visitor, id=table.id, hands=hands_in_words(table.options.spectator_delay, tr)
            )
        regions = self.regions_of_then(table, then, visitor)
        return self._draw(
            "hands.html",
            visitor,
            id=table.id,
            players=table.game.players,
            names=table.game.names,
            regions={name: Markup(html) for name, html in regions.items()},
        )

    def regions_of_then(self, table: Table, then: Game, visitor: Visitor) -> Regions:
        """The parts of that page, each by its name."""
        tr = get_translator(visitor.language)
        seats = range(then.players)
        info = TableInfo(
            "",
            len(then.moves),
            tuple(row.bot for row in table.seats),
            tuple(color_of(table.seats, seat) for seat in seats),
        )
        model = game_table(then, SPECTATOR, info=info, open_hands=True)
        drawn = self._regions(then, model, visitor)
        question = self._draw(
            "regions/hindsight.html",
            visitor,
            id=table.id,
            moment=len(then.moves),
            before=tr.text(
                "As it was before the turn of {name} in round {number}",
                name=model.names[model.view.seat],
                number=model.view.round,
            ),
            hands=hands_in_words(table.options.spectator_delay, tr),
        )
        return {name: drawn[name] for name in _SHOWN if name in drawn} | {"question": question}


@get("/games/{game_id:str}/hands")
async def hands(
    request: Request[Any, Any, State], game_id: FromPath[str], state: State
) -> Response[str] | Redirect:
    """All hands, as they were some rounds ago; when the game is over everything is open anyway."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    if table.game.over:
        return Redirect(f"/games/{game_id}", status_code=303)
    check_spectator(table, visitor)
    return page(state.watching.hands(table, visitor))


@get("/games/{game_id:str}/hands/stream")
async def hands_stream(
    request: Request[Any, Any, State],
    game_id: FromPath[str],
    state: State,
    early: Annotated[bool, QueryParameter()] = False,
) -> Stream:
    """That page as it changes, a turn at a time; a page that had nothing to show yet is sent to the one that has."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    check_spectator(table, visitor)
    pages: WatchingPages = state.watching

    def render() -> Regions:
        if table.game.over or plays(table, visitor):
            raise Elsewhere(f"/games/{table.id}")
        then = table.delayed_game()
        if then is None:
            return {}
        if early:
            raise Elsewhere(f"/games/{table.id}/hands")
        return pages.regions_of_then(table, then, visitor)

    def moment() -> int:
        then = table.delayed_game()
        return len(then.moves) if then is not None else 0

    return event_stream(state.tables, table, (), changes(table, render, count=moment))


ROUTES: Final = Router("/", route_handlers=[hands, hands_stream], include_in_schema=False)

"""The pages of the delayed view: the whole table some rounds ago, with all hands open."""

from typing import Final

from litestar.exceptions import HTTPException
from markupsafe import Markup

from hegemon.play.game import Game
from hegemon.prose.translator import get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.tables.seats import color_of, shown_names
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.session import Visitor
from hegemon.server.web.sse import Regions
from hegemon.server.web.views.presence import delay_text
from hegemon.server.web.views.story import StoryRenderer
from hegemon.server.web.views.table import TablePages
from hegemon.views import TableInfo, game_table

#: The regions of a delayed view, without the reference board, which depends on the current question.
_REGIONS: Final = ("status", "other1", "other2", "other3", "other4", "hand", "pile", "majority", "log")


def game_for(table: Table, visitor: Visitor) -> Game:
    """The game that a visitor may replay: a finished one, or for spectators up to the delayed view."""
    if table.game.over:
        return table.game
    delayed = None if visitor.seats_at(table) else table.delayed_game()
    if delayed is None:
        raise HTTPException(REJECTIONS["record"], status_code=403)
    return delayed


class SpectatorPages(TablePages):
    def hands(self, table: Table, visitor: Visitor) -> str:
        """All hands, or a page that waits for them."""
        delayed, tr = table.delayed_game(), get_translator(visitor.language)
        if delayed is None:
            hands = delay_text(table.options.spectator_delay, tr)
            return self._render("early.html", visitor, id=table.id, hands=hands)
        regions = self.delayed_regions(table, delayed, visitor)
        return self._render(
            "hands.html",
            visitor,
            id=table.id,
            players=table.game.players,
            names=shown_names(table, tr),
            regions={name: Markup(html) for name, html in regions.items()},
        )

    def delayed_regions(self, table: Table, delayed: Game, visitor: Visitor) -> Regions:
        tr = get_translator(visitor.language)
        info = TableInfo(
            "",
            len(delayed.moves),
            tuple(row.bot for row in table.seats),
            tuple(color_of(table.seats, seat) for seat in range(delayed.players)),
        )
        names = shown_names(table, tr)
        model = game_table(delayed, SPECTATOR, info=info, open_hands=True, names=names)
        regions = self._regions(delayed, model, visitor, moments=f"/games/{table.id}/replay?seat=5&at=")
        question = self._render(
            "regions/delayed.html",
            visitor,
            id=table.id,
            ply=len(delayed.moves),
            before=tr.text(
                "As it was before {name}’s turn in round {number}",
                name=model.names[model.view.seat],
                number=model.view.round,
            ),
            hands=delay_text(table.options.spectator_delay, tr),
        )
        return {
            **{name: regions[name] for name in _REGIONS if name in regions},
            "question": question,
            "moment": StoryRenderer(delayed, model, visitor.language).turn(self._renderer),
        }

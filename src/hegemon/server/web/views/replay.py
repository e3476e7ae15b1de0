"""The page of a replay: one ply of a game from any side, and where its steps lead."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from markupsafe import Markup

from hegemon.play.events import TurnBegan
from hegemon.play.game import Game
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.tables.seats import color_of, shown_names
from hegemon.server.tables.table import Table
from hegemon.server.texts import LEVELS
from hegemon.server.web.session import SETTINGS, Visitor
from hegemon.server.web.sse import Regions
from hegemon.server.web.views.pages import Pages
from hegemon.server.web.views.pictures import HEIGHT, WIDTH
from hegemon.server.web.views.regions import where
from hegemon.server.web.views.story import narrator_for
from hegemon.views import TableInfo, TableView, game_table
from hegemon.views.drawing import draw_preview

#: The perspective of a replay with all hands open.
ALL_OPEN: Final = 5

#: The regions of a table that a replay does not have.
_OF_PLAYERS: Final = ("question", "board")


@dataclass(frozen=True)
class Steps:
    """The plies to which the links of a replay lead."""

    at: int
    last: int
    previous_turn: int
    next_turn: int
    previous_round: int
    next_round: int


def steps_of(game: Game, at: int) -> Steps:
    """The beginnings of the turns and rounds before and after a ply; at the ends, the first and the last ply."""
    turns = {ply: begun.round for ply in game.turn_starts for begun in _turns_in(game, ply)}
    rounds = {number: ply for ply, number in reversed(turns.items())}
    last = len(game.moves)
    return Steps(
        at,
        last,
        _before(turns, at),
        _after(turns, at, last),
        _before(rounds.values(), at),
        _after(rounds.values(), at, last),
    )


def _turns_in(game: Game, ply: int) -> list[TurnBegan]:
    return [event for event in game.events_at(ply) if isinstance(event, TurnBegan)]


def _before(stops: Iterable[int], at: int) -> int:
    return max((stop for stop in stops if stop < at), default=0)


def _after(stops: Iterable[int], at: int, last: int) -> int:
    return min((stop for stop in stops if stop > at), default=last)


@dataclass(frozen=True)
class Perspective:
    """From where a replay is seen: a seat (1 to 4), as a spectator (0), or with all hands open (5)."""

    number: int

    @property
    def viewer(self) -> int:
        return SPECTATOR if self.all_open else self.number - 1

    @property
    def all_open(self) -> bool:
        return self.number == ALL_OPEN


def perspective_of(table: Table, visitor: Visitor, wanted: int | None) -> Perspective:
    """The perspective that a visitor wants, or else the visitor's own seat."""
    own = visitor.seats_at(table)
    if wanted is None:
        return Perspective(own[0] + 1 if own else 0)
    return Perspective(wanted if wanted == ALL_OPEN or wanted <= table.game.players else 0)


def model_at(table: Table, game: Game, seen: Perspective, tr: Translator) -> TableView:
    """The table as it is seen from a perspective, without choices."""
    info = TableInfo(
        "",
        len(game.moves),
        tuple(row.bot for row in table.seats),
        tuple(color_of(table.seats, seat) for seat in range(game.players)),
    )
    memory = game.memory(seen.viewer) if seen.viewer != SPECTATOR else None
    names = shown_names(table, tr)
    model = game_table(game, seen.viewer, info=info, memory=memory, open_hands=seen.all_open, names=names)
    return replace(model, choices=(), can_undo=False)


class ReplayPages(Pages):
    def replay(
        self, table: Table, game: Game, visitor: Visitor, at: int, seen: Perspective, base: str
    ) -> "Step":
        """One ply of a finished game, or of one in progress as far as spectators may see it."""
        offered = (*range(game.players + 1), ALL_OPEN)
        return Step(self, table, game, visitor, min(at, len(game.moves)), seen, offered, "replay", base)

    def moment(self, table: Table, visitor: Visitor, at: int, seat: int) -> "Step":
        """One ply of a game in progress, as a seat of the visitor's saw it (1 to 4), or a spectator (0)."""
        game, offered = table.game, (0, *(own + 1 for own in visitor.seats_at(table)))
        ply, seen = min(at, len(game.moves)), Perspective(seat)
        return Step(self, table, game, visitor, ply, seen, offered, "moment", "")

    def render(self, template: str, visitor: Visitor, **facts: Any) -> str:
        return self._render(template, visitor, **facts)

    def table_regions(self, game: Game, model: TableView, visitor: Visitor, moments: str) -> Regions:
        return self._regions(game, model, visitor, moments=moments)


class Step:
    """One ply of a game from one side: a whole page, or for its script the regions of it."""

    def __init__(
        self,
        pages: ReplayPages,
        table: Table,
        game: Game,
        visitor: Visitor,
        ply: int,
        seen: Perspective,
        offered: tuple[int, ...],
        page: str,
        base: str,
    ) -> None:
        self._pages = pages
        self._table = table
        self._visitor = visitor
        self._seen = seen
        self._offered = offered
        self._base = base
        self._tr = get_translator(visitor.language)
        self._steps = steps_of(game, ply)
        self._game = game.at(ply)
        self._model = model_at(table, self._game, seen, self._tr)
        self._page = page
        self._path = f"/games/{table.id}/{page}"

    def regions(self) -> Regions:
        moments = f"{self._path}?seat={self._seen.number}&at="
        regions = self._pages.table_regions(self._game, self._model, self._visitor, moments)
        shown = {name: html for name, html in regions.items() if name not in _OF_PLAYERS}
        return shown | {name: self._region(name) for name in ("told", "steps", "share")}

    def html(self) -> str:
        regions = {name: Markup(html) for name, html in self.regions().items()}
        return self._pages.render(
            "replay.html", self._visitor, regions=regions, settings=SETTINGS, **self._facts()
        )

    def picture(self) -> str:
        """The position as an SVG, with the sentences of the last move."""
        return draw_preview(self._model, self._sentences(), WIDTH, HEIGHT)

    @property
    def link(self) -> str:
        """A link to exactly this moment and view."""
        return f"{self._base}{self._address('')}"

    def _address(self, part: str) -> str:
        return f"{self._path}{part}?seat={self._seen.number}&at={self._steps.at}"

    def _region(self, name: str) -> str:
        return self._pages.render(f"regions/{name}.html", self._visitor, **self._facts())

    def _facts(self) -> dict[str, Any]:
        tr, seen, names = self._tr, self._seen, self._model.names
        table = f"/games/{self._table.id}"
        texts = dict(enumerate((tr.text("a spectator"), *names))) | {ALL_OPEN: tr.text("all cards open")}
        own = self._visitor.seats_at(self._table)
        return {
            "t": self._model,
            "id": self._table.id,
            "path": self._path,
            "seat": seen.number,
            "steps": self._steps,
            "where": where(self._model, tr),
            "sentences": self._sentences(),
            "perspectives": [(value, texts[value]) for value in self._offered],
            "can_open": ALL_OPEN in self._offered,
            "closed": own[0] + 1 if own else 0,
            "as_seen": self._page == "moment",
            "over": self._table.game.over,
            "back": f"{table}?seat={seen.number}" if seen.viewer != SPECTATOR else table,
            "link": self.link,
            "code": self._address("/code.svg"),
            "picture": f"{self._base}{self._address('/picture.png')}",
            "size": (WIDTH, HEIGHT),
            "bots": [(bot, tr.bots[bot]) for bot in LEVELS],
            "players": list(enumerate(names, 1)),
            "player": seen.number if seen.viewer != SPECTATOR else own[0] + 1 if own else 1,
        }

    def _sentences(self) -> list[str]:
        """What the last move did; between the cards of a set, the last sentence before."""
        game, viewer = self._game, self._model.viewer
        narrator, ply = narrator_for(self._model, self._tr), self._steps.at
        sentences = narrator.narrate(game.events_at(ply, None if self._seen.all_open else viewer))
        if ply and not sentences:
            sentences = narrator.narrate(game.events_seen_by(viewer))[-1:]
        return sentences

"""The page of a replay: one ply of a game from any perspective, and links to others."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from markupsafe import Markup

from hegemon.analysis import Analysis
from hegemon.play.events import TurnBegan
from hegemon.play.game import Game
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.tables.analyst import AnalysisJob
from hegemon.server.tables.seats import color_of, shown_names
from hegemon.server.tables.table import Table
from hegemon.server.texts import LEVELS
from hegemon.server.web.render import Preview
from hegemon.server.web.session import SETTINGS, Visitor
from hegemon.server.web.sse import Regions
from hegemon.server.web.views.analysis import Reading, decisive_ply
from hegemon.server.web.views.pictures import HEIGHT, WIDTH
from hegemon.server.web.views.previews import embed_path, snippet
from hegemon.server.web.views.regions import round_label
from hegemon.server.web.views.story import narrator_for
from hegemon.server.web.views.table import TablePages
from hegemon.views import TableInfo, TableView, game_table
from hegemon.views.drawing import draw_preview, draw_themed

#: The perspective of a replay with all hands open.
ALL_OPEN: Final = 5

#: The regions of a table that a replay does not have.
_PLAYER_REGIONS: Final = ("question", "board")

#: The regions that show an analysis, even while it is being computed.
_ANALYSIS_REGIONS: Final = ("chances", "report")


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
    turns = turns_of(game)
    rounds = {number: ply for ply, number in reversed(turns.items())}
    last = len(game.moves)
    return Steps(
        at,
        last,
        _previous(turns, at),
        _next(turns, at, last),
        _previous(rounds.values(), at),
        _next(rounds.values(), at, last),
    )


def turns_of(game: Game) -> dict[int, int]:
    """The rounds of all turns, by the plies at which they begin."""
    return {
        ply: event.round
        for ply in game.turn_starts
        for event in game.events_at(ply)
        if isinstance(event, TurnBegan)
    }


def _previous(stops: Iterable[int], at: int) -> int:
    return max((stop for stop in stops if stop < at), default=0)


def _next(stops: Iterable[int], at: int, last: int) -> int:
    return min((stop for stop in stops if stop > at), default=last)


@dataclass(frozen=True)
class Perspective:
    """The perspective of a replay: a seat (1 to 4), a spectator (0), or all hands open (5)."""

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
    """The table as seen from a perspective, without choices."""
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


@dataclass(frozen=True)
class Replay:
    """A game that a visitor views, with its analysis so far."""

    table: Table
    game: Game
    """The whole game, or its beginning if the visitor may not see more."""
    visitor: Visitor
    seen: Perspective
    base: str = ""
    """The URL of the server, for links."""
    analysis: Analysis | None = None
    job: AnalysisJob | None = None
    """The computation of the analysis, if it is under way."""
    is_live: bool = False
    """Whether the game is still in progress, and the visitor looks back from a seat or as a spectator."""
    decides: bool = False
    """Whether the page goes to the costliest choice as soon as the analysis is ready."""

    @property
    def path(self) -> str:
        return f"/games/{self.table.id}/{'moment' if self.is_live else 'replay'}"

    @property
    def offered(self) -> tuple[int, ...]:
        """The perspectives that the visitor may choose."""
        if self.is_live:
            return (0, *(own + 1 for own in self.visitor.seats_at(self.table)))
        return (*range(self.game.players + 1), ALL_OPEN)

    def decisive_ply(self) -> int:
        """The ply before the choice that cost this perspective most, or else the visitor; the last one if unknown."""
        result, seats = self.game.result, self.visitor.seats_at(self.table)
        found = None
        if self.analysis is not None and result is not None:
            own = (self.seen.viewer,) if self.seen.viewer != SPECTATOR else seats
            found = decisive_ply(self.analysis, result, own)
        return len(self.game.moves) if found is None else found

    @property
    def own(self) -> int:
        """The visitor's first seat, from 1; 0 without one."""
        return next((seat + 1 for seat in self.visitor.seats_at(self.table)), 0)


class ReplayPages(TablePages):
    def step(self, replay: Replay, at: int) -> "ReplayStep":
        """One ply of a game, or the last one if there are fewer."""
        return ReplayStep(self, replay, min(at, len(replay.game.moves)))

    def analysis(self, replay: Replay) -> Regions:
        """The regions of an analysis that is being computed."""
        step = self.step(replay, 0)
        return {name: step.region(name) for name in _ANALYSIS_REGIONS}

    def render(self, template: str, visitor: Visitor, **facts: Any) -> str:
        return self._render(template, visitor, **facts)

    def table_regions(self, game: Game, model: TableView, visitor: Visitor, moments: str) -> Regions:
        return self._regions(game, model, visitor, moments=moments)


class ReplayStep:
    """One ply of a game from one perspective: a whole page, or its regions for the script of the page."""

    def __init__(self, pages: ReplayPages, replay: Replay, ply: int) -> None:
        self._pages = pages
        self._replay = replay
        self._seen = replay.seen
        self._tr = get_translator(replay.visitor.language)
        self._steps = steps_of(replay.game, ply)
        self._game = replay.game.at(ply)
        self._model = model_at(replay.table, self._game, replay.seen, self._tr)

    def regions(self) -> Regions:
        moments = f"{self._replay.path}?seat={self._seen.number}&at="
        regions = self._pages.table_regions(self._game, self._model, self._replay.visitor, moments)
        shown = {name: html for name, html in regions.items() if name not in _PLAYER_REGIONS}
        return shown | {name: self.region(name) for name in ("told", "steps", "share", *_ANALYSIS_REGIONS)}

    def html(self) -> str:
        regions = {name: Markup(html) for name, html in self.regions().items()}
        return self._pages.render(
            "replay.html",
            self._replay.visitor,
            regions=regions,
            settings=SETTINGS,
            preview=self._preview() if self._replay.table.game.over else Preview(),
            **self._facts,
        )

    def embedded(self, theme: str) -> str:
        """The page for a frame of another site."""
        replay = self._replay
        return self._pages.render(
            "embed.html",
            replay.visitor,
            theme=theme,
            drawing=Markup(draw_themed(self._model)),
            **self._facts,
        )

    def _preview(self) -> Preview:
        return Preview(
            f"{' · '.join(self._model.names)} · {round_label(self._model, self._tr)}",
            " ".join(self._sentences()) or self._tr.text("The cards have been dealt."),
            self._address(""),
            f"{self._address('/picture.png')}&lang={self._tr.code}",
        )

    def picture(self) -> str:
        """The position as an SVG, with the sentences of the last move."""
        return draw_preview(self._model, self._sentences(), WIDTH, HEIGHT)

    @property
    def link(self) -> str:
        """A link to exactly this moment and view."""
        return f"{self._replay.base}{self._address('')}"

    def _address(self, part: str) -> str:
        return f"{self._replay.path}{part}?seat={self._seen.number}&at={self._steps.at}"

    def _snippet(self) -> str:
        path = embed_path(self._replay.table.id, self._seen.number, self._steps.at, self._tr.code)
        return snippet(f"{self._replay.base}{path}", " · ".join(self._model.names))

    def region(self, name: str) -> str:
        """A region; the regions of a complete analysis are shared by all plies and readers."""
        replay = self._replay

        def draw() -> str:
            return self._pages.render(f"regions/{name}.html", replay.visitor, **self._facts)

        if replay.analysis is None or name not in _ANALYSIS_REGIONS:
            return draw()
        return replay.table.cached((name, self._seen.number, replay.visitor.language), draw)

    @cached_property
    def _facts(self) -> dict[str, Any]:
        tr, seen, names, replay = self._tr, self._seen, self._model.names, self._replay
        table = f"/games/{replay.table.id}"
        texts = dict(enumerate((tr.text("a spectator"), *names))) | {ALL_OPEN: tr.text("all cards open")}
        is_seat, reading = seen.viewer != SPECTATOR, self._reading()
        return {
            "t": self._model,
            "id": replay.table.id,
            "path": replay.path,
            "seat": seen.number,
            "steps": self._steps,
            "where": round_label(self._model, tr),
            "sentences": self._sentences(),
            "perspectives": [(value, texts[value]) for value in replay.offered],
            "can_open": ALL_OPEN in replay.offered,
            "closed": replay.own,
            "as_seen": replay.is_live,
            "over": replay.table.game.over,
            "back": f"{table}?seat={seen.number}" if is_seat else table,
            "link": self.link,
            "code": self._address("/code.svg"),
            "snippet": self._snippet(),
            "bots": [(bot, tr.bots[bot]) for bot in LEVELS],
            "players": list(enumerate(names, 1)),
            "player": seen.number if is_seat else replay.own or 1,
            "reading": reading,
            "computing": replay.job is not None and replay.analysis is None,
            "failed": replay.job is not None and replay.job.failed,
            "decides": replay.decides,
            **self._stops(reading),
        }

    def _reading(self) -> Reading | None:
        """The analysis as the perspective reads it: with open cards, or as each seat could know it."""
        replay = self._replay
        analysis = replay.analysis or (replay.job.analysis if replay.job is not None else None)
        if analysis is None or not analysis.chances:
            return None
        colors = [color_of(replay.table.seats, seat) for seat in range(replay.game.players)]
        turns, names = turns_of(replay.game), self._model.names
        return Reading(analysis, replay.game, turns, names, colors, self._tr, is_open=replay.seen.all_open)

    def _stops(self, reading: Reading | None) -> dict[str, Any]:
        """The listed moments before and after this one, and the next choice if it was a mistake."""
        at, stops = self._steps.at, reading.stops if reading is not None else []
        judged = reading is not None and not reading.is_open
        return {
            "previous_stop": max((stop for stop in stops if stop < at), default=None),
            "next_stop": min((stop for stop in stops if stop > at), default=None),
            "mistake": reading.mistake_after(at) if judged and reading is not None else None,
        }

    def _sentences(self) -> list[str]:
        """The sentences about the last move; between the cards of a set, the last sentence before it."""
        game, viewer = self._game, self._model.viewer
        narrator, ply = narrator_for(self._model, self._tr), self._steps.at
        sentences = narrator.narrate(game.events_at(ply, None if self._seen.all_open else viewer))
        if ply and not sentences:
            sentences = narrator.narrate(game.events_seen_by(viewer))[-1:]
        return sentences

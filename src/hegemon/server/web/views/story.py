"""The story of a game in the reader's language: the log, a recap of the others' moves, the last move, the ending."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from hegemon.notation.record import Result
from hegemon.play.events import Event, GameEnded, PutEmbargo, TurnBegan
from hegemon.play.game import Game
from hegemon.prose.narration import NarrationLine, Narrator
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.actions import Effect
from hegemon.rules.cards import LETTERS, Domain
from hegemon.rules.view import SPECTATOR
from hegemon.server.web.render import RendersRegions
from hegemon.server.web.sse import Regions
from hegemon.views import CardView, TableView
from hegemon.views.story import ColumnChange, Flight, LastMove, TurnAction, last_move, recap

#: The turns in the log; the replay shows all of them.
_MAX_LOG_TURNS: Final = 12


def narrator_for(model: TableView, tr: Translator) -> Narrator:
    reader = model.viewer if model.viewer != SPECTATOR else None
    return Narrator(model.names, reader, teams=bool(model.view.teams), tr=tr)


# ------------------------------------------------------------------ the log


class LogLine(NamedTuple):
    """A sentence of the log, with the number of moves after which it was true."""

    text: str
    ply: int


LogTurn = tuple[LogLine, ...]


def lines_with_notes(
    narrator: Narrator, events: Sequence[Event], notes: Sequence[tuple[int, str]]
) -> list[list[NarrationLine]]:
    """The lines of each turn, with notes at the numbers of events after which they belong, if not negative."""
    turns: list[list[NarrationLine]] = []
    cuts = [(at, [NarrationLine(note, min(at, len(events)))]) for at, note in notes if at >= 0]
    start = 0
    for at, note in (*cuts, (len(events), [])):
        part = events[start:at]
        lines = [
            [NarrationLine(text, start + number) for text, number in turn]
            for turn in narrator.lines_by_turn(part)
        ]
        if turns and lines and not isinstance(part[0], TurnBegan):
            turns[-1] += lines.pop(0)
        turns += lines
        start = max(start, min(at, len(events)))
        if note:
            turns[-1:] = [[*turns[-1], *note]] if turns else [note]
    return turns


class TurnLog:
    """The last turns of a game for one reader, as HTML. A turn that is over is narrated and rendered once."""

    def __init__(self, render: Callable[[LogTurn], Markup]) -> None:
        self._render = render
        self._over: dict[int, tuple[tuple[Event, ...], tuple[Markup, ...]]] = {}
        """By the ply at which a turn began: the events of the move that ended it, and the rendered turn."""

    def turns(self, game: Game, narrator: Narrator, notes: Sequence[tuple[int, str]]) -> tuple[Markup, ...]:
        """The turns, the latest first; notes belong after the numbers of events that come with them."""
        starts = game.turn_starts
        starts = starts[-_MAX_LOG_TURNS:] if len(starts) > _MAX_LOG_TURNS else (0, *filter(None, starts))
        if notes:  # they are rare, and shift what belongs to a turn
            return self._rendered(_lines(game, narrator, starts[0], None, notes))
        ends = (*starts[1:], None)
        turns = [self._turn(game, narrator, start, end) for start, end in zip(starts, ends, strict=True)]
        return tuple(html for turn in reversed(turns) for html in turn)

    def _turn(self, game: Game, narrator: Narrator, start: int, end: int | None) -> tuple[Markup, ...]:
        if end is None:
            return self._rendered(_lines(game, narrator, start, None))
        # A move that was undone and made again has new events, even if they are the same.
        last = game.events_at(end)
        known = self._over.get(start)
        if known is None or known[0] is not last:
            if len(self._over) > 2 * _MAX_LOG_TURNS:
                self._over.clear()
            known = self._over[start] = last, self._rendered(_lines(game, narrator, start, end))
        return known[1]

    def _rendered(self, turns: Sequence[LogTurn]) -> tuple[Markup, ...]:
        return tuple(map(self._render, reversed(turns)))


def _lines(
    game: Game, narrator: Narrator, start: int, end: int | None, notes: Sequence[tuple[int, str]] = ()
) -> list[LogTurn]:
    """The turns that began between two moves, each line with the ply that it describes."""
    viewer = SPECTATOR if narrator.reader is None else narrator.reader
    seen: list[tuple[int, Event]] = []
    for ply in range(start, len(game.moves) + 1 if end is None else end + 1):
        events = game.events_at(ply, viewer)
        if ply == start and start:  # the move that begins a turn also ends the one before
            events = events[_beginning(events) :]
        if ply == end:
            events = events[: _beginning(events)]
        seen += [(ply, event) for event in events]
    earlier = len(game.events) - len(seen) if notes else 0
    turns = lines_with_notes(
        narrator, [event for _, event in seen], [(at - earlier, note) for at, note in notes]
    )
    return [
        tuple(LogLine(text, seen[number - 1][0] if number else start) for text, number in turn)
        for turn in turns
    ]


def _beginning(events: Sequence[Event]) -> int:
    """Where the first turn begins among the events of a move."""
    return next(at for at, event in enumerate(events) if isinstance(event, TurnBegan))


# ------------------------------------------------------------------ recap and last move


class PlayerLabel(NamedTuple):
    name: str
    color: int


class RecapEntry(NamedTuple):
    """An action of a player: the card or effect, its targets, and its cost to the reader."""

    ply: int
    player: PlayerLabel
    domain: Domain | None
    label: str
    hit: tuple[PlayerLabel, ...]
    hits_reader: bool
    text: str
    lost: tuple[CardView, ...]
    given: tuple[CardView, ...]
    marked: Domain | None


class Badge(NamedTuple):
    """A short label that is shown for a while at a panel or a column."""

    seat: int
    domain: Domain | None
    emblem: Domain | None
    text: str


class FlightView(NamedTuple):
    origin: str
    target: str
    card: CardView | None
    """None for a card that the reader may not see."""
    age: int
    """0 where backs are not shown."""


def card_view(card: str) -> CardView:
    return CardView(Domain(LETTERS.index(card[0])), int(card[1]))


class StoryRenderer:
    """Renders the recap and the last move of a table for one reader."""

    def __init__(self, game: Game, model: TableView, language: str) -> None:
        self.recap = recap(game, model.viewer)
        self._last_move = last_move(game, model.viewer)
        self._model = model
        self._language = language
        self._tr = get_translator(language)
        self._narrator = narrator_for(model, self._tr)

    def regions(self, renderer: RendersRegions, moments: str) -> Regions:
        """The regions by name; `moments` is the beginning of the addresses to which events link."""
        entries = tuple(self._entry(action) for action in self.recap.actions)
        return {
            "recap": renderer.region(
                "recap",
                self._language,
                entries=entries,
                own=self._model.viewer != SPECTATOR,
                moments=moments,
            ),
            "moment": self.last_move(renderer),
        }

    def last_move(self, renderer: RendersRegions) -> str:
        return renderer.region("moment", self._language, **self._last_move_facts())

    def turn(self, renderer: RendersRegions) -> str:
        """The last turn as one move, for a page that changes turn by turn."""
        said = " ".join(self._entry(action).text for action in self.recap.actions)
        facts = self._last_move_facts() | {"said": said, "sound": "", "badges": (), "flights": ()}
        return renderer.region("moment", self._language, **facts)

    def _player(self, seat: int) -> PlayerLabel:
        return PlayerLabel(self._model.names[seat], self._model.panels[seat].color)

    def _entry(self, action: TurnAction) -> RecapEntry:
        viewer = self._model.viewer
        return RecapEntry(
            action.ply,
            self._player(action.seat),
            _emblem(action),
            self._label(action),
            tuple(self._player(seat) for seat in action.hit),
            hits_reader=viewer in action.hit,
            text=" ".join(self._narrator.narrate(action.events)),
            lost=tuple(map(card_view, action.lost_by(viewer))) if viewer in action.hit else (),
            given=tuple(map(card_view, action.given_to(viewer))) if viewer in action.hit else (),
            marked=action.marked if viewer in action.hit else None,
        )

    def _label(self, action: TurnAction) -> str:
        if action.used is not None:
            return self._tr.effects[action.used.effect]
        return self._tr.card(action.card) if action.card is not None else "–"

    def _last_move_facts(self) -> dict[str, Any]:
        last = self._last_move
        # Whose turn begins is shown, and the question says how the game ended.
        narrated = [event for event in last.events if not isinstance(event, TurnBegan | GameEnded)]
        return {
            "ply": last.ply,
            "seat": last.seat,
            "own": last.seat == self._model.viewer,
            "hits_reader": self._hits_reader(last),
            "sound": last.sound,
            "said": " ".join(self._narrator.narrate(narrated)) if last.ply else "",
            "badges": tuple(self._badges(last)),
            "flights": tuple(map(_flight_view, last.flights)),
        }

    def _hits_reader(self, last: LastMove) -> bool:
        seats = last.action.hit if last.action is not None else ()
        return self._model.viewer in (*seats, last.marker.target if last.marker is not None else None)

    def _badges(self, last: LastMove) -> Iterable[Badge]:
        """The action at the panel of its player, then its effects on columns."""
        if (action := last.action) is not None:
            yield Badge(action.seat, None, _emblem(action), self._label(action))
        if (marker := last.marker) is not None:
            effect = Effect.EMBARGO if isinstance(marker, PutEmbargo) else Effect.DEMOCRACY
            yield Badge(marker.target, marker.domain, effect.domain, self._tr.effects[effect])
        for change in last.changes:
            yield Badge(change.seat, change.domain, None, signed(change))


def signed(change: ColumnChange) -> str:
    return f"+{change.number}" if change.number > 0 else f"−{-change.number}"


def _emblem(action: TurnAction) -> Domain | None:
    if action.used is not None:
        return action.used.effect.domain
    return card_view(action.card).domain if action.card is not None else None


def _flight_view(flight: Flight) -> FlightView:
    card = None if flight.card.startswith("?") else card_view(flight.card)
    age = int(flight.card[1:] or 0) if card is None else card.age
    return FlightView(flight.origin, flight.target, card, age)


# ------------------------------------------------------------------ the ending


class EndingView(NamedTuple):
    """The end of a game, from the reader's perspective."""

    kind: str
    """won, shared or lost; watched for a spectator."""
    text: str
    because: tuple[str, ...]
    column: tuple[CardView, ...]
    """The cards that won by Hegemony; none where majorities were counted."""
    needed: int


def ending_of(result: Result, model: TableView, tr: Translator) -> EndingView:
    column = model.panels[model.view.seat].columns[result.domain] if result.domain is not None else None
    return EndingView(
        _ending_kind(result, model),
        narrator_for(model, tr).ending(GameEnded(result)),
        tuple(because(result, model, tr)),
        tuple(CardView(column.domain, age) for age in column.ages) if column is not None else (),
        column.needed if column is not None else 0,
    )


def _ending_kind(result: Result, model: TableView) -> str:
    if model.viewer == SPECTATOR:
        return "watched"
    if model.viewer not in result.winners:
        return "lost"
    return "won" if len({model.panels[seat].side for seat in result.winners}) == 1 else "shared"


def because(result: Result, model: TableView, tr: Translator) -> list[str]:
    """Why a game was won: the column, or the points and the tie-breaks."""
    if result.domain is not None:
        panel = model.panels[model.view.seat]
        column = panel.columns[result.domain]
        return [
            tr.text(
                "{name} has {count} {domain} cards; {needed} were needed.",
                name=panel.name,
                count=column.count,
                domain=tr.domains[result.domain],
                needed=column.needed,
            )
        ]
    rows = model.majority

    def names(chosen: Iterable[int]) -> str:
        return tr.listing([" + ".join(rows[side].names) for side in chosen])

    most = max(row.points for row in rows)
    sentences = [
        tr.text(
            "Most points: {names}, with {number}.",
            names=names(side for side, row in enumerate(rows) if row.points == most),
            number=most,
        )
    ]
    for tie in model.tie_breaks:
        facts = {"domain": tr.domains[tie.domain], "names": names(tie.ahead)}
        sentences.append(
            tr.numbered(
                "The tie is broken in {domain}: {names}, with {number} card.",
                "The tie is broken in {domain}: {names}, with {number} cards.",
                tie.most,
                **facts,
            )
            if len(tie.ahead) == 1
            else tr.text("Still tied in {domain}: {names}.", **facts)
        )
    return sentences

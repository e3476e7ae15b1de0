"""The regions of a table's page for one visitor; a stream sends those that change."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from hegemon.notation.record import Result
from hegemon.play.events import Event, GameEnded, TurnBegan
from hegemon.play.game import Game
from hegemon.play.legality import Reason
from hegemon.prose.choices import ChoiceDescriber, explain_effect
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.actions import CHOICES, END, Effect
from hegemon.rules.cards import Domain
from hegemon.rules.position import Position, Question
from hegemon.rules.turn import threshold
from hegemon.rules.view import SPECTATOR
from hegemon.server.web.render import Renderer
from hegemon.server.web.session import Visitor
from hegemon.server.web.sse import Regions
from hegemon.server.web.views.hints import Hint
from hegemon.server.web.views.presence import PlayerStatus, waiting_text
from hegemon.views import PlayerPanel, TableView
from hegemon.views.effects import domain_of_choice

_END: Final = CHOICES[END]

#: The turns in the log; the replay shows all of them.
_MAX_LOG_TURNS: Final = 12


def first_of_last_turns(events: Sequence[Event], turns: int) -> int:
    """The index of the event with which the last turns begin."""
    began = [number for number, event in enumerate(events) if isinstance(event, TurnBegan)]
    return began[-turns] if len(began) > turns else 0


def turns_with_notes(
    narrator: Narrator, events: Sequence[Event], notes: Sequence[tuple[int, str]]
) -> list[list[str]]:
    """The sentences of each turn, with notes at the numbers of events after which they belong, if not negative."""
    turns: list[list[str]] = []
    cuts = [(at, [note]) for at, note in notes if at >= 0]
    start = 0
    for at, note in (*cuts, (len(events), [])):
        part = events[start:at]
        sentences = narrator.narrate_by_turn(part)
        if turns and sentences and not isinstance(part[0], TurnBegan):
            turns[-1] += sentences.pop(0)
        turns += sentences
        start = max(start, min(at, len(events)))
        if note:
            turns[-1:] = [[*turns[-1], *note]] if turns else [note]
    return turns


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


class Reasons:
    """Why cards and effects cannot be chosen, in the reader's language."""

    def __init__(self, model: TableView, tr: Translator, question: str) -> None:
        self._model = model
        self._tr = tr
        self._question = question

    def card(self, place: str, domain: Domain) -> str:
        """Why a card of that Domain cannot be chosen there; empty for spectators."""
        model = self._model
        if model.viewer == SPECTATOR or model.question is Question.OVER:
            return ""
        reason = model.reasons.get(place, {}).get(domain)
        if reason is not None:
            return self.sentence(reason)
        if place == model.place and domain.letter in model.choices:
            return self._tr.text("Within a Domain, the card of the oldest Age is used first.")
        return self._question

    def sentence(self, reason: Reason) -> str:
        """A reason, with the names of players."""
        if reason.code == "not-to-move":
            chooser = self._model.names[self._model.view.seat]
            return self._tr.text("Not now: {name} is choosing.", name=chooser)
        if reason.code == "kept-already":
            return self._tr.text("You have already kept a card; others are still choosing.")
        return self._tr.reason(reason)


class BoardRow(NamedTuple):
    """An effect on the reference board: what it needs and does, its choices now, or why there are none."""

    domain: Domain
    name: str
    need: str
    text: str
    is_open: bool
    now: tuple[str, ...]
    why: str


class RegionRenderer:
    """Renders the regions of a table for one visitor."""

    def __init__(
        self,
        game: Game,
        model: TableView,
        visitor: Visitor,
        notes: Sequence[tuple[int, str]] = (),
        people: Mapping[int, PlayerStatus] = MappingProxyType({}),
        forced: str | None = None,
    ) -> None:
        self._game = game
        self._model = model
        self._visitor = visitor
        self._people = people
        self._forced = forced
        self._tr = get_translator(visitor.language)
        self._describer = ChoiceDescriber(model.view, model.names, self._tr)
        self._question_text = self._describer.question()
        self._reasons = Reasons(model, self._tr, self._question_text)
        self._turns = self._last_turns(notes)

    def regions(self, renderer: Renderer, idempotency_key: str, hint: Hint | None) -> Regions:
        """Every region by its name; a move from them has that idempotency key."""
        model, visitor = self._model, self._visitor
        regions = {
            "status": renderer.page(
                "regions/status.html",
                visitor,
                t=model,
                idempotency_key=idempotency_key,
                forced=self._forced,
                where=where(model, self._tr),
            )
        }
        for number, panel in enumerate(model.others, 1):
            regions[f"other{number}"] = self._panel(renderer, panel)
        if model.me is not None:
            regions["me"] = self._panel(renderer, model.me)
        regions["hand"] = self._hand(renderer)
        regions["question"] = renderer.page(
            "regions/question.html",
            visitor,
            t=model,
            hint=hint,
            a=self._people.get(model.viewer),
            **self._question(),
        )
        regions["pile"] = self._pile(renderer)
        regions["majority"] = renderer.region(
            "majority", visitor.language, rows=model.majority, ending=bool(model.view.ending)
        )
        regions["board"] = renderer.region("board", visitor.language, rows=self._board())
        regions["log"] = renderer.region("log", visitor.language, turns=self._turns[::-1])
        return regions

    def _panel(self, renderer: Renderer, panel: PlayerPanel) -> str:
        model = self._model
        return renderer.region(
            "panel",
            self._visitor.language,
            p=panel,
            a=self._people.get(panel.seat),
            known=model.known.get(panel.seat, ()) if not panel.own else (),
            names=model.names,
            teams=bool(model.view.teams),
            reasons=self._column_reasons(panel),
        )

    def _column_reasons(self, panel: PlayerPanel) -> tuple[str, ...]:
        """Why each column cannot be chosen; empty for areas that no choice is about."""
        model = self._model
        if not panel.own and model.place != "target":
            return ("",) * len(panel.columns)
        aimed_at = model.place == "target" and panel.seat == model.view.target
        place = "area" if panel.own else "target" if aimed_at else ""
        return tuple(self._reasons.card(place, column.domain) for column in panel.columns)

    def _hand(self, renderer: Renderer) -> str:
        model, language = self._model, self._visitor.language
        if model.me is None:
            return renderer.region("center", language, center=model.center)
        return renderer.region(
            "hand",
            language,
            center=model.center,
            kept=model.kept,
            hand=model.hand,
            reasons=tuple(self._reasons.card("hand", card.domain) for card in model.hand),
            place=f"hand-{model.viewer}",
            to_move=model.place == "hand",
            packet=bool(model.view.owing or (model.kept and model.hand)),
        )

    def _pile(self, renderer: Renderer) -> str:
        kinds, to_move = tuple(Counter(self._model.discard_pile).items()), self._model.place == "pile"
        reasons = tuple(self._reasons.card("pile", card.domain) if to_move else "" for card, _ in kinds)
        return renderer.region("pile", self._visitor.language, kinds=kinds, reasons=reasons, to_move=to_move)

    def _last_turns(self, notes: Sequence[tuple[int, str]]) -> tuple[tuple[str, ...], ...]:
        game, model = self._game, self._model
        first = first_of_last_turns(game.events, _MAX_LOG_TURNS)
        recent = game.events_seen_by(model.viewer, since=first)
        narrator = narrator_for(model, self._tr)
        turns = turns_with_notes(narrator, recent, [(at - first, note) for at, note in notes])
        return tuple(tuple(turn) for turn in turns)

    def _question(self) -> dict[str, Any]:
        model, tr, describer, result = self._model, self._tr, self._describer, self._game.result
        ending = narrator_for(model, tr).ending(GameEnded(result)) if result is not None else ""
        return {
            "question": ending or self._question_text,
            "over": result is not None,
            "because": because(result, model, tr) if result is not None else [],
            "latest": self._turns[-1][-1] if self._turns else "",
            "waiting": [waiting_text(panel, tr) for panel in model.panels if panel.seat in model.waiting_for],
            "warming_up": any(
                panel.bot or panel.substitute for panel in model.panels if panel.seat in model.waiting_for
            ),
            "answers": [
                {
                    "choice": choice,
                    "text": describer.describe(choice),
                    "domain": domain_of_choice(choice),
                    "end": choice == _END,
                }
                for choice in model.choices
            ],
        }

    def _board(self) -> tuple[BoardRow, ...]:
        position, tr = self._game.position, self._tr
        on_offer = {row.effect: row for row in self._model.effects}
        rows = []
        for effect in Effect:
            row = on_offer.get(effect)
            rows.append(
                BoardRow(
                    effect.domain,
                    tr.effects[effect],
                    need_of(effect, position, tr),
                    explain_effect(effect, position, tr),
                    is_open=bool(row and row.choices),
                    now=tuple(self._describer.describe(choice) for choice in row.choices) if row else (),
                    why=self._reasons.sentence(row.reason) if row and row.reason else "",
                )
            )
        return tuple(rows)


def where(model: TableView, tr: Translator) -> str:
    return tr.text("Round {number}", number=model.view.round) if model.view.round else tr.text("Draft")


def narrator_for(model: TableView, tr: Translator) -> Narrator:
    reader = model.viewer if model.viewer != SPECTATOR else None
    return Narrator(model.names, reader, teams=bool(model.view.teams), tr=tr)


def need_of(effect: Effect, position: Position, tr: Translator) -> str:
    if effect is Effect.INSPIRATION:
        return tr.text("the most Culture")
    return tr.numbered(
        "{number} card", "{number} cards", threshold(position, effect.level) if effect.level else 1
    )

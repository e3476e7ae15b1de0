"""The regions of a table's page for one visitor; a stream sends those that change."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from hegemon.play.game import Game
from hegemon.play.legality import Reason
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.actions import CHOICES, END, Effect
from hegemon.rules.cards import LETTERS, Domain
from hegemon.rules.position import Question
from hegemon.rules.view import SPECTATOR
from hegemon.server.web.render import RendersRegions
from hegemon.server.web.session import Visitor
from hegemon.server.web.sse import Regions
from hegemon.server.web.views.columns import ColumnState, board_rows, column_actions, drop_of, powers_of
from hegemon.server.web.views.hints import Hint
from hegemon.server.web.views.presence import PlayerStatus, waiting_text
from hegemon.server.web.views.story import TurnLog, ending_of, narrator_for
from hegemon.views import PlayerPanel, TableView
from hegemon.views.effects import domain_of_choice
from hegemon.views.story import Recap

_END: Final = CHOICES[END]
NO_RECAP: Final = Recap()


class Reasons:
    """Why cards and effects cannot be chosen, in the reader's language."""

    def __init__(self, model: TableView, tr: Translator, question: str) -> None:
        self._model = model
        self._tr = tr
        self._question = question

    @cached_property
    def against_effects(self) -> dict[Effect, str]:
        """Why effects cannot be applied: columns and the reference board give the same reasons."""
        return {
            row.effect: self.sentence(row.reason) for row in self._model.effects if row.reason is not None
        }

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
        recap: Recap = NO_RECAP,
        moments: str = "",
        log: TurnLog | None = None,
    ) -> None:
        """The recap has the changes of columns; `moments` is how the address of a moment begins, where there is one.

        The log remembers what it has told a reader with the same language, names and addresses of moments.
        """
        self._game = game
        self._model = model
        self._visitor = visitor
        self._people = people
        self._forced = forced
        self._recap = recap
        self._moments = moments
        self._tr = get_translator(visitor.language)
        self._describer = ChoiceDescriber(model.view, model.names, self._tr)
        self._question_text = self._describer.question()
        self._reasons = Reasons(model, self._tr, self._question_text)
        self._notes = notes
        self._log = log

    def regions(self, renderer: RendersRegions, idempotency_key: str, hint: Hint | None) -> Regions:
        """Every region by its name; a move from them has that idempotency key."""
        model, visitor = self._model, self._visitor
        regions = {
            "status": renderer.page(
                "regions/status.html",
                visitor,
                t=model,
                idempotency_key=idempotency_key,
                forced=self._forced,
                where=round_label(model, self._tr),
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
        regions["board"] = renderer.region(
            "board",
            visitor.language,
            rows=board_rows(model, self._describer, self._reasons.against_effects),
        )
        regions["log"] = self._log_region(renderer)
        return regions

    def _panel(self, renderer: RendersRegions, panel: PlayerPanel) -> str:
        model = self._model
        return renderer.region(
            "panel",
            self._visitor.language,
            p=panel,
            a=self._people.get(panel.seat),
            known=model.known.get(panel.seat, ()) if not panel.own else (),
            names=model.names,
            teams=bool(model.view.teams),
            columns=tuple(self._column_states(panel)),
        )

    def _column_states(self, panel: PlayerPanel) -> Iterator[ColumnState]:
        changes, reasons = self._recap.changes_of(panel.seat), self._column_reasons(panel)
        coins = [
            self._model.names[column.coin_of] if column.coin_of is not None else ""
            for column in panel.columns
        ]
        if not panel.own:
            yield from map(ColumnState, changes, reasons, coins)
            return
        column_keys = self._column_keys()
        actions = column_actions(self._model, self._describer, self._reasons.against_effects)
        for change, why, coin_of, column, own in zip(
            changes, reasons, coins, panel.columns, actions, strict=True
        ):
            usable = any(action.buttons for action in own)
            has_key = usable and column.domain.letter in column_keys
            yield ColumnState(change, why, coin_of, own, powers_of(own), usable, has_key)

    def _column_keys(self) -> str:
        """The letters that open a column: none while letters choose cards, and no U while it undoes."""
        if self._model.question is not Question.EFFECTS:
            return ""
        return LETTERS.replace("U", "") if self._model.can_undo else LETTERS

    def _column_reasons(self, panel: PlayerPanel) -> tuple[str, ...]:
        """Why each column cannot be chosen; empty if no choice concerns the area."""
        model = self._model
        if not panel.own and model.place != "target":
            return ("",) * len(panel.columns)
        aimed_at = model.place == "target" and panel.seat == model.view.target
        place = "area" if panel.own else "target" if aimed_at else ""
        return tuple(self._reasons.card(place, column.domain) for column in panel.columns)

    def _hand(self, renderer: RendersRegions) -> str:
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
            drop=drop_of(model),
            packet=bool(model.view.owing or (model.kept and model.hand)),
        )

    def _pile(self, renderer: RendersRegions) -> str:
        # Cards that can be marked lie apart; the others are counted.
        pile, to_move = self._model.discard_pile, self._model.place == "pile"
        kinds = (
            *((card, 1) for card in pile if card.markable),
            *Counter(card for card in pile if not card.markable).items(),
        )
        reasons = tuple(self._reasons.card("pile", card.domain) if to_move else "" for card, _ in kinds)
        return renderer.region(
            "pile",
            self._visitor.language,
            kinds=kinds,
            reasons=reasons,
            to_move=to_move,
            marking=self._model.marking if to_move else 0,
            marked=self._model.marked if to_move else 0,
        )

    def _log_region(self, renderer: RendersRegions) -> str:
        language = self._visitor.language
        log = self._log or turn_log(renderer, language, self._moments)
        turns = log.turns(self._game, narrator_for(self._model, self._tr), self._notes)
        return renderer.region("log", language, turns=turns)

    def _question(self) -> dict[str, Any]:
        model, tr, describer, result = self._model, self._tr, self._describer, self._game.result
        return {
            "question": self._question_text,
            "ending": ending_of(result, model, tr) if result is not None else None,
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


def turn_log(renderer: RendersRegions, language: str, moments: str) -> TurnLog:
    """An empty log for a reader."""
    return TurnLog(lambda turn: renderer.region("turn", language, turn=turn, moments=moments))


def round_label(model: TableView, tr: Translator) -> str:
    return tr.text("Round {number}", number=model.view.round) if model.view.round else tr.text("Draft")

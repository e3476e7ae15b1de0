"""Hints in games against bots, in three steps: what to look at, what to choose, and why.

A search with the knowledge of the seat runs once per question; each step shows more of its result.
"""

from dataclasses import dataclass
from typing import Final

from hegemon.analysis.words import describe_line
from hegemon.bots.search import Evaluation, Search, SearchResult
from hegemon.notation.choices import read_choice
from hegemon.play.determinization import position_to_move
from hegemon.play.memory import Memory
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.translator import Translator
from hegemon.rules.actions import ACTIONS, Action, ActionKind, Effect
from hegemon.rules.cards import Domain, count
from hegemon.rules.position import Question
from hegemon.rules.victory import hegemony_threshold
from hegemon.rules.view import View
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.web.async_cache import AsyncCache

#: The search ends at the first of these limits.
MAX_ITERATIONS: Final = 4_000
MAX_SECONDS: Final = 1.2

STEPS: Final = 3

#: Choices within this difference, in percentage points, count as equally good.
_MAX_DIFFERENCE: Final = 3

#: Results in the cache, for the next steps of a hint.
_MAX_CACHED: Final = 200


@dataclass(frozen=True)
class Hint:
    """The sentences up to a step, and from the second step on the choice that they are about."""

    step: int
    sentences: tuple[str, ...]
    choice: str | None = None


def think(view: View, memory: Memory, choices: tuple[str, ...]) -> SearchResult:
    """Search from a seat's view, with a fixed seed: the same question gets the same result if time allows."""
    if len(choices) == 1:
        return SearchResult((Evaluation(choices[0], 0, 0.0),), choices, 0, 0.0)
    return Search(0, iterations=MAX_ITERATIONS, seconds=MAX_SECONDS).analyze(view, memory, choices)


class Adviser:
    """Searches once per question, and caches the results."""

    def __init__(self) -> None:
        self._results: AsyncCache[SearchResult] = AsyncCache(_MAX_CACHED)

    async def search(self, tables: TableRegistry, table: Table, seat: int) -> SearchResult:
        view, memory, choices = (
            table.game.view(seat),
            table.game.memory(seat),
            table.snapshot.choices_of(seat),
        )
        return await self._results.get(
            (table.id, table.version, seat),
            lambda: tables.bots.run_in_thread(table, lambda: think(view, memory, choices)),
        )


# ------------------------------------------------------------------ sentences


class Advice:
    """The sentences of a hint, in one language."""

    def __init__(self, view: View, names: tuple[str, ...], result: SearchResult, tr: Translator) -> None:
        self._view = view
        self._names = names
        self._result = result
        self._tr = tr
        self._line, self._won = describe_line(view, result.line, names, tr)

    def hint(self, step: int) -> Hint:
        sentences = (self.what_to_look_at(), self.choice(), *self.why())
        choice = self._result.choice if step > 1 else None
        return Hint(step, sentences if step == STEPS else sentences[:step], choice)

    def _text(self, key: str, **facts: object) -> str:
        return self._tr.learning[f"hint.{key}"].format(**facts)

    def _domain(self, domain: int) -> str:
        return self._tr.domains[Domain(domain)]

    def _meaning(self, choice: str) -> str:
        return ChoiceDescriber(self._view, self._names, self._tr).describe(choice)

    def what_to_look_at(self) -> str:
        """Where the best choice comes from, without naming it."""
        if self._won is not None:
            return self._text("look.win", domain=self._domain(self._won))
        action, view = ACTIONS[read_choice(self._result.choice)], self._view
        if view.question in (Question.EMBARGO, Question.DEMOCRACY):
            return self._text("look.target", name=self._names[view.target])
        match action:
            case Action(kind=ActionKind.CARD | ActionKind.DRAFT, domain=Domain() as domain):
                return self._text("look.card", domain=self._domain(domain))
            case Action(kind=ActionKind.COPY):
                return self._text("look.copy")
            case Action(kind=ActionKind.ATTACK, domain=domain):
                return self._danger(None, domain)
            case Action(kind=ActionKind.INQUISITION, distance=int() as distance):
                return self._text("look.target", name=self._names[(view.viewer + distance) % view.players])
            case Action(distance=int() as distance):
                return self._danger((view.viewer + distance) % view.players, None)
            case Action(effect=Effect() as effect):
                return self._text("look.effect", domain=self._domain(effect.domain))
            case _:
                return self._text("look.end")

    def _danger(self, seat: int | None, domain: int | None) -> str:
        """The column that is nearest to Hegemony: of that seat, or of all others in that Domain."""
        table = position_to_move(self._view)
        columns = [
            (hegemony_threshold(table, other, of) - count(table.areas[other][of]), other, of)
            for other in range(table.players)
            for of in Domain
            if (other != self._view.viewer if seat is None else other == seat) and domain in (None, of)
        ]
        _, other, of = min(columns)
        return self._text(
            "look.danger",
            name=self._names[other],
            domain=self._domain(of),
            count=count(table.areas[other][of]),
            needed=hegemony_threshold(table, other, of),
        )

    def choice(self) -> str:
        return self._text("choice", choice=self._meaning(self._result.choice))

    def why(self) -> list[str]:
        """The odds of the choice and of the next best one, and how the turn could continue."""
        best, *others = self._result.evaluations
        if not best.visits:
            return [self._text("why.only")]
        sentences = [
            self._text("why.win")
            if self._won is not None
            else self._text("why.odds", percent=percent(best.value))
        ]
        if others and self._won is None:
            key = (
                "why.close"
                if percent(best.value) - percent(others[0].value) < _MAX_DIFFERENCE
                else "why.next"
            )
            sentences.append(
                self._text(key, percent=percent(others[0].value), choice=self._meaning(others[0].choice))
            )
        if len(self._line) > 1:
            sentences.append(self._text("why.line", line=" → ".join(self._line)))
        return sentences


def percent(part: float) -> int:
    return round(100 * part)

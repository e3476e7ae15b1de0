"""The evaluation of a position in a study by the network and the search."""

from dataclasses import dataclass
from typing import Final

from hegemon.analysis.evaluators import by_side, open_memory
from hegemon.bots.learned import Learned, LearnedSearch
from hegemon.bots.search import Evaluation, SearchResult
from hegemon.play.game import Game
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.translator import Translator
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.web.async_cache import AsyncCache
from hegemon.server.web.views.hints import percent

#: The search ends at the first of these limits.
MAX_ITERATIONS: Final = 2_000
MAX_SECONDS: Final = 2.0

_MAX_CACHED: Final = 200
_MAX_LINE: Final = 8


@dataclass(frozen=True)
class StudyEvaluation:
    """The network's policy, the expected result of every seat, and the results of the search."""

    policy: dict[str, float]
    shares: tuple[float, ...]
    search: SearchResult


def evaluate_choices(game: Game, *, open_cards: bool) -> StudyEvaluation:
    """Evaluate the choices of the seat to move, with its own knowledge or with all hands open."""
    seat, choices = game.seat, game.choices
    view = game.view(seat)
    memory = open_memory(game.position, seat) if open_cards else game.memory(seat)
    network = Learned()
    expected = network.values(view, memory)
    shares = [expected[(other - seat) % game.players] for other in range(game.players)]
    if len(choices) == 1:
        result = SearchResult((Evaluation(choices[0], 0, expected[0]),), choices, 0, 0.0)
    else:
        search = LearnedSearch(0, iterations=MAX_ITERATIONS, seconds=MAX_SECONDS)
        result = search.analyze(view, memory, choices)
    return StudyEvaluation(
        network.probabilities(view, memory, choices), by_side(game.position, shares), result
    )


class StudyEvaluator:
    """Evaluates each position once, off the event loop, and caches the results."""

    def __init__(self) -> None:
        self._results: AsyncCache[StudyEvaluation] = AsyncCache(_MAX_CACHED)

    async def evaluate(
        self, tables: TableRegistry, caller: str, game: Game, *, open_cards: bool
    ) -> StudyEvaluation:
        return await self._results.get(
            (repr(game), open_cards),
            lambda: tables.bots.run_for(caller, lambda: evaluate_choices(game, open_cards=open_cards)),
        )


@dataclass(frozen=True)
class EvaluationRow:
    choice: str
    text: str
    odds: int
    expected: int | None
    """None where the search has not tried it."""
    visits: int


@dataclass(frozen=True)
class EvaluationPanel:
    """An evaluation as it is shown, in percent."""

    rows: tuple[EvaluationRow, ...]
    seats: tuple[tuple[str, int], ...]
    line: tuple[str, ...]
    iterations: int
    open_cards: bool


def panel_of(
    game: Game, evaluation: StudyEvaluation, names: tuple[str, ...], tr: Translator, *, open_cards: bool
) -> EvaluationPanel:
    tried = {found.choice: found for found in evaluation.search.evaluations if found.visits}
    order = sorted(
        game.choices,
        key=lambda choice: (-tried[choice].visits if choice in tried else 0, -evaluation.policy[choice]),
    )
    describer = ChoiceDescriber(game.view(game.seat), names, tr)
    rows = (
        EvaluationRow(
            choice,
            describer.describe(choice),
            percent(evaluation.policy[choice]),
            percent(tried[choice].value) if choice in tried else None,
            tried[choice].visits if choice in tried else 0,
        )
        for choice in order
    )
    seats = zip(names, map(percent, evaluation.shares), strict=True)
    line = line_texts(game, evaluation.search.line, names, tr)
    return EvaluationPanel(tuple(rows), tuple(seats), line, evaluation.search.iterations, open_cards)


def line_texts(game: Game, line: tuple[str, ...], names: tuple[str, ...], tr: Translator) -> tuple[str, ...]:
    """The choices of an expected line as text, up to the first one that is illegal in this game."""
    game, texts, seat = game.copy(), list[str](), -1
    for choice in line[:_MAX_LINE]:
        if choice not in game.choices:
            break
        text = ChoiceDescriber(game.view(game.seat), names, tr).describe(choice)
        texts.append(text if game.seat == seat else f"{names[game.seat]}: {text}")
        seat = game.seat
        game.play(choice)
    return tuple(texts)

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
from hegemon.server.web.once import Once
from hegemon.server.web.views.hints import percent

#: The search ends at the first of these limits.
MAX_ITERATIONS: Final = 2_000
MAX_SECONDS: Final = 2.0

_MAX_CACHED: Final = 200
_MAX_LINE: Final = 8


@dataclass(frozen=True)
class Pondered:
    """The network's policy, the expected result of every seat, and the results of the search."""

    odds: dict[str, float]
    shares: tuple[float, ...]
    thoughts: SearchResult


def ponder(game: Game, *, open_cards: bool) -> Pondered:
    """Evaluate the next choice of a game, with the knowledge of its seat or with all hands open."""
    seat, choices = game.seat, game.choices
    view = game.view(seat)
    memory = open_memory(game.position, seat) if open_cards else game.memory(seat)
    bare = Learned()
    expected = bare.values(view, memory)
    shares = [expected[(other - seat) % game.players] for other in range(game.players)]
    if len(choices) == 1:
        thoughts = SearchResult((Evaluation(choices[0], 0, expected[0]),), choices, 0, 0.0)
    else:
        search = LearnedSearch(0, iterations=MAX_ITERATIONS, seconds=MAX_SECONDS)
        thoughts = search.analyze(view, memory, choices)
    return Pondered(bare.probabilities(view, memory, choices), by_side(game.position, shares), thoughts)


class Ponderer:
    """Thinks once about each position, off the event loop, when it is the caller's turn."""

    def __init__(self) -> None:
        self._thinking: Once[Pondered] = Once(_MAX_CACHED)

    async def pondered(self, tables: TableRegistry, caller: str, game: Game, *, open_cards: bool) -> Pondered:
        return await self._thinking.get(
            (repr(game), open_cards),
            lambda: tables.bots.run_for(caller, lambda: ponder(game, open_cards=open_cards)),
        )


@dataclass(frozen=True)
class ThoughtRow:
    choice: str
    text: str
    odds: int
    expected: int | None
    """None where the search has not tried it."""
    visits: int


@dataclass(frozen=True)
class ThoughtPanel:
    """Thoughts as they are shown, in percent."""

    rows: tuple[ThoughtRow, ...]
    seats: tuple[tuple[str, int], ...]
    line: tuple[str, ...]
    iterations: int
    open_cards: bool


def panel_of(
    game: Game, pondered: Pondered, names: tuple[str, ...], tr: Translator, *, open_cards: bool
) -> ThoughtPanel:
    opinions = {opinion.choice: opinion for opinion in pondered.thoughts.evaluations if opinion.visits}
    order = sorted(
        game.choices,
        key=lambda choice: (-opinions[choice].visits if choice in opinions else 0, -pondered.odds[choice]),
    )
    describer = ChoiceDescriber(game.view(game.seat), names, tr)
    rows = (
        ThoughtRow(
            choice,
            describer.describe(choice),
            percent(pondered.odds[choice]),
            percent(opinions[choice].value) if choice in opinions else None,
            opinions[choice].visits if choice in opinions else 0,
        )
        for choice in order
    )
    seats = zip(names, map(percent, pondered.shares), strict=True)
    line = told_line(game, pondered.thoughts.line, names, tr)
    return ThoughtPanel(tuple(rows), tuple(seats), line, pondered.thoughts.iterations, open_cards)


def told_line(game: Game, line: tuple[str, ...], names: tuple[str, ...], tr: Translator) -> tuple[str, ...]:
    """The choices of an expected line in words, as far as they are legal in this game."""
    game, told, seat = game.copy(), list[str](), -1
    for choice in line[:_MAX_LINE]:
        if choice not in game.choices:
            break
        text = ChoiceDescriber(game.view(game.seat), names, tr).describe(choice)
        told.append(text if game.seat == seat else f"{names[game.seat]}: {text}")
        seat = game.seat
        game.play(choice)
    return tuple(told)

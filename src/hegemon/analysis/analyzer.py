"""Analyze a finished game, choice by choice.

A decision is evaluated with what its seat could know at the time. A first search finds the best choice. Second searches
with other random numbers compare it with the choice that was made, with the same number of iterations and the same
determinizations for both, so that a choice that only looked good by luck does not count as better. A loss that would be
a mistake is measured again with more iterations.
"""

from collections.abc import Iterator
from typing import Final

from hegemon.analysis.evaluators import (
    Evaluator,
    InformationState,
    NetworkEvaluator,
    SearchEvaluator,
    Values,
    final_values,
    open_memory,
)
from hegemon.analysis.report import MISTAKE, NOISE, AnalysisError, Chances, Decision, Item, Luck
from hegemon.bots.learned import GuidedKernel, shipped_kernel
from hegemon.kernels.compiler import can_compile
from hegemon.kernels.network import Network
from hegemon.notation.choices import read_choice
from hegemon.play.determinization import Impossible, deal, unseen_cards
from hegemon.play.events import Drew
from hegemon.play.game import Game
from hegemon.play.memory import Memory
from hegemon.play.solver import shortest_win
from hegemon.rules.actions import END
from hegemon.rules.cards import DOMAINS, count
from hegemon.rules.engine import apply
from hegemon.rules.position import OVER, Position
from hegemon.rules.shuffle import stream
from hegemon.rules.victory import hegemony_threshold
from hegemon.rules.view import View
from hegemon.rules.view import view as view_of

#: The default number of iterations for a decision.
ITERATIONS: Final = 288

#: Chances take this fraction of the iterations: the values of short searches are as good.
_CHANCES_DIVISOR: Final = 6

#: The number of random draws that a draw is compared with.
_OTHER_DRAWS: Final = 8

#: The factors of the iterations of successive comparisons of two choices; a clear result ends them.
_COMPARISONS: Final = (1, 2, 6)

#: A loss of this many times that of a mistake is clear after two comparisons.
_CLEAR_FACTOR: Final = 2

#: Below this value, a position is not searched for a certain win.
_PROMISING: Final = 0.5

#: The maximum number of positions in the search for a certain win.
_MAX_POSITIONS: Final = 300

#: The maximum number of cards from the discard pile that a certain win may need.
_MAX_FETCHED: Final = 2


def analyze(
    game: Game, *, iterations: int | None = None, seed: int = 0, network: Network | None = None
) -> Iterator[Item]:
    """Analyze a finished game: its decisions, moments of luck and chances, in the order of the choices.

    The same number of iterations and the same seed give the same analysis. With 0 iterations, which is the default
    without Numba, the bare network evaluates without a search.
    """
    if not game.over:
        raise AnalysisError("Only a finished game can be analyzed.")
    return _Analyzer(resolve_iterations(iterations), seed, network).items(game)


def analyze_decisions(
    game: Game, *, iterations: int | None = None, seed: int = 0, network: Network | None = None
) -> Iterator[Decision]:
    """Analyze only the decisions of a finished game, in about half the time of `analyze`."""
    if not game.over:
        raise AnalysisError("Only a finished game can be analyzed.")
    return _Analyzer(resolve_iterations(iterations), seed, network).decisions(game)


def analyze_decision(
    game: Game, ply: int, *, iterations: int | None = None, seed: int = 0, network: Network | None = None
) -> Decision:
    """Analyze one choice of a game by what its seat could know; `ply` is its number, from 1."""
    before, seat = game.at(ply - 1), game.movers[ply - 1]
    infostate = InformationState(before.view(seat), before.memory(seat), seat)
    return _Analyzer(resolve_iterations(iterations), seed, network).decision(
        infostate, ply, game.moves[ply - 1]
    )


def resolve_iterations(iterations: int | None) -> int:
    """The number of iterations, or the default for this machine."""
    if iterations is None:
        return ITERATIONS if can_compile() else 0
    if iterations < 0:
        raise AnalysisError(
            "An analysis takes 0 iterations or more, not {iterations}.", iterations=iterations
        )
    return iterations


def evaluator_for(iterations: int, network: Network | None = None) -> Evaluator:
    if iterations == 0:
        return NetworkEvaluator(network)
    return SearchEvaluator(GuidedKernel(network) if network else shipped_kernel())


class _Analyzer:
    def __init__(self, iterations: int, seed: int, network: Network | None) -> None:
        self._iterations = iterations
        self._seed = seed
        self._evaluator = evaluator_for(iterations, network)

    def items(self, game: Game) -> Iterator[Item]:
        before = game.at(0)
        memories = [before.memory(seat) for seat in range(game.players)]
        try:
            yield self._chances(before.position, memories, 0)
            for ply, (seat, choice) in enumerate(zip(game.movers, game.moves, strict=True), 1):
                before, after = game.at(ply - 1), game.at(ply).position
                if len(before.choices_of(seat)) > 1:
                    yield self.decision(
                        InformationState(before.view(seat), memories[seat], seat), ply, choice
                    )
                for viewer, memory in enumerate(memories):
                    memory.see(game.events_at(ply, viewer))
                chances = self._chances(after, memories, ply)
                if any(isinstance(event, Drew) for event in game.events_at(ply)):
                    yield self._luck(before.position, choice, chances)
                yield chances
        except Impossible as error:
            raise AnalysisError(
                "The cards of this game do not fit together: {error}", error=str(error)
            ) from None

    def decisions(self, game: Game) -> Iterator[Decision]:
        memories = [game.at(0).memory(seat) for seat in range(game.players)]
        for ply, (seat, choice) in enumerate(zip(game.movers, game.moves, strict=True), 1):
            before = game.at(ply - 1)
            if len(before.choices_of(seat)) > 1:
                yield self.decision(InformationState(before.view(seat), memories[seat], seat), ply, choice)
            for viewer, memory in enumerate(memories):
                memory.see(game.events_at(ply, viewer))

    def _seed_of(self, ply: int, search: int) -> int:
        return self._seed * 1_000_003 + 4 * ply + search

    # ---------------------------------------------------------------- chances and luck

    def _chances(self, position: Position, memories: list[Memory], ply: int) -> Chances:
        shares = known = self._open_values(position)
        if position.question != OVER:
            known = tuple(
                self._values(InformationState(view_of(position, seat), memory, position.seat))[seat]
                for seat, memory in enumerate(memories)
            )
        return Chances(ply, known, shares)

    def _open_values(self, position: Position) -> Values:
        if position.question == OVER:
            return final_values(position)
        seat = position.seat
        return self._values(InformationState(view_of(position, seat), open_memory(position, seat), seat))

    def _values(self, infostate: InformationState) -> Values:
        # The same random numbers for all positions reduce the noise in the differences between them.
        iterations = max(1, self._iterations // _CHANCES_DIVISOR)
        return tuple(round(share, 4) for share in self._evaluator.values(infostate, iterations, self._seed))

    def _luck(self, position: Position, choice: str, chances: Chances) -> Luck:
        seat = position.seat
        certain, unseen = unseen_cards(view_of(position, seat), open_memory(position, seat))
        state, total = stream(self._seed, chances.ply), 0.0
        for _ in range(_OTHER_DRAWS):
            other = certain.copy()
            state = deal(other, unseen, state)
            apply(other, read_choice(choice))
            total += self._open_values(other)[seat]
        swing = round(chances.open[seat] - total / _OTHER_DRAWS, 4)
        return Luck(chances.ply, seat, swing, read_choice(choice) != END)

    # ---------------------------------------------------------------- decisions

    def decision(self, infostate: InformationState, ply: int, choice: str) -> Decision:
        found = self._evaluator.best(infostate, self._iterations, self._seed_of(ply, 0))
        certain: tuple[str, ...] = ()
        if self._iterations == 0 or found.value >= _PROMISING:
            certain = certain_win(infostate.view)
        line, expected, loss = certain or found.line, found.value, 0.0
        best = line[0]
        if choice != best:
            expected, loss = self._compare(infostate, ply, choice, best, certain=bool(certain))
        elif certain:
            expected = 1.0
        if loss == 0.0 and choice != best:
            best, line, certain = choice, (choice,), ()
        return Decision(
            ply, infostate.mover, choice, best, round(expected, 4), round(loss, 4), line, bool(certain)
        )

    def _compare(
        self, infostate: InformationState, ply: int, choice: str, best: str, *, certain: bool
    ) -> tuple[float, float]:
        """The value of a choice and its loss compared to the best one; 0 if that may be noise."""
        expected = loss = 0.0
        for number, times in enumerate(_COMPARISONS, 1):
            iterations, seed = times * self._iterations, self._seed_of(ply, number)
            expected = self._evaluator.value_after(infostate, choice, iterations, seed)
            loss = (
                1.0 if certain else self._evaluator.value_after(infostate, best, iterations, seed)
            ) - expected
            is_clear = number > 1 and loss >= _CLEAR_FACTOR * MISTAKE
            if loss < MISTAKE - NOISE or is_clear or self._iterations == 0:
                break
        return expected, loss if loss >= NOISE else 0.0


def certain_win(view: View) -> tuple[str, ...]:
    """A line that wins for certain within the viewer's turn; empty if none is found within the limit."""
    is_near = view.round and (view.deck_size == 0 or is_near_hegemony(view))
    return shortest_win(view, _MAX_POSITIONS) if is_near else ()


def is_near_hegemony(view: View) -> bool:
    """Whether the viewer has enough cards for a Hegemony in play, in hand and, up to a limit, in the discard pile."""
    for domain in range(DOMAINS):
        fetched = min(_MAX_FETCHED, count(view.discard_piles[domain]))
        cards = count(view.areas[view.viewer][domain]) + count(view.hand_piles[domain]) + fetched
        if cards >= hegemony_threshold(view, view.viewer, domain):  # type: ignore[arg-type]  # a view has the fields that are read
            return True
    return False

"""Judge a finished game, choice by choice.

A decision is judged by what its seat could know then: a first look finds the best choice, and a second one, with other
random numbers, compares it with the choice that was made, the same number of iterations for either and the same hidden
cards imagined for both. So a choice that only looked good by luck is not taken for better. A loss that would be a
mistake is measured again, with more and more iterations until it is clear.
"""

from collections.abc import Iterator
from typing import Final

from hegemon.analysis.look import (
    Look,
    QuickLook,
    SearchLook,
    Shares,
    Sight,
    open_memory,
    shares_at_end,
)
from hegemon.analysis.report import MISTAKE, NOISE, AnalysisError, Chances, Decision, Item, Luck
from hegemon.bots.learned import GuidedKernel, shipped_kernel
from hegemon.kernels.compiler import can_compile
from hegemon.kernels.network import Network
from hegemon.notation.choices import read_choice
from hegemon.play.events import Drew
from hegemon.play.game import Game
from hegemon.play.imagine import Impossible, deal, unseen_cards
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

#: The iterations of a look at a decision, unless another number is given.
ITERATIONS: Final = 288

#: Looks at what seats may expect take this part of those: the expectations of short searches are as good.
_PART_FOR_CHANCES: Final = 6

#: The number of other draws that a draw is compared with.
_OTHER_DRAWS: Final = 8

#: How many times as long the looks are that compare two choices: each of them may be the last.
_COMPARISONS: Final = (1, 2, 6)

#: A loss that is this many times that of a mistake needs no third comparison.
_CLEAR: Final = 2

#: A search that expects less has found no win that is certain.
_PROMISING: Final = 0.5

#: How many positions of a turn are searched for certain wins.
_MAX_POSITIONS: Final = 300

#: How many cards from the discard pile a turn may need to win for certain, and still be searched for that.
_MOST_FETCHED: Final = 2


def analyze(
    game: Game, *, iterations: int | None = None, seed: int = 0, network: Network | None = None
) -> Iterator[Item]:
    """Analyze a finished game: its decisions, moments of luck and chances, in the order of the choices.

    The same number of iterations and the same seed give the same analysis. No iterations are the quick reading by the
    bare network; where nothing can be compiled, that is the default.
    """
    if not game.over:
        raise AnalysisError("Only a finished game can be analyzed.")
    return _Judge(resolved(iterations), seed, network).items(game)


def judge_all(
    game: Game, *, iterations: int | None = None, seed: int = 0, network: Network | None = None
) -> Iterator[Decision]:
    """Judge all decisions of a finished game and nothing else, which takes about half the time of `analyze`."""
    if not game.over:
        raise AnalysisError("Only a finished game can be analyzed.")
    return _Judge(resolved(iterations), seed, network).decisions(game)


def judge(
    game: Game, ply: int, *, iterations: int | None = None, seed: int = 0, network: Network | None = None
) -> Decision:
    """Judge one choice of a game by what its seat could know; `ply` is its number, from 1."""
    before, seat = game.at(ply - 1), game.movers[ply - 1]
    sight = Sight(before.view(seat), before.memory(seat), seat)
    return _Judge(resolved(iterations), seed, network).decision(sight, ply, game.moves[ply - 1])


def resolved(iterations: int | None) -> int:
    """The iterations of a look, as given or as this computer allows."""
    if iterations is None:
        return ITERATIONS if can_compile() else 0
    if iterations < 0:
        raise AnalysisError(
            "An analysis takes 0 iterations or more, not {iterations}.", iterations=iterations
        )
    return iterations


def look_by(iterations: int, network: Network | None = None) -> Look:
    if iterations == 0:
        return QuickLook(network)
    return SearchLook(GuidedKernel(network) if network else shipped_kernel())


class _Judge:
    def __init__(self, iterations: int, seed: int, network: Network | None) -> None:
        self._iterations = iterations
        self._seed = seed
        self._look = look_by(iterations, network)

    def items(self, game: Game) -> Iterator[Item]:
        before = game.at(0)
        memories = [before.memory(seat) for seat in range(game.players)]
        try:
            yield self._chances(before.position, memories, 0)
            for ply, (seat, choice) in enumerate(zip(game.movers, game.moves, strict=True), 1):
                before, after = game.at(ply - 1), game.at(ply).position
                if len(before.choices_of(seat)) > 1:
                    yield self.decision(Sight(before.view(seat), memories[seat], seat), ply, choice)
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
                yield self.decision(Sight(before.view(seat), memories[seat], seat), ply, choice)
            for viewer, memory in enumerate(memories):
                memory.see(game.events_at(ply, viewer))

    def _seed_of(self, ply: int, look: int) -> int:
        return self._seed * 1_000_003 + 4 * ply + look

    # ---------------------------------------------------------------- chances and luck

    def _chances(self, position: Position, memories: list[Memory], ply: int) -> Chances:
        shares = known = self._open_shares(position)
        if position.question != OVER:
            known = tuple(
                self._shares(Sight(view_of(position, seat), memory, position.seat))[seat]
                for seat, memory in enumerate(memories)
            )
        return Chances(ply, known, shares)

    def _open_shares(self, position: Position) -> Shares:
        if position.question == OVER:
            return shares_at_end(position)
        seat = position.seat
        return self._shares(Sight(view_of(position, seat), open_memory(position, seat), seat))

    def _shares(self, sight: Sight) -> Shares:
        # Always the same random numbers: neighboring positions differ by what happened, and less by noise.
        effort = max(1, self._iterations // _PART_FOR_CHANCES)
        return tuple(round(share, 4) for share in self._look.shares(sight, effort, self._seed))

    def _luck(self, position: Position, choice: str, chances: Chances) -> Luck:
        seat = position.seat
        certain, unseen = unseen_cards(view_of(position, seat), open_memory(position, seat))
        state, total = stream(self._seed, chances.ply), 0.0
        for _ in range(_OTHER_DRAWS):
            other = certain.copy()
            state = deal(other, unseen, state)
            apply(other, read_choice(choice))
            total += self._open_shares(other)[seat]
        swing = round(chances.open[seat] - total / _OTHER_DRAWS, 4)
        return Luck(chances.ply, seat, swing, read_choice(choice) != END)

    # ---------------------------------------------------------------- decisions

    def decision(self, sight: Sight, ply: int, choice: str) -> Decision:
        found = self._look.best(sight, self._iterations, self._seed_of(ply, 0))
        certain: tuple[str, ...] = ()
        if self._iterations == 0 or found.share >= _PROMISING:
            certain = certain_win(sight.view)
        line, expected, loss = certain or found.line, found.share, 0.0
        best = line[0]
        if choice != best:
            expected, loss = self._compared(sight, ply, choice, best, certain=bool(certain))
        elif certain:
            expected = 1.0
        if loss == 0.0 and choice != best:
            best, line, certain = choice, (choice,), ()
        return Decision(
            ply, sight.mover, choice, best, round(expected, 4), round(loss, 4), line, bool(certain)
        )

    def _compared(
        self, sight: Sight, ply: int, choice: str, best: str, *, certain: bool
    ) -> tuple[float, float]:
        """What to expect of a choice, and how much more of a better one; 0 where that may be noise."""
        expected = loss = 0.0
        for number, times in enumerate(_COMPARISONS, 1):
            effort, seed = times * self._iterations, self._seed_of(ply, number)
            expected = self._look.share_after(sight, choice, effort, seed)
            loss = (1.0 if certain else self._look.share_after(sight, best, effort, seed)) - expected
            is_clear = number > 1 and loss >= _CLEAR * MISTAKE
            if loss < MISTAKE - NOISE or is_clear or self._iterations == 0:
                break
        return expected, loss if loss >= NOISE else 0.0


def certain_win(view: View) -> tuple[str, ...]:
    """A line that is certain to win within the viewer's turn, if that is near and the line is found soon."""
    is_near = view.round and (view.deck_size == 0 or is_near_hegemony(view))
    return shortest_win(view, _MAX_POSITIONS) if is_near else ()


def is_near_hegemony(view: View) -> bool:
    """Whether the viewer has all cards that a Hegemony needs, in play, in hand, or a few in the discard pile."""
    for domain in range(DOMAINS):
        fetched = min(_MOST_FETCHED, count(view.discard_piles[domain]))
        cards = count(view.areas[view.viewer][domain]) + count(view.hand_piles[domain]) + fetched
        if cards >= hegemony_threshold(view, view.viewer, domain):  # type: ignore[arg-type]  # a view has what it reads
            return True
    return False

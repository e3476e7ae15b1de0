"""The player that learned the game by playing itself: a network, alone or with a search that it guides.

The bare network needs NumPy alone, and the search Numba as well; `hegemon train` makes the weights.
"""

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

import numpy as np

from hegemon.bots.search import Opinion, Search, Thoughts
from hegemon.bots.search_kernel import SearchKernel
from hegemon.kernels.network import ACTIONS, LAYOUT, Network, outputs_of, softmax
from hegemon.notation.choices import read_choice
from hegemon.play.memory import Memory
from hegemon.play.observation import observation
from hegemon.rules.position import MAX_PLAYERS, Position
from hegemon.rules.shuffle import next_state, stream
from hegemon.rules.view import View

#: How much a search guided by the network tries what it has not tried often.
EXPLORATION: Final = 0.25

#: How much less such a search expects of a choice that it has never tried, once it has tried all others: at a table of
#: four who play for themselves. Elsewhere it expects of it what it expects of the others.
CAUTION_OF_FOUR: Final = 0.15

#: The temperature of the bare network.
TEMPERATURE: Final = 0.0

_STATES: Final = 1 << 32


def load_network(path: Path | str) -> Network:
    """A network from a file of weights, as `hegemon train` writes it."""
    with np.load(path) as arrays:
        if str(arrays["layout"]) != LAYOUT:
            raise ValueError(f"The weights in {path} are for {arrays['layout']}; this program has {LAYOUT}.")
        return Network(*(arrays[name].astype(np.float32) for name in Network._fields))


@cache
def shipped_network(name: str = "learned") -> Network:
    """A network that comes with the program; how it was trained is in the file beside it."""
    with as_file(files("hegemon.bots") / "data" / f"{name}.npz") as path:
        return load_network(path)


class Learned:
    """The bare network: it looks once and chooses.

    At temperature 0 it takes what it thinks best; at 1 it draws by its own odds, and above it is less sure of itself.
    """

    def __init__(
        self, seed: int = 0, *, network: Network | None = None, temperature: float = TEMPERATURE
    ) -> None:
        if temperature < 0:
            raise ValueError(f"a temperature is 0 or more, not {temperature}")
        self.network = network or shipped_network()
        self.temperature = temperature
        self._state = stream(seed, 0)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        if len(choices) == 1:
            return choices[0]
        odds = self.odds(view, memory, choices)
        if self.temperature == 0:
            return max(choices, key=lambda choice: odds[choice])
        self._state = next_state(self._state)
        left = (self._state % _STATES) / _STATES
        for choice in choices:
            left -= odds[choice]
            if left < 0:
                return choice
        return max(choices, key=lambda choice: odds[choice])

    def odds(self, view: View, memory: Memory, choices: tuple[str, ...]) -> dict[str, float]:
        """How likely the network takes each choice, at its temperature."""
        logits = self._outputs(view, memory)[[read_choice(choice) for choice in choices]]
        return dict(zip(choices, softmax(logits / (self.temperature or 1.0)).tolist(), strict=True))

    def expected(self, view: View, memory: Memory) -> tuple[float, ...]:
        """What part of the win every seat may expect, counted from the viewer clockwise."""
        return tuple(softmax(self._outputs(view, memory)[ACTIONS : ACTIONS + view.players]).tolist())

    def _outputs(self, view: View, memory: Memory) -> Any:
        return outputs_of(self.network, observation(view, memory, to_move=True))


class GuidedKernel(SearchKernel):
    """Grows trees that a network guides."""

    def __init__(self, network: Network) -> None:
        from hegemon.kernels.guided import Guide

        super().__init__()
        self._guide = Guide(network)

    def tree(self, capacity: int) -> Any:
        from hegemon.kernels.guided import GuidedTree

        return GuidedTree.of(capacity)

    def _any_settings(self) -> Any:
        from hegemon.kernels.guided import GuidedSettings

        return GuidedSettings(1.0, 0.5)

    def _compiled_grow(self) -> Any:
        return self._guide.grow_compiled

    def _interpreted_grow(self) -> Any:
        return self._guide.grow_interpreted


@cache
def shipped_kernel() -> GuidedKernel:
    """The kernel that all searches with the shipped network share."""
    return GuidedKernel(shipped_network())


class LearnedSearch(Search):
    """A search guided by the network: its priors, and its expectations instead of playing games out.

    Until its kernel is compiled, a search with a time limit leaves the choice to the bare network.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        network: Network | None = None,
        exploration: float = EXPLORATION,
        caution: float | None = None,
        **limits: Any,
    ) -> None:
        limits.setdefault("kernel", GuidedKernel(network) if network else shipped_kernel())
        super().__init__(seed, exploration=exploration, **limits)
        self.caution = caution
        self._bare = Learned(seed, network=network)

    def _settings(self, position: Position) -> Any:
        from hegemon.kernels.guided import GuidedSettings

        alone = position.players == MAX_PLAYERS and not position.teams
        usual = CAUTION_OF_FOUR if alone else 0.0
        return GuidedSettings(self.exploration, usual if self.caution is None else self.caution)

    def think(self, view: View, memory: Memory, choices: tuple[str, ...]) -> Thoughts:
        hurried = self.seconds is not None or self.turn_seconds is not None
        if hurried and not self.kernel.is_compiled():
            self._tree = None
            self.thoughts = self._first_thoughts(view, memory, choices)
            return self.thoughts
        return super().think(view, memory, choices)

    def _first_thoughts(self, view: View, memory: Memory, choices: tuple[str, ...]) -> Thoughts:
        """What the bare network thinks: the choices by their odds."""
        odds = self._bare.odds(view, memory, choices)
        expected = self._bare.expected(view, memory)[0]
        by_odds = sorted(choices, key=lambda choice: -odds[choice])
        return Thoughts(tuple(Opinion(choice, 0, expected) for choice in by_odds), tuple(by_odds[:1]), 0, 0.0)

"""Bots with a network trained by self-play: the bare policy, and a search guided by the network.

The bare policy needs only NumPy, the search also Numba. `hegemon train` writes the weights.
"""

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

import numpy as np

from hegemon.bots.search import Evaluation, Search, SearchResult
from hegemon.bots.search_kernel import SearchKernel
from hegemon.kernels.network import LAYOUT, NUM_ACTIONS, Network, outputs_of, softmax
from hegemon.notation.choices import read_choice
from hegemon.play.memory import Memory
from hegemon.play.observation import observation
from hegemon.rules.position import MAX_PLAYERS, Position
from hegemon.rules.shuffle import next_state, stream
from hegemon.rules.view import View

#: The PUCT constant of the guided search.
EXPLORATION: Final = 0.25

#: The first-play urgency (FPU) reduction of the guided search with four players without teams; elsewhere it is 0.
FPU_REDUCTION_FOUR_PLAYERS: Final = 0.15

_RANDOM_RANGE: Final = 1 << 32


def load_network(path: Path | str) -> Network:
    """Load a network from a file of weights written by `hegemon train`."""
    with np.load(path) as arrays:
        if str(arrays["layout"]) != LAYOUT:
            raise ValueError(f"The weights in {path} are for {arrays['layout']}; this program has {LAYOUT}.")
        return Network(*(arrays[name].astype(np.float32) for name in Network._fields))


@cache
def shipped_network(name: str = "learned") -> Network:
    """A network included in the package; the JSON file next to it describes its training."""
    with as_file(files("hegemon.bots") / "data" / f"{name}.npz") as path:
        return load_network(path)


class Learned:
    """The bare policy: one evaluation of the network per choice.

    Temperature 0 selects the most probable choice, 1 samples from the policy, and higher temperatures flatten it.
    """

    def __init__(self, seed: int = 0, *, network: Network | None = None, temperature: float = 0.0) -> None:
        if temperature < 0:
            raise ValueError(f"a temperature is 0 or more, not {temperature}")
        self.network = network or shipped_network()
        self.temperature = temperature
        self._state = stream(seed, 0)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        if len(choices) == 1:
            return choices[0]
        probabilities = self.probabilities(view, memory, choices)
        if self.temperature == 0:
            return max(choices, key=lambda choice: probabilities[choice])
        self._state = next_state(self._state)
        remaining = (self._state % _RANDOM_RANGE) / _RANDOM_RANGE
        for choice in choices:
            remaining -= probabilities[choice]
            if remaining < 0:
                return choice
        return max(choices, key=lambda choice: probabilities[choice])

    def probabilities(self, view: View, memory: Memory, choices: tuple[str, ...]) -> dict[str, float]:
        """The probability of each choice at the bot's temperature; at temperature 0, that of temperature 1."""
        logits = self._outputs(view, memory)[[read_choice(choice) for choice in choices]]
        return dict(zip(choices, softmax(logits / (self.temperature or 1.0)).tolist(), strict=True))

    def values(self, view: View, memory: Memory) -> tuple[float, ...]:
        """The expected share of the win of each seat, clockwise from the viewer."""
        return tuple(softmax(self._outputs(view, memory)[NUM_ACTIONS : NUM_ACTIONS + view.players]).tolist())

    def _outputs(self, view: View, memory: Memory) -> Any:
        return outputs_of(self.network, observation(view, memory, to_move=True))


class GuidedKernel(SearchKernel):
    """Grows search trees guided by a network."""

    def __init__(self, network: Network) -> None:
        from hegemon.kernels.guided import Guide

        super().__init__()
        self._guide = Guide(network)

    def tree(self, capacity: int) -> Any:
        from hegemon.kernels.guided import GuidedTree

        return GuidedTree.of(capacity)

    def _default_settings(self) -> Any:
        from hegemon.kernels.guided import GuidedSettings

        return GuidedSettings(1.0, 0.5)

    def _compiled_grow(self) -> Any:
        return self._guide.grow_compiled

    def _interpreted_grow(self) -> Any:
        return self._guide.grow_interpreted


@cache
def shipped_kernel() -> GuidedKernel:
    """The kernel shared by all searches with the default network."""
    return GuidedKernel(shipped_network())


class LearnedSearch(Search):
    """A search with the network's policy as priors and its values in place of playouts.

    Until the kernel is compiled, a search with a time limit falls back to the bare policy.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        network: Network | None = None,
        exploration: float = EXPLORATION,
        fpu_reduction: float | None = None,
        **limits: Any,
    ) -> None:
        limits.setdefault("kernel", GuidedKernel(network) if network else shipped_kernel())
        super().__init__(seed, exploration=exploration, **limits)
        self.fpu_reduction = fpu_reduction
        self._bare = Learned(seed, network=network)

    def _settings(self, position: Position) -> Any:
        from hegemon.kernels.guided import GuidedSettings

        fpu_reduction = self.fpu_reduction
        if fpu_reduction is None:
            four_sides = position.players == MAX_PLAYERS and not position.teams
            fpu_reduction = FPU_REDUCTION_FOUR_PLAYERS if four_sides else 0.0
        return GuidedSettings(self.exploration, fpu_reduction)

    def analyze(self, view: View, memory: Memory, choices: tuple[str, ...]) -> SearchResult:
        has_time_limit = self.seconds is not None or self.turn_seconds is not None
        if has_time_limit and not self.kernel.is_compiled():
            self._tree = None
            self.result = self._network_result(view, memory, choices)
            return self.result
        return super().analyze(view, memory, choices)

    def _network_result(self, view: View, memory: Memory, choices: tuple[str, ...]) -> SearchResult:
        """The choices in the order of the bare policy, without a search."""
        probabilities = self._bare.probabilities(view, memory, choices)
        value = self._bare.values(view, memory)[0]
        ordered = sorted(choices, key=lambda choice: -probabilities[choice])
        return SearchResult(
            tuple(Evaluation(choice, 0, value) for choice in ordered), tuple(ordered[:1]), 0, 0.0
        )

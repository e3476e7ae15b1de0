"""The player that learned the game by playing itself: a network, alone or with a search that it guides.

Playing needs NumPy and Numba alone; `hegemon train` makes the weights.
"""

from pathlib import Path
from typing import Any, Final

import numpy as np

from hegemon.bots.search import Search
from hegemon.bots.search_kernel import SearchKernel
from hegemon.kernels.compiler import can_compile, compiled
from hegemon.kernels.network import ACTIONS, LAYOUT, Activations, Network, evaluate, to_probabilities
from hegemon.notation.choices import read_choice
from hegemon.play.memory import Memory
from hegemon.play.observation import observation
from hegemon.rules.actions import CHOICES
from hegemon.rules.shuffle import next_state, stream
from hegemon.rules.view import View

#: How much a search guided by the network tries what it has not tried often.
EXPLORATION: Final = 1.0

_STATES: Final = 1 << 32


def load_network(path: Path | str) -> Network:
    """A network from a file of weights, as `hegemon train` writes it."""
    with np.load(path) as arrays:
        if str(arrays["layout"]) != LAYOUT:
            raise ValueError(f"The weights in {path} are for {arrays['layout']}; this program has {LAYOUT}.")
        return Network(*(arrays[name].astype(np.float32) for name in Network._fields))


def outputs_of(network: Network, memory: Activations, choices: int, players: int, temperature: float) -> None:
    """Leave in the outputs the probabilities of all actions, and what every seat may expect, from the viewer on."""
    evaluate(network, memory)
    to_probabilities(memory.outputs, 0, choices, ACTIONS, temperature)
    to_probabilities(memory.outputs, ACTIONS, (1 << players) - 1, len(memory.outputs) - ACTIONS, 1.0)


class Learned:
    """The bare network: it looks once and chooses.

    At temperature 0 it takes what it thinks best; at 1 it draws by its own odds, and above it is less sure of itself.
    """

    def __init__(self, network: Network, seed: int = 0, *, temperature: float = 0.0) -> None:
        if temperature < 0:
            raise ValueError(f"a temperature is 0 or more, not {temperature}")
        self.network = network
        self.temperature = temperature
        self._state = stream(seed, 0)
        self._memory = Activations.of(self.network)
        self._outputs_of = compiled(outputs_of, nogil=False) if can_compile() else outputs_of

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
        self._ask(view, memory, choices)
        return {choice: float(self._memory.outputs[read_choice(choice)]) for choice in choices}

    def expected(self, view: View, memory: Memory) -> tuple[float, ...]:
        """What part of the win every seat may expect, counted from the viewer clockwise."""
        self._ask(view, memory, (CHOICES[0],))
        return tuple(map(float, self._memory.outputs[ACTIONS : ACTIONS + view.players]))

    def _ask(self, view: View, memory: Memory, choices: tuple[str, ...]) -> None:
        self._memory.row[:] = observation(view, memory, to_move=True)
        offered = sum(1 << read_choice(choice) for choice in choices)
        offered -= (offered >> ACTIONS - 1) << ACTIONS  # the highest bit is the sign in compiled code
        self._outputs_of(self.network, self._memory, offered, view.players, self.temperature or 1.0)


class GuidedKernel(SearchKernel):
    """Grows trees that a network guides."""

    def __init__(self, network: Network) -> None:
        from hegemon.kernels.guided import Guide

        super().__init__()
        self._guide = Guide(network)

    def tree(self, capacity: int) -> Any:
        from hegemon.kernels.guided import GuidedTree

        return GuidedTree.of(capacity)

    def _compiled_grow(self) -> Any:
        return self._guide.grow_compiled

    def _interpreted_grow(self) -> Any:
        return self._guide.grow_interpreted


class LearnedSearch(Search):
    """A search guided by the network: its priors, and its expectations instead of playing games out."""

    def __init__(
        self, network: Network, seed: int = 0, *, exploration: float = EXPLORATION, **limits: Any
    ) -> None:
        limits.setdefault("kernel", GuidedKernel(network))
        super().__init__(seed, exploration=exploration, **limits)

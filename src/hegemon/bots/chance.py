"""A bot that plays randomly, as a baseline for all others."""

from random import Random

from hegemon.play.memory import Memory
from hegemon.rules.view import View


class Chance:
    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        return self._random.choice(choices)

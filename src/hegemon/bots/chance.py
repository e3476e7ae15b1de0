"""A bot that plays randomly: the measure of every other bot."""

from random import Random

from hegemon.play.memory import Memory
from hegemon.rules.view import View


class Chance:
    def __init__(self, seed: int = 0) -> None:
        self._chance = Random(seed)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        return self._chance.choice(choices)

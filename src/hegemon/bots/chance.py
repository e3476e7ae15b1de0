"""A bot that plays by chance: every word on offer is as likely as the others."""

from random import Random

from hegemon.play.memory import Memory
from hegemon.rules.view import View


class Chance:
    """Chooses evenly among the words on offer: the measure of every other bot."""

    def __init__(self, seed: int = 0) -> None:
        self._chance = Random(seed)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        """Any of the words on offer."""
        return self._chance.choice(choices)

"""The one protocol for everybody who sits at a table."""

from typing import Protocol

from hegemon.play.memory import Memory
from hegemon.rules.view import View


class Player(Protocol):
    """Somebody who chooses: a bot, a person at a terminal, a program far away.

    A player is handed what its seat may know and nothing else: the view, what it remembers, and the words on offer.
    """

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        """One of the words on offer."""
        ...

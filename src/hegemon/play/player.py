"""The protocol of players: bots, people at a terminal, remote programs."""

from typing import Protocol

from hegemon.play.memory import Memory
from hegemon.rules.view import View


class Player(Protocol):
    """Chooses for a seat, given what the seat may know: its view, its memory, and the legal choices."""

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        """Return one of the legal choices."""
        ...

"""Hindsight: a game as it was some rounds ago, which those who look on may see with all hands open.

What they see is the whole table of an earlier moment, the beginning of a turn, never hands of then beside a table of
now. It depends on nothing that was drawn or chosen since: only on how many turns have begun.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hegemon.play.events import TurnBegan
from hegemon.play.game import Game
from hegemon.rules.actions import CHOICES
from hegemon.server.db.store import UNDO, MoveRow

#: So many rounds can lie between a table and what those who look on see of its hands.
DELAYS: Final = (1, 2, 4)


class DelayedView:
    """A game that follows another at a distance of whole rounds."""

    def __init__(self, game: Game, rounds: int) -> None:
        start = replace(game.record(), moves=(), result=None)
        self._turns = rounds * game.players
        self._now = Game.from_record(start)
        self._then = Game.from_record(start)
        self._followed = 0
        self._began: list[int] = []
        """How many choices had been made when each turn began; none of them can be taken back any more."""
        self._note_turns()

    def follow(self, moves: Sequence[MoveRow]) -> None:
        """Take in the entries that are new."""
        for move in moves[self._followed :]:
            if move.choice == UNDO:
                self._now.undo(move.seat)
            else:
                self._now.play(move.choice, move.seat)
            self._note_turns()
        self._followed = len(moves)

    def _note_turns(self) -> None:
        began = sum(isinstance(event, TurnBegan) for event in self._now.events)
        self._began += [len(self._now.moves)] * (began - len(self._began))

    def game(self, names: Sequence[str]) -> Game | None:
        """The game as it was, with the names that the players have now; None while there is nothing so long ago."""
        if len(self._began) <= self._turns:
            return None
        choices = self._began[-1 - self._turns]
        for seat, choice in self._now.record().moves[len(self._then.moves) : choices]:
            self._then.play(CHOICES[choice], seat)
        self._then.rename(names)
        return self._then

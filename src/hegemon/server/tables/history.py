"""What every entry of a table did, in facts: what programs follow a game by."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

from hegemon.play.events import Event
from hegemon.play.game import Game
from hegemon.play.serialization import event_to_dict
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.server.db.store import UNDO, MoveRow

Facts = dict[str, Any]

#: What programs are told when a seat takes its last word back; `number` is that of the entry that no longer counts.
TAKEN_BACK: Final = "taken_back"


class History:
    """The events of a game by the entry that brought them; those of entry 0 are the deal.

    A word that was taken back keeps its events, and the taking back is told like an event: whoever followed the game
    from the beginning knows which events never happened.
    """

    def __init__(self, game: Game) -> None:
        self._game = Game.from_record(dataclasses.replace(game.record(), moves=(), result=None))
        self._backs_shown = bool(self._game.position.rulings & SHOW_BACKS)
        self._happened: list[tuple[Event, ...] | Facts] = [self._game.events]
        self._standing: list[int] = []

    def follow(self, moves: Sequence[MoveRow]) -> None:
        """Take in the entries that are new."""
        for move in moves[len(self._happened) - 1 :]:
            if move.choice == UNDO:
                self._happened.append(self._take_back(move.seat))
            else:
                told = len(self._game.events)
                self._game.play(move.choice, move.seat)
                self._standing.append(move.version)
                self._happened.append(self._game.events[told:])

    def _take_back(self, seat: int) -> Facts:
        place = self._game.undoable(seat)
        assert place is not None, "an entry that is kept was allowed"
        self._game.undo(seat)
        return {"event": TAKEN_BACK, "seat": seat + 1, "version": self._standing.pop(place)}

    def seen_by(self, viewer: int, version: int) -> list[Facts]:
        """What the entry of that number did, as a seat saw it, or a spectator."""
        happened = self._happened[version]
        if isinstance(happened, dict):
            return [happened]
        return [event_to_dict(event.seen_by(viewer, self._backs_shown)) for event in happened]

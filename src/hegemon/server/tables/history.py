"""The events of every version of a table, as the API streams them."""

from typing import Any, Final

from hegemon.play.events import Event
from hegemon.play.game import Game
from hegemon.play.serialization import event_to_dict
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.server.db.rows import MoveRow

Facts = dict[str, Any]

#: The event that reports an undo; its `version` is that of the move that no longer counts.
UNDONE: Final = "undone"


class History:
    """The events of a game by version; version 0 is the deal.

    An undo does not remove the events of the undone move but adds an event, so a client that follows the game from the
    start knows which events no longer count.
    """

    def __init__(self, game: Game) -> None:
        self._backs_shown = bool(game.position.rulings & SHOW_BACKS)
        self._entries: list[tuple[Event, ...] | Facts] = [game.events_at(0)]
        self._versions: list[int] = []
        """The version of each move that counts; all moves of a set of cards have the same version."""

    def apply(self, game: Game, move: MoveRow) -> None:
        """Play a move in the game, and record its events."""
        before = len(game.moves)
        game.play(move.choice, move.seat)
        plies = range(before + 1, len(game.moves) + 1)
        self._versions += [move.version] * len(plies)
        self._entries.append(tuple(event for ply in plies for event in game.events_at(ply)))

    def undo(self, game: Game, seat: int) -> None:
        """Undo the last move of a seat (a set of cards as a whole), and record the undo."""
        index, before = game.undoable(seat), len(game.moves)
        game.undo(seat)
        assert index is not None
        undone = self._versions[index]
        del self._versions[index : index + before - len(game.moves)]
        self._entries.append({"event": UNDONE, "seat": seat + 1, "version": undone})

    def events_seen_by(self, viewer: int, version: int) -> tuple[Event, ...]:
        """The events of a version as a seat or a spectator saw them; none for an undo."""
        entry = self._entries[version]
        return tuple(event.seen_by(viewer, self._backs_shown) for event in entry if isinstance(event, Event))

    def event_dicts(self, viewer: int, version: int) -> list[Facts]:
        """The events of a version as JSON, with an undo as a separate event."""
        entry = self._entries[version]
        return (
            [entry]
            if isinstance(entry, dict)
            else [*map(event_to_dict, self.events_seen_by(viewer, version))]
        )

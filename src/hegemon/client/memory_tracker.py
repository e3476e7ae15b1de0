"""The memory of a seat on a server, built from its updates; moves that were undone leave no trace."""

from hegemon.client.messages import MoveUpdate, Update
from hegemon.play.memory import Memory


class MemoryTracker:
    """Follows the updates of a game and derives a `Memory` from them."""

    def __init__(self) -> None:
        self.version = -1
        self._moves: dict[int, MoveUpdate] = {}
        self._memory: Memory | None = None
        self._new: list[MoveUpdate] = []

    def update(self, update: Update) -> None:
        if not isinstance(update, MoveUpdate):
            return
        self.version = update.version
        if update.undone is not None:
            del self._moves[update.undone]
            self._memory = None
        else:
            self._moves[update.version] = update
            self._new.append(update)

    def memory(self, viewer: int, players: int) -> Memory:
        if self._memory is None or self._memory.viewer != viewer:
            self._memory, self._new = Memory(viewer, players), list(self._moves.values())
        for move in self._new:
            self._memory.see(move.events)
        self._new = []
        return self._memory.copy()

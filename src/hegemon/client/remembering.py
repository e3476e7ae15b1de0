"""What a seat far away remembers, from what it is told: words that were taken back have never happened."""

from hegemon.client.messages import Entry, News
from hegemon.play.memory import Memory


class Remembering:
    """Follows the entries of a game and keeps a memory of them."""

    def __init__(self) -> None:
        self.number = -1
        self._entries: dict[int, Entry] = {}
        self._memory: Memory | None = None
        self._new: list[Entry] = []

    def take_in(self, news: News) -> None:
        """Take in what has happened; what is only said is no fact."""
        if not isinstance(news, Entry):
            return
        self.number = news.number
        if news.taken_back is not None:
            del self._entries[news.taken_back]
            self._memory = None
        else:
            self._entries[news.number] = news
            self._new.append(news)

    def memory(self, viewer: int, players: int) -> Memory:
        """What is remembered now."""
        if self._memory is None or self._memory.viewer != viewer:
            self._memory, self._new = Memory(viewer, players), list(self._entries.values())
        for entry in self._new:
            self._memory.see(entry.events)
        self._new = []
        return self._memory.copy()

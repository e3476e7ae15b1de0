"""Jobs for bots that search: the view, memory and legal choices of a seat, as text."""

import time
from collections import OrderedDict
from functools import lru_cache
from threading import Lock
from typing import Final

import msgspec

from hegemon.bots import make_bot
from hegemon.bots.registry import is_third_party
from hegemon.bots.search import Search
from hegemon.notation.reading import read_view
from hegemon.notation.setup import SetupError
from hegemon.notation.writing import write_view
from hegemon.play.memory import Memory
from hegemon.rules.view import View

#: The maximum number of bots that a thinker caches for the next choices of their turns.
MAX_BOTS: Final = 16


class ThinkingJob(msgspec.Struct, frozen=True):
    """One choice of a bot."""

    bot: str
    """The name of one of our bots that search."""
    seed: int
    view: str
    memory: str
    choices: tuple[str, ...]
    turn: str = ""
    """The turn of this choice; a thinker that has made earlier choices of the turn continues their search."""
    spent: float = 0.0
    """The seconds that earlier choices of the turn have taken."""


class Answer(msgspec.Struct, frozen=True):
    choice: str
    seconds: float
    """The time that the bot has taken."""


class JobFailed(Exception):
    """A thinker that could not do a job; the message says why."""


class JobResult(msgspec.Struct, frozen=True):
    """The result of a job: an answer, or the reason why there is none."""

    answer: Answer | None = None
    failure: str = ""

    def get(self) -> Answer:
        """The answer; raises JobFailed if there is none."""
        if self.answer is None:
            raise JobFailed(self.failure)
        return self.answer


@lru_cache(maxsize=256)
def is_search(name: str) -> bool:
    """Whether a name belongs to one of our bots that search.

    Other bots choose faster than a job could be written and read. Names that refer to other code are rejected, because
    a job may come from another machine.
    """
    if is_third_party(name):
        return False
    try:
        return isinstance(make_bot(name), Search)
    except SetupError:
        return False


def job_of(
    bot: str,
    seed: int,
    view: View,
    memory: Memory,
    choices: tuple[str, ...],
    turn: str = "",
    spent: float = 0.0,
) -> ThinkingJob:
    return ThinkingJob(bot, seed, write_view(view), str(memory), choices, turn, spent)


class Thinker:
    """Runs jobs; may be used by several threads at a time."""

    def __init__(self) -> None:
        self._bots: OrderedDict[str, Search] = OrderedDict()
        """Bots in the middle of a turn, the most recently used last."""
        self._lock = Lock()

    def answer(self, job: ThinkingJob) -> Answer:
        """Think; raises JobFailed for a job that is not for a bot that searches."""
        if not is_search(job.bot):
            raise JobFailed(f"there is no bot {job.bot!r} that searches")
        began = time.perf_counter()
        view = read_view(job.view)
        memory = Memory(view.viewer, view.players, job.memory)
        bot = self._take_bot(job)
        bot.continue_turn(view, job.spent)
        choice = bot.choose(view, memory, job.choices)
        self._cache_bot(job.turn, bot)
        return Answer(choice, time.perf_counter() - began)

    def _take_bot(self, job: ThinkingJob) -> Search:
        with self._lock:
            bot = self._bots.pop(job.turn, None)
        if bot is None:
            new = make_bot(job.bot, job.seed)
            assert isinstance(new, Search)
            return new
        return bot

    def _cache_bot(self, turn: str, bot: Search) -> None:
        if turn:
            with self._lock:
                self._bots[turn] = bot
                while len(self._bots) > MAX_BOTS:
                    self._bots.popitem(last=False)

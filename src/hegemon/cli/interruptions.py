"""Ctrl-C, a terminal that closes, a system that ends: heard where somebody waits, never in the middle of a change."""

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Final, Self

#: Windows has no SIGHUP.
_SIGNALS: Final = [number for number in signal.Signals if number.name in ("SIGINT", "SIGTERM", "SIGHUP")]


class Interruptions:
    """Turns what ends a program from outside into one `KeyboardInterrupt`, at a moment when nothing is half done.

    An interruption that comes while nobody listens waits until somebody does. After the first one no other is heard:
    what is then still to be saved and said is saved and said.
    """

    def __init__(self) -> None:
        self.came = False
        self._told = False
        self._listening = False
        self._before: dict[signal.Signals, Callable[..., object] | int | None] = {}

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # what nohup has switched off stays off
                self._before[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _interrupt(self, *_: object) -> None:
        self.came = True
        self._listen()

    def _listen(self) -> None:
        if self.came and self._listening and not self._told:
            self._told = True
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def heard(self) -> Iterator[None]:
        """For what may take long and can be left at any point: reading a line, thinking, waiting."""
        with self._set(listening=True):
            self._listen()
            yield

    @contextlib.contextmanager
    def unheard(self) -> Iterator[None]:
        """For what is short and must be whole, inside of what may be left."""
        with self._set(listening=False):
            yield
        self._listen()

    @contextlib.contextmanager
    def _set(self, *, listening: bool) -> Iterator[None]:
        before = self._listening
        self._listening = listening
        try:
            yield
        finally:
            self._listening = before

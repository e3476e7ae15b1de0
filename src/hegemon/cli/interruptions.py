"""Ctrl-C, a terminal that closes, a system that ends: heard where somebody waits, never in the middle of a change."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Final, Self

#: Windows has no SIGHUP.
_SIGNALS: Final = [number for number in signal.Signals if number.name in ("SIGINT", "SIGTERM", "SIGHUP")]


def speak_to_nobody(*streams: int) -> None:
    """Whoever read these streams has gone: what is still written to them goes nowhere, instead of failing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream)


class Interruptions:
    """Turns what ends a program from outside into a `KeyboardInterrupt`, at a moment when nothing is half done.

    An interruption that comes while nobody listens waits until somebody does. The one that is heard is for now the
    last one: what is then to be saved and said is saved and said.
    """

    def __init__(self) -> None:
        self.came = False
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

    def _interrupt(self, number: int, _: object) -> None:
        if signal.Signals(number).name == "SIGHUP":  # the terminal has gone, and writing to it would fail
            speak_to_nobody(1, 2)
        self.came = True
        self._listen()

    def _listen(self) -> None:
        if self.came and self._listening:
            self._listening = False
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

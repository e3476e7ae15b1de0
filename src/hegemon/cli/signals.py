"""SIGINT, SIGTERM and SIGHUP as a `KeyboardInterrupt`, raised only where it is safe."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from typing import Final, Self

#: Windows has no SIGHUP.
_SIGNALS: Final = [number for number in signal.Signals if number.name in ("SIGINT", "SIGTERM", "SIGHUP")]


def discard_output(*descriptors: int) -> None:
    """Redirect file descriptors without a reader to the null device, so that writing does not fail."""
    null = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(null, descriptor)


class Interrupts:
    """Handlers that raise `KeyboardInterrupt` inside `allowed()` and defer it everywhere else.

    After one interrupt has been raised, others are ignored until the next `allowed()`, so that saving can finish.
    """

    def __init__(self) -> None:
        self.received = False
        self._allowed = False
        self._previous: dict[signal.Signals, Callable[..., object] | int | None] = {}

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # ignored by nohup, for example
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _: object) -> None:
        if signal.Signals(number).name == "SIGHUP":  # the terminal is closed, and writing to it would fail
            discard_output(1, 2)
        self.received = True
        self._raise_pending()

    def _raise_pending(self) -> None:
        if self.received and self._allowed:
            self._allowed = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        """Raise interrupts at once, including a deferred one: for reading a line, thinking and waiting."""
        with self._set(allowed=True):
            self._raise_pending()
            yield

    @contextlib.contextmanager
    def deferred(self) -> Iterator[None]:
        """Defer interrupts to the end of this block, inside `allowed()`."""
        with self._set(allowed=False):
            yield
        self._raise_pending()

    @contextlib.contextmanager
    def _set(self, *, allowed: bool) -> Iterator[None]:
        before = self._allowed
        self._allowed = allowed
        try:
            yield
        finally:
            self._allowed = before

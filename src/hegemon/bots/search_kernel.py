"""The search kernel: compiled in the background, and interpreted until that is done."""

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Any, Final

from hegemon.kernels.compiler import can_compile
from hegemon.kernels.imagination import Unseen
from hegemon.rules.position import Position

#: The type of `hegemon.kernels.tree.grow_compiled`.
Grow = Callable[..., int]


class SearchKernel:
    """Grows search trees, compiled as soon as possible. The interpreter grows the same trees from the same seed."""

    def __init__(self, *, can_compile: Callable[[], bool] = can_compile) -> None:
        self._can_compile = can_compile
        self._lock = Lock()
        self._compiler: Thread | None = None
        self._done = Event()
        self._compiled: Grow | None = None

    def start(self) -> None:
        """Begin to compile, unless that has begun already."""
        with self._lock:
            if self._compiler is None:
                self._compiler = Thread(target=self._compile, name="hegemon-compiler", daemon=True)
                self._compiler.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until compilation has ended; returns whether it has."""
        self.start()
        return self._done.wait(seconds)

    def is_compiled(self) -> bool:
        """Whether the compiled function is there; begins to compile it if not."""
        self.start()
        return self._compiled is not None

    def grow(self, *, patient: bool) -> Grow:
        """The function that grows a tree; a patient caller waits for the compiled one."""
        if not self._done.is_set():
            self.start()
            if patient:
                self._done.wait()
        return self._compiled or self._interpreted_grow()

    def tree(self, capacity: int) -> Any:
        """A tree with only its root, and capacity for that many nodes."""
        from hegemon.kernels.tree import Tree

        return Tree.of(capacity)

    def _any_settings(self) -> Any:
        from hegemon.kernels.tree import SearchSettings

        return SearchSettings(1.0, 0.5)

    def _interpreted_grow(self) -> Grow:
        from hegemon.kernels.tree import grow_interpreted

        return grow_interpreted

    def _compiled_grow(self) -> Grow:
        from hegemon.kernels.tree import grow_compiled

        return grow_compiled

    def _compile(self) -> None:
        try:
            if self._can_compile():
                from hegemon.kernels.tree import ROOT

                unseen, grow = Unseen.empty().arrays(), self._compiled_grow()
                grow(Position(), self.tree(2), unseen, ROOT, self._any_settings(), 0, 1)
                self._compiled = grow
        finally:
            self._done.set()  # whatever went wrong, no caller waits forever: the interpreter plays on


#: The kernel that all searches of a program share, unless another is given to them.
SEARCH_KERNEL: Final = SearchKernel()

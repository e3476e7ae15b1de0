"""The search kernel: compiled in the background, and interpreted until the compiled code is ready."""

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Any, Final

from hegemon.kernels.compiler import can_compile
from hegemon.kernels.determinization import Unseen
from hegemon.rules.position import Position

#: The type of `hegemon.kernels.tree.grow_compiled`.
Grow = Callable[..., int]


class SearchKernel:
    """Grows search trees. Compiled and interpreted code grow the same tree from the same seed."""

    def __init__(self, *, can_compile: Callable[[], bool] = can_compile) -> None:
        self._can_compile = can_compile
        self._lock = Lock()
        self._compiler: Thread | None = None
        self._done = Event()
        self._compiled: Grow | None = None

    def start(self) -> None:
        """Start compiling in the background, unless already started."""
        with self._lock:
            if self._compiler is None:
                self._compiler = Thread(target=self._compile, name="hegemon-compiler", daemon=True)
                self._compiler.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until compilation is done; return False on timeout."""
        self.start()
        return self._done.wait(seconds)

    def is_compiled(self) -> bool:
        """Whether the kernel is compiled; start compiling it if not."""
        self.start()
        return self._compiled is not None

    def grow(self, *, wait: bool) -> Grow:
        """The function that grows a tree; `wait` waits for the compiled one."""
        if not self._done.is_set():
            self.start()
            if wait:
                self._done.wait()
        return self._compiled or self._interpreted_grow()

    def tree(self, capacity: int) -> Any:
        """An empty tree with capacity for that many nodes."""
        from hegemon.kernels.tree import Tree

        return Tree.of(capacity)

    def _default_settings(self) -> Any:
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
                grow(Position(), self.tree(2), unseen, ROOT, self._default_settings(), 0, 1)
                self._compiled = grow
        finally:
            self._done.set()  # also after an error: callers then use the interpreted function


#: The default kernel, shared by all searches.
SEARCH_KERNEL: Final = SearchKernel()

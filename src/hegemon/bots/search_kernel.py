"""The engine of the search: compiled in the background, and interpreted until that is done."""

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final

from hegemon.rules.position import Position

if TYPE_CHECKING:
    from hegemon.kernels.imagination import Unseen
    from hegemon.kernels.tree import Settings, Tree

Grow = Callable[[Position, "Tree", "Unseen", int, "Settings", int, int], int]


class SearchKernel:
    """Grows search trees, at whichever speed is ready. Both grow the same trees from the same seed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._compiling: Thread | None = None
        self._done = Event()
        self._compiled: Grow | None = None

    def start(self) -> None:
        """Begin to compile, unless that has begun already."""
        with self._lock:
            if self._compiling is None:
                self._compiling = Thread(target=self._compile, name="hegemon-compiling", daemon=True)
                self._compiling.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the engine runs at its full speed; says whether it does."""
        self.start()
        return self._done.wait(seconds)

    def grow(self, *, patient: bool) -> Grow:
        """The function that grows a tree. Who is patient waits for the fast one."""
        if not self._done.is_set():
            self.start()
            if patient:
                self._done.wait()
        if self._compiled is not None:
            return self._compiled
        from hegemon.kernels.tree import grow_interpreted

        return grow_interpreted

    def _compile(self) -> None:
        try:
            from hegemon.kernels.compiler import can_compile

            if can_compile():
                from hegemon.kernels.imagination import Unseen
                from hegemon.kernels.tree import ROOT, Settings, Tree, grow_compiled

                grow_compiled(Position(), Tree.of(2), Unseen.nothing(), ROOT, Settings(1.0, 0.5), 0, 1)
                self._compiled = grow_compiled
        finally:
            self._done.set()  # whatever went wrong, nobody waits forever: the interpreter plays on


SEARCH_KERNEL: Final = SearchKernel()


def warm_up(*, wait: bool = True) -> None:
    """Compile the search now, so that no bot has to think slowly at first; in the background if nobody waits.

    Numba keeps what it compiles, so this takes long only once; a line on standard error says when it does.
    """
    SEARCH_KERNEL.start()
    if wait:
        SEARCH_KERNEL.wait()

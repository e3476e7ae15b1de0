"""Coverage traces each line, even those of other packages: code that repeats the same work is better left untraced."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_tracing() -> Iterator[None]:
    """Switch tracing off in this thread and in those started meanwhile."""
    here, elsewhere = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        sys.settrace(here)
        threading.settrace(elsewhere)

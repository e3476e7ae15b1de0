"""Coverage watches every line that runs, of other houses too: where much is done again and again, it had better not."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_tracing() -> Iterator[None]:
    """Here and in the threads that are begun meanwhile, nothing is measured."""
    here, elsewhere = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        sys.settrace(here)
        threading.settrace(elsewhere)

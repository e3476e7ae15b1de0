"""The `hegemon` command."""

import io
import signal
import sys

from hegemon.cli.interruptions import Interruptions

__all__ = ["main"]


def main() -> None:
    """Run the command and leave with its exit status."""
    with Interruptions() as interruptions:  # an import can swallow an interrupt
        from hegemon.cli.app import app
        from hegemon.cli.guard import INTERRUPTED, guarded
    if interruptions.came:
        sys.exit(INTERRUPTED)

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A letter that cannot be read or written becomes a question mark; it is no reason to stop.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        status = guarded(lambda: app(standalone_mode=False))
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done, and nothing is left to interrupt
    sys.exit(status)

"""The `hegemon` command."""

import io
import signal
import sys

from hegemon.cli.signals import Interrupts

__all__ = ["main"]


def main() -> None:
    """Run the command and exit with its status."""
    with Interrupts() as interrupts:  # an import can swallow an interrupt
        from hegemon.cli.app import run
        from hegemon.cli.errors import INTERRUPTED, run_command
    if interrupts.received:
        sys.exit(INTERRUPTED)

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # Characters that cannot be decoded or encoded become question marks.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        status = run_command(lambda: run(sys.argv[1:]))
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
    sys.exit(status)

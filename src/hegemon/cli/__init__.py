"""The `hegemon` command."""

import io
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command and leave with its exit status."""
    try:
        from hegemon.cli.app import app
        from hegemon.cli.guard import guarded
    except KeyboardInterrupt:
        sys.exit(130)

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A letter that cannot be read or written becomes a question mark; it is no reason to stop.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    sys.exit(guarded(lambda: app(standalone_mode=False)))

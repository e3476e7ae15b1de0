"""The `hegemon` command."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command and leave with its exit status."""
    from hegemon.cli.app import app
    from hegemon.cli.guard import guarded

    sys.exit(guarded(lambda: app(standalone_mode=False)))

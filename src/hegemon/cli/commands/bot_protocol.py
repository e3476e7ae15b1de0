"""`hegemon bot-protocol`: how programs in any language play."""

import sys
from importlib.resources import files


def bot_protocol() -> None:
    """Print the protocol of bots in any language, for --bots and --seats program:COMMAND."""
    sys.stdout.write(files("hegemon.bots").joinpath("protocol.md").read_text(encoding="utf-8"))

"""The terminal that everything is printed on."""

import shutil
import sys
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from hegemon.cli.drawing import THEME


class Terminal(Console):
    """A console in the game's colors. It lets a broken pipe be seen, so that the way out is always the same one."""

    def on_broken_pipe(self) -> NoReturn:
        """Whoever read our output has gone."""
        raise BrokenPipeError


def terminal() -> Terminal:
    """The terminal for what is asked for."""
    return Terminal(theme=THEME, highlight=False, emoji=False)


def error_terminal() -> Terminal:
    """The terminal for what went wrong."""
    return Terminal(theme=THEME, highlight=False, emoji=False, stderr=True, soft_wrap=True)


def is_interactive(console: Console) -> bool:
    """Whether somebody sits at the terminal, and is not a pipe at either end."""
    return console.is_terminal and sys.stdin.isatty()


def command() -> str:
    """How this program is called from where we are."""
    called = Path(sys.argv[0])
    if called.name != "hegemon" or shutil.which("hegemon"):
        return "hegemon"
    return str(called)

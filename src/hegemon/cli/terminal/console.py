"""The consoles for standard output and standard error."""

import shutil
import sys
from pathlib import Path
from typing import Final, NoReturn

from rich.console import Console
from rich.theme import Theme

#: The colors of the Domains: as text, of medium lightness, legible on black and on white; as cards, black on light.
THEME: Final = Theme(
    {
        "M": "bold #cc4b42",
        "R": "bold #9068d0",
        "E": "bold #b07d0a",
        "S": "bold #2f86c0",
        "C": "bold #cb4a90",
        "U": "bold #3f9149",
        "card.M": "#101014 on #e8766d",
        "card.R": "#101014 on #b79cf0",
        "card.E": "#101014 on #e8c45a",
        "card.S": "#101014 on #7cc4ee",
        "card.C": "#101014 on #f2a0cb",
        "card.U": "#101014 on #8fd694",
        "back": "#101014 on #b8b8b0",
        "missing": "dim",
        "mark": "bold reverse",
        "star": "bold #b07d0a",
        "count": "bold",
        "choice": "bold #2f86c0",
        "name": "bold not dim",
        "me": "bold",
        "turn": "bold #b07d0a",
        "quiet": "dim",
        "question": "bold",
        "win": "bold #3f9149",
        "alert": "bold #cc4b42",
    }
)


class GameConsole(Console):
    """A console in the game's colors that raises `BrokenPipeError`."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def output_console() -> GameConsole:
    return GameConsole(theme=THEME, highlight=False, emoji=False)


def error_console() -> GameConsole:
    return GameConsole(theme=THEME, highlight=False, emoji=False, stderr=True, soft_wrap=True)


def is_interactive(console: Console) -> bool:
    """Whether both input and output are a terminal."""
    return console.is_terminal and sys.stdin.isatty()


def command() -> str:
    """The command by which this program is called from the current folder."""
    called = Path(sys.argv[0])
    return "hegemon" if called.name != "hegemon" or shutil.which("hegemon") else str(called)

"""The language of the terminal: `--language`, then the locale of the system, then English."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Final

from hegemon.cli.errors import BAD_INPUT, CommandError
from hegemon.cli.prose import ERRORS, use_language
from hegemon.prose.translator import LANGUAGES

OPTION: Final = "--language"

#: In POSIX order: the first variable that is set is used.
_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def choose_language(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> None:
    """Use the language of a command line, or else of the system."""
    locale = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    use_language(read_language(locale) or "en")
    wanted = requested_language(arguments)
    if wanted is None:
        return
    if (code := read_language(wanted)) is None:
        languages = ", ".join(f"{code} ({name})" for code, name in LANGUAGES.items())
        raise CommandError(ERRORS["language"].format(language=wanted[:40], languages=languages), BAD_INPUT)
    use_language(code)


def requested_language(arguments: Sequence[str]) -> str | None:
    """The value of the last `--language` of a command line: help and errors need it before the line is parsed."""
    wanted = None
    for place, argument in enumerate(arguments):
        if argument == "--":
            break
        name, equals, value = argument.partition("=")
        if name == OPTION and equals:
            wanted = value
        elif name == OPTION and place + 1 < len(arguments):
            wanted = arguments[place + 1]
    return wanted


def read_language(text: str) -> str | None:
    """The language of a locale such as `de`, `de-AT` or `de_DE.UTF-8`; None if there is none."""
    code = re.split(r"[-_.@]", text.lower(), maxsplit=1)[0]
    return code if code in LANGUAGES else None

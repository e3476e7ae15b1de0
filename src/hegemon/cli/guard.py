"""The way out when something is wrong: a clear sentence on standard error, and an exit status that tells the kind."""

import errno
import os
import sys
from collections.abc import Callable
from typing import Final

import typer

from hegemon.cli.console import error_terminal
from hegemon.cli.interruptions import speak_to_nobody
from hegemon.cli.prose import ERRORS, MESSAGES
from hegemon.cli.saves import NothingSaved
from hegemon.cli.serving import CannotServe
from hegemon.notation.errors import NotationError
from hegemon.notation.record import RecordError
from hegemon.notation.setup import SetupError
from hegemon.play.legality import IllegalMoveError

FAILED: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141  # what a shell reports of a program that a closed pipe ended


class CannotJoin(Exception):
    """A bot cannot play at a table far away, or no longer; the sentence says why."""

    def __init__(self, sentence: str, status: int = FAILED) -> None:
        self.status = status
        super().__init__(sentence)


#: What somebody typed or wrote is wrong, and a sentence says how.
INPUT_ERRORS: Final = (NotationError, RecordError, SetupError, IllegalMoveError, NothingSaved)

_SENTENCES: Final = {
    errno.ENOENT: ("missing-file", BAD_INPUT),
    errno.EISDIR: ("folder", BAD_INPUT),
    errno.ENOTDIR: ("not-a-folder", BAD_INPUT),
    errno.EACCES: ("forbidden", FAILED),
    errno.EPERM: ("forbidden", FAILED),
    errno.EROFS: ("forbidden", FAILED),
    errno.ENOSPC: ("full", FAILED),
    errno.EDQUOT: ("full", FAILED),
}


def guarded(program: Callable[[], object]) -> int:
    """Run a program; whatever goes wrong ends in a sentence, never in a traceback. Returns the exit status."""
    try:
        status = program()
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except BrokenPipeError:
        return after_broken_pipe()
    except SystemExit as left:
        # Typer sees a broken pipe first, and leaves in its own way.
        if isinstance(left.__context__, BrokenPipeError):
            return after_broken_pipe()
        raise
    except KeyboardInterrupt:
        complain(MESSAGES["interrupted"])
        return INTERRUPTED
    except typer.TyperException as error:
        # Whoever types nothing gets help, and nothing has to be said.
        if error.format_message():
            complain(error.format_message(), help_for(error))
        return error.exit_code
    except typer.Abort:
        return FAILED
    except INPUT_ERRORS as error:
        complain(str(error))
        return BAD_INPUT
    except CannotServe as error:
        complain(str(error))
        return FAILED
    except CannotJoin as error:
        complain(str(error))
        return error.status
    except OSError as error:
        sentence, status = sentence_for(error)
        complain(sentence)
        return status
    except Exception as error:
        if os.environ.get("HEGEMON_TRACEBACK"):
            raise
        complain(ERRORS["mistake"].format(error=f"{type(error).__name__}: {error}"))
        return FAILED


def after_broken_pipe() -> int:
    """Whoever read our output has gone: keep Python from trying once more to flush what nobody reads."""
    speak_to_nobody(1)
    return BROKEN_PIPE


def complain(*sentences: str) -> None:
    """Say what is wrong."""
    console = error_terminal()
    for sentence in filter(None, sentences):
        console.print(sentence, markup=False)


def sentence_for(error: OSError) -> tuple[str, int]:
    """What the operating system refused, as a sentence, and the exit status it deserves."""
    key, status = _SENTENCES.get(error.errno or 0, ("os", FAILED))
    reason = error.strerror or str(error)
    return ERRORS[key].format(path=error.filename or "", reason=reason), status


def help_for(error: typer.TyperException) -> str:
    """Where to read on after a wrong use."""
    context = getattr(error, "ctx", None)
    return ERRORS["help"].format(command=context.command_path if context is not None else "hegemon")

"""Exit statuses, and one sentence on standard error instead of a traceback."""

import errno
import os
import sys
from collections.abc import Callable
from typing import Final

import typer

from hegemon.cli.prose import ERRORS, MESSAGES
from hegemon.cli.saves import SaveError
from hegemon.cli.signals import discard_output
from hegemon.cli.terminal.console import error_console
from hegemon.notation.errors import NotationError
from hegemon.notation.record import RecordError
from hegemon.notation.setup import SetupError
from hegemon.play.legality import IllegalMoveError

FAILED: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141  # what a shell reports for a program ended by a closed pipe


class CommandError(Exception):
    """A failure that a command reports in a sentence."""

    def __init__(self, sentence: str, status: int = FAILED) -> None:
        self.status = status
        super().__init__(sentence)


INPUT_ERRORS: Final = (NotationError, RecordError, SetupError, IllegalMoveError, SaveError)

_OS_ERRORS: Final = {
    errno.ENOENT: ("missing-file", BAD_INPUT),
    errno.EISDIR: ("folder", BAD_INPUT),
    errno.ENOTDIR: ("not-a-folder", BAD_INPUT),
    errno.EACCES: ("forbidden", FAILED),
    errno.EPERM: ("forbidden", FAILED),
    errno.EROFS: ("forbidden", FAILED),
    errno.ENOSPC: ("full", FAILED),
    errno.EDQUOT: ("full", FAILED),
}


def run_command(command: Callable[[], object]) -> int:
    """Run a command, report what goes wrong, and return the exit status."""
    try:
        status = command()
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except BrokenPipeError:
        return after_broken_pipe()
    except SystemExit as left:
        # Typer handles a broken pipe first, by exiting.
        if isinstance(left.__context__, BrokenPipeError):
            return after_broken_pipe()
        raise
    except KeyboardInterrupt:
        print_error(MESSAGES["interrupted"])
        return INTERRUPTED
    except typer.TyperException as error:
        # Without arguments the help is printed, and the message is empty.
        if error.format_message():
            context = getattr(error, "ctx", None)
            called = context.command_path if context is not None else "hegemon"
            print_error(error.format_message(), ERRORS["help"].format(command=called))
        return error.exit_code
    except typer.Abort:
        return FAILED
    except INPUT_ERRORS as error:
        print_error(str(error))
        return BAD_INPUT
    except CommandError as error:
        print_error(str(error))
        return error.status
    except OSError as error:
        sentence, status = sentence_for(error)
        print_error(sentence)
        return status
    except Exception as error:
        if os.environ.get("HEGEMON_TRACEBACK"):
            raise
        print_error(ERRORS["mistake"].format(error=f"{type(error).__name__}: {error}"))
        return FAILED


def after_broken_pipe() -> int:
    """Prevent Python from flushing standard output once more at exit."""
    discard_output(1)
    return BROKEN_PIPE


def print_error(*sentences: str) -> None:
    console = error_console()
    for sentence in filter(None, sentences):
        console.print(sentence, markup=False)


def sentence_for(error: OSError) -> tuple[str, int]:
    """The sentence and the exit status for an error of the operating system."""
    key, status = _OS_ERRORS.get(error.errno or 0, ("os", FAILED))
    return ERRORS[key].format(path=error.filename or "", reason=error.strerror or str(error)), status

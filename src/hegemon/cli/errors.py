"""Exit statuses, and one sentence on standard error instead of a traceback."""

import errno
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import typer

from hegemon.cli.prose import ERRORS, MESSAGES, USAGE, sentence_of
from hegemon.cli.saves import SaveError
from hegemon.cli.signals import discard_output
from hegemon.cli.terminal.console import error_console
from hegemon.notation.errors import NotationError
from hegemon.notation.messages import MessageError
from hegemon.notation.record import RecordError
from hegemon.notation.setup import SetupError
from hegemon.play.legality import IllegalMoveError

FAILED: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141  # the status that a shell reports after SIGPIPE


class CommandError(Exception):
    """A failure that a command reports in a sentence."""

    def __init__(self, sentence: str, status: int = FAILED) -> None:
        self.status = status
        super().__init__(sentence)


# Typer's sentences, for errors without structured data.
_NO_COMMAND: Final = re.compile(r"No such command '(?P<name>.*?)'\.")
_EXTRA: Final = re.compile(r"Got unexpected extra argument\(s\) \((?P<arguments>.*)\)", re.DOTALL)
_ONE_OF: Final = re.compile(r"is not one of (?P<values>.*)\.$")
_IN_QUOTES: Final = re.compile(r"'(.*?)'")

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
    """Run a command, report errors, and return the exit status."""
    try:
        status = command()
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except BrokenPipeError:
        return after_broken_pipe()
    except SystemExit as error:
        # Typer handles a broken pipe first, by exiting.
        if isinstance(error.__context__, BrokenPipeError):
            return after_broken_pipe()
        raise
    except KeyboardInterrupt:
        return fail(INTERRUPTED, MESSAGES["interrupted"])
    except typer.TyperException as error:
        # Without arguments the help is printed, and the message is empty.
        if error.format_message():
            context = getattr(error, "ctx", None)
            command_path = context.command_path if context is not None else "hegemon"
            fail(error.exit_code, usage_sentence(error), ERRORS["help"].format(command=command_path))
        return error.exit_code
    except typer.Abort:
        return FAILED
    except INPUT_ERRORS as error:
        return fail(BAD_INPUT, sentence_of(error))
    except CommandError as error:
        return fail(error.status, sentence_of(error))
    except MessageError as error:
        return fail(FAILED, sentence_of(error))
    except OSError as error:
        sentence, status = os_error_sentence(error)
        return fail(status, sentence)
    except Exception as error:
        if os.environ.get("HEGEMON_TRACEBACK"):
            raise
        return fail(FAILED, ERRORS["mistake"].format(error=f"{type(error).__name__}: {error}"))


def usage_sentence(error: typer.TyperException) -> str:
    """The error in a command line; Typer has it only in English."""
    facts: dict[str, Any] = vars(error)
    parameter = facts.get("param")
    name = parameter.opts[0] if parameter is not None else ""
    match type(error).__name__, error.message:
        case "NoSuchOption", _:
            sentence = USAGE["no-option"].format(option=facts["option_name"])
            return with_similar(sentence, sorted(facts["possibilities"] or ()))
        case "BadOptionUsage", _:
            return USAGE["no-value"].format(option=facts["option_name"])
        case "MissingParameter", _:
            return USAGE["missing"].format(parameter=name)
        case "BadParameter", _ if parameter is not None:
            return value_sentence(name, error.__cause__)
        case "UsageError", text if found := _NO_COMMAND.match(text):
            sentence = USAGE["no-command"].format(name=found["name"])
            return with_similar(sentence, _IN_QUOTES.findall(text[found.end() :]))
        case "UsageError", text if found := _EXTRA.match(text):
            return USAGE["extra"].format(arguments=found["arguments"])
        case _, text:
            return text


def with_similar(sentence: str, names: Sequence[str]) -> str:
    return f"{sentence} {USAGE['similar'].format(names=', '.join(names))}" if names else sentence


def value_sentence(name: str, cause: Any) -> str:
    """Why the value of a parameter is rejected; the cause is an error of Pydantic."""
    found = cause.errors()[0]
    facts: dict[str, object] = {"parameter": name, "value": found["input"]}
    match found["type"], found.get("ctx", {}):
        case "int_parsing" | "int_from_float" | "int_parsing_size", _:
            return USAGE["whole-number"].format(**facts)
        case "float_parsing" | "finite_number", _:
            return USAGE["number"].format(**facts)
        case "greater_than_equal", limits:
            return USAGE["at-least"].format(limit=limits["ge"], **facts)
        case "less_than_equal", limits:
            return USAGE["at-most"].format(limit=limits["le"], **facts)
        case "value_error", details if found := _ONE_OF.search(str(details.get("error"))):
            return USAGE["one-of"].format(values=found["values"], **facts)
        case _:
            return USAGE["invalid"].format(**facts)


def after_broken_pipe() -> int:
    """Prevent Python from flushing standard output once more at exit."""
    discard_output(1)
    return BROKEN_PIPE


def fail(status: int, *sentences: str) -> int:
    """Report why a command fails, with `--json` in a line of JSON; return the exit status."""
    if "--json" in sys.argv:
        error = {"error": " ".join(sentences), "status": status}
        sys.stderr.write(json.dumps(error, ensure_ascii=False) + "\n")
    else:
        print_error(*sentences)
    return status


def print_error(*sentences: str) -> None:
    console = error_console()
    for sentence in filter(None, sentences):
        console.print(sentence, markup=False)


def os_error_sentence(error: OSError) -> tuple[str, int]:
    """The sentence and the exit status for an error of the operating system."""
    key, status = _OS_ERRORS.get(error.errno or 0, ("os", FAILED))
    return ERRORS[key].format(path=error.filename or "", reason=error.strerror or str(error)), status

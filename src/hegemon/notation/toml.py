"""The TOML of records; a RecordError names what is wrong with it."""

import re
import tomllib
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, Final, TypeVar

from hegemon.notation.errors import RecordError, RecordSyntaxError, printable, quoted
from hegemon.notation.messages import message

#: A record of a long game has some 10,000 characters.
MAX_RECORD_LENGTH: Final = 1_000_000

MAX_VARIATIONS: Final = 500
TOO_MANY_VARIATIONS: Final = message("A record has at most {most} variations.", most=MAX_VARIATIONS)

#: Limits on characters outside of strings, with the error for a text that exceeds them: the running time of tomllib
#: grows with the product of keys and dotted parts.
_MAX_CHARACTERS: Final = {
    ".": (20, message("A record has no dotted entries, and this text has very many.")),
    "[": (3 * MAX_VARIATIONS + 100, TOO_MANY_VARIATIONS),
    "{": (MAX_VARIATIONS + 20, TOO_MANY_VARIATIONS),
    "=": (5_000, message("A record has an entry for each comment on a move, and this text has very many.")),
}

#: Limits on the nesting of brackets, because tomllib is recursive.
_MAX_DEPTHS: Final = {
    ("[", "]"): (100, message("A record has no lists within lists, and this text has very many.")),
    ("{", "}"): (20, message("A record has no tables within tables, and this text has very many.")),
}

#: Strings, closed or not, and comments: any other dot belongs to a key or a number.
_TEXT: Final = re.compile(
    r"""
      "{3} (?: \\. | (?!"{3}) [^\\] )*+ (?: "{3,5} )?
    | '{3} (?: (?!'{3}) . )*+ (?: '{3,5} )?
    | " (?: \\. | [^"\\\n] )*+ "?
    | ' [^'\n]*+ '?
    | \# [^\n]*+
    """,
    re.DOTALL | re.VERBOSE,
)

Entry = TypeVar("Entry")

_KINDS: Final[dict[type, str]] = {
    bool: message("true or false"),
    int: message("a whole number"),
    float: message("a number with a decimal point"),
    str: message("text in quotation marks"),
    list: message("a list in [ ]"),
    dict: message("a table"),
}
_OTHER_KIND: Final = message("a date or time")

#: Examples of the required entries.
_EXAMPLES: Final = {
    "players": 'players = ["Ada", "Grace"]',
    "deck": 'deck = "M1R1…"',
    "moves": 'moves = ["M . / S ."]',
    "ending": 'ending = "Majority"',
    "winners": "winners = [1]",
    "move": "move = 12",
}


def read_toml(text: str) -> dict[str, Any]:
    if len(text) > MAX_RECORD_LENGTH:
        raise RecordSyntaxError(
            "A record has at most {most} characters, and this text has {found}.",
            most=MAX_RECORD_LENGTH,
            found=len(text),
        )
    bare = _TEXT.sub("", text)
    for (opening, closing), (most, problem) in _MAX_DEPTHS.items():
        steps = (1 if character == opening else -1 for character in bare if character in (opening, closing))
        if max(accumulate(steps), default=0) > most:
            raise RecordSyntaxError(problem)
    for character, (most, problem) in _MAX_CHARACTERS.items():
        if bare.count(character) > most:
            raise RecordSyntaxError(problem)
    try:
        text.encode()
        return tomllib.loads(text)
    except UnicodeEncodeError as error:
        raise RecordSyntaxError(
            "Character {place} is half of a character: a record is Unicode text.", place=error.start + 1
        ) from None
    # Not only tomllib.TOMLDecodeError: int() itself rejects a number with thousands of digits.
    except ValueError as error:
        found = printable(str(error))
        if "end of document" in found:
            raise RecordSyntaxError("The record is incomplete: {problem}.", problem=found) from None
        raise RecordSyntaxError(
            "This is not TOML, the format of records: {problem}.", problem=found
        ) from None


def expect_keys(table: dict[str, Any], known: Iterable[str], what: str) -> None:
    """Reject unknown entries: a misspelled one would be ignored."""
    for key in table:
        if key not in known:
            raise RecordError(
                "{what} has no entry {key}, only {known}.",
                what=what,
                key=quoted(key),
                known=", ".join(known),
            )


def entry(table: dict[str, Any], key: str, kind: type[Entry], default: Entry | None) -> Entry:
    """An entry of a table, with its type checked; required if there is no default."""
    if key in table:
        return expect(table[key], kind, key)
    if default is None:
        raise RecordError(
            "The record has no {key}, which looks like this: {example}. Perhaps it was cut short.",
            key=quoted(key),
            example=_EXAMPLES[key],
        )
    return default


def expect(value: object, kind: type[Entry], key: str) -> Entry:
    # TOML's true is a bool, and Python's bool is an int: neither may pass for the other.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise RecordError(
            "{key} should be {kind}, not {found}.",
            key=quoted(key),
            kind=_KINDS[kind],
            found=_KINDS.get(type(value), _OTHER_KIND),
        )
    return value


def quote(text: str) -> str:
    """A TOML string on one line; lone surrogates cannot be written and are replaced."""
    letters = []
    for letter in text:
        if letter in '"\\':
            letters.append("\\" + letter)
        elif letter.isprintable():
            letters.append(letter)
        elif "\ud800" <= letter <= "\udfff":
            letters.append("\N{REPLACEMENT CHARACTER}")
        else:
            letters.append(f"\\U{ord(letter):08X}")
    return '"' + "".join(letters) + '"'

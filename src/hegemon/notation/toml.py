"""The TOML of records; a RecordError names what is wrong with it."""

import re
import tomllib
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from hegemon.notation.errors import RecordError, RecordSyntaxError, printable, quoted

#: A record of a long game has some 10,000 characters.
MAX_RECORD_LENGTH: Final = 1_000_000

#: What a record needs little of, outside of strings: the most of each, and how a text with more is rejected. The time
#: of tomllib grows with the product of keys and dotted parts.
_MAX_SIGNS: Final = {
    ".": (20, "A record has no dotted entries, and this text has very many."),
    "[": (100, "A record has no lists within lists, and this text has very many."),
    "{": (20, "A record has no tables within tables, and this text has very many."),
    "=": (5_000, "A record has an entry for each comment on a move, and this text has very many."),
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
    bool: "true or false",
    int: "a whole number",
    float: "a number with a point",
    str: "text in quotes",
    list: "a list in [ ]",
    dict: "a table",
}

#: Examples of the required entries.
_EXAMPLES: Final = {
    "players": 'players = ["Ada", "Grace"]',
    "deck": 'deck = "M1R1", all cards from the top',
    "moves": 'moves = ["M . / S ."]',
    "ending": 'ending = "Majority"',
    "winners": "winners = [1]",
}


def read_toml(text: str) -> dict[str, Any]:
    if len(text) > MAX_RECORD_LENGTH:
        raise RecordSyntaxError(
            f"A record has at most {MAX_RECORD_LENGTH:,} characters, and this text has {len(text):,}."
        )
    bare = _TEXT.sub("", text)
    for sign, (most, problem) in _MAX_SIGNS.items():
        if bare.count(sign) > most:
            raise RecordSyntaxError(problem)
    try:
        text.encode()
        return tomllib.loads(text)
    except UnicodeEncodeError as error:
        problem = f"Character {error.start + 1} is half of a character: a record is Unicode text."
        raise RecordSyntaxError(problem) from None
    # Not only tomllib.TOMLDecodeError: int() itself rejects a number with thousands of digits.
    except ValueError as error:
        problem = printable(str(error))
        if "end of document" in problem:
            raise RecordSyntaxError(f"The record is incomplete: {problem}.") from None
        raise RecordSyntaxError(f"This is not TOML, the form that records have: {problem}.") from None


def expect_keys(table: dict[str, Any], known: Iterable[str], what: str) -> None:
    """Reject unknown entries: a misspelled one would be ignored."""
    for key in table:
        if key not in known:
            raise RecordError(f"{what} has no entry {quoted(key)}, only {', '.join(known)}.")


def entry(table: dict[str, Any], key: str, kind: type[Entry], default: Entry | None) -> Entry:
    """An entry of a table, checked for its type; one without a default is required."""
    if key in table:
        return expect(table[key], kind, key)
    if default is None:
        raise RecordError(
            f'The record has no "{key}", which would be like this: {_EXAMPLES[key]}. Perhaps it was cut short.'
        )
    return default


def expect(value: object, kind: type[Entry], key: str) -> Entry:
    # TOML's true is a bool, and Python's bool is an int: neither may pass for the other.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise RecordError(
            f'In "{key}" there should be {_KINDS[kind]}, not {_KINDS.get(type(value), "a date or time")}.'
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

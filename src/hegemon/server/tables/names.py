"""Names that the host of a server has blocked."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from hegemon.prose.english import BOT_NAMES, PERSON_NAMES
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables.errors import NameRejected

#: The prefix of a pattern that is a literal name: its stars are ordinary characters.
_LITERAL: Final = "="

#: The Unicode categories of accents and of invisible characters.
_INVISIBLE_CATEGORIES: Final = ("Mn", "Me", "Cf", "Cn")

#: Matches the Unicode name of a Latin letter with an addition, such as a stroke or a frame.
_LATIN_NAME: Final = re.compile(
    r"(?:LATIN|REGIONAL INDICATOR)\b.* LETTER (?:SMALL CAPITAL |DOTLESS )?([A-Z])(?: WITH .*)?$"
)

#: Greek and Cyrillic letters that look like Latin ones, or whose capital letters do.
_LOOKALIKES: Final = str.maketrans(
    "αβεζηικμνορτυχϳ" + "авекмнорстухіјѕһӏүԁԍԛԝ",
    "abezhikmnoptyxj" + "abekmhopctyxijshlydgqw",
)


def skeleton(name: str) -> str:
    """A name reduced to its appearance: without accents, lookalikes and case (see Unicode's UTS #39)."""
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    seen = (letter for letter in letters if unicodedata.category(letter) not in _INVISIBLE_CATEGORIES)
    return "".join(map(_latin, seen)).translate(_LOOKALIKES)


def _latin(letter: str) -> str:
    found = None if letter.isascii() else _LATIN_NAME.search(unicodedata.name(letter, ""))
    return found[1].lower() if found is not None else letter


def literal(name: str) -> str:
    """The pattern that matches this name and those that look the same."""
    return f"{_LITERAL}{name}" if "*" in name or name.startswith(_LITERAL) else name


@lru_cache(maxsize=1024)
def pattern_parts(pattern: str) -> tuple[str, ...]:
    """The parts between the stars of a pattern, reduced to their appearance."""
    # Split first: NFKD turns other characters into stars, which are not wildcards.
    parts = [pattern[1:]] if pattern.startswith(_LITERAL) else pattern.split("*")
    return tuple(map(skeleton, parts))


def matches(pattern: str, name: str) -> bool:
    """Whether a name matches a pattern, where `*` stands for any characters."""
    return _matches_parts(skeleton(name), pattern_parts(pattern))


def _matches_parts(name: str, parts: Sequence[str]) -> bool:
    """Whether a name consists of these parts with anything between them."""
    first, *others = parts
    if not others:
        return name == first
    *middle, last = others
    start, end = len(first), len(name) - len(last)
    if start > end or not (name.startswith(first) and name.endswith(last)):
        return False
    for part in middle:  # the first occurrence is always the best; a regular expression would try all
        found = name.find(part, start, end)
        if found < 0:
            return False
        start = found + len(part)
    return True


async def blocked_among(store: Store, names: Iterable[str]) -> set[str]:
    """The subset of the names that are blocked."""
    patterns = [pattern_parts(pattern) for pattern in await store.moderation.patterns()]
    skeletons = {name: skeleton(name) for name in names if name and patterns}
    return {
        name for name, found in skeletons.items() if any(_matches_parts(found, parts) for parts in patterns)
    }


async def is_blocked(store: Store, *names: str) -> bool:
    """Whether any of these names is blocked."""
    return bool(await blocked_among(store, names))


async def check_names(store: Store, *names: str) -> None:
    if await is_blocked(store, *names):
        raise NameRejected


async def with_allowed_names(store: Store, names: Sequence[str], rows: Sequence[SeatRow]) -> list[SeatRow]:
    """The seats of a new table, with standard names in place of blocked ones."""
    shown = [row.name or name for row, name in zip(rows, names, strict=True)]
    blocked = await blocked_among(store, shown)
    return [
        replace(row, name=(PERSON_NAMES if row.bot is None else BOT_NAMES)[seat]) if name in blocked else row
        for seat, (row, name) in enumerate(zip(rows, shown, strict=True))
    ]

"""A whole game as a small TOML file: who played, by which rulings, with which deck, and every word that was said.

The record is the truth about a game: it replays to the card. Comments may stand anywhere, as TOML allows; those that
belong to a choice are kept in a table of their own, by the number of the choice.
"""

import dataclasses
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from hegemon.notation.cards import read_deck, write_cards
from hegemon.notation.errors import NotationError
from hegemon.notation.rulings import read_rulings
from hegemon.notation.table import TableError, lay_table, read_variant
from hegemon.notation.words import read_word, words_of
from hegemon.rules.cards import Domain
from hegemon.rules.choices import apply, legal, may_answer
from hegemon.rules.position import Ending, Position, Question
from hegemon.rules.victory import hegemony, winners

FORMAT: Final = 1

Entry = TypeVar("Entry")
_KIND_NAMES: Final[dict[type, str]] = {
    str: "text in quotes",
    bool: "true or false",
    int: "a whole number",
    list: "a list in [brackets]",
    dict: "a table",
}

#: A choice as it was made: the seat, and the number of its word.
Said = tuple[int, int]


class RecordError(ValueError):
    """A record that cannot be read or replayed: what is wrong, and what would be right."""


@dataclass(frozen=True)
class Result:
    """How a game ended, and which seats won it; a Hegemony names its Domain."""

    ending: Ending
    winners: tuple[int, ...]
    domain: Domain | None = None


@dataclass(frozen=True)
class Record:
    """A game from its deck to its last word."""

    names: tuple[str, ...]
    deck: tuple[int, ...]
    """The kinds of the whole Age deck before the deal, from the top."""
    variant: str = "basic"
    teams: bool = False
    rulings: str = "standard"
    said: tuple[Said, ...] = ()
    result: Result | None = None
    salt: str = ""
    """What was mixed into the digest that committed the shuffle before the first card."""
    comments: dict[int, str] = field(default_factory=dict)
    """Remarks on choices, by their number from 1."""

    @property
    def players(self) -> int:
        """How many play."""
        return len(self.names)


def result_of(position: Position) -> Result | None:
    """How a position ended the game; None while it goes on."""
    if position.question != Question.OVER:
        return None
    ending = Ending(position.ending)
    won = winners(position)
    return Result(
        ending,
        tuple(seat for seat in range(position.players) if won >> seat & 1),
        Domain(hegemony(position, position.seat)) if ending is Ending.HEGEMONY else None,
    )


def first_position(record: Record) -> Position:
    """The position after the deal."""
    try:
        return lay_table(
            record.players,
            read_variant(record.variant),
            record.teams,
            read_rulings(record.rulings),
            list(record.deck),
        )
    except (TableError, NotationError) as error:
        raise RecordError(str(error)) from None


def replay(record: Record) -> Iterator[Position]:
    """Every position of the game, from the deal to the last word; each must be legal, and the result must agree."""
    position = first_position(record)
    yield position.copy()
    for number, (seat, word) in enumerate(record.said, 1):
        if position.question == Question.OVER:
            raise RecordError(f"The game is over after choice {number - 1}, but more words follow.")
        if not may_answer(position, seat):
            raise RecordError(f"Choice {number} is not seat {seat + 1}'s: seat {position.seat + 1} is asked.")
        position.seat = seat
        if not legal(position) >> word & 1:
            said = words_of(1 << word)[0]
            open_words = " ".join(words_of(legal(position)))
            raise RecordError(
                f"Choice {number}, {said}, is not legal there; seat {seat + 1} may choose {open_words}."
            )
        apply(position, word)
        yield position.copy()
    if record.result is not None and record.result != result_of(position):
        raise RecordError(
            f"The words lead to {in_words(result_of(position))}, not to {in_words(record.result)}."
        )


def in_words(result: Result | None) -> str:
    """A result as a phrase."""
    if result is None:
        return "an unfinished game"
    seats = " and ".join(str(seat + 1) for seat in result.winners)
    where = f" in {result.domain.name.capitalize()}" if result.domain is not None else ""
    return f"a win of seat {seats} by {result.ending.name.capitalize()}{where}"


# ------------------------------------------------------------------ writing


def write_record(record: Record) -> str:
    """The record as TOML, a line a round."""
    lines = [
        "# A game of Carta Impera Victoria. Words and notation: docs/notation.md",
        f"format = {FORMAT}",
        f"players = [{', '.join(quote(name) for name in record.names)}]",
        f"variant = {quote(record.variant)}",
        f"teams = {'true' if record.teams else 'false'}",
        f"rulings = {quote(record.rulings)}",
        "# the Age deck before the deal, from the top",
        f"deck = {quote(write_cards(list(record.deck)))}",
    ]
    if record.salt:
        lines.append(f"salt = {quote(record.salt)}")
    lines += ["words = [", *(f"  {quote(line)},  # {remark}" for remark, line in rounds(record)), "]"]
    if record.result is not None:
        lines += ["", "[result]", f"ending = {quote(record.result.ending.name.capitalize())}"]
        lines.append(f"winners = [{', '.join(str(seat + 1) for seat in record.result.winners)}]")
        if record.result.domain is not None:
            lines.append(f"domain = {quote(record.result.domain.name.capitalize())}")
    if record.comments:
        lines += ["", "[comments]"]
        lines += [f"{number} = {quote(text)}" for number, text in sorted(record.comments.items())]
    return "\n".join(lines) + "\n"


def quote(text: str) -> str:
    """A TOML string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() or c == " " else f"\\U{ord(c):08X}" for c in escaped) + '"'


def rounds(record: Record) -> Iterator[tuple[str, str]]:
    """The words of each round, turns divided by slashes, with a remark that says which round it is."""
    positions = replay(record)
    before = next(positions)
    remark, line = name_of_round(before), ""
    for (seat, word), after in zip(record.said, positions, strict=False):
        # In the draft everybody chooses at once; a word is marked with its seat unless it came in the order asked.
        mark = f"{seat + 1}:" if seat != before.seat else ""
        line += f" {mark}{words_of(1 << word)[0]}"
        if name_of_round(after) != remark and after.question != Question.OVER:
            yield remark, line.strip()
            remark, line = name_of_round(after), ""
        elif after.seat != before.seat and before.round:
            line += " /"
        before = after
    if line:
        yield remark, line.strip()


def name_of_round(position: Position) -> str:
    """What a line of the record belongs to."""
    if position.question == Question.DRAFT:
        return f"draft, {position.left} to keep"
    if position.question == Question.CENTRE:
        return "draft, centre"
    return f"round {position.round}"


# ------------------------------------------------------------------ reading


def read_record(text: str) -> Record:
    """The record that a TOML text holds; it is checked by replaying it."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecordError(f"This is not a whole TOML file: {error}.") from None
    check_format(table)
    known = {
        "format",
        "players",
        "variant",
        "teams",
        "rulings",
        "deck",
        "salt",
        "words",
        "result",
        "comments",
    }
    if unknown := sorted(set(table) - known):
        raise RecordError(f'A record has no "{unknown[0][:40]}"; it has {", ".join(sorted(known))}.')
    names = tuple(expect(name, str, "players") for name in entry(table, "players", list, None))
    try:
        kinds = tuple(read_deck(entry(table, "deck", str, None)))
    except NotationError as error:
        raise RecordError(str(error)) from None
    record = Record(
        names=names,
        deck=kinds,
        variant=entry(table, "variant", str, "basic"),
        teams=entry(table, "teams", bool, False),
        rulings=entry(table, "rulings", str, "standard"),
        salt=entry(table, "salt", str, ""),
        result=read_result(entry(table, "result", dict, {}), len(names)),
        comments=read_comments(entry(table, "comments", dict, {})),
    )
    lines = [expect(line, str, "words") for line in entry(table, "words", list, None)]
    complete = dataclasses.replace(record, said=tuple(read_said(record, " ".join(lines).split())))
    for _ in replay(complete):
        pass
    return complete


def check_format(table: dict[str, Any]) -> None:
    """A record says which format it is in, so that a newer one is not misread."""
    version = table.get("format")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise RecordError(f"A record begins with its format: format = {FORMAT}.")
    if version > FORMAT:
        raise RecordError(
            f"This record is in format {version}, and this program reads up to format {FORMAT}: update hegemon."
        )


def entry(table: dict[str, Any], key: str, kind: type[Entry], default: Entry | None) -> Entry:
    """An entry of the record, of the right type; one without a default must be there."""
    if key not in table:
        if default is None:
            raise RecordError(f'The record has no "{key}".')
        return default
    return expect(table[key], kind, key)


def expect(value: object, kind: type[Entry], key: str) -> Entry:
    """A value of the right type."""
    # TOML's true is a bool, and Python's bool is an int: neither may pass for the other.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise RecordError(f'In "{key}" the record should have {_KIND_NAMES[kind]}, not {value!r:.40}.')
    return value


def read_result(table: dict[str, Any], players: int) -> Result | None:
    """How the game is said to have ended."""
    if not table:
        return None
    name = entry(table, "ending", str, None)
    endings = {ending.name.capitalize(): ending for ending in Ending if ending is not Ending.NOT_YET}
    if name not in endings:
        raise RecordError(f'A game ends by {", ".join(endings)}, not by "{name[:40]}".')
    seats = [expect(seat, int, "winners") for seat in entry(table, "winners", list, None)]
    if not all(1 <= seat <= players for seat in seats):
        raise RecordError(f"The winners are seats from 1 to {players}, not {seats!s:.40}.")
    domains = {domain.name.capitalize(): domain for domain in Domain}
    won_in = entry(table, "domain", str, "")
    if won_in and won_in not in domains:
        raise RecordError(f'The Domains are {", ".join(domains)}, not "{won_in[:40]}".')
    return Result(endings[name], tuple(seat - 1 for seat in seats), domains[won_in] if won_in else None)


def read_comments(table: dict[str, Any]) -> dict[int, str]:
    """The remarks on choices."""
    for number in table:
        if not (number.isascii() and number.isdecimal() and len(number) < 6):
            raise RecordError(f'Comments go by the number of the choice, not by "{number[:40]}".')
    return {int(number): expect(text, str, "comments") for number, text in table.items()}


def read_said(record: Record, words: list[str]) -> Iterator[Said]:
    """Who said each word: the seat that is asked, unless the word is marked with another."""
    position = first_position(record)
    for text in words:
        if text == "/":
            continue
        mark, colon, word = text.rpartition(":")
        if colon and mark not in ("1", "2", "3", "4"):
            raise RecordError(f'A word may be marked with a seat, as in 2:M1, not with "{mark[:40]}".')
        seat = int(mark) - 1 if colon else position.seat
        try:
            number = read_word(word)
        except NotationError as error:
            raise RecordError(str(error)) from None
        yield seat, number
        if may_answer(position, seat):
            position.seat = seat
            if legal(position) >> number & 1:
                apply(position, number)

"""A whole game as a small TOML file: players, rulings, deck, and every move. It replays to the card.

TOML comments may stand anywhere; the entries of the table `comments` belong to a move, by its number.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from hegemon.notation.cards import domain_name, read_deck, write_cards
from hegemon.notation.choices import choices_in, read_choice
from hegemon.notation.errors import NotationError, RecordError, quoted
from hegemon.notation.messages import message, message_of
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import SetupError, read_variant, setup_position
from hegemon.notation.toml import entry, expect, expect_keys, quote, read_toml
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import Domain
from hegemon.rules.engine import apply, legal, may_choose
from hegemon.rules.position import Ending, Position, Question
from hegemon.rules.victory import hegemony, winners

__all__ = [
    "FORMAT", "Move", "Record", "RecordError", "Result", "describe_result", "initial_position", "read_record", "replay",
    "result_of", "write_record",
]  # fmt: skip

FORMAT: Final = 1

#: The longest games have some 300 moves.
MAX_MOVES: Final = 2_000

#: The seat that moved, and its action.
Move = tuple[int, int]

_ENTRIES: Final = (
    "format", "players", "variant", "teams", "rulings", "deck", "salt", "moves", "result", "comments",
)  # fmt: skip
_RESULT_ENTRIES: Final = ("ending", "winners", "domain")
_ENDINGS: Final = {ending.name.capitalize(): ending for ending in Ending if ending is not Ending.NOT_YET}
_DOMAINS: Final = {domain_name(domain): domain for domain in Domain}


@dataclass(frozen=True)
class Result:
    """How a game ended, and which seats won it; a Hegemony names its Domain."""

    ending: Ending
    winners: tuple[int, ...]
    domain: Domain | None = None


@dataclass(frozen=True)
class Record:
    """A game from its deck to its last move."""

    names: tuple[str, ...]
    deck: tuple[int, ...]
    """The kinds of the whole Age deck before the deal, from the top."""
    variant: str = "basic"
    teams: bool = False
    rulings: str = "standard"
    moves: tuple[Move, ...] = ()
    result: Result | None = None
    """None while the game goes on."""
    salt: str = ""
    """What was mixed into the digest that committed the shuffle."""
    comments: dict[int, str] = field(default_factory=dict)
    """Remarks on moves, by their number from 1."""

    @property
    def players(self) -> int:
        return len(self.names)


def result_of(position: Position) -> Result | None:
    """How the game ended; None while it goes on."""
    if position.question != Question.OVER:
        return None
    ending = Ending(position.ending)
    won = winners(position)
    return Result(
        ending,
        tuple(seat for seat in range(position.players) if won >> seat & 1),
        Domain(hegemony(position, position.seat)) if ending is Ending.HEGEMONY else None,
    )


def describe_result(result: Result | None) -> str:
    if result is None:
        return message("an unfinished game")
    seats = ", ".join(str(seat + 1) for seat in result.winners)
    if result.domain is not None:
        return message(
            "a win by Hegemony in {domain} (seats: {seats})", domain=domain_name(result.domain), seats=seats
        )
    if result.ending is Ending.MAJORITY:
        return message("a win by Majority (seats: {seats})", seats=seats)
    return message("a win after ten rounds without a draw (seats: {seats})", seats=seats)


# ------------------------------------------------------------------ replaying


def initial_position(record: Record) -> Position:
    """The position after the deal."""
    try:
        variant, rulings = read_variant(record.variant), read_rulings(record.rulings)
        return setup_position(record.players, variant, record.teams, rulings, list(record.deck))
    except (SetupError, NotationError) as error:
        raise RecordError(message_of(error)) from None


def replay(record: Record) -> Iterator[Position]:
    """Every position of the game, from the deal to the last move; an illegal move or another result is an error."""
    position = initial_position(record)
    yield position.copy()
    for number, (seat, action) in enumerate(record.moves, 1):
        if position.question == Question.OVER:
            raise RecordError(
                "The game is over after move {number}, but more moves follow.", number=number - 1
            )
        if not may_choose(position, seat):
            raise RecordError(
                "Move {number} is not seat {seat}'s: it is seat {other}'s choice.",
                number=number,
                seat=seat + 1,
                other=position.seat + 1,
            )
        position.seat = seat
        if not legal(position) >> action & 1:
            choices = " ".join(choices_in(legal(position)))
            raise RecordError(
                "Move {number}, {choice}, is not legal there; seat {seat} may choose {choices}.",
                number=number,
                choice=CHOICES[action],
                seat=seat + 1,
                choices=choices,
            )
        apply(position, action)
        yield position.copy()
    result = result_of(position)
    if record.result is not None and record.result != result:
        raise RecordError(
            "The record says {recorded}, but the moves lead to {found}.",
            recorded=describe_result(record.result),
            found=describe_result(result),
        )


# ------------------------------------------------------------------ writing


def write_record(record: Record) -> str:
    """The record as TOML, one line per round, without comments on moves that were undone."""
    positions = list(replay(record))
    comments = {number: text for number, text in record.comments.items() if 1 <= number < len(positions)}
    lines = [
        "# A game of Carta Impera Victoria. Notation: docs/reference/notation.md",
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
    lines += ["moves = [", *(f"  {quote(line)},  # {name}" for name, line in rounds(record, positions)), "]"]
    if (result := result_of(positions[-1])) is not None:
        lines += ["", "[result]", f"ending = {quote(result.ending.name.capitalize())}"]
        lines.append(f"winners = [{', '.join(str(seat + 1) for seat in result.winners)}]")
        if result.domain is not None:
            lines.append(f"domain = {quote(domain_name(result.domain))}")
    if comments:
        lines += ["", "[comments]"]
        lines += [f"{number} = {quote(text)}" for number, text in sorted(comments.items())]
    return "\n".join(lines) + "\n"


def rounds(record: Record, positions: list[Position]) -> Iterator[tuple[str, str]]:
    """The name of each round, and its moves with a slash between turns."""
    name, line = name_of_round(positions[0]), ""
    for (seat, action), before, after in zip(record.moves, positions, positions[1:], strict=False):
        # In the draft all seats choose at once; a move out of the order of the seats is marked with its seat.
        mark = f"{seat + 1}:" if seat != before.seat else ""
        line += f" {mark}{CHOICES[action]}"
        if name_of_round(after) != name:
            yield name, line.strip()
            name, line = name_of_round(after), ""
        elif after.seat != before.seat and before.round:
            line += " /"
    if line:
        yield name, line.strip()


def name_of_round(position: Position) -> str:
    """The comment on a line of the record."""
    if position.question == Question.DRAFT:
        return f"draft, {position.left} to keep"
    if position.question == Question.CENTER:
        return "draft, center"
    return f"round {position.round}"


# ------------------------------------------------------------------ reading


def read_record(text: str) -> Record:
    """The record in a TOML text, checked by replaying it."""
    table = read_toml(text)
    check_format(table)
    expect_keys(table, _ENTRIES, message("A record"))
    names = [expect(name, str, "players") for name in entry(table, "players", list, None)]
    try:
        kinds = read_deck(entry(table, "deck", str, None))
    except NotationError as error:
        raise RecordError(message_of(error)) from None
    record = Record(
        names=tuple(names),
        deck=tuple(kinds),
        variant=entry(table, "variant", str, "basic"),
        teams=entry(table, "teams", bool, False),
        rulings=entry(table, "rulings", str, "standard"),
        salt=entry(table, "salt", str, ""),
    )
    lines = [expect(line, str, "moves") for line in entry(table, "moves", list, None)]
    moves = tuple(read_moves(record, " ".join(lines).split()))
    result = read_result(entry(table, "result", dict, {}), record.players)
    comments = read_comments(entry(table, "comments", dict, {}), len(moves))
    record = dataclasses.replace(record, moves=moves, result=result, comments=comments)
    *_, last = replay(record)
    return dataclasses.replace(record, result=result_of(last))


def check_format(table: dict[str, Any]) -> None:
    """Reject a newer format, so that it is not misread."""
    version = table.get("format")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise RecordError("A record begins with its format: format = {format}.", format=FORMAT)
    if version > FORMAT:
        raise RecordError(
            "This record is in a newer format, and this program reads up to format {format}: update hegemon.",
            format=FORMAT,
        )


def read_result(table: dict[str, Any], players: int) -> Result | None:
    if not table:
        return None
    expect_keys(table, _RESULT_ENTRIES, message("A result"))
    ending = entry(table, "ending", str, None)
    if ending not in _ENDINGS:
        raise RecordError(
            "The endings of a game are {known}, not {ending}.",
            known=", ".join(_ENDINGS),
            ending=quoted(ending),
        )
    seats = [expect(seat, int, "winners") for seat in entry(table, "winners", list, None)]
    if not seats or not all(1 <= seat <= players for seat in seats):
        raise RecordError("The winners are seats from 1 to {players}, as in winners = [1].", players=players)
    domain = entry(table, "domain", str, "")
    if domain and domain not in _DOMAINS:
        raise RecordError(
            "The Domains are {known}, not {found}.", known=", ".join(_DOMAINS), found=quoted(domain)
        )
    return Result(_ENDINGS[ending], tuple(seat - 1 for seat in sorted(seats)), _DOMAINS.get(domain))


def read_comments(table: dict[str, Any], moves: int) -> dict[int, str]:
    comments = {}
    for number, text in table.items():
        if not (number.isascii() and number.isdecimal() and number[0] != "0"):
            raise RecordError(
                "A comment has the number of its move, from 1, not {number}.", number=quoted(number)
            )
        if len(number) > 6 or int(number) > moves:
            raise RecordError(
                "There is a comment on move {number}, but the record has {moves} moves.",
                number=number[:40],
                moves=moves,
            )
        comments[int(number)] = expect(text, str, "comments")
    return comments


def read_moves(record: Record, texts: list[str]) -> Iterator[Move]:
    """The moves, each of the seat whose choice it is unless it is marked with another."""
    position = initial_position(record)
    for number, text in enumerate((text for text in texts if text != "/"), 1):
        if number > MAX_MOVES:
            raise RecordError(
                "A game has at most {most} moves, and in this record more follow.", most=MAX_MOVES
            )
        mark, colon, choice = text.rpartition(":")
        if colon and mark not in ("1", "2", "3", "4"):
            raise RecordError(
                "Move {number} may be marked with a seat, as in 2:M1, not with {mark}.",
                number=number,
                mark=quoted(mark),
            )
        seat = int(mark) - 1 if colon else position.seat
        try:
            action = read_choice(choice)
        except NotationError as error:
            raise RecordError("Move {number}: {problem}", number=number, problem=message_of(error)) from None
        yield seat, action
        # The replay reports illegal moves.
        if may_choose(position, seat):
            position.seat = seat
            if legal(position) >> action & 1:
                apply(position, action)

"""The moves of a record: reading, replaying and writing, from any position."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from hegemon.notation.choices import choices_in, read_choice
from hegemon.notation.errors import NotationError, RecordError, quoted
from hegemon.notation.messages import message_of
from hegemon.notation.toml import expect, quote
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, legal, may_choose
from hegemon.rules.position import Position, Question

#: The longest games have some 300 moves.
MAX_MOVES: Final = 2_000

#: The seat that moved, and its action.
Move = tuple[int, int]


def read_moves(position: Position, texts: Iterable[str], first: int = 1) -> Iterator[Move]:
    """The moves after a position, each by the seat to move unless it is marked with another seat."""
    position = position.copy()
    for number, text in enumerate((text for text in texts if text != "/"), first):
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


def replay_moves(position: Position, moves: Iterable[Move], first: int = 1) -> Iterator[Position]:
    """The position after each of the moves; an illegal one is an error."""
    position = position.copy()
    for number, (seat, action) in enumerate(moves, first):
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


def read_comments(table: dict[str, Any], last: int, first: int = 1) -> dict[int, str]:
    """Comments on moves, by their number."""
    comments = {}
    for number, text in table.items():
        if not (number.isascii() and number.isdecimal() and number[0] != "0"):
            raise RecordError(
                "A comment has the number of its move, from 1, not {number}.", number=quoted(number)
            )
        if first == 1 and (len(number) > 6 or int(number) > last):
            raise RecordError(
                "There is a comment on move {number}, but the record has {moves} moves.",
                number=number[:40],
                moves=last,
            )
        if len(number) > 6 or not first <= int(number) <= last:
            raise RecordError(
                "There is a comment on move {number}, but the moves here are {first} to {last}.",
                number=number[:40],
                first=first,
                last=last,
            )
        comments[int(number)] = expect(text, str, "comments")
    return comments


def write_moves(moves: Iterable[Move], positions: list[Position]) -> list[str]:
    """The entry `moves`, one line per round; `positions` are those before the first move and after each one."""
    lines = (f"  {quote(line)},  # {name}" for name, line in rounds(moves, positions))
    return ["moves = [", *lines, "]"]


def rounds(moves: Iterable[Move], positions: list[Position]) -> Iterator[tuple[str, str]]:
    """The name of each round, and its moves with a slash between turns."""
    name, line = name_of_round(positions[0]), ""
    for (seat, action), before, after in zip(moves, positions, positions[1:], strict=False):
        # In the draft, all seats choose at once; a move out of seat order is marked with its seat.
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

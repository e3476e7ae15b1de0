"""Variations of a record: alternatives to moves of the game or of other variations."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from hegemon.notation.errors import RecordError
from hegemon.notation.messages import message, message_of
from hegemon.notation.moves import Move, read_comments, read_moves, replay_moves, write_moves
from hegemon.notation.toml import MAX_VARIATIONS, TOO_MANY_VARIATIONS, entry, expect, expect_keys, quote
from hegemon.rules.position import Position

#: The maximum number of moves in all variations of a record together.
MAX_VARIATION_MOVES: Final = 5_000

_ENTRIES: Final = ("line", "move", "moves", "comments")


@dataclass(frozen=True)
class Variation:
    """An alternative to a move and all moves after it."""

    move: int
    """The number of the move that it replaces, and of its own first move."""
    moves: tuple[Move, ...]
    line: int = 0
    """The line that it branches from: an earlier variation, by its number from 1, or the game (0)."""
    comments: dict[int, str] = field(default_factory=dict)
    """Comments on its moves, by their number."""


class ReplayedLine(NamedTuple):
    """The game or a variation: the number of its first move, and the positions before that and after each move."""

    first: int
    positions: list[Position]

    @property
    def last(self) -> int:
        return self.first + len(self.positions) - 2


def replay_variations(game: list[Position], variations: Sequence[Variation]) -> list[ReplayedLine]:
    """The game, with the given positions, and all variations; raises an error for one that cannot be played."""
    lines = [ReplayedLine(1, game)]
    for number, variation in enumerate(variations, 1):
        try:
            lines.append(line_of(variation, lines))
        except RecordError as error:
            raise in_variation(number, error) from None
    return lines


def line_of(variation: Variation, lines: Sequence[ReplayedLine]) -> ReplayedLine:
    """A variation, after the game and the variations before it."""
    start = position_before(lines, variation.line, variation.move)
    return ReplayedLine(variation.move, [start, *replay_moves(start, variation.moves, variation.move)])


def position_before(lines: Sequence[ReplayedLine], line: int, move: int) -> Position:
    """The position before a move of a line that can be replaced."""
    if not 0 <= line < len(lines):
        raise RecordError("Its line is the game (0) or an earlier variation, by its number.")
    parent = lines[line]
    # An alternative to the first move of a variation is a variation of its parent line.
    first = parent.first + 1 if line else 1
    if not first <= move <= parent.last:
        raise RecordError(
            "It replaces a move of its line, from {first} to {last}, by its number.",
            first=first,
            last=parent.last,
        )
    return parent.positions[move - parent.first]


def variations_until(variations: Sequence[Variation], ply: int) -> tuple[Variation, ...]:
    """The variations that are left when a game ends after that many moves, with their numbers."""
    numbers, left = {0: 0}, list[Variation]()
    for number, variation in enumerate(variations, 1):
        if variation.line in numbers and (variation.line or variation.move <= ply):
            left.append(replace(variation, line=numbers[variation.line]))
            numbers[number] = len(left)
    return tuple(left)


def in_variation(number: int, error: RecordError) -> RecordError:
    return RecordError("Variation {number}: {problem}", number=number, problem=message_of(error))


def read_variations(tables: list[Any], game: list[Position]) -> tuple[Variation, ...]:
    """The variations of a game whose positions are given, checked by replaying them."""
    if len(tables) > MAX_VARIATIONS:
        raise RecordError(TOO_MANY_VARIATIONS)
    lines, variations, left = [ReplayedLine(1, game)], list[Variation](), MAX_VARIATION_MOVES
    for number, table in enumerate(tables, 1):
        try:
            variation = read_variation(expect(table, dict, "variations"), lines)
            lines.append(line_of(variation, lines))
        except RecordError as error:
            raise in_variation(number, error) from None
        left -= len(variation.moves)
        if left < 0:
            raise RecordError("All variations together have at most {most} moves.", most=MAX_VARIATION_MOVES)
        variations.append(variation)
    return tuple(variations)


def read_variation(table: dict[str, Any], lines: Sequence[ReplayedLine]) -> Variation:
    expect_keys(table, _ENTRIES, message("A variation"))
    line, move = entry(table, "line", int, 0), entry(table, "move", int, None)
    start = position_before(lines, line, move)
    texts = [expect(text, str, "moves") for text in entry(table, "moves", list, None)]
    moves = tuple(read_moves(start, " ".join(texts).split(), move))
    if not moves:
        raise RecordError("It has no moves.")
    comments = read_comments(entry(table, "comments", dict, {}), move + len(moves) - 1, move)
    return Variation(move, moves, line, comments)


def write_variations(variations: Sequence[Variation], game: list[Position]) -> list[str]:
    """The tables of the variations, as lines of a record."""
    written = []
    lines = replay_variations(game, variations)
    for variation, line in zip(variations, lines[1:], strict=True):
        written += ["", "[[variations]]"]
        if variation.line:
            written.append(f"line = {variation.line}")
        written += [f"move = {variation.move}", *write_moves(variation.moves, line.positions)]
        if comments := sorted(variation.comments.items()):
            texts = ", ".join(f"{number} = {quote(text)}" for number, text in comments)
            written.append(f"comments = {{{texts}}}")
    return written

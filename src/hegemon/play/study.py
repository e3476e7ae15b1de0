"""A study: a position or a game with variations, as a tree with comments.

As text, it is a record with variations: the first child of each node continues its line, the others are variations.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hegemon.notation.moves import MAX_MOVES, Move
from hegemon.notation.record import Record, Variation
from hegemon.notation.toml import MAX_VARIATIONS
from hegemon.notation.variations import MAX_VARIATION_MOVES
from hegemon.play.game import Game

#: The maximum depth of nested variations.
MAX_DEPTH: Final = 20


class StudyFull(ValueError):
    """A study would have more moves or variations than a record can have."""


@dataclass(eq=False)
class Node:
    """A node of the tree: the move that led to it, a comment, and the continuations."""

    move: Move | None = None
    """None at the root."""
    parent: "Node | None" = None
    comment: str = ""
    children: list["Node"] = field(default_factory=list)
    """The first child continues the line, the others are variations."""

    @property
    def path(self) -> list["Node"]:
        """The nodes from the root, which is not included, to this one."""
        nodes, node = [], self
        while node.parent is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def following(self) -> Iterator["Node"]:
        """This node and the rest of its line."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.children[0] if node.children else None

    def add(self, move: Move) -> "Node":
        """The child with that move, created if necessary."""
        for child in self.children:
            if child.move == move:
                return child
        self.children.append(Node(move, self))
        return self.children[-1]


class StudyLine(NamedTuple):
    """The game or a variation: the line that it leaves, the number of its first move, and its nodes."""

    parent: int
    first: int
    nodes: list[Node]
    depth: int
    """0 for the game, 1 for its variations, 2 for theirs."""

    def branches(self) -> Iterator[tuple[int, Node]]:
        """The first nodes of its variations, with the number of the move that each replaces."""
        # An alternative to the first move of a variation is a variation of the parent line.
        for number, node in enumerate(self.nodes, self.first):
            if node.parent is not None and (self.depth == 0 or number > self.first):
                yield from ((number, other) for other in node.parent.children[1:])


class Segment(NamedTuple):
    """Consecutive moves of one line without a branch between them."""

    depth: int
    first: int
    nodes: list[Node]


class Study:
    """A study as a tree, created from a valid record."""

    def __init__(self, record: Record) -> None:
        self._start = dataclasses.replace(
            record, moves=(), result=None, comments={}, variations=(), comment="", title=""
        )
        self.title = record.title
        self.root = Node(comment=record.comment)
        lines = [self._grow([self.root], record.moves, record.comments)]
        for variation in record.variations:
            before = lines[variation.line][: variation.move]
            lines.append(self._grow(before, variation.moves, variation.comments))
        self._check()

    def _grow(self, nodes: list[Node], moves: Sequence[Move], comments: dict[int, str]) -> list[Node]:
        """The given nodes, followed by new ones for the moves."""
        nodes = nodes[:]
        for move in moves:
            nodes.append(node := nodes[-1].add(move))
            node.comment = node.comment or comments.get(len(nodes) - 1, "")
        return nodes

    @property
    def nodes(self) -> list[Node]:
        """All nodes in preorder; the continuation of a line precedes its variations."""
        found, left = list[Node](), [self.root]
        while left:
            found.append(node := left.pop())
            left += node.children[::-1]
        return found

    def _lines(self) -> list[StudyLine]:
        """The game and all variations, each after the line that it leaves."""
        lines = [StudyLine(0, 1, list(self.root.following())[1:], 0)]
        for number, line in enumerate(lines):
            lines += [
                StudyLine(number, move, list(node.following()), line.depth + 1)
                for move, node in line.branches()
            ]
        return lines

    def segments(self) -> list[Segment]:
        """The tree in reading order: variations follow the move that they replace."""
        return list(self._segments(self._lines()[0]))

    def _segments(self, line: StudyLine) -> Iterator[Segment]:
        nodes, branches = list[Node](), list(line.branches())
        for number, node in enumerate(line.nodes, line.first):
            nodes.append(node)
            others = [other for move, other in branches if move == number]
            if others or node is line.nodes[-1]:
                yield Segment(line.depth, number + 1 - len(nodes), nodes)
                nodes = []
            for other in others:
                yield from self._segments(StudyLine(0, number, list(other.following()), line.depth + 1))

    # ---------------------------------------------------------------- as a record and as games

    def record(self) -> Record:
        main, *others = self._lines()
        variations = (
            Variation(line.first, moves_of(line.nodes), line.parent, comments_of(line)) for line in others
        )
        return dataclasses.replace(
            self._start,
            title=self.title,
            comment=self.root.comment,
            moves=moves_of(main.nodes),
            comments=comments_of(main),
            variations=tuple(variations),
            result=self.game(main.nodes[-1] if main.nodes else self.root).result,
        )

    def game(self, node: Node) -> Game:
        """The game up to a node."""
        return Game.from_record(dataclasses.replace(self._start, moves=moves_of(node.path)))

    # ---------------------------------------------------------------- changes

    def play(self, node: Node, choice: str | Sequence[str], seat: int | None = None) -> Node:
        """Play a choice after a node; return the resulting node. An illegal choice raises an IllegalMoveError."""
        game = self.game(node)
        before = len(game.moves)
        game.play(choice, seat)
        for move in game.record().moves[before:]:
            node = node.add(move)
        self._check()
        return node

    def promote(self, node: Node) -> None:
        """Make the variation that contains a node the continuation of its parent line."""
        for child in reversed(node.path):
            parent = child.parent
            if parent is not None and parent.children[0] is not child:
                parent.children.remove(child)
                parent.children.insert(0, child)
                return

    def delete(self, node: Node) -> Node:
        """Remove a node and everything after it; return its parent. The root is not removed."""
        if node.parent is None:
            return node
        node.parent.children.remove(node)
        return node.parent

    def _check(self) -> None:
        main, *others = self._lines()
        moves = sum(len(line.nodes) for line in others)
        too_long = any(line.first + len(line.nodes) > MAX_MOVES for line in (main, *others))
        too_deep = any(line.depth > MAX_DEPTH for line in others)
        if len(others) > MAX_VARIATIONS or moves > MAX_VARIATION_MOVES or too_long or too_deep:
            raise StudyFull


def moves_of(nodes: Sequence[Node]) -> tuple[Move, ...]:
    return tuple(node.move for node in nodes if node.move is not None)


def comments_of(line: StudyLine) -> dict[int, str]:
    return {number: node.comment for number, node in enumerate(line.nodes, line.first) if node.comment}

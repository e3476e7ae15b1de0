"""A whole game as a small TOML file: players, rulings, deck and moves. It can be replayed exactly.

A study can start from a position instead of a deal, and have variations: alternatives to the moves that were played.
The keys of the table `comments` are the numbers of moves.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from hegemon.notation.cards import domain_name, read_deck, write_cards
from hegemon.notation.errors import NotationError, RecordError, quoted
from hegemon.notation.messages import message, message_of
from hegemon.notation.moves import Move, read_comments, read_moves, replay_moves, write_moves
from hegemon.notation.reading import read_position
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import SetupError, read_variant, setup_position
from hegemon.notation.toml import entry, expect, expect_keys, quote, read_toml
from hegemon.notation.variations import Variation, read_variations, write_variations
from hegemon.notation.writing import write_position
from hegemon.rules.cards import Domain
from hegemon.rules.position import Ending, Position, Question
from hegemon.rules.victory import hegemony, winners

__all__ = [
    "FORMAT", "Move", "Record", "RecordError", "Result", "Variation", "describe_result", "initial_position",
    "read_record", "replay", "result_of", "write_record",
]  # fmt: skip

FORMAT: Final = 1

_ENTRIES: Final = (
    "format", "players", "variant", "teams", "rulings", "deck", "salt", "moves", "result", "comments", "title",
    "comment", "position", "variations",
)  # fmt: skip

#: The entries of a deal; with a position, its line contains this information.
_DEAL_ENTRIES: Final = ("variant", "teams", "rulings", "deck", "salt")

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
    """A game from its deck, or from the position of a study, to its last move."""

    names: tuple[str, ...]
    deck: tuple[int, ...] = ()
    """The kinds of the whole Age deck before the deal, from the top; empty if there is a position."""
    variant: str = "basic"
    teams: bool = False
    rulings: str = "standard"
    moves: tuple[Move, ...] = ()
    result: Result | None = None
    """None while the game is in progress."""
    salt: str = ""
    """The salt of the digest that commits to the shuffle."""
    comments: dict[int, str] = field(default_factory=dict)
    """Comments on moves, by their number from 1."""
    title: str = ""
    comment: str = ""
    """A comment on the start of the game."""
    position: str = ""
    """The line of the position that a study starts from, including rulings and teams; empty for a deal."""
    variations: tuple[Variation, ...] = ()

    @property
    def players(self) -> int:
        return len(self.names)


def result_of(position: Position) -> Result | None:
    """The result of the game; None while it is in progress."""
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
    """The position after the deal, or that of the study."""
    try:
        if record.position:
            return study_position(record)
        variant, rulings = read_variant(record.variant), read_rulings(record.rulings)
        return setup_position(record.players, variant, record.teams, rulings, list(record.deck))
    except (SetupError, NotationError) as error:
        raise RecordError(message_of(error)) from None


def study_position(record: Record) -> Position:
    position = read_position(record.position)
    if record.players != position.players:
        raise RecordError(
            "There are {players} players and {names} names.", players=position.players, names=record.players
        )
    return position


def replay(record: Record) -> Iterator[Position]:
    """All positions of the game, from the deal to the last move; an illegal move or a wrong result is an error."""
    position = initial_position(record)
    yield position.copy()
    last = position
    for last in replay_moves(position, record.moves):
        yield last.copy()
    result = result_of(last)
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
        *(f"{name} = {quote(text)}" for name in ("title", "comment") if (text := getattr(record, name))),
        f"players = [{', '.join(quote(name) for name in record.names)}]",
        *([f"position = {quote(write_position(positions[0]))}"] if record.position else write_deal(record)),
        *write_moves(record.moves, positions),
    ]
    if (result := result_of(positions[-1])) is not None:
        lines += ["", "[result]", f"ending = {quote(result.ending.name.capitalize())}"]
        lines.append(f"winners = [{', '.join(str(seat + 1) for seat in result.winners)}]")
        if result.domain is not None:
            lines.append(f"domain = {quote(domain_name(result.domain))}")
    if comments:
        lines += ["", "[comments]"]
        lines += [f"{number} = {quote(text)}" for number, text in sorted(comments.items())]
    return "\n".join([*lines, *write_variations(record.variations, positions)]) + "\n"


def write_deal(record: Record) -> list[str]:
    return [
        f"variant = {quote(record.variant)}",
        f"teams = {'true' if record.teams else 'false'}",
        f"rulings = {quote(record.rulings)}",
        "# the Age deck before the deal, from the top",
        f"deck = {quote(write_cards(list(record.deck)))}",
        *([f"salt = {quote(record.salt)}"] if record.salt else []),
    ]


# ------------------------------------------------------------------ reading


def read_record(text: str) -> Record:
    """The record in a TOML text, checked by replaying it."""
    table = read_toml(text)
    check_format(table)
    expect_keys(table, _ENTRIES, message("A record"))
    names = [expect(name, str, "players") for name in entry(table, "players", list, None)]
    record = Record(
        names=tuple(names),
        title=entry(table, "title", str, ""),
        comment=entry(table, "comment", str, ""),
        **(read_start(table) if "position" in table else read_deal(table)),
    )
    lines = [expect(line, str, "moves") for line in entry(table, "moves", list, None)]
    moves = tuple(read_moves(initial_position(record), " ".join(lines).split()))
    result = read_result(entry(table, "result", dict, {}), record.players)
    comments = read_comments(entry(table, "comments", dict, {}), len(moves))
    record = dataclasses.replace(record, moves=moves, result=result, comments=comments)
    positions = list(replay(record))
    variations = read_variations(entry(table, "variations", list, []), positions)
    return dataclasses.replace(record, result=result_of(positions[-1]), variations=variations)


def read_deal(table: dict[str, Any]) -> dict[str, Any]:
    """The entries of a game that starts with a deal."""
    try:
        kinds = read_deck(entry(table, "deck", str, None))
    except NotationError as error:
        raise RecordError(message_of(error)) from None
    return {
        "deck": tuple(kinds),
        "variant": entry(table, "variant", str, "basic"),
        "teams": entry(table, "teams", bool, False),
        "rulings": entry(table, "rulings", str, "standard"),
        "salt": entry(table, "salt", str, ""),
    }


def read_start(table: dict[str, Any]) -> dict[str, Any]:
    """The position that a study starts from, in canonical form."""
    for key in _DEAL_ENTRIES:
        if key in table:
            raise RecordError(
                "A record that begins at a position has no {key}: the position says it all.", key=quoted(key)
            )
    try:
        return {"position": write_position(read_position(entry(table, "position", str, None)))}
    except NotationError as error:
        raise RecordError(message_of(error)) from None


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

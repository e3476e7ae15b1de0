"""Reading of positions and views; a NotationError names what is wrong and where.

Fields at the end of a line can be omitted, and the cards of one place can be in any order.
"""

from typing import Final

from hegemon.notation import fields, playability
from hegemon.notation.cards import read_piles
from hegemon.notation.errors import NotationError, Scanner
from hegemon.notation.fields import LINE
from hegemon.notation.messages import message
from hegemon.notation.places import NO_BACKS, SeenCards, backs_of, read_seen_place, read_table
from hegemon.rules.cards import DOMAINS, total
from hegemon.rules.position import Position, Question
from hegemon.rules.view import SPECTATOR, View, ages
from hegemon.rules.view import view as view_of

POSITION_FIELDS: Final = (
    message("table"),
    message("turn"),
    message("used"),
    message("asked"),
    message("coin"),
    message("deck"),
    message("discard pile"),
    message("round"),
    message("rules"),
)
_VIEW_FIELDS: Final = (*POSITION_FIELDS, message("viewer"))


def read_position(text: str) -> Position:
    expect_no_view(text)
    line = fields.split_fields(text, POSITION_FIELDS)
    position = Position()
    hands, kept = read_table(line["table"], position, read_piles, lambda: [0] * DOMAINS)
    position.hands[: len(hands)] = hands
    position.kept[: len(kept)] = kept
    read_public_fields(line, position, [total(piles) for piles in kept])
    fields.read_deck_field(line["deck"], position)
    playability.expect_rounds(line["round"], position)
    playability.expect_packets(line["table"], position)
    playability.expect_cards(line["turn"], line["asked"], position)
    return position


def expect_no_view(text: str) -> None:
    for mark in "?@":
        if mark in text:
            problem = message(
                "a line with {mark} is a view; a position shows every card and has no viewer", mark=mark
            )
            raise NotationError(LINE, text, text.index(mark), problem)


def read_view(text: str) -> View:
    line = fields.split_fields(text, _VIEW_FIELDS)
    table, asked = line["table"], line["asked"]
    public = Position()
    hands, kept = read_table(table, public, read_seen_place, lambda: NO_BACKS)
    numbers = [sum(ages(cards) if isinstance(cards, list) else cards) for cards in kept]
    read_public_fields(line, public, numbers)
    view = view_of(public, SPECTATOR)
    view.viewer = fields.read_viewer(line["viewer"], public.players)
    view.deck_backs = fields.read_deck_backs(line["deck"])
    view.backs = [backs_of(table, public, cards) for cards in hands]
    view.kept_backs = [backs_of(table, public, cards) for cards in kept]
    view.floor = public.floor
    if public.floor and view.viewer != public.seat:
        problem = message(
            "only seat {seat} sees from which Domain on it may pick, and the viewer is another seat",
            seat=public.seat + 1,
        )
        raise asked.error(problem, asked.text.index(":", asked.start))
    if public.question == Question.DRAFT:
        view.owing = tuple(seat for seat, cards in enumerate(numbers) if cards == min(numbers))
    for seat in range(public.players):
        if seat == view.viewer:
            view.hand_piles = open_cards(table, hands[seat])
            view.kept_piles = open_cards(table, kept[seat])
        else:
            expect_hidden(table, seat, hands[seat])
            expect_hidden(table, seat, kept[seat])
    return view


def read_public_fields(line: dict[str, Scanner], position: Position, kept: list[int]) -> None:
    """The public fields except the table; `kept` has the number of cards each seat kept in the draft."""
    # The rules are the last field of the line, but the other fields depend on them.
    fields.read_rules(line["rules"], position)
    fields.read_turn(line["turn"], position)
    if position.question == Question.DRAFT:
        fields.read_draft(line["turn"], position, kept)
    fields.read_used(line["used"], position)
    fields.read_asked(line["asked"], position)
    fields.read_coin(line["coin"], position)
    fields.read_discard_pile(line["discard pile"], position)
    fields.read_round(line["round"], position)
    playability.expect_ending(line["turn"], position)
    playability.expect_marker(line["asked"], position)


def open_cards(table: Scanner, cards: SeenCards) -> list[int]:
    """The viewer's own cards of one place, which must be open."""
    if isinstance(cards, list):
        return cards
    if cards != NO_BACKS:
        problem = message("expected the viewer's own cards without ?, as they are visible")
        raise table.error(problem, table.start)
    return [0] * DOMAINS


def expect_hidden(table: Scanner, seat: int, cards: SeenCards) -> None:
    """The cards of other seats must be hidden."""
    if isinstance(cards, list):
        problem = message(
            "expected ? for the cards of seat {seat}, which this viewer does not see", seat=seat + 1
        )
        raise table.error(problem, table.start)

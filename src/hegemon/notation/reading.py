"""Positions and views from the lines that `writing` makes; a NotationError names what is wrong and where.

Fields at the end of a line may be left out, and the cards of one place may stand in any order.
"""

from typing import Final

from hegemon.notation.cards import read_piles
from hegemon.notation.errors import NotationError, Scanner
from hegemon.notation.fields import (
    read_asked,
    read_coin,
    read_deck_backs,
    read_deck_field,
    read_discard_pile,
    read_draft,
    read_round,
    read_rules,
    read_turn,
    read_used,
    read_viewer,
    split_fields,
)
from hegemon.notation.places import NO_BACKS, SeenCards, backs_of, read_seen_place, read_table
from hegemon.notation.playability import (
    expect_cards,
    expect_ending,
    expect_marker,
    expect_packets,
    expect_rounds,
)
from hegemon.rules.cards import DOMAINS, total
from hegemon.rules.position import Position, Question
from hegemon.rules.view import SPECTATOR, View, ages
from hegemon.rules.view import view as look

_POSITION_FIELDS: Final = ("table", "turn", "used", "asked", "coin", "deck", "discard pile", "round", "rules")
_VIEW_FIELDS: Final = (*_POSITION_FIELDS, "viewer")


def read_position(text: str) -> Position:
    for mark in "?@":
        if mark in text:
            problem = f"a line with {mark} is a view; a position shows every card and has no viewer"
            raise NotationError("line", text, text.index(mark), problem)
    fields = split_fields(text, _POSITION_FIELDS)
    position = Position()
    hands, kept = read_table(fields["table"], position, read_piles, lambda: [0] * DOMAINS)
    position.hands[: len(hands)] = hands
    position.kept[: len(kept)] = kept
    read_public_fields(fields, position, [total(piles) for piles in kept])
    read_deck_field(fields["deck"], position)
    expect_rounds(fields["round"], position)
    expect_packets(fields["table"], position)
    expect_cards(fields["turn"], fields["asked"], position)
    return position


def read_view(text: str) -> View:
    fields = split_fields(text, _VIEW_FIELDS)
    table, asked = fields["table"], fields["asked"]
    public = Position()
    hands, kept = read_table(table, public, read_seen_place, lambda: NO_BACKS)
    numbers = [sum(ages(cards) if isinstance(cards, list) else cards) for cards in kept]
    read_public_fields(fields, public, numbers)
    view = look(public, SPECTATOR)
    view.viewer = read_viewer(fields["viewer"], public.players)
    view.deck_backs = read_deck_backs(fields["deck"])
    view.backs = [backs_of(table, public, cards) for cards in hands]
    view.kept_backs = [backs_of(table, public, cards) for cards in kept]
    view.floor = public.floor
    if public.floor and view.viewer != public.seat:
        problem = (
            f"only seat {public.seat + 1} sees from which Domain on it may pick, and the viewer is another"
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


def read_public_fields(fields: dict[str, Scanner], position: Position, kept: list[int]) -> None:
    """The public fields but for the table; `kept` has the number of cards each seat kept in the draft."""
    # The rules come last in the line, but the other fields depend on them.
    read_rules(fields["rules"], position)
    read_turn(fields["turn"], position)
    if position.question == Question.DRAFT:
        read_draft(fields["turn"], position, kept)
    read_used(fields["used"], position)
    read_asked(fields["asked"], position)
    read_coin(fields["coin"], position)
    read_discard_pile(fields["discard pile"], position)
    read_round(fields["round"], position)
    expect_ending(fields["turn"], position)
    expect_marker(fields["asked"], position)


def open_cards(table: Scanner, cards: SeenCards) -> list[int]:
    """The viewer's own cards of one place, which must be open."""
    if isinstance(cards, list):
        return cards
    if cards != NO_BACKS:
        raise table.error("the viewer's own cards are seen, so they have no ?", table.start)
    return [0] * DOMAINS


def expect_hidden(table: Scanner, seat: int, cards: SeenCards) -> None:
    """The cards of other seats must be hidden."""
    if isinstance(cards, list):
        raise table.error(
            f"the cards of seat {seat + 1} are hidden from this viewer: expected ?", table.start
        )

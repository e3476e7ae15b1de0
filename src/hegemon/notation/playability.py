"""Checks that a position can be played on: each question has a legal action, to the end of the game."""

from hegemon.notation.cards import domain_name, number_of_cards
from hegemon.notation.errors import Scanner
from hegemon.notation.fields import MAX_ROUND
from hegemon.rules.cards import DOMAINS, ECONOMY, LETTERS, UTOPIA, total
from hegemon.rules.engine import legal
from hegemon.rules.picks import pickable
from hegemon.rules.position import Ending, Position, Question
from hegemon.rules.setup import owes_pick
from hegemon.rules.victory import STALLED_ROUNDS, hegemony


def expect_ending(turn: Scanner, position: Position) -> None:
    """A winner by Hegemony must have it."""
    if position.ending == Ending.HEGEMONY and hegemony(position, position.seat) < 0:
        problem = f"seat {position.seat + 1} has no Hegemony in any Domain; a game also ends by m or s"
        raise turn.error(problem, turn.start)


def expect_marker(asked: Scanner, position: Position) -> None:
    """The card for a marker must be in play, and the marker must have a Domain to go to."""
    if position.question not in (Question.EMBARGO, Question.DEMOCRACY):
        return
    paid = ECONOMY if position.question == Question.EMBARGO else UTOPIA
    used = LETTERS[paid].lower()
    if not position.used >> (DOMAINS + paid) & 1:
        problem = f"a marker is being put down, so {used} should be among the effects that were used"
    elif paid == ECONOMY and position.new_embargo:
        problem = "this turn's Embargo lies there already, as the effects that were used tell"
    elif not position.areas[position.seat][paid]:
        problem = f"seat {position.seat + 1} has no {domain_name(paid)} card in play to pay with"
    elif not legal(position):
        problem = f"seat {position.target + 1} has no card in play that the marker could lie on"
    else:
        return
    raise asked.error(problem, asked.start)


def expect_cards(turn: Scanner, asked: Scanner, position: Position) -> None:
    """There must be as many cards as the open question asks for."""
    seat = position.seat
    if position.question == Question.PLAY:
        if not legal(position):
            problem = f"seat {seat + 1} has no card to play, so step 1 is over: write {seat + 1}e"
            raise turn.error(problem, turn.start)
    elif Question.DISCARD_FROM_HAND <= position.question <= Question.GIVE and not legal(position):
        there = sum(pickable(position, domain) for domain in range(position.floor, DOMAINS))
        where = f" ({domain_name(position.floor)} or later)" if position.floor else ""
        problem = f"{number_of_cards(position.left)} asked for, but only {there} to choose from{where}"
        raise asked.error(problem, asked.start)


def expect_rounds(round_: Scanner, position: Position) -> None:
    """The counter of rounds must not overflow: the stall rule allows ten more for each card of the deck."""
    latest = MAX_ROUND - STALLED_ROUNDS * (position.deck_size + 1) + position.quiet_rounds
    if position.round > latest:
        raise round_.error(f"expected a round of at most {latest}, so that the game can end", round_.start)


def expect_packets(table: Scanner, position: Position) -> None:
    """In the draft each seat must have a card to choose, now and later."""
    if position.question == Question.DRAFT:
        expect_packets_to_pass(table, position)
    elif position.question == Question.CENTER:
        if any(total(hand) for hand in position.hands):
            problem = "kept cards stand in [ ], and ( ) is empty while the center is shared out"
            raise table.error(problem, table.start)
        expect_center(table, total(position.center_piles), position.seat + 1)


def expect_packets_to_pass(table: Scanner, position: Position) -> None:
    """Each packet must last until the center is revealed, and the center must have a card for each seat."""
    rest = total(position.center_piles)
    for seat in range(position.players):
        picks = position.left if owes_pick(position, seat) else position.left - 1
        packet = total(position.hands[seat])
        if packet < picks:
            problem = (
                f"the packet of seat {seat + 1} needs {number_of_cards(picks)} at least, and has {packet}"
            )
            raise table.error(problem, table.start)
        rest += packet - picks
    expect_center(table, rest, position.players)


def expect_center(table: Scanner, cards: int, seats: int) -> None:
    """There must be a card in the center for each seat that has still to take one."""
    if cards < seats:
        problem = f"the center needs {number_of_cards(seats)} at least, and {cards} would be there"
        raise table.error(problem, table.start)

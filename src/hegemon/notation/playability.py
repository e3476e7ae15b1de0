"""Checks that a position can be played to the end: each question must have a legal action."""

from hegemon.notation.cards import domain_name
from hegemon.notation.errors import Scanner
from hegemon.notation.fields import MAX_ROUND
from hegemon.notation.messages import counted, message
from hegemon.rules.cards import DOMAINS, ECONOMY, LETTERS, UTOPIA, total
from hegemon.rules.engine import legal
from hegemon.rules.picks import pickable
from hegemon.rules.position import Ending, Position, Question
from hegemon.rules.setup import owes_pick
from hegemon.rules.victory import STALLED_ROUNDS, hegemony


def expect_ending(turn: Scanner, position: Position) -> None:
    """A winner by Hegemony must have it."""
    if position.ending == Ending.HEGEMONY and hegemony(position, position.seat) < 0:
        problem = message(
            "seat {seat} has no Hegemony in any Domain; a game can also end by m or s", seat=position.seat + 1
        )
        raise turn.error(problem, turn.start)


def expect_marker(asked: Scanner, position: Position) -> None:
    """The card for a marker must be in play, and the marker must have a Domain to go to."""
    if position.question not in (Question.EMBARGO, Question.DEMOCRACY):
        return
    paid = ECONOMY if position.question == Question.EMBARGO else UTOPIA
    used = LETTERS[paid].lower()
    if not position.used >> (DOMAINS + paid) & 1:
        problem = message(
            "a marker is being put down, so {letter} should be among the effects that were used", letter=used
        )
    elif paid == ECONOMY and position.new_embargo:
        problem = message("this turn's Embargo is already there, according to the effects that were used")
    elif not position.areas[position.seat][paid]:
        problem = message(
            "seat {seat} has no {domain} card in play to pay with",
            seat=position.seat + 1,
            domain=domain_name(paid),
        )
    elif not legal(position):
        problem = message(
            "seat {seat} has no card in play that the marker could go on", seat=position.target + 1
        )
    else:
        return
    raise asked.error(problem, asked.start)


def expect_cards(turn: Scanner, asked: Scanner, position: Position) -> None:
    """There must be as many cards as the open question asks for."""
    seat = position.seat
    if position.question == Question.PLAY:
        if not legal(position):
            problem = message(
                "seat {seat} has no card to play, so step 1 is over: write {seat}e", seat=seat + 1
            )
            raise turn.error(problem, turn.start)
    elif Question.DISCARD_FROM_HAND <= position.question <= Question.GIVE and not legal(position):
        there = sum(pickable(position, domain) for domain in range(position.floor, DOMAINS))
        problem = message(
            "{number} to choose, but only {there} to choose from", number=position.left, there=there
        )
        if position.floor:
            problem = message(
                "{number} to choose, but only {there} to choose from ({domain} or later)",
                number=position.left,
                there=there,
                domain=domain_name(position.floor),
            )
        raise asked.error(problem, asked.start)


def expect_rounds(round_: Scanner, position: Position) -> None:
    """The counter of rounds must not overflow: the stall rule allows ten more for each card of the deck."""
    latest = MAX_ROUND - STALLED_ROUNDS * (position.deck_size + 1) + position.quiet_rounds
    if position.round > latest:
        problem = message("expected a round of at most {maximum}, so that the game can end", maximum=latest)
        raise round_.error(problem, round_.start)


def expect_packets(table: Scanner, position: Position) -> None:
    """In the draft each seat must have a card to choose, now and later."""
    if position.question == Question.DRAFT:
        expect_packets_to_pass(table, position)
    elif position.question == Question.CENTER:
        if any(total(hand) for hand in position.hands):
            problem = message("kept cards are in [ ], and ( ) is empty while cards are taken from the center")
            raise table.error(problem, table.start)
        expect_center(table, total(position.center_piles), position.seat + 1)


def expect_packets_to_pass(table: Scanner, position: Position) -> None:
    """Each packet must last until the center is revealed, and the center must have a card for each seat."""
    rest = total(position.center_piles)
    for seat in range(position.players):
        picks = position.left if owes_pick(position, seat) else position.left - 1
        packet = total(position.hands[seat])
        if packet < picks:
            problem = counted(
                "the packet of seat {seat} needs at least {number} card and has {found}",
                "the packet of seat {seat} needs at least {number} cards and has {found}",
                picks,
                seat=seat + 1,
                found=packet,
            )
            raise table.error(problem, table.start)
        rest += packet - picks
    expect_center(table, rest, position.players)


def expect_center(table: Scanner, cards: int, seats: int) -> None:
    """There must be a card in the center for each seat that still has to take one."""
    if cards < seats:
        problem = counted(
            "the center needs at least {number} card and would have {found}",
            "the center needs at least {number} cards and would have {found}",
            seats,
            found=cards,
        )
        raise table.error(problem, table.start)

"""The engine of the game: which actions are legal, and what an action does."""

from hegemon.rules.cards import ECONOMY, UTOPIA, move
from hegemon.rules.effects.culture import update_coin
from hegemon.rules.effects.economy import domains_to_mark, embargo
from hegemon.rules.effects.step import apply_effect, effects_on_offer
from hegemon.rules.effects.utopia import democracy
from hegemon.rules.picks import pick, picks_on_offer
from hegemon.rules.position import (
    CENTER_PICK,
    DEMOCRACY_DOMAIN,
    DRAFT_PICK,
    EFFECTS,
    EMBARGO_DOMAIN,
    GIVE,
    OVER,
    PLAY,
    Position,
)
from hegemon.rules.rule import rule
from hegemon.rules.setup import keep, kinds_on_offer, owes_pick, take_from_center
from hegemon.rules.turn import begin_effects


@rule
def legal(position: Position) -> int:
    """The legal actions of `position.seat`, one bit per action. Nothing else judges what is legal."""
    question = position.question
    if question == EFFECTS:
        return effects_on_offer(position)
    if PLAY <= question <= GIVE:
        return picks_on_offer(position)
    if question == EMBARGO_DOMAIN:
        return domains_to_mark(position, ECONOMY)
    if question == DEMOCRACY_DOMAIN:
        return domains_to_mark(position, UTOPIA)
    if question == DRAFT_PICK:
        return kinds_on_offer(position.hands[position.seat])
    if question == CENTER_PICK:
        return kinds_on_offer(position.center_piles)
    return 0


@rule
def apply(position: Position, action: int) -> None:
    """Carry out an action of `position.seat`, which must be legal."""
    question = position.question
    if question == EFFECTS:
        apply_effect(position, action)
    elif question == PLAY:
        move(position.hands[position.seat], position.areas[position.seat], action)
        begin_effects(position)
    elif question == EMBARGO_DOMAIN:
        embargo(position, action)
    elif question == DEMOCRACY_DOMAIN:
        democracy(position, action)
    elif question == DRAFT_PICK:
        keep(position, action)
    elif question == CENTER_PICK:
        take_from_center(position, action)
    else:
        pick(position, action)
    update_coin(position)


@rule
def may_choose(position: Position, seat: int) -> bool:
    """Whether a seat may choose now: the one whose choice it is, or in the draft each that still owes a pick (A06)."""
    if position.question == OVER:
        return False
    if position.question == DRAFT_PICK:
        return 0 <= seat < position.players and owes_pick(position, seat)
    return seat == position.seat

"""Why a choice is illegal: the rule against it, and the legal choices."""

from dataclasses import dataclass, field
from typing import Final

from hegemon.notation.cards import domain_name
from hegemon.notation.choices import choices_in
from hegemon.rules.actions import ACTIONS, Action, ActionKind, Effect
from hegemon.rules.cards import CULTURE, Domain, count, total
from hegemon.rules.effects.board import is_affordable
from hegemon.rules.effects.culture import leads_culture, most_among_others
from hegemon.rules.effects.step import discard_used, permanent_used
from hegemon.rules.engine import legal, may_choose
from hegemon.rules.picks import pickable
from hegemon.rules.position import Position, Question
from hegemon.rules.rulings import (
    BREAKTHROUGH_ANY,
    DEMOCRACY_SELF,
    DEMOCRACY_TEAMMATE,
    EMBARGO_SELF,
    PASSIVE_RELIGION,
)
from hegemon.rules.turn import threshold

#: The sentence for each code of a reason.
SENTENCES: Final = {
    "over": "The game is over.",
    "not-to-move": "It is seat {asked}’s choice, not seat {seat}’s.",
    "kept-already": "Seat {seat} has already kept a card and is waiting for the others.",
    "no-such-seat": "There is no seat {seat} at this table of {players}.",
    "draft-by-kind": "In the draft a card is named by Domain and Age, such as {example}.",
    "card-not-there": "There is no such card to draft.",
    "draft-is-over": "The draft is over: a card is named by its Domain alone.",
    "card-first": "Step 1 comes first: a card must be played before effects are applied.",
    "effect-not-done": "Finish this effect before starting another: {left} more to choose.",
    "domain-not-done": "Finish this effect first: choose the Domain to put the card on.",
    "not-a-card": "You are not choosing a card now: choose an effect, or end the step.",
    "embargo": "{domain} is under Embargo until the end of this turn, so you cannot play cards of that Domain (A54).",
    "none-there": "There is no {domain} card there.",
    "one-order": (
        "One by one, cards are chosen in the order of the Domains, now from {floor} on. "
        "Undo, and you can choose them together, in any order."
    ),
    "not-together": "You are not choosing several cards now: make one choice.",
    "wrong-number": "Cards to choose: {left}. Cards chosen: {chosen}.",
    "oldest-first": "Within a Domain, the card of the oldest Age is used first (A19).",
    "too-few-left": "That would leave too few cards for the {left} still to choose.",
    "nothing-to-mark": "A marker must go on another face-up card, and that player has none in {domain} (A49, A70).",
    "permanent-used": (
        "You have already used the permanent effect of {domain} this turn, your own or a copied one (D04)."
    ),
    "passive": "At this table Religion counts automatically when you draw, so it is not used as an effect (A40).",
    "below-threshold": "{effect} needs {needed} {domain} cards in your play area; you have {own}.",
    "no-hand": "{effect} makes you discard {cards} from your hand; you hold {there} (A20).",
    "no-area": "{effect} takes {cards} of the face-up cards in your play area; you have {there} (A29).",
    "no-pile": "{effect} takes {cards} from the discard pile, which holds {there} (A20).",
    "no-deck": "The Age deck is empty, so there is nothing to draw (A44).",
    "inspired-already": "Inspiration copies only one effect per turn, and you have already used it (D06).",
    "no-lead": "Inspiration needs more Culture cards than any other player has (D11).",
    "own-effect": "You have {effect} yourself: use it as your own (D04).",
    "no-other-has-it": "Nobody else has the {needed} {domain} cards that {effect} needs (D07).",
    "discard-used": "You have already used the discard effect of {domain} this turn.",
    "no-card": "You have no {domain} card in your play area to pay with.",
    "nothing-to-attack": "After paying, you would have no {domain} card to discard, so you cannot attack it (A39).",
    "too-far": "There are only {players} players.",
    "not-oneself": "Under these rulings you cannot put it on yourself ({ruling}).",
    "not-teammate": "Under these rulings you cannot put a Democracy on a teammate (D02).",
    "nothing-to-aim-at": "There is no other face-up card in that area to put it on (A49, A70).",
    "cannot-undo": "That cannot be undone: something hidden was shown, or another player was affected.",
    "nothing-to-undo": "You have no choice to undo now.",
    "no-such-moment": "You can go back to any point from 0 (the deal) to {choices} (the last choice).",
    "science-only": "A Breakthrough must be paid for with a Science card (D12).",
}


@dataclass(frozen=True)
class Reason:
    """Why a choice is illegal: a code, and the values for its sentence."""

    code: str
    facts: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return SENTENCES[self.code].format(**self.facts)


class IllegalMoveError(ValueError):
    """An illegal choice: the reason, and the legal choices. The game is unchanged."""

    def __init__(self, reason: Reason, choices: tuple[str, ...] = ()) -> None:
        self.reason = reason
        self.choices = choices
        super().__init__(reason, choices)

    def __str__(self) -> str:
        return f"{self.reason} Open now: {' '.join(self.choices)}" if self.choices else str(self.reason)


def name_of_effect(effect: Effect) -> str:
    """The name of an effect in a sentence."""
    return effect.name.replace("_", " ").title()


def choices_of(position: Position, seat: int) -> int:
    """The legal actions of a seat that may choose now, one bit per action."""
    if seat == position.seat:
        return legal(position)
    position = position.copy()
    position.seat = seat
    return legal(position)


def reason_against(
    position: Position, seat: int, action: int, legal_actions: int | None = None
) -> Reason | None:
    """Why a seat may not choose that action now; None if it may. `legal_actions`, if known, saves computing them."""
    if not 0 <= seat < position.players:
        return Reason("no-such-seat", {"seat": seat + 1, "players": position.players})
    if position.question == Question.OVER:
        return Reason("over")
    if not may_choose(position, seat):
        if position.question == Question.DRAFT:
            return Reason("kept-already", {"seat": seat + 1})
        return Reason("not-to-move", {"asked": position.seat + 1, "seat": seat + 1})
    if legal_actions is None:
        legal_actions = choices_of(position, seat)
    if legal_actions >> action & 1:
        return None
    decoded = ACTIONS[action]
    if position.question in (Question.DRAFT, Question.CENTER):
        if decoded.kind is ActionKind.DRAFT:
            return Reason("card-not-there")
        return Reason("draft-by-kind", {"example": choices_in(legal_actions)[0]})
    if decoded.kind is ActionKind.DRAFT:
        return Reason("draft-is-over")
    if position.question == Question.EFFECTS:
        return _against_effect(position, decoded)
    if decoded.kind is ActionKind.CARD:
        return _against_card(position, action)
    if position.question == Question.PLAY:
        return Reason("card-first")
    if position.question in (Question.EMBARGO, Question.DEMOCRACY):
        return Reason("domain-not-done")
    return Reason("effect-not-done", {"left": position.left})


def _against_card(position: Position, domain: int) -> Reason:
    if position.question in (Question.EMBARGO, Question.DEMOCRACY):
        return Reason("nothing-to-mark", {"domain": domain_name(domain)})
    playing = position.question in (Question.PLAY, Question.PLAY_MORE)
    if playing and position.embargoes[position.seat][domain]:
        return Reason("embargo", {"domain": domain_name(domain)})
    if pickable(position, domain) == 0:
        return Reason("none-there", {"domain": domain_name(domain)})
    if domain < position.floor:
        return Reason("one-order", {"floor": domain_name(position.floor)})
    return Reason("too-few-left", {"left": position.left})


def _against_effect(position: Position, action: Action) -> Reason | None:
    match action:
        case Action(kind=ActionKind.PERMANENT, effect=Effect() as effect):
            return _against_own(position, effect)
        case Action(kind=ActionKind.COPY, effect=Effect() as effect):
            return _against_copy(position, effect)
        case Action(kind=ActionKind.BREAKTHROUGH, domain=Domain() as paid):
            return _against_payment(position, Effect.BREAKTHROUGH, paid)
        case Action(kind=ActionKind.ATTACK, domain=Domain() as named):
            reason = _against_payment(position, Effect.ATTACK, Domain.MILITARY)
            return reason or Reason("nothing-to-attack", {"domain": domain_name(named)})
        case Action(effect=Effect() as effect, distance=int() as distance):
            reason = _against_payment(position, effect, effect.domain)
            return reason or _against_target(position, effect, distance)
        case _:
            return Reason("not-a-card")


def _against_permanent_of(position: Position, domain: Domain) -> Reason | None:
    if domain is Domain.RELIGION and position.rulings & PASSIVE_RELIGION:
        return Reason("passive")
    if permanent_used(position, domain):
        return Reason("permanent-used", {"domain": domain_name(domain)})
    return None


def _against_own(position: Position, effect: Effect) -> Reason:
    domain = effect.domain
    own, needed = count(position.areas[position.seat][domain]), threshold(position, effect.level)
    if (reason := _against_permanent_of(position, domain)) is not None:
        return reason
    if own < needed:
        facts = {
            "effect": name_of_effect(effect),
            "domain": domain_name(domain),
            "needed": needed,
            "own": own,
        }
        return Reason("below-threshold", facts)
    return _against_cost(position, effect)


def _against_cost(position: Position, effect: Effect) -> Reason:
    if effect.domain is Domain.RELIGION:
        return Reason("no-deck")
    code, there = {
        Domain.MILITARY: ("no-hand", position.hands[position.seat]),
        Domain.UTOPIA: ("no-pile", position.discard_piles),
    }.get(effect.domain, ("no-area", position.areas[position.seat]))
    return Reason(code, {"effect": name_of_effect(effect), "cards": effect.level, "there": total(there)})


def _against_copy(position: Position, effect: Effect) -> Reason:
    domain, needed = effect.domain, threshold(position, effect.level)
    if permanent_used(position, CULTURE):
        return Reason("inspired-already")
    if not leads_culture(position, position.seat):
        return Reason("no-lead")
    if (reason := _against_permanent_of(position, domain)) is not None:
        return reason
    if count(position.areas[position.seat][domain]) >= needed and is_affordable(position, effect):
        return Reason("own-effect", {"effect": name_of_effect(effect)})
    if most_among_others(position, position.seat, domain) < needed:
        facts = {"effect": name_of_effect(effect), "needed": needed, "domain": domain_name(domain)}
        return Reason("no-other-has-it", facts)
    return _against_cost(position, effect)


def _against_payment(position: Position, effect: Effect, paid: Domain) -> Reason | None:
    if discard_used(position, effect.domain):
        return Reason("discard-used", {"domain": domain_name(effect.domain)})
    if paid is not effect.domain and not position.rulings & BREAKTHROUGH_ANY:
        return Reason("science-only")
    if not position.areas[position.seat][paid]:
        return Reason("no-card", {"domain": domain_name(paid)})
    return None


def _against_target(position: Position, effect: Effect, distance: int) -> Reason:
    if distance >= position.players:
        return Reason("too-far", {"players": position.players})
    democracy = effect is Effect.DEMOCRACY
    if distance == 0 and not position.rulings & (DEMOCRACY_SELF if democracy else EMBARGO_SELF):
        return Reason("not-oneself", {"ruling": "D02" if democracy else "D01"})
    if democracy and position.teams and distance == 2 and not position.rulings & DEMOCRACY_TEAMMATE:
        return Reason("not-teammate")
    return Reason("nothing-to-aim-at")

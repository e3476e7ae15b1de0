"""Several cards in one choice: which can be chosen together, and the actions of such a set.

The engine asks for cards one at a time and in the order of the Domains. People choose a set, in any order.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from hegemon.notation.choices import choices_in, read_choice
from hegemon.notation.errors import NotationError
from hegemon.notation.messages import message
from hegemon.play.legality import IllegalMoveError, Reason, choices_of, reason_against
from hegemon.rules.actions import ACTIONS, CHOICES, END, ActionKind
from hegemon.rules.cards import Domain
from hegemon.rules.engine import apply, may_choose
from hegemon.rules.picks import asks_for_cards, pickable, pile_to_pick_from
from hegemon.rules.piles import Card, Cards
from hegemon.rules.position import Position

#: The separator between the cards of one choice.
SEPARATOR: Final = ","


@dataclass(frozen=True)
class Selection:
    """The cards that the open question asks for: any `number` of these `cards`, in any order.

    Within a Domain the oldest cards are chosen first. Cards that can be in no such set are left out.
    """

    number: int
    cards: Cards


def selection_of(position: Position, seat: int) -> Selection | None:
    """The cards that a seat has to choose now; None if the open question asks for something else, or another seat."""
    if not may_choose(position, seat) or not asks_for_cards(position):
        return None
    cards = (
        card
        for domain in range(position.floor, len(Domain))
        for card in islice(_cards_of(position, domain), min(pickable(position, domain), position.left))
    )
    return Selection(position.left, Cards(cards))


def _cards_of(position: Position, domain: int) -> list[Card]:
    """The cards of a Domain in the place that the open question takes cards from, the oldest first."""
    piles = [0] * len(Domain)
    piles[domain] = pile_to_pick_from(position, domain)
    return list(Cards.from_piles(piles))


def read_card(text: str) -> tuple[int, int | None]:
    """The Domain of a card, and its Age if that is named: `M` or `M1`."""
    action = ACTIONS[read_choice(text)]
    if action.kind not in (ActionKind.CARD, ActionKind.DRAFT) or action.domain is None:
        raise NotationError(message("choice"), text, 0, message("expected a card such as M or M1"))
    return action.domain, action.age


def cards_of_choice(choice: str | Sequence[str]) -> Sequence[str] | None:
    """The cards of a choice of several, which is `R,M` or a sequence; None for a choice of any other kind."""
    if not isinstance(choice, str):
        return choice
    return choice.split(SEPARATOR) if SEPARATOR in choice else None


def text_of_choice(choice: str | Sequence[str]) -> str:
    """A choice as text; the text of a set of cards does not depend on their order: `M,R`."""
    if (cards := cards_of_choice(choice)) is None:
        return str(choice)
    return SEPARATOR.join(CHOICES[domain] for domain in sorted(read_card(card)[0] for card in cards))


def actions_of_cards(position: Position, seat: int, cards: Sequence[str]) -> tuple[int, ...]:
    """The actions that choose these cards for a seat, in the order of the engine.

    A set that is incomplete or illegal raises an IllegalMoveError with the reason and the legal choices.
    """
    named = [read_card(card) for card in cards]
    reason = _reason_against_set(position, seat, named)
    if reason is not None:
        choices = choices_in(choices_of(position, seat)) if may_choose(position, seat) else ()
        raise IllegalMoveError(reason, choices)
    return tuple(sorted(domain for domain, _ in named))


def _reason_against_set(
    position: Position, seat: int, named: Sequence[tuple[int, int | None]]
) -> Reason | None:
    if not may_choose(position, seat):
        return reason_against(position, seat, END)
    if not asks_for_cards(position):
        return Reason("not-together")
    if len(named) != position.left:
        return Reason("wrong-number", {"left": position.left, "chosen": len(named)})
    after = position.copy()
    for domain in sorted(domain for domain, _ in named):
        if (reason := reason_against(after, seat, domain)) is not None:
            return reason
        apply(after, domain)
    for domain in {domain for domain, _ in named}:
        ages = [age for other, age in named if other == domain]
        moved = Counter(card.age for card in _cards_of(position, domain)[: len(ages)])
        if not Counter(age for age in ages if age is not None) <= moved:
            return Reason("oldest-first")
    return None

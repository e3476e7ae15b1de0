"""The observation of a view and a memory."""

from typing import Any

from hegemon.kernels.knowledge import KNOWLEDGE, cards_of, group_of
from hegemon.kernels.observation import observation as observe_position
from hegemon.play.determinization import public_position
from hegemon.play.memory import Memory
from hegemon.rules.cards import DOMAINS, card_of_age
from hegemon.rules.position import Position
from hegemon.rules.view import View


def observation(view: View, memory: Memory, *, to_move: bool = False) -> Any:
    """The observation of the viewer, identical to the one that a `hegemon.Batch` writes for that seat.

    In the draft, several seats choose at once; with `to_move`, the viewer is the seat to move.
    """
    position = position_as_seen(view, to_move=to_move)
    known = [0] * KNOWLEDGE
    for seat in range(view.players):
        if seat != view.viewer:
            known[view.viewer + group_of(position, view.viewer, seat)] = cards_of(memory.known(seat).piles)
    return observe_position(position, view.viewer, known)


def position_as_seen(view: View, *, to_move: bool = False) -> Position:
    """A position with the same view: hidden cards have the right Ages, but arbitrary Domains."""
    position = public_position(view)
    position.deck_size = view.deck_size
    for seat in range(view.players):
        if seat != view.viewer:
            position.hands[seat] = _placeholders(view.backs[seat])
            position.kept[seat] = _placeholders(view.kept_backs[seat])
    if to_move:
        position.seat = view.viewer
    return position


def _placeholders(backs: tuple[int, ...]) -> list[int]:
    """Cards of these Ages, spread over the Domains, because a pile can hold only a few."""
    cards = [age if len(backs) > 1 else 3 for age, number in enumerate(backs, 1) for _ in range(number)]
    piles = [0] * DOMAINS
    for place, age in enumerate(cards):
        piles[place % DOMAINS] += card_of_age(age)
    return piles

"""Whether another player could win before the viewer's next turn, regardless of hidden cards.

There are two proofs: a player cannot win if no possible hand is enough, and can win if one card is missing that the
player may hold. If neither succeeds, the position is unclear.
"""

from dataclasses import dataclass

from hegemon.rules.cards import DOMAINS, ECONOMY, NUMBER_OF_CARDS, UTOPIA, count, count_of_age
from hegemon.rules.position import Position, Question
from hegemon.rules.reach import MAX_DRAWN, can_reach_hegemony
from hegemon.rules.victory import hegemony_threshold, side_of
from hegemon.rules.view import View


class Unclear(Exception):
    """Neither proof succeeds, so the position cannot be used."""


@dataclass(frozen=True)
class Threat:
    """A player who would win with a card of a Domain and may hold one."""

    seat: int
    domain: int


class Threats:
    """The threats against the viewer after the turn that starts with a view."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._unseen = unseen_cards(view)
        self._known: dict[tuple[object, ...], Threat | None] = {}

    def after_turn(self, position: Position) -> Threat | None:
        """The first player who could win before the viewer's next turn; None if certainly no player can."""
        if position.question == Question.OVER:
            raise Unclear
        table = tuple(tuple(map(count, area)) for area in position.areas)
        marks = (
            tuple(map(tuple, position.democracies)),
            tuple(tuple(map(bool, row)) for row in position.embargoes),
        )
        key = (table, marks, tuple(map(count, position.discard_piles)))
        if key not in self._known:
            self._known[key] = self._first_threat(position)
        return self._known[key]

    def _first_threat(self, position: Position) -> Threat | None:
        viewer, players = self.view.viewer, position.players
        unclear = False
        for distance in range(1, players):
            seat = (viewer + distance) % players
            if side_of(position, seat) == side_of(position, viewer):
                continue
            for domain in range(DOMAINS):
                if not can_reach_hegemony(position, seat, domain, later=distance > 1):
                    continue
                missing = hegemony_threshold(position, seat, domain) - count(position.areas[seat][domain])
                if missing <= 1 and self._may_hold(seat, domain):
                    return Threat(seat, domain)
                unclear = True
        if unclear:
            raise Unclear
        return None

    def _may_hold(self, seat: int, domain: int) -> bool:
        """Whether a player may hold a card of a Domain: there is an unseen one with a matching back."""
        return any(
            backs and unseen
            for backs, unseen in zip(self.view.backs[seat], self._unseen[domain], strict=True)
        )


def can_exhaust_deck(position: Position) -> bool:
    """Whether other players could end the game by drawing the last card, which is not analyzed."""
    return position.deck_size <= MAX_DRAWN * (position.players - 1)


def unseen_cards(view: View) -> list[list[int]]:
    """The number of cards that the viewer does not see, by Domain and Age."""
    unseen = []
    for domain in range(DOMAINS):
        piles = [*(area[domain] for area in view.areas), view.discard_piles[domain], view.hand_piles[domain]]
        if domain == ECONOMY:
            piles += [pile for row in view.embargoes for pile in row]
        row = [
            NUMBER_OF_CARDS[domain][age - 1] - sum(count_of_age(pile, age) for pile in piles)
            for age in (1, 2, 3)
        ]
        if domain == UTOPIA:
            row[2] -= sum(map(sum, view.democracies))
        unseen.append(row)
    return unseen

"""Whether another player could win before one's next turn, whatever is hidden.

Two proofs meet: a player cannot win if no hand at all would be enough, and could win if one card is missing and the
player may hold it. Where neither succeeds, nothing is claimed.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from hegemon.rules.cards import (
    CULTURE,
    DOMAINS,
    ECONOMY,
    NUMBER_OF_CARDS,
    SCIENCE,
    UTOPIA,
    count,
    count_of_age,
)
from hegemon.rules.effects.science import BREAKTHROUGH_CARDS
from hegemon.rules.position import Position, Question
from hegemon.rules.turn import raised_hand_size, threshold
from hegemon.rules.victory import hegemony_threshold, side_of
from hegemon.rules.view import View

#: The cards that are drawn at most in a turn.
_MOST_DRAWN: Final = raised_hand_size(2) + BREAKTHROUGH_CARDS

#: The Domains whose permanent effects play cards.
_PLAYING: Final = (ECONOMY, SCIENCE)


class Unclear(Exception):
    """Neither proof succeeds: the position cannot be used."""


@dataclass(frozen=True)
class Threat:
    """A player who would win with a card of a Domain, and may hold one."""

    seat: int
    domain: int


class Threats:
    """The threats against the viewer of a view, after a turn that begins there."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._unseen = unseen_cards(view)
        self._known: dict[tuple[object, ...], Threat | None] = {}

    def after_turn(self, position: Position) -> Threat | None:
        """The first player who could win before the viewer's next turn; None if all of them cannot, for certain."""
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
                if not within_reach(position, seat, domain, later=distance > 1):
                    continue
                missing = hegemony_threshold(position, seat, domain) - count(position.areas[seat][domain])
                if missing <= 1 and self._may_hold(seat, domain):
                    return Threat(seat, domain)
                unclear = True
        if unclear:
            raise Unclear
        return None

    def _may_hold(self, seat: int, domain: int) -> bool:
        """Whether a player may hold a card of a Domain: one of an Age that the backs show is unseen."""
        return any(
            backs and unseen
            for backs, unseen in zip(self.view.backs[seat], self._unseen[domain], strict=True)
        )


def may_go_out(position: Position) -> bool:
    """Whether the others could end the game by drawing the last card, which is not looked at."""
    return position.deck_size <= _MOST_DRAWN * (position.players - 1)


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


def within_reach(position: Position, seat: int, domain: int, *, later: bool) -> bool:
    """Whether a player could reach Hegemony in a Domain with any hand at all; `later`, after others have played."""
    if position.embargoes[seat][domain]:
        return False
    areas = [[count(pile) for pile in area] for area in position.areas[: position.players]]
    own = areas.pop(seat)
    missing = hegemony_threshold(position, seat, domain) - own[domain]
    # Before a later turn, others may play as many cards of a Domain as a turn allows, and lose their lead in Culture.
    grown = MOST_PLAYED if later else 0
    copied = tuple(
        sum(max(row[playing] for row in areas) + grown >= threshold(position, level) for level in (1, 2))
        for playing in _PLAYING
    )
    behind = -1 if later else max(row[CULTURE] for row in areas) - own[CULTURE]
    return missing <= most_played(
        (threshold(position, 1), threshold(position, 2)),
        domain,
        (own[ECONOMY], own[SCIENCE], -behind),
        copied,
    )


@cache
def most_played(
    needed: tuple[int, int], domain: int, counts: tuple[int, int, int], copied: tuple[int, ...]
) -> int:
    """The most cards of a Domain that a turn can play, if the hand has all cards and effects cost nothing.

    `counts` are the Economy and Science cards in play, and by how many Culture cards the player leads.
    """
    return _most(needed, domain, counts, copied, frozenset(), False, 1)


def _most(
    needed: tuple[int, int],
    domain: int,
    counts: tuple[int, int, int],
    copied: tuple[int, ...],
    used: frozenset[int],
    inspired: bool,
    plays: int,
) -> int:
    if plays:
        best = 0
        for place, played in enumerate((ECONOMY, SCIENCE, CULTURE, -1)):
            after = list(counts)
            if place < len(after):
                after[place] += 1
            won = played == domain or (place == len(counts) and domain not in (ECONOMY, SCIENCE, CULTURE))
            rest = _most(needed, domain, (after[0], after[1], after[2]), copied, used, inspired, plays - 1)
            best = max(best, won + rest)
        return best
    best = 0
    for place, playing in enumerate(_PLAYING):
        own = sum(counts[place] >= number for number in needed)
        other = copied[place] if counts[2] > 0 and not inspired else 0
        for level, copies in ((own, inspired), (other, True)):
            if level and playing not in used:
                rest = _most(needed, domain, counts, copied, used | {playing}, copies, level)
                best = max(best, rest)
    return best


#: The most cards of a Domain that any turn can play, with every effect that plays cards.
MOST_PLAYED: Final = most_played((0, 0), ECONOMY, (0, 0, 1), (2, 2))

"""Upper bounds on what a player can do in one turn, with any hand: cards drawn, cards played, and Hegemony."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from hegemon.rules.cards import COUNT, CULTURE, DOMAINS, ECONOMY, SCIENCE, count
from hegemon.rules.effects.science import BREAKTHROUGH_CARDS
from hegemon.rules.position import Position
from hegemon.rules.rule import rule
from hegemon.rules.turn import raised_hand_size, threshold
from hegemon.rules.victory import hegemony_threshold

#: The most cards that a turn can draw: up to the largest hand, and by a Breakthrough before that.
MAX_DRAWN: Final = raised_hand_size(2) + BREAKTHROUGH_CARDS

#: The Domains whose permanent effects play as many cards as their level says.
_PLAYING: Final = (ECONOMY, SCIENCE)

#: The Domains whose cards decide which of these effects are available, own or by Inspiration.
_COUNTED: Final = (*_PLAYING, CULTURE)


@rule
def fewest_missing(position: Position, seat: int) -> int:
    """The number of cards that a seat still needs for Hegemony in the nearest Domain that it may play."""
    fewest = DOMAINS + DOMAINS
    for domain in range(DOMAINS):
        if not position.embargoes[seat][domain]:
            own = position.areas[seat][domain] & COUNT
            fewest = min(fewest, hegemony_threshold(position, seat, domain) - own)
    return fewest


@cache
def most_played(
    domain: int, counts: Sequence[int], others_levels: Sequence[int], thresholds: Sequence[int]
) -> int:
    """The most cards of a Domain that a turn can play, if the hand has every card and effects cost nothing.

    `counts` are the Economy and Science cards in the player's area, and the lead in Culture cards. `others_levels` are
    the levels of the effects of Economy and Science that others have, and `thresholds` the cards needed for each
    level.
    """
    wanted = _COUNTED.index(domain) if domain in _COUNTED else len(_COUNTED)

    def most(counts: Sequence[int], plays: int, used: frozenset[int], inspired: bool) -> int:
        if plays:
            return max(
                (played == wanted) + most(_one_more(counts, played), plays - 1, used, inspired)
                for played in range(len(_COUNTED) + 1)
            )
        best = 0
        for place, playing in enumerate(_PLAYING):
            own = sum(counts[place] >= needed for needed in thresholds)
            copied = others_levels[place] if counts[-1] > 0 and not inspired else 0
            for level, inspires in ((own, False), (copied, True)):
                if level and playing not in used:
                    best = max(best, most(counts, level, used | {playing}, inspired or inspires))
        return best

    return most(counts, 1, frozenset(), False)


def _one_more(counts: Sequence[int], place: int) -> tuple[int, ...]:
    return tuple(number + (place == other) for other, number in enumerate(counts))


#: The most cards of one Domain that any turn can play.
MAX_PLAYED: Final = most_played(ECONOMY, (0, 0, 1), (2, 2), (0, 0))


def can_reach_hegemony(position: Position, seat: int, domain: int, *, later: bool) -> bool:
    """Whether a seat could reach Hegemony in a Domain with any hand at all; `later`, after others have played.

    Before a later turn, others may play as many cards of a Domain as a turn allows, and lose their lead in Culture.
    """
    if position.embargoes[seat][domain]:
        return False
    areas = [[count(pile) for pile in area] for area in position.areas[: position.players]]
    own = areas.pop(seat)
    grown = MAX_PLAYED if later else 0
    thresholds = (threshold(position, 1), threshold(position, 2))
    others_levels = tuple(
        sum(max(area[playing] for area in areas) + grown >= needed for needed in thresholds)
        for playing in _PLAYING
    )
    lead = 1 if later else own[CULTURE] - max(area[CULTURE] for area in areas)
    missing = hegemony_threshold(position, seat, domain) - own[domain]
    return missing <= most_played(domain, (own[ECONOMY], own[SCIENCE], lead), others_levels, thresholds)

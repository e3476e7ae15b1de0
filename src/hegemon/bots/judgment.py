"""How a table looks to a seat: the terms by which the greedy bot judges, each with its name and its weight."""

from functools import cache
from typing import Final

from hegemon.rules.cards import (
    COUNT,
    DOMAINS,
    ECONOMY,
    MILITARY,
    NUMBER_OF_CARDS,
    RELIGION,
    SCIENCE,
    UTOPIA,
    total,
)
from hegemon.rules.position import Position
from hegemon.rules.turn import refill_level, threshold
from hegemon.rules.victory import hegemony_threshold, majority_winners, side_of

#: Hegemony: a column that would win is worth this much; one on its way is worth a share that grows steeply.
HEGEMONY: Final = 100.0
STEEPNESS: Final = 3.0
#: A card in hand counts towards its column as this part of a card in play.
IN_HAND: Final = 0.45
#: A column that is full wins at the end of this turn: nothing else compares.
WON: Final = 10_000.0

#: Majority: a Domain in which the side leads, at the end of the deck; early in the game it is worth a part of that.
MAJORITY: Final = 12.0
MAJORITY_EARLY: Final = 0.1
#: The deck is out and the majorities as they stand would win.
AHEAD_AT_THE_END: Final = 60.0

#: Effects: what it is worth to have the cards for a Domain's permanent effect, a level.
EFFECT: Final = {MILITARY: 0.5, RELIGION: 3.0, ECONOMY: 2.0, SCIENCE: 1.5, UTOPIA: 1.5}
#: In the draft, what a single card promises of its Domain's effect.
PROMISE: Final = 0.1

#: Threat: an opponent's columns count against the seat, by this part of what its own would be worth; and a column
#: that the next card or the next two fill counts extra.
THREAT: Final = 0.5
ONE_CARD_AWAY: Final = 60.0
TWO_CARDS_AWAY: Final = 15.0
#: A column under Embargo cannot grow in its owner's next turn: so much of the extra threat is left.
EMBARGOED: Final = 0.15
#: A teammate's columns count for the seat, by this part of its own.
TEAMMATE: Final = 0.5
#: A card that is given away counts against the seat by this part of what it adds to the other's column.
GIFT: Final = 0.3


@cache
def progress(cards: float, needed: int) -> float:
    """What a column is worth on its way to Hegemony."""
    return float(HEGEMONY * (min(cards, needed) / needed) ** STEEPNESS)


@cache
def lead(own: int, others: int) -> float:
    """How likely a Domain is to be scored in the end, by the cards that the side and its best rival have now."""
    if own == 0:
        return 0.0
    margin = own - others
    return (0.1, 0.35, 0.65, 0.85, 0.95, 1.0)[max(-2, min(3, margin)) + 2]


class Judgment:
    """Judges positions from one seat, looking only at what is public and at the seat's own cards.

    The judgment of a table is the sum of that of its six Domains and of the cards to be drawn, so a single card can
    be judged by its Domain alone.
    """

    def __init__(self, position: Position, seat: int, deck_backs: tuple[int, int, int]) -> None:
        self.seat = seat
        self.side = side_of(position, seat)
        self.thresholds = (threshold(position, 1), threshold(position, 2))
        left = sum(deck_backs) / sum(sum(kinds) for kinds in NUMBER_OF_CARDS)
        self.majority = MAJORITY * (MAJORITY_EARLY + (1 - MAJORITY_EARLY) * (1 - left) ** 2)
        self.next_age = next((age for age in (1, 2, 3) if deck_backs[age - 1]), 3)
        self.drawn_card = self._worth_of_unknown_card(position)

    def of(self, position: Position) -> float:
        """The whole table, as it stands in the seat's turn."""
        worth = sum([self.of_domain(position, domain) for domain in range(DOMAINS)])
        missing = refill_level(position) - total(position.hands[self.seat])
        if missing > 0:
            worth += self.drawn_card * min(missing, position.deck_size)
        if position.deck_size == 0 and majority_winners(position) >> self.side & 1:
            worth += AHEAD_AT_THE_END
        return worth

    def of_domain(self, position: Position, domain: int) -> float:
        """One Domain: the seat's column and hand, the lead, the effect, and what others have there."""
        seat = self.seat
        own = position.areas[seat][domain] & COUNT
        needed = hegemony_threshold(position, seat, domain)
        worth = progress(own + IN_HAND * (position.hands[seat][domain] & COUNT), needed)
        if own >= needed:
            worth += WON
        if domain in EFFECT:
            first, second = self.thresholds
            worth += EFFECT[domain] * ((own >= first) + (own >= second))
        others = 0
        ours = own
        for other in range(position.players):
            if other == seat:
                continue
            cards = position.areas[other][domain] & COUNT
            if side_of(position, other) == self.side:
                ours = max(ours, cards)
                worth += TEAMMATE * progress(cards, hegemony_threshold(position, other, domain))
            elif cards:
                others = max(others, cards)
                worth -= self._threat(position, other, domain, cards)
        return worth + self.majority * lead(ours, others)

    def _threat(self, position: Position, other: int, domain: int, cards: int) -> float:
        needed = hegemony_threshold(position, other, domain)
        extra = (0.0, ONE_CARD_AWAY, TWO_CARDS_AWAY, 0.0)[max(0, min(3, needed - cards))]
        if position.embargoes[other][domain]:
            extra *= EMBARGOED
        return THREAT * progress(cards, needed) / (position.players - 1) + extra

    def of_gift(self, position: Position, target: int, domain: int) -> float:
        """What a card in another hand is worth to its owner, as far as it counts here."""
        cards = position.areas[target][domain] & COUNT
        needed = hegemony_threshold(position, target, domain)
        more = progress(cards + 1, needed) - progress(cards, needed)
        return -GIFT * more if side_of(position, target) == self.side else GIFT * more

    def of_start(self, position: Position, area: list[int], hand: list[int]) -> float:
        """An area and a hand in the draft, when there is nothing else to be judged."""
        worth = 0.0
        for domain in range(DOMAINS):
            cards = (area[domain] & COUNT) + IN_HAND * (hand[domain] & COUNT)
            worth += progress(cards, hegemony_threshold(position, self.seat, domain))
            worth += PROMISE * EFFECT.get(domain, 0.0) * cards
        return worth

    def _worth_of_unknown_card(self, position: Position) -> float:
        """What a card from the deck adds to the hand, on average over the cards of the next Age."""
        cards = [kinds[self.next_age - 1] for kinds in NUMBER_OF_CARDS]
        worth = 0.0
        for domain in range(DOMAINS):
            own = (position.areas[self.seat][domain] & COUNT) + IN_HAND * (
                position.hands[self.seat][domain] & COUNT
            )
            needed = hegemony_threshold(position, self.seat, domain)
            worth += cards[domain] * (progress(own + IN_HAND, needed) - progress(own, needed))
        return worth / sum(cards)

"""The 104 physical cards: where each of them is, and which of them a viewer has ever seen.

The game itself knows a card only by its Domain and Age. Following the events with real cards gives an independent
answer to two questions: do the events tell everything that happens, and what does a viewer not know?
"""

from collections import Counter
from collections.abc import Iterable

from hegemon.notation.record import Record
from hegemon.play.events import (
    ChoseGift,
    Dealt,
    Discarded,
    Drew,
    EmbargoLifted,
    Event,
    Fetched,
    GaveBack,
    Kept,
    Passed,
    Played,
    PutDemocracy,
    PutEmbargo,
    Revealed,
    TookBack,
    TookFromCenter,
    TookHand,
    cards_in,
    name_of,
)
from hegemon.rules.cards import KINDS, NUMBER_OF_CARDS, age_of, domain_of
from hegemon.rules.position import MAX_PLAYERS, Position

Card = int


def all_names() -> Counter[str]:
    return Counter({name_of(kind): NUMBER_OF_CARDS[domain_of(kind)][age_of(kind) - 1] for kind in KINDS})


class PhysicalCards:
    """Where every card lies, by the events; where equal cards could move, one that the viewer has seen does."""

    def __init__(self, record: Record, viewer: int) -> None:
        deck = [name_of(kind) for kind in record.deck]
        box = sorted((all_names() - Counter(deck)).elements())
        self.viewer = viewer
        self.players = record.players
        self.names = [*deck, *box]
        self.deck = list(range(len(deck)))
        self.seen: set[Card] = set()
        self.hands: list[list[Card]] = [[] for _ in range(MAX_PLAYERS)]
        self.kept: list[list[Card]] = [[] for _ in range(MAX_PLAYERS)]
        self.areas: list[list[Card]] = [[] for _ in range(MAX_PLAYERS)]
        self.center: list[Card] = []
        self.discard_pile: list[Card] = []
        self.markers: list[Card] = []

    def unseen(self) -> list[Card]:
        """The cards that the viewer has never seen, those in the box among them."""
        return [card for card in range(len(self.names)) if card not in self.seen]

    def follow(self, events: Iterable[Event]) -> Card | None:
        """Move the cards by the events; return the card that was chosen, if it was one of a hand or packet."""
        chosen = None
        for event in events:
            card = self._follow(event)
            chosen = card if chosen is None else chosen
        return chosen

    def _follow(self, event: Event) -> Card | None:
        match event:
            case Dealt(hands):
                for seat, cards in enumerate(hands):
                    self._draw(seat, cards)
            case Drew(seat, cards):
                self._draw(seat, cards)
            case Kept(seat, name):
                return self._move(self.hands[seat], self.kept[seat], name)
            case Passed():
                hands = self.hands[: self.players]
                self.hands[: self.players] = [hands[-1], *hands[:-1]]
                self._show(self.hands[self.viewer] if self.viewer >= 0 else [])
            case Revealed(names):
                for seat, name in enumerate(names):
                    self._move(self.hands[seat], self.center, name, public=True)
            case TookFromCenter(seat, name):
                self._move(self.center, self.areas[seat], name)
                if seat == 0:
                    self.hands, self.kept = self.kept, self.hands
            case Played(seat, name):
                self._move(self.hands[seat], self.areas[seat], name, public=True)
            case Discarded(seat, name, from_hand):
                source = self.hands if from_hand else self.areas
                self._move(source[seat], self.discard_pile, name, public=True)
            case TookBack(seat, name):
                self._move(self.areas[seat], self.hands[seat], name)
            case Fetched(seat, name):
                self._move(self.discard_pile, self.hands[seat], name)
            case TookHand(seat, target):
                if self.viewer in (seat, target):
                    self._show(self.hands[target])
                self.hands[seat] += self.hands[target]
                self.hands[target] = []
            case ChoseGift(seat, target, name):
                return self._move(self.hands[seat], self.hands[target], name)
            case GaveBack(seat, target):
                if self.viewer in (seat, target):
                    self._show(self.hands[target])
            case PutEmbargo(seat, _, _, name):
                self._move(self.areas[seat], self.markers, name)
            case PutDemocracy(seat):
                self._move(self.areas[seat], self.markers, "U3")
            case EmbargoLifted(_, _, name):
                self._move(self.markers, self.discard_pile, name)
        return None

    def _draw(self, seat: int, names: tuple[str, ...]) -> None:
        drawn, self.deck = self.deck[: len(names)], self.deck[len(names) :]
        assert Counter(self.names[card] for card in drawn) == Counter(names)
        self.hands[seat] += drawn
        if seat == self.viewer:
            self._show(drawn)

    def _show(self, cards: Iterable[Card]) -> None:
        self.seen |= set(cards)

    def _move(self, source: list[Card], destination: list[Card], name: str, public: bool = False) -> Card:
        same = [card for card in source if self.names[card] == name]
        card = min(same, key=lambda card: card not in self.seen)
        source.remove(card)
        destination.append(card)
        if public:
            self._show([card])
        return card

    def lie_as_in(self, position: Position) -> bool:
        """Whether a position has the same cards in the same places."""
        places = [
            *zip(self.hands, position.hands, strict=True),
            *zip(self.kept, position.kept, strict=True),
            *zip(self.areas, position.areas, strict=True),
            (self.center, position.center_piles),
            (self.discard_pile, position.discard_piles),
        ]
        deck = [name_of(kind) for kind in position.deck[: position.deck_size]][::-1]
        return deck == [self.names[card] for card in self.deck] and all(
            sorted(self.names[card] for card in cards) == sorted(cards_in(piles)) for cards, piles in places
        )

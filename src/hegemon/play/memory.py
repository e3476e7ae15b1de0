"""What a seat remembers: cards it has seen go into another hand, as long as they must still be there."""

from collections import Counter
from collections.abc import Iterable

from hegemon.notation.words import read_word
from hegemon.play.events import (
    Discarded,
    Event,
    Fetched,
    Gave,
    Kept,
    Passed,
    Played,
    Revealed,
    TookBack,
    TookHand,
    cards_in,
)
from hegemon.rules.cards import DOMAINS, age_of, card_of_age, domain_of
from hegemon.rules.position import Question
from hegemon.rules.view import View
from hegemon.rules.words import drafted_kind


class Memory:
    """Follows the events that one seat has seen, and says what every other hand holds at least.

    The same facts are worth the same to everybody: people get them as a memory aid, bots may use them.
    """

    def __init__(self, viewer: int, players: int) -> None:
        self.viewer = viewer
        self.players = players
        self._known: list[Counter[str]] = [Counter() for _ in range(players)]
        self._packets: dict[int, _Packet] = {}
        self._inquisition: _Inquisition | None = None

    @classmethod
    def of_first_view(cls, view: View) -> "Memory":
        """A fresh memory, when the cards have just been dealt."""
        memory = cls(view.viewer, view.players)
        if view.question == Question.DRAFT and view.hand is not None:
            memory._packets = {view.viewer: _Packet(Counter(cards_in(view.hand)))}
        return memory

    def known(self, seat: int) -> list[int]:
        """The cards that a seat holds for certain, in hand or kept, as six piles."""
        cards = self._known[seat].copy()
        if seat != self.viewer and seat in self._packets:
            cards += self._packets[seat].still_held(seat)
        piles = [0] * DOMAINS
        for card, number in cards.items():
            kind = kind_of_card(card)
            piles[domain_of(kind)] += number * card_of_age(age_of(kind))
        return piles

    def see(self, events: Iterable[Event]) -> None:
        """Take in events, as this seat saw them."""
        for event in events:
            self._see(event)

    def _see(self, event: Event) -> None:
        match event:
            case Fetched(seat, card) | TookBack(seat, card):
                self._learn(seat, card)
            case Played(seat, card) | Discarded(seat, card, from_hand=True):
                self._forget(seat, card)
            case TookHand():
                self._see_inquisition(event)
            case Gave():
                self._see_gift(event)
            case Kept(seat, card):
                self._see_pick(seat, card)
            case Passed(packets):
                self._see_packets(packets)
            case Revealed(cards):
                self._see_centre(cards)

    def _learn(self, seat: int, card: str) -> None:
        if seat != self.viewer:
            self._known[seat][card] += 1

    def _forget(self, seat: int, card: str) -> None:
        if self._known[seat][card] > 0:
            self._known[seat][card] -= 1

    # ---------------------------------------------------------------- Inquisition

    def _see_inquisition(self, event: TookHand) -> None:
        """The inquisitor's hand is now both hands; whoever only watched knows of it what was known of the two."""
        if self.viewer not in (event.seat, event.target):
            pool = self._known[event.seat] + self._known[event.target]
            self._inquisition = _Inquisition(pool, Counter(event.enlarged))
            self._known[event.seat] = pool.copy()
        elif self.viewer == event.target:
            self._known[event.seat].update(event.cards)
        self._known[event.target] = Counter()

    def _see_gift(self, event: Gave) -> None:
        if self.viewer == event.seat:
            self._known[event.target][event.card] += 1
        elif self.viewer == event.target:
            self._forget(event.seat, event.card)
        elif self._inquisition is not None:
            self._inquisition.given[event.card] += 1
            self._known[event.seat] = self._inquisition.surely_kept()
            self._known[event.target] = self._inquisition.surely_given()

    # ---------------------------------------------------------------- the draft

    def _see_pick(self, seat: int, card: str) -> None:
        packet = self._packets.get(seat)
        if seat == self.viewer and packet is not None:
            packet.cards[card] -= 1
        elif packet is not None:
            packet.keepers.append(seat)

    def _see_packets(self, packets: tuple[tuple[str, ...], ...]) -> None:
        """A packet that was seen goes on with a card less each time; one that comes back tells what was kept."""
        moved = {(seat + 1) % self.players: packet for seat, packet in self._packets.items()}
        came_back = moved.pop(self.viewer, None)
        if came_back is not None:
            self._learn_kept(came_back, Counter(packets[self.viewer]))
        self._packets = moved
        if self.viewer >= 0:
            self._packets[self.viewer] = _Packet(Counter(packets[self.viewer]))

    def _see_centre(self, cards: tuple[str, ...]) -> None:
        for seat, packet in self._packets.items():
            self._learn_kept(packet, Counter([cards[seat]]))
        self._packets = {}

    def _learn_kept(self, packet: "_Packet", rest: Counter[str]) -> None:
        """What is missing from a packet was kept; who kept which is known if it was one seat, or one kind of card."""
        kept = packet.cards - rest
        if len(packet.keepers) == 1 or len(kept) == 1:
            for seat, card in zip(packet.keepers, kept.elements(), strict=True):
                self._learn(seat, card)


class _Packet:
    """A draft packet as it was last seen, and who has kept a card of it since."""

    def __init__(self, cards: Counter[str]) -> None:
        self.cards = cards
        self.keepers: list[int] = []

    def still_held(self, holder: int) -> Counter[str]:
        """What the holder has of it for certain, in hand or kept: all but what others kept before."""
        gone = sum(1 for seat in self.keepers if seat != holder)
        return Counter({card: number - gone for card, number in self.cards.items() if number > gone})


class _Inquisition:
    """Two hands in one, and the cards that were given of it unseen."""

    def __init__(self, pool: Counter[str], enlarged: Counter[str]) -> None:
        self.pool = pool
        self.enlarged = enlarged
        self.given: Counter[str] = Counter()

    def surely_kept(self) -> Counter[str]:
        """Known cards that cannot all have been among those given."""
        return Counter(
            {c: n - self.given[self._back(c)] for c, n in self.pool.items() if n > self.given[self._back(c)]}
        )

    def surely_given(self) -> Counter[str]:
        """Known cards that cannot all have been among those kept."""
        kept = {back: number - self.given[back] for back, number in self.enlarged.items()}
        return Counter({c: n - kept[self._back(c)] for c, n in self.pool.items() if n > kept[self._back(c)]})

    def _back(self, card: str) -> str:
        return "?" if "?" in self.enlarged else f"?{card[-1]}"


def kind_of_card(card: str) -> int:
    """The kind of a card that an event names."""
    return drafted_kind(read_word(card))

"""The memory of a seat: cards that it saw go into other hands and that must still be there.

There are three kinds of knowledge. A *certain* card is in a known place. A *bundle* is a set of cards that were seen
together and then split between places: the number in each place is known, but not which cards. A *loose* card is in one
of several hands. Inferences from choices that others did not make are left to the players.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from hegemon.play.events import (
    ChoseGift,
    Dealt,
    Discarded,
    Event,
    Fetched,
    GaveBack,
    Kept,
    Passed,
    Played,
    Revealed,
    TookBack,
    TookFromCenter,
    TookHand,
    TurnBegan,
    back,
)
from hegemon.rules.piles import Cards


class Place(NamedTuple):
    """A place of hidden cards: a seat's hand (in the draft, its packet), or the cards it keeps in the draft."""

    seat: int
    kept: bool = False

    def __str__(self) -> str:
        return f"{self.seat + 1}{'k' if self.kept else ''}"

    @classmethod
    def read(cls, text: str) -> "Place":
        return cls(int(text.removesuffix("k")) - 1, text.endswith("k"))


@dataclass
class Bundle:
    """Cards that were seen together and are now in several places, with a known number in each."""

    cards: Counter[str]
    places: Counter[Place]

    def move(self, source: Place, destination: Place, number: int) -> None:
        """Move a number of its cards, unseen, from one place to another."""
        self.places = self.places - Counter({source: number}) + Counter({destination: number})

    def reveal(self, place: Place, cards: Counter[str]) -> None:
        """Remove cards of a place that were revealed."""
        self.cards = self.cards - cards
        self.places = self.places - Counter({place: cards.total()})

    def certainly_held_by(self, seat: int) -> Counter[str]:
        """The cards of the bundle that a seat certainly has."""
        elsewhere = sum(number for place, number in self.places.items() if place.seat != seat)
        return +Counter({card: number - elsewhere for card, number in self.cards.items()})

    def seats(self) -> frozenset[int]:
        return frozenset(place.seat for place in self.places)

    def is_being_passed(self) -> bool:
        """Whether a part of the bundle is a packet that is still passed on in the draft."""
        return not all(place.kept for place in self.places)

    def certain(self) -> dict[Place, Counter[str]] | None:
        """The place of each card of the bundle, if there is only one possibility; None if there are several."""
        if len(self.places) == 1:
            return dict.fromkeys(self.places, self.cards)
        if len(self.cards) == 1:
            (card,) = self.cards
            return {place: Counter({card: number}) for place, number in self.places.items()}
        return None


class Memory:
    """What one seat, or a spectator (-1), knows about the other hands from the events it has seen.

    Players can use it as a memory aid, and bots may use it, too. Its text has an entry for each group of cards in the
    same places, with seats counted from 1: "2:M1" is in the hand of seat 2, "2k:M1" is one of its draft picks,
    "2/3:M1" is in one of two hands, and "2*1/3k*2:M1R1S1" is a bundle with one card in a hand and two draft picks;
    "packet:M1" is the viewer's packet in the draft, and "backs:?12" are the backs of an inquisitor's hand.
    """

    def __init__(self, viewer: int, players: int, knowledge: str = "") -> None:
        self.viewer = viewer
        self.players = players
        self.certain: dict[Place, Counter[str]] = {}
        self.bundles: list[Bundle] = []
        self.loose: dict[frozenset[int], Counter[str]] = {}
        """Loose cards by the seats that may hold them; these groups of seats are disjoint or nested."""
        self._packet: Counter[str] = Counter()
        self._backs: Counter[str] = Counter()
        for entry in knowledge.split():
            where, cards = entry.split(":")
            if where == "backs":
                ages = cards.strip("?")
                self._backs = Counter(f"?{age}" for age in ages) if ages else Counter(cards)
            else:
                self._read(where, Counter(map(str, Cards(cards))))

    def _read(self, where: str, cards: Counter[str]) -> None:
        if where == "packet":
            self._packet = cards
        elif "*" in where:
            places = [place.split("*") for place in where.split("/")]
            self.bundles.append(
                Bundle(cards, Counter({Place.read(place): int(number) for place, number in places}))
            )
        elif "/" in where:
            self.loose[frozenset(Place.read(place).seat for place in where.split("/"))] = cards
        else:
            self.certain[Place.read(where)] = cards

    def __str__(self) -> str:
        entries = [(str(place), cards) for place, cards in sorted(self.certain.items())]
        for bundle in self.bundles:
            places = sorted(bundle.places.items())
            entries.append(("/".join(f"{place}*{number}" for place, number in places), bundle.cards))
        for seats, cards in sorted(self.loose.items(), key=lambda group: sorted(group[0])):
            entries.append(("/".join(str(Place(seat)) for seat in sorted(seats)), cards))
        if self._packet:
            entries.append(("packet", self._packet))
        texts = [f"{where}:{Cards(cards.elements())}" for where, cards in entries]
        if self._backs:
            ages = "".join(sorted(back[1:] for back in self._backs.elements()))
            texts.append(f"backs:?{ages}" if ages else f"backs:{'?' * self._backs.total()}")
        return " ".join(texts)

    def __repr__(self) -> str:
        knowledge = str(self)
        return f"Memory({self.viewer}, {self.players}{f', {knowledge!r}' if knowledge else ''})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Memory) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it changes with every event

    def copy(self) -> "Memory":
        new = Memory(self.viewer, self.players)
        new.certain = {place: cards.copy() for place, cards in self.certain.items()}
        new.bundles = [Bundle(bundle.cards.copy(), bundle.places.copy()) for bundle in self.bundles]
        new.loose = {seats: cards.copy() for seats, cards in self.loose.items()}
        new._packet, new._backs = self._packet.copy(), self._backs.copy()
        return new

    def known(self, seat: int) -> Cards:
        """The cards that another seat holds for certain, in hand or kept in the draft."""
        cards = sum((bundle.certainly_held_by(seat) for bundle in self.bundles), Counter[str]())
        for place in (Place(seat), Place(seat, kept=True)):
            cards += self.certain.get(place, Counter())
        return Cards(cards.elements())

    def see(self, events: Iterable[Event]) -> None:
        """Learn from events as this seat saw them."""
        for event in events:
            self._see(event)

    def _see(self, event: Event) -> None:
        match event:
            case Fetched(seat, card) | TookBack(seat, card):
                self._gain(seat, card)
            case Played(seat, card) | Discarded(seat, card, from_hand=True):
                self._lose(seat, card)
            case TookHand():
                self._see_hand_taken(event)
            case ChoseGift(seat, target, card) if seat == self.viewer:
                self._gain(target, card)
            case GaveBack():
                self._see_gifts(event)
            case Dealt(hands) if self.viewer >= 0:
                self._packet = Counter(hands[self.viewer])
            case Kept(seat, card):
                self._see_pick(seat, card)
            case Passed(packets):
                self._see_packets(packets)
            case Revealed(cards):
                self._see_center(cards)
            case TookFromCenter(seat=0):
                self._see_draft_end()
            case TurnBegan():
                self._packet, self._backs = Counter(), Counter()

    # ---------------------------------------------------------------- cards that come and go

    def _gain(self, seat: int, card: str) -> None:
        if seat != self.viewer:
            self._add(Place(seat), Counter([card]))

    def _add(self, place: Place, cards: Counter[str]) -> None:
        if cards:
            self.certain[place] = self.certain.get(place, Counter()) + cards

    def _lose(self, seat: int, card: str) -> None:
        """Remove a card that left a hand from the most precise knowledge that may include it.

        It may have been the known card or another one of the same kind, so a bundle becomes loose: its other cards are
        in any of its hands.
        """
        one = Counter([card])
        place = Place(seat)
        held = self.certain.get(place, Counter())
        if held[card]:
            del self.certain[place]
            self._add(place, held - one)
            return
        for bundle in self.bundles:
            if place in bundle.places and bundle.cards[card]:
                self.bundles.remove(bundle)
                self._scatter(bundle.seats(), bundle.cards - one)
                return
        for seats in sorted(self.loose, key=len):
            if seat in seats and self.loose[seats][card]:
                self._scatter(seats, self.loose.pop(seats) - one)
                return

    def _scatter(self, seats: frozenset[int], cards: Counter[str]) -> None:
        """Add cards that are each in the hand of one of the seats.

        Groups of seats that would overlap are merged, which loses a little knowledge for simplicity.
        """
        if not cards:
            return
        if len(seats) == 1:
            (seat,) = seats
            self._add(Place(seat), cards)
            return
        for others in self.loose:
            if others & seats and not (others <= seats or seats <= others):
                self._scatter(seats | others, cards + self.loose.pop(others))
                return
        self.loose[seats] = self.loose.get(seats, Counter()) + cards

    def _regroup(self, change: Callable[[frozenset[int]], frozenset[int]]) -> None:
        """Change the groups of seats of loose cards."""
        groups, self.loose = self.loose, {}
        for seats, cards in groups.items():
            self._scatter(change(seats), cards)

    # ---------------------------------------------------------------- Inquisition

    def _see_hand_taken(self, event: TookHand) -> None:
        """Move what was known about the taken hand to the inquisitor's, unless that is the viewer."""
        giver, target = event.seat, event.target
        self._backs = Counter(event.enlarged)
        if self.viewer == target:
            self._add(Place(giver), Counter(event.cards))
            return
        self._loosen(giver, target)
        if self.viewer == giver:
            for card in event.cards:
                self._lose(target, card)
        else:
            self._add(Place(giver), self.certain.get(Place(target), Counter()))
        self.certain.pop(Place(target), None)
        new_holders = {giver} - {self.viewer}
        self._regroup(lambda seats: seats - {target} | new_holders if target in seats else seats)

    def _loosen(self, *seats: int) -> None:
        """Make bundles of these seats loose, because their split is no longer known."""
        for bundle in [bundle for bundle in self.bundles if not bundle.seats().isdisjoint(seats)]:
            self.bundles.remove(bundle)
            self._scatter(bundle.seats(), bundle.cards)

    def _see_gifts(self, event: GaveBack) -> None:
        if self.viewer == event.target:
            for card in event.cards:
                self._lose(event.seat, card)
        elif self.viewer != event.seat:
            self._split(event.seat, event.target, Counter(event.cards))

    def _split(self, giver: int, target: int, given: Counter[str]) -> None:
        """Split what was known of the enlarged hand between two hands, after unseen cards were given back."""
        held = self.certain.pop(Place(giver), Counter())
        self._regroup(lambda seats: seats | {target} if giver in seats else seats)
        stayed = self._backs - given
        backs_shown = "?" not in self._backs
        for card, number in held.items():
            seen = back(card, backs_shown)
            kept = max(0, number - given[seen])
            gone = max(0, number - stayed[seen])
            self._add(Place(giver), +Counter({card: kept}))
            self._add(Place(target), +Counter({card: gone}))
            self._scatter(frozenset((giver, target)), +Counter({card: number - kept - gone}))

    # ---------------------------------------------------------------- the draft

    def _see_pick(self, seat: int, card: str) -> None:
        if seat == self.viewer:
            self._packet -= Counter([card])
        for bundle in self.bundles:
            if Place(seat) in bundle.places:
                bundle.move(Place(seat), Place(seat, kept=True), 1)

    def _see_packets(self, packets: tuple[tuple[str, ...], ...]) -> None:
        """Update passed packets: each loses one card per seat, and a packet that returns reveals what was kept."""
        if self.viewer < 0:
            return
        passed = Bundle(self._packet, Counter({Place(self.viewer): self._packet.total()}))
        self.bundles.append(passed)
        self._packet = Counter(packets[self.viewer])
        for bundle in self.bundles:
            holder = next(place for place in bundle.places if not place.kept)
            left = Place((holder.seat + 1) % self.players)
            bundle.move(holder, left, bundle.places[holder])
            if left.seat == self.viewer:
                bundle.reveal(left, self._packet)
        self._resolve_bundles()

    def _see_center(self, cards: tuple[str, ...]) -> None:
        for bundle in self.bundles:
            for seat, shown in enumerate(cards):
                if Place(seat) in bundle.places:
                    bundle.reveal(Place(seat), Counter(map(str, Cards(shown))))
        self._packet = Counter()
        self._resolve_bundles()

    def _resolve_bundles(self) -> None:
        """Replace bundles that are no longer passed on by certain cards, where there is only one possibility."""
        bundles, self.bundles = self.bundles, []
        for bundle in bundles:
            certain = None if bundle.is_being_passed() else bundle.certain()
            if certain is None:
                self.bundles.append(bundle)
            else:
                for place, cards in certain.items():
                    self._add(place, cards)

    def _see_draft_end(self) -> None:
        """The kept cards become the hand."""
        self.certain = {Place(place.seat): cards for place, cards in self.certain.items()}
        for bundle in self.bundles:
            bundle.places = Counter({Place(place.seat): number for place, number in bundle.places.items()})

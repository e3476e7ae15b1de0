"""The events of a game: facts in the past tense, without prose. Each event knows what a viewer may see of it.

A card is written as in the notation, `M1`; a card that the viewer may not see is a back: `?1`, or `?` where the rulings
hide backs.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

from hegemon.notation.record import Result, result_of
from hegemon.rules.actions import ACTIONS, Action, ActionKind, Effect, drafted_kind
from hegemon.rules.cards import (
    ECONOMY,
    LETTERS,
    MILITARY,
    RELIGION,
    Domain,
    age_of,
    age_of_card,
    count_of_age,
    domain_of,
    kind_of,
    oldest,
)
from hegemon.rules.piles import Cards
from hegemon.rules.position import Position, Question
from hegemon.rules.rulings import SHOW_BACKS

SomeEvent = TypeVar("SomeEvent", bound="Event")


@dataclass(frozen=True)
class Event:
    """Something that happened; public unless a subclass hides a part of it."""

    def seen_by(self: SomeEvent, viewer: int, backs_shown: bool) -> SomeEvent:
        """The event as that seat saw it."""
        return self


# The fields that several kinds of events share.


@dataclass(frozen=True)
class _OfSeat:
    seat: int


@dataclass(frozen=True)
class _OfCard(_OfSeat):
    card: str


@dataclass(frozen=True)
class _OfTarget(_OfSeat):
    target: int


@dataclass(frozen=True)
class _OfMarker(_OfTarget):
    domain: Domain


@dataclass(frozen=True)
class Dealt(Event):
    """The cards were dealt: hands, or for the draft packets to choose from."""

    hands: tuple[tuple[str, ...], ...]

    def seen_by(self, viewer: int, backs_shown: bool) -> "Dealt":
        return replace(self, hands=only_own(self.hands, viewer, backs_shown))


class Kept(_OfCard, Event):
    """A seat kept a card of its packet, face down."""

    def seen_by(self, viewer: int, backs_shown: bool) -> "Kept":
        return self if viewer == self.seat else replace(self, card=back(self.card, backs_shown))


@dataclass(frozen=True)
class Passed(Event):
    """Every packet went to the player on the left."""

    packets: tuple[tuple[str, ...], ...]
    """The cards that each seat holds now."""

    def seen_by(self, viewer: int, backs_shown: bool) -> "Passed":
        return replace(self, packets=only_own(self.packets, viewer, backs_shown))


@dataclass(frozen=True)
class Revealed(Event):
    """The last card of every packet was put face up into the center."""

    cards: tuple[str, ...]
    """The card of each seat; in a study, packets may have several cards left, such as `M1R1`, or none."""

    @property
    def center(self) -> tuple[str, ...]:
        """All cards in the center."""
        return tuple(str(card) for cards in self.cards for card in Cards(cards))


class TookFromCenter(_OfCard, Event):
    """A seat took a card from the center into its play area."""


@dataclass(frozen=True)
class TurnBegan(_OfSeat, Event):
    round: int


class SkippedPlay(_OfSeat, Event):
    """A seat had no card that it could play, and step 1 was skipped."""


class Played(_OfCard, Event):
    """A seat played a card from hand into its play area."""


@dataclass(frozen=True)
class UsedEffect(_OfSeat, Event):
    """A seat began an effect; a copied one names the player it was copied from."""

    effect: Effect
    copied_from: int | None = None
    target: int | None = None
    domain: Domain | None = None
    """The Domain that an Attack named."""


@dataclass(frozen=True)
class Discarded(_OfCard, Event):
    """A card went from a seat's hand or play area to the discard pile."""

    from_hand: bool


class TookBack(_OfCard, Event):
    """A seat returned a card of its play area to its hand."""


class Fetched(_OfCard, Event):
    """A seat took a card from the discard pile into its hand."""


@dataclass(frozen=True)
class TookHand(_OfTarget, Event):
    """An inquisitor took a player's whole hand."""

    cards: tuple[str, ...]
    enlarged: tuple[str, ...]
    """The backs of the inquisitor's whole hand afterwards."""

    def seen_by(self, viewer: int, backs_shown: bool) -> "TookHand":
        # The victim knew the cards (A48).
        known = viewer in (self.seat, self.target)
        return self if known else replace(self, cards=backs(self.cards, backs_shown))


@dataclass(frozen=True)
class ChoseGift(_OfTarget, Event):
    """An inquisitor chose a card to give back. The cards change hands when the last one is chosen."""

    card: str

    def seen_by(self, viewer: int, backs_shown: bool) -> "ChoseGift":
        # Not even its back is shown: gifts are chosen in a fixed order, so it would reveal something about the rest.
        return self if viewer == self.seat else replace(self, card=back(self.card, backs_shown=False))


@dataclass(frozen=True)
class GaveBack(_OfTarget, Event):
    """An inquisitor gave as many cards as were taken to the player whose hand it was."""

    cards: tuple[str, ...]

    def seen_by(self, viewer: int, backs_shown: bool) -> "GaveBack":
        known = viewer in (self.seat, self.target)  # A48
        return self if known else replace(self, cards=backs(self.cards, backs_shown))


@dataclass(frozen=True)
class Drew(_OfSeat, Event):
    """A seat drew cards from the Age deck."""

    cards: tuple[str, ...]

    def seen_by(self, viewer: int, backs_shown: bool) -> "Drew":
        # A65
        return self if viewer == self.seat else replace(self, cards=backs(self.cards, backs_shown))


@dataclass(frozen=True)
class PutEmbargo(_OfMarker, Event):
    """A seat put an Economy card face down on a player's Domain."""

    card: str


class PutDemocracy(_OfMarker, Event):
    """A seat put a Utopia card face down into a player's Domain."""


@dataclass(frozen=True)
class EmbargoLifted(_OfSeat, Event):
    """An Embargo that had restricted a seat's turn went to the discard pile."""

    domain: Domain
    card: str


@dataclass(frozen=True)
class CoinMoved(_OfSeat, Event):
    """A seat that used Inspiration put the coin on the Domain it copied."""

    copied_from: int
    domain: Domain


class CoinReturned(_OfSeat, Event):
    """The coin went back beside the deck: its owner no longer leads in Culture."""


class DeckRanOut(_OfSeat, Event):
    """A seat drew the last card of the Age deck: this is the last round."""


@dataclass(frozen=True)
class GameEnded(Event):
    result: Result


# ------------------------------------------------------------------ cards in events


def name_of(kind: int) -> str:
    return f"{LETTERS[domain_of(kind)]}{age_of(kind)}"


def back(card: str, backs_shown: bool) -> str:
    return f"?{card[-1]}" if backs_shown else "?"


def backs(cards: tuple[str, ...], backs_shown: bool) -> tuple[str, ...]:
    """The backs of cards, sorted, because their order would reveal something."""
    return tuple(sorted(back(card, backs_shown) for card in cards))


def only_own(
    places: tuple[tuple[str, ...], ...], viewer: int, backs_shown: bool
) -> tuple[tuple[str, ...], ...]:
    """The cards of every seat as a viewer sees them: its own face up, the others as backs."""
    return tuple(cards if seat == viewer else backs(cards, backs_shown) for seat, cards in enumerate(places))


def cards_in(piles: list[int]) -> tuple[str, ...]:
    """Every card of one place, by Domain, then Age."""
    return tuple(map(str, Cards.from_piles(piles)))


def oldest_in(piles: list[int], domain: int) -> str:
    """The card of a Domain in a place that the rules move first."""
    return name_of(kind_of(domain, age_of_card(oldest(piles[domain]))))


# ------------------------------------------------------------------ the events of a move


def events_of_move(before: Position, action: int, after: Position) -> list[Event]:
    """The events between two positions, when `before.seat` chose that action."""
    question = before.question
    if question == Question.EFFECTS:
        events = _effect(before, ACTIONS[action], after)
    elif question == Question.DRAFT:
        events = _draft(before, action, after)
    elif question == Question.CENTER:
        events = [TookFromCenter(before.seat, name_of(drafted_kind(action)))]
    elif question == Question.GIVE:
        events = _gift(before, action, after)
    else:
        events = [_card_moved(before, action)]
    if before.deck_size > 0 and after.deck_size == 0:
        events.append(DeckRanOut(before.seat))
    events += _coin(before, after)
    if (result := result_of(after)) is not None:
        events.append(GameEnded(result))
    elif after.round and (before.seat, before.round) != (after.seat, after.round):
        events += _turn_began(after)
    return events


def _draft(before: Position, action: int, after: Position) -> list[Event]:
    kept = name_of(drafted_kind(action))
    events: list[Event] = [Kept(before.seat, kept)]
    seats = range(before.players)
    if after.question == Question.CENTER:
        # The chooser's packet still held the kept card.
        packets = [list(cards_in(before.hands[seat])) for seat in seats]
        packets[before.seat].remove(kept)
        events.append(Revealed(tuple(map("".join, packets))))
    elif after.left != before.left:
        events.append(Passed(tuple(cards_in(after.hands[seat]) for seat in seats)))
    return events


def _gift(before: Position, domain: int, after: Position) -> list[Event]:
    seat, target = before.seat, before.target
    events: list[Event] = [ChoseGift(seat, target, oldest_in(before.hands[seat], domain))]
    if after.question != Question.GIVE:
        # The hand was taken whole, so what the player holds now is what was given back.
        events.append(GaveBack(seat, target, cards_in(after.hands[target])))
    return events


def _card_moved(before: Position, domain: int) -> Event:
    seat, hand, area = before.seat, before.hands[before.seat], before.areas[before.seat]
    match before.question:
        case Question.DISCARD_FROM_HAND:
            return Discarded(seat, oldest_in(hand, domain), from_hand=True)
        case Question.DISCARD_FROM_AREA:
            return Discarded(seat, oldest_in(area, domain), from_hand=False)
        case Question.TAKE_BACK:
            return TookBack(seat, oldest_in(area, domain))
        case Question.FETCH:
            return Fetched(seat, oldest_in(before.discard_piles, domain))
        case Question.EMBARGO:
            return PutEmbargo(seat, before.target, Domain(domain), oldest_in(area, ECONOMY))
        case Question.DEMOCRACY:
            return PutDemocracy(seat, before.target, Domain(domain))
        case _:
            return Played(seat, oldest_in(hand, domain))


def _effect(before: Position, action: Action, after: Position) -> list[Event]:
    seat, area = before.seat, before.areas[before.seat]
    match action:
        case Action(kind=ActionKind.ATTACK, domain=Domain() as domain):
            return _attack(before, domain)
        case Action(kind=ActionKind.BREAKTHROUGH, domain=Domain() as domain):
            paid = Discarded(seat, oldest_in(area, domain), from_hand=False)
            return [UsedEffect(seat, Effect.BREAKTHROUGH), paid, *_drawn(before, after)]
        case Action(kind=ActionKind.INQUISITION, distance=int() as distance):
            target = (seat + distance) % before.players
            shown = bool(before.rulings & SHOW_BACKS)
            taken = cards_in(before.hands[target])
            enlarged = backs(cards_in(before.hands[seat]) + taken, shown)
            return [
                UsedEffect(seat, Effect.INQUISITION, target=target),
                Discarded(seat, oldest_in(area, RELIGION), from_hand=False),
                TookHand(seat, target, taken, enlarged),
            ]
        case Action(effect=Effect() as effect, distance=int() as distance):
            return [UsedEffect(seat, effect, target=(seat + distance) % before.players)]
        case Action(effect=Effect() as effect):
            return [UsedEffect(seat, effect, copied_from=after.coin_seat if action.copied else None)]
        case _:
            return _end_of_turn(before, after)


def _attack(before: Position, domain: Domain) -> list[Event]:
    seat = before.seat
    paid = oldest_in(before.areas[seat], MILITARY)
    own = before.areas[seat][:]
    own[MILITARY] -= oldest(own[MILITARY])
    events: list[Event] = [
        UsedEffect(seat, Effect.ATTACK, domain=domain),
        Discarded(seat, paid, from_hand=False),
    ]
    for distance in range(before.players):
        other = (seat + distance) % before.players
        area = own if distance == 0 else before.areas[other]
        if area[domain]:
            events.append(Discarded(other, oldest_in(area, domain), from_hand=False))
    return events


def _drawn(before: Position, after: Position) -> list[Event]:
    cards = before.deck[after.deck_size : before.deck_size][::-1]
    return [Drew(before.seat, tuple(name_of(kind) for kind in cards))] if cards else []


def _end_of_turn(before: Position, after: Position) -> list[Event]:
    events = _drawn(before, after)
    return events + [
        EmbargoLifted(before.seat, Domain(domain), name_of(kind_of(ECONOMY, age)))
        for domain, pile in enumerate(before.embargoes[before.seat])
        for age in (1, 2, 3)
        for _ in range(count_of_age(pile, age))
    ]


def _coin(before: Position, after: Position) -> list[Event]:
    coin = (after.coin_owner, after.coin_seat, after.coin_domain)
    if coin == (before.coin_owner, before.coin_seat, before.coin_domain):
        return []
    if after.coin_owner == 0:
        return [CoinReturned(before.coin_owner - 1)]
    return [CoinMoved(after.coin_owner - 1, after.coin_seat, Domain(after.coin_domain))]


def _turn_began(position: Position) -> list[Event]:
    events: list[Event] = [TurnBegan(position.seat, position.round)]
    if position.question == Question.EFFECTS:
        events.append(SkippedPlay(position.seat))
    return events


def opening_events(position: Position) -> list[Event]:
    """The events before the first move."""
    dealt = Dealt(tuple(cards_in(hand) for hand in position.hands[: position.players]))
    return [dealt] if position.question == Question.DRAFT else [dealt, *_turn_began(position)]

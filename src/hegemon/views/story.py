"""The last move and a recap of the other players' moves, as one viewer saw them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from hegemon.play import events as ev
from hegemon.play.events import Event, name_of
from hegemon.play.game import Game
from hegemon.rules.actions import CHOICES, END
from hegemon.rules.cards import LETTERS, Domain, kind_of
from hegemon.rules.piles import Cards
from hegemon.rules.view import SPECTATOR

_END: Final = CHOICES[END]
_DEMOCRACY: Final = name_of(kind_of(Domain.UTOPIA, 3))

DECK: Final = "deck"
PILE: Final = "pile"
CENTER: Final = "center"


@dataclass(frozen=True)
class TurnAction:
    """A card that was played, or an effect that was applied, with all its consequences."""

    ply: int
    """The ply after the last move that belongs to it."""
    seat: int
    events: tuple[Event, ...]

    @property
    def card(self) -> str | None:
        """The card that was played in step 1, or taken from the center."""
        first = self.events[0]
        return first.card if isinstance(first, ev.Played | ev.TookFromCenter) else None

    @property
    def used(self) -> ev.UsedEffect | None:
        first = self.events[0]
        return first if isinstance(first, ev.UsedEffect) else None

    @property
    def hit(self) -> tuple[int, ...]:
        """The other players who lost cards or were its target."""
        seats = [event.seat for event in self.events if isinstance(event, ev.Discarded)]
        if self.used is not None and self.used.target is not None:
            seats.append(self.used.target)
        return tuple(dict.fromkeys(seat for seat in seats if seat != self.seat))

    def lost_by(self, seat: int) -> tuple[str, ...]:
        """The cards that another player lost."""
        discarded = [e.card for e in self.events if isinstance(e, ev.Discarded) and e.seat == seat]
        taken = [c for e in self.events if isinstance(e, ev.TookHand) and e.target == seat for c in e.cards]
        return (*discarded, *taken)

    def given_to(self, seat: int) -> tuple[str, ...]:
        """The cards that an inquisitor gave back to another player."""
        return tuple(
            c for e in self.events if isinstance(e, ev.GaveBack) and e.target == seat for c in e.cards
        )

    @property
    def marked(self) -> Domain | None:
        """The Domain on which it put an Embargo or a Democracy."""
        marks = (e.domain for e in self.events if isinstance(e, ev.PutEmbargo | ev.PutDemocracy))
        return next(marks, None)


@dataclass(frozen=True)
class ColumnChange:
    """The change in the number of face-up cards of a column."""

    seat: int
    domain: Domain
    number: int


@dataclass(frozen=True)
class Flight:
    """A card that moved between places; a back if the viewer may not see the card.

    Places are the deck, the discard pile (`pile`), the center, a hand (`hand-0`) and a column (`area-0-M`).
    """

    card: str
    origin: str
    target: str


@dataclass(frozen=True)
class Recap:
    """The moves of others since the viewer's last move; for a spectator, those of the last turn."""

    actions: tuple[TurnAction, ...] = ()
    changes: tuple[ColumnChange, ...] = ()

    def changes_of(self, seat: int) -> tuple[int, ...]:
        """The change of each column of a player."""
        numbers = {change.domain: change.number for change in self.changes if change.seat == seat}
        return tuple(numbers.get(domain, 0) for domain in Domain)

    def against(self, seat: int) -> tuple[TurnAction, ...]:
        """The effects that hit a player."""
        return tuple(action for action in self.actions if seat in action.hit)


@dataclass(frozen=True)
class LastMove:
    """The last move, as the viewer saw it."""

    ply: int
    seat: int | None
    """The seat that moved; None before the first move."""
    events: tuple[Event, ...]
    viewer: int

    @property
    def action(self) -> TurnAction | None:
        """The played card or the effect, if the move started one."""
        starts_action = self.events and isinstance(
            self.events[0], ev.Played | ev.TookFromCenter | ev.UsedEffect
        )
        return (
            TurnAction(self.ply, self.seat, self.events) if starts_action and self.seat is not None else None
        )

    @property
    def changes(self) -> tuple[ColumnChange, ...]:
        return changes(self.events)

    @property
    def flights(self) -> tuple[Flight, ...]:
        return tuple(flight for event in self.events for flight in flights(event, self.viewer))

    @property
    def marker(self) -> ev.PutEmbargo | ev.PutDemocracy | None:
        """The marker that was put on a column."""
        first = self.events[0] if self.events else None
        return first if isinstance(first, ev.PutEmbargo | ev.PutDemocracy) else None

    @property
    def sound(self) -> str:
        """The sound of the move, `attack`, `draw` or `card`; empty if no card moved."""
        if self.marker is not None or (self.action is not None and self.action.hit):
            return "attack"
        if any(isinstance(event, ev.Drew) for event in self.events):
            return "draw"
        return "card" if self.flights else ""


def last_move(game: Game, viewer: int) -> LastMove:
    """The last move as seen by a seat or a spectator (-1); cards that were chosen together are one move."""
    ply = len(game.moves)
    plies = range(game.first_of_choice(ply - 1) + 1, ply + 1)
    events = tuple(event for each in plies for event in game.events_at(each, viewer))
    return LastMove(ply, game.movers[-1] if ply else None, events, viewer)


class _Move(NamedTuple):
    ply: int
    seat: int
    events: tuple[Event, ...]
    ends_turn: bool


def recap(game: Game, viewer: int) -> Recap:
    """The recap for a seat, or for a spectator (-1)."""
    movers, moves = game.movers, game.moves
    others_moves = [
        _Move(ply, movers[ply - 1], game.events_at(ply, viewer), ends_turn=moves[ply - 1] == _END)
        for ply in range(_first_ply(game, viewer), len(moves) + 1)
        if movers[ply - 1] != viewer
    ]
    return Recap(
        tuple(_turn_actions(others_moves)), changes(event for move in others_moves for event in move.events)
    )


def _first_ply(game: Game, viewer: int) -> int:
    """The ply after the viewer's last move; for a spectator, the start of the last turn with moves.

    Forced moves do not count, because they may have been made automatically, unseen by the viewer.
    """
    if viewer == SPECTATOR:
        return 1 + max((ply for ply in game.turn_starts if ply < len(game.moves)), default=0)
    movers = game.movers
    last = len(movers)
    while last and movers[last - 1] == viewer and game.was_forced(last - 1):
        last -= 1
    return 1 + max((ply for ply in range(1, last + 1) if movers[ply - 1] == viewer), default=0)


def _turn_actions(moves: Iterable[_Move]) -> list[TurnAction]:
    """Group moves into actions: an effect includes its consequences. Draws at the end of a turn are left out."""
    actions: list[TurnAction] = []
    continues = False
    for ply, seat, events, ends_turn in moves:
        if not ends_turn and not isinstance(events[0], ev.Kept):
            own_events = tuple(e for e in events if not isinstance(e, ev.TurnBegan | ev.SkippedPlay))
            if continues and actions[-1].used is not None and not isinstance(own_events[0], ev.UsedEffect):
                actions[-1] = TurnAction(ply, seat, (*actions[-1].events, *own_events))
            else:
                actions.append(TurnAction(ply, seat, own_events))
        continues = bool(actions) and not ends_turn
        actions += [
            TurnAction(ply, event.seat, (event,)) for event in events if isinstance(event, ev.SkippedPlay)
        ]
    return actions


def changes(events: Iterable[Event]) -> tuple[ColumnChange, ...]:
    """The columns whose number of cards changed."""
    numbers: Counter[tuple[int, Domain]] = Counter()
    for event in events:
        match event:
            case ev.Played(seat, card) | ev.TookFromCenter(seat, card):
                numbers[seat, _domain_of(card)] += 1
            case ev.Discarded(seat, card, from_hand=False) | ev.TookBack(seat, card):
                numbers[seat, _domain_of(card)] -= 1
            case ev.PutEmbargo(seat):
                numbers[seat, Domain.ECONOMY] -= 1
            case ev.PutDemocracy(seat):
                numbers[seat, Domain.UTOPIA] -= 1
    return tuple(ColumnChange(seat, domain, number) for (seat, domain), number in numbers.items() if number)


def _domain_of(card: str) -> Domain:
    return Domain(LETTERS.index(card[0]))


def _column(seat: int, letter: str) -> str:
    return f"area-{seat}-{letter}"


def flights(event: Event, viewer: int) -> Iterator[Flight]:
    """The cards that an event moved, as its viewer saw them, without draft picks."""
    match event:
        case ev.Played(seat, card):
            yield Flight(card, f"hand-{seat}", _column(seat, card[0]))
        case ev.Discarded(seat, card, from_hand):
            yield Flight(card, f"hand-{seat}" if from_hand else _column(seat, card[0]), PILE)
        case ev.TookBack(seat, card):
            yield Flight(card, _column(seat, card[0]), f"hand-{seat}")
        case ev.Fetched(seat, card):
            yield Flight(card, PILE, f"hand-{seat}")
        case ev.Drew(seat, cards):
            yield from (Flight(card, DECK, f"hand-{seat}") for card in cards)
        case ev.TookHand(seat, target, cards):
            yield from (Flight(card, f"hand-{target}", f"hand-{seat}") for card in cards)
        case ev.ChoseGift(seat, target, card) if seat == viewer:
            yield Flight(card, f"hand-{seat}", f"hand-{target}")
        case ev.GaveBack(seat, target, cards) if seat != viewer:
            yield from (Flight(card, f"hand-{seat}", f"hand-{target}") for card in cards)
        case ev.PutEmbargo(seat, target, domain, card):
            yield Flight(card, _column(seat, card[0]), _column(target, domain.letter))
        case ev.PutDemocracy(seat, target, domain):
            yield Flight(_DEMOCRACY, _column(seat, _DEMOCRACY[0]), _column(target, domain.letter))
        case ev.EmbargoLifted(seat, domain, card):
            yield Flight(card, _column(seat, domain.letter), PILE)
        case ev.Passed(packets):
            for seat, cards in enumerate(packets):
                giver = (seat - 1) % len(packets)
                yield from (Flight(card, f"hand-{giver}", f"hand-{seat}") for card in cards)
        case ev.Revealed(cards):
            for seat, shown in enumerate(cards):
                yield from (Flight(str(card), f"hand-{seat}", CENTER) for card in Cards(shown))
        case ev.TookFromCenter(seat, card):
            yield Flight(card, CENTER, _column(seat, card[0]))

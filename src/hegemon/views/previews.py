"""Previews of the cards that choices would move, computed by the rules from what the viewer sees."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from hegemon.notation.choices import read_choice
from hegemon.play.determinization import position_to_move
from hegemon.play.events import name_of
from hegemon.rules.cards import (
    AGE_III,
    DOMAINS,
    ECONOMY,
    UTOPIA,
    Domain,
    age_of,
    card_of_age,
    count_of_age,
    kind_of,
)
from hegemon.rules.engine import apply
from hegemon.rules.position import Position
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.view import View

DECK = "deck"
PILE = "pile"


@dataclass(frozen=True)
class CardMove:
    """A card that moves between places: `hand-0`, `area-0`, `pile`, `deck`, or as a marker `mark-0-M`.

    A card that the viewer does not know is a back: `?1`, or `?` where the rulings hide backs.
    """

    card: str
    origin: str
    destination: str


class Previews:
    """Computes which cards the choices of one viewer would move."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._before = _with_backs(view)
        self._places = _places(self._before)

    def preview(self, choices: Sequence[str]) -> tuple[CardMove, ...]:
        """The cards that would move if the viewer made these choices in this order."""
        after = self._before.copy()
        for choice in choices:
            apply(after, read_choice(choice))
        places = _places(after)
        # Most places do not change.
        changed = [place for place, piles in places.items() if piles != self._places[place]]
        old = {place: _kinds(self._places[place]) for place in changed}
        new = {place: _kinds(places[place]) for place in changed}
        if after.deck_size != self._before.deck_size:
            old[DECK], new[DECK] = _deck(self._before), _deck(after)
        return _card_moves(old, new, self._view)


def _with_backs(view: View) -> Position:
    """A position with what the viewer sees, and an arbitrary card of the right Age for each back."""
    position = position_to_move(view)
    deck = [kind_of(0, age) for age in (3, 2, 1) for _ in range(view.deck_backs[age - 1])]
    position.deck[: len(deck)] = deck
    position.deck_size = len(deck)
    for seat in range(view.players):
        if seat != view.viewer:
            ages = [age for age, number in enumerate(view.backs[seat], 1) for _ in range(number)]
            for number, age in enumerate(ages):
                position.hands[seat][number % DOMAINS] += card_of_age(age)
    return position


def _card_moves(
    old: dict[str, Counter[int]], new: dict[str, Counter[int]], view: View
) -> tuple[CardMove, ...]:
    hidden = {DECK, *(f"hand-{seat}" for seat in range(view.players) if seat != view.viewer)}
    removed = [(place, kind) for place in old for kind in (old[place] - new[place]).elements()]
    added = [(place, kind) for place in new for kind in (new[place] - old[place]).elements()]
    # Hidden cards move to hands, so match them first: a known card of the same kind moves to another place.
    removed.sort(key=lambda card: card[0] not in hidden)
    added.sort(key=lambda card: not card[0].startswith("hand"))
    moves = []
    for origin, kind in removed:
        arrival = next((card for card in added if card[1] == kind), None)
        if arrival is not None:
            added.remove(arrival)
            card = _back(kind, origin, view) if origin in hidden else name_of(kind)
            moves.append(CardMove(card, origin, arrival[0]))
    return tuple(moves)


def _back(kind: int, origin: str, view: View) -> str:
    return f"?{age_of(kind)}" if origin == DECK or view.rulings & SHOW_BACKS else "?"


def _places(position: Position) -> dict[str, list[int]]:
    """The piles of each place except the deck; a place for markers has piles of Embargoes and Democracies."""
    places = {PILE: position.discard_piles}
    for seat in range(position.players):
        places[f"hand-{seat}"] = position.hands[seat]
        places[f"area-{seat}"] = position.areas[seat]
        for domain in Domain:
            marks = places[f"mark-{seat}-{domain.letter}"] = [0] * DOMAINS
            marks[ECONOMY] = position.embargoes[seat][domain]
            marks[UTOPIA] = AGE_III * position.democracies[seat][domain]
    if position.new_embargo:
        marked, age = divmod(position.new_embargo, 4)
        places[f"mark-{position.seat}-{Domain(marked).letter}"][ECONOMY] += card_of_age(age)
    return places


def _deck(position: Position) -> Counter[int]:
    return Counter(position.deck[: position.deck_size])


def _kinds(piles: Sequence[int]) -> Counter[int]:
    return Counter(chain.from_iterable(_kinds_in(domain, pile) for domain, pile in enumerate(piles)))


def _kinds_in(domain: int, pile: int) -> Iterator[int]:
    return (kind_of(domain, age) for age in (1, 2, 3) for _ in range(count_of_age(pile, age)))

"""Which cards choices would move, as far as the viewer can know: the rules applied to what the viewer sees."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from hegemon.notation.choices import read_choice
from hegemon.play.events import name_of
from hegemon.play.imagine import position_to_move
from hegemon.rules.cards import DOMAINS, ECONOMY, UTOPIA, Domain, age_of, card_of_age, count_of_age, kind_of
from hegemon.rules.engine import apply
from hegemon.rules.position import Position
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.view import View

DECK = "deck"
PILE = "pile"


@dataclass(frozen=True)
class CardMove:
    """A card that goes from one place to another: `hand-0`, `area-0`, `pile`, `deck`, or as a marker `mark-0-M`.

    A card that the viewer does not know is a back: `?1`, or `?` where the rulings hide backs.
    """

    card: str
    origin: str
    destination: str


def preview(view: View, choices: Sequence[str]) -> tuple[CardMove, ...]:
    """The cards that would move if the viewer made those choices one after the other."""
    before = _with_backs(view)
    after = before.copy()
    for choice in choices:
        apply(after, read_choice(choice))
    return _card_moves(before, after, view)


def _with_backs(view: View) -> Position:
    """What the viewer sees, with some card of the right Age for each back, so that the rules can move it."""
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


def _card_moves(before: Position, after: Position, view: View) -> tuple[CardMove, ...]:
    old, new = _cards_by_place(before), _cards_by_place(after)
    hidden = {DECK, *(f"hand-{seat}" for seat in range(view.players) if seat != view.viewer)}
    gone = [(place, kind) for place in old for kind in (old[place] - new[place]).elements()]
    come = [(place, kind) for place in new for kind in (new[place] - old[place]).elements()]
    # Hidden cards go to a hand; where a known card of the same kind moves too, it is the one that goes elsewhere.
    gone.sort(key=lambda card: card[0] not in hidden)
    come.sort(key=lambda card: not card[0].startswith("hand"))
    moves = []
    for origin, kind in gone:
        arrival = next((card for card in come if card[1] == kind), None)
        if arrival is not None:
            come.remove(arrival)
            card = _back(kind, origin, view) if origin in hidden else name_of(kind)
            moves.append(CardMove(card, origin, arrival[0]))
    return tuple(moves)


def _back(kind: int, origin: str, view: View) -> str:
    return f"?{age_of(kind)}" if origin == DECK or view.rulings & SHOW_BACKS else "?"


def _cards_by_place(position: Position) -> dict[str, Counter[int]]:
    places = {PILE: _kinds(position.discard_piles), DECK: Counter(position.deck[: position.deck_size])}
    for seat in range(position.players):
        places[f"hand-{seat}"] = _kinds(position.hands[seat])
        places[f"area-{seat}"] = _kinds(position.areas[seat])
        for domain in Domain:
            place = f"mark-{seat}-{domain.letter}"
            places[place] = Counter(_kinds_in(ECONOMY, position.embargoes[seat][domain]))
            places[place][kind_of(UTOPIA, 3)] = position.democracies[seat][domain]
    if position.new_embargo:
        marked, age = divmod(position.new_embargo, 4)
        places[f"mark-{position.seat}-{Domain(marked).letter}"][kind_of(ECONOMY, age)] += 1
    return places


def _kinds(piles: Sequence[int]) -> Counter[int]:
    return Counter(chain.from_iterable(_kinds_in(domain, pile) for domain, pile in enumerate(piles)))


def _kinds_in(domain: int, pile: int) -> Iterator[int]:
    return (kind_of(domain, age) for age in (1, 2, 3) for _ in range(count_of_age(pile, age)))

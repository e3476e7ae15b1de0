"""Determinization: a position that is consistent with everything a seat knows.

All positions that are consistent with the view and the memory are equally likely: an unknown card may be any hidden
card of its Age in another hand, in the deck or in the box. Where backs are not shown, hidden hand cards may be of any
Age.
"""

from collections import Counter
from itertools import accumulate, chain
from random import Random
from typing import TYPE_CHECKING, Final

from hegemon.kernels.determinization import MAX_TRIES, Unseen, deal_unseen, is_possible, put
from hegemon.notation.rulings import write_rulings
from hegemon.play.memory import Memory, Place
from hegemon.rules.cards import (
    AGE_III,
    ECONOMY,
    KINDS,
    NUMBER_OF_CARDS,
    UTOPIA,
    age_of,
    card_of_age,
    count_of_age,
    domain_of,
)
from hegemon.rules.piles import KIND_OF
from hegemon.rules.position import FIELDS, Position
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.setup import cards_removed
from hegemon.rules.shuffle import stream
from hegemon.rules.view import SPECTATOR, View

if TYPE_CHECKING:
    from hegemon.kernels.batch import Batch

_NO_ANSWER: Final = "No hand that the player to move could have can answer the open question."


class Impossible(ValueError):
    """No distribution of the game's cards is consistent with a view and a memory."""


def determinize(view: View, memory: Memory, rng: Random) -> Position:
    """A uniformly random position that is consistent with the view and the memory."""
    certain, unseen = unseen_cards(view, memory)
    state = stream(rng.getrandbits(63), 0)
    for _ in range(MAX_TRIES):
        position = certain.copy()
        state = deal(position, unseen, state)
        if is_possible(position):
            return position
    raise Impossible(_NO_ANSWER)


def determinize_batch(view: View, memory: Memory, games: int, *, seed: int = 0) -> "Batch":
    """A batch, without restarts, of that many positions sampled as by `determinize`."""
    from hegemon.kernels.batch import Batch  # only batches need NumPy

    certain, unseen = unseen_cards(view, memory)
    batch = Batch(
        games,
        view.players,
        teams=bool(view.teams),
        rulings=write_rulings(view.rulings),
        seed=seed,
        auto_restart=False,
    )
    deal(certain.copy(), unseen, stream(seed, 0))  # raises `Impossible` if the memory is inconsistent
    batch.determinize(certain, unseen, view.viewer)
    if not (batch.masks.any(axis=1) | batch.dones).all():
        raise Impossible(_NO_ANSWER)
    return batch


def deal(position: Position, unseen: Unseen, state: int) -> int:
    """Deal the unseen cards into a position that holds the certain ones; return the next random state."""
    state = deal_unseen(position, unseen, state)
    if any(number < 0 for row in unseen.left for number in row):
        raise Impossible("More cards are remembered to be in a hand than it holds.")
    return state


def public_position(view: View) -> Position:
    """A position with everything that the viewer sees, without hidden cards."""
    position = Position()
    for name, _, shape in FIELDS:
        if name in View.__slots__:
            seen = getattr(view, name)
            copied = [row[:] for row in seen] if len(shape) == 2 else seen[:] if shape else seen
            setattr(position, name, copied)
    if view.viewer != SPECTATOR:
        position.hands[view.viewer] = view.hand_piles[:]
        position.kept[view.viewer] = view.kept_piles[:]
    return position


def position_to_move(view: View) -> Position:
    """The public position with the viewer to move, because in the draft several seats choose at once."""
    position = public_position(view)
    position.seat = view.viewer
    return position


def unseen_cards(view: View, memory: Memory) -> tuple[Position, Unseen]:
    """A position with the cards that are certain, and the unseen cards to be dealt."""
    position, unseen = public_position(view), Unseen.empty()
    backs_shown = bool(view.rulings & SHOW_BACKS)
    for seat in range(view.players):
        if seat != view.viewer:
            for place, backs in ((Place(seat), view.backs), (Place(seat, kept=True), view.kept_backs)):
                unseen.slots[_index_of(place)][:] = (
                    (0, *backs[seat]) if backs_shown else (*backs[seat], 0, 0, 0)
                )
    for place, cards in memory.certain.items():
        for card in cards.elements():
            kind = KIND_OF[card]
            back = age_of(kind) if backs_shown else 0
            unseen.slots[_index_of(place)][back] -= 1
            if unseen.slots[_index_of(place)][back] < 0:
                raise Impossible("More cards are remembered to be in a hand than it holds.")
            put(position, _index_of(place), kind)
    bundles = [[KIND_OF[card] for card in bundle.cards.elements()] for bundle in memory.bundles]
    # Groups of seats are disjoint or nested, so if small ones are dealt first, no group runs out of places, and all
    # arrangements are equally likely.
    groups = sorted(memory.loose, key=lambda seats: (len(seats), sorted(seats)))
    loose = [(KIND_OF[card], seats) for seats in groups for card in memory.loose[seats].elements()]
    unseen = unseen._replace(
        backs_shown=backs_shown,
        bundled=list(chain(*bundles)),
        bundled_places=[_index_of(place) for bundle in memory.bundles for place in bundle.places.elements()],
        bundle_ends=list(accumulate(map(len, bundles))),
        loose=[kind for kind, _ in loose],
        loose_seats=[sum(1 << seat for seat in seats) for _, seats in loose],
    )
    for age, kinds in _unknown_kinds(view, memory).items():
        unseen.pool[age][: len(kinds)] = kinds
        unseen.sizes[age] = len(kinds)
        unseen.deck[age] = view.deck_backs[age - 1]
    return position, unseen._replace(boxed=_boxed(unseen, cards_removed(view.players)))


def _index_of(place: Place) -> int:
    """The index of a place in `Unseen`."""
    return 2 * place.seat + place.kept


def _unknown_kinds(view: View, memory: Memory) -> dict[int, list[int]]:
    """The kinds of all unknown cards, by Age."""
    places = [*view.areas, view.discard_piles, view.center_piles, view.hand_piles, view.kept_piles]
    # A pile is the sum of its cards, so the piles of all places add up to one.
    seen = [sum(piles) for piles in zip(*places, strict=True)]
    seen[ECONOMY] += sum(map(sum, view.embargoes))
    if view.new_embargo:
        seen[ECONOMY] += card_of_age(age_of(view.new_embargo))
    seen[UTOPIA] += AGE_III * sum(map(sum, view.democracies))
    bundled = (bundle.cards for bundle in memory.bundles)
    remembered = sum((*memory.certain.values(), *bundled, *memory.loose.values()), Counter[str]())
    kinds: dict[int, list[int]] = {1: [], 2: [], 3: []}
    numbers = Counter({KIND_OF[card]: number for card, number in remembered.items()})
    for kind in KINDS:
        domain, age = domain_of(kind), age_of(kind)
        number = NUMBER_OF_CARDS[domain][age - 1] - count_of_age(seen[domain], age) - numbers[kind]
        if number < 0:
            raise Impossible("More cards of a kind lie on the table than the game has.")
        kinds[age] += [kind] * number
    return kinds


def _boxed(unseen: Unseen, removed: int) -> int:
    """The number of cards of each Age to leave in the box where backs are not shown; raises `Impossible`."""
    missing = [sum(column) for column in zip(*unseen.slots, strict=True)]
    for kind in chain(unseen.bundled, unseen.loose):
        missing[age_of(kind) if unseen.backs_shown else 0] -= 1
    left = [size - deck for size, deck in zip(unseen.sizes, unseen.deck, strict=True)]
    # A study may have too many cards on the table to fill the box.
    boxed = 0 if unseen.backs_shown or sum(left) < missing[0] + 3 * removed else removed
    mixed = sum(max(0, number - boxed) for number in left)
    if missing[0] > mixed or any(left[age] < max(0, missing[age]) for age in (1, 2, 3)):
        raise Impossible("More hidden cards lie on the table than the game has left.")
    return boxed

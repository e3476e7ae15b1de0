"""Full-state rows for centralized critics: the observation of the seat to move, followed by all hidden cards."""

from itertools import accumulate
from math import prod
from typing import Any, Final

from hegemon.kernels.compiler import kernel
from hegemon.kernels.knowledge import seats_to_the_left
from hegemon.kernels.observation import FEATURES, OBSERVATION, Piece, write_cards
from hegemon.rules.cards import ALL_CARDS, DOMAINS
from hegemon.rules.position import MAX_PLAYERS, Position

_HIDDEN: Final[tuple[tuple[str, tuple[int, ...], str], ...]] = (
    ("hands", (MAX_PLAYERS, DOMAINS, 4), "the hand of each seat by Domain; in the draft, its packet"),
    ("all_kept", (MAX_PLAYERS, DOMAINS, 4), "draft picks of each seat so far, by Domain"),
    (
        "deck_order",
        (ALL_CARDS,),
        "the cards left in the Age deck from the top: 4 × Domain + Age; 0 after the last",
    ),
)

_ENDS: Final = tuple(accumulate(prod(shape) for _, shape, _ in _HIDDEN))

#: The pieces of a full-state row: those of the observation, followed by the hidden cards.
STATE: Final = (
    *OBSERVATION,
    *(
        Piece(name, FEATURES + end - prod(shape), shape, meaning)
        for (name, shape, meaning), end in zip(_HIDDEN, _ENDS, strict=True)
    ),
)

#: The length of a full-state row.
STATE_FEATURES: Final = FEATURES + _ENDS[-1]

_HANDS, _KEPT, _DECK = (piece.offset for piece in STATE[-len(_HIDDEN) :])


@kernel
def write_hidden(row: Any, words: Any, position: Position) -> None:
    """Write the hidden cards to a row of zeros, the seat to move first; `words` is a view of it as 32-bit words."""
    for seat in range(position.players):
        left = DOMAINS * seats_to_the_left(position, position.seat, seat)
        write_cards(words, _HANDS // 4 + left, position.hands[seat])
        write_cards(words, _KEPT // 4 + left, position.kept[seat])
    for place in range(position.deck_size):
        row[_DECK + place] = position.deck[position.deck_size - 1 - place]

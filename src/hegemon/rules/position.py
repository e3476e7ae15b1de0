"""A position: everything on the table, and the open question."""

from enum import Enum, IntEnum
from functools import singledispatch
from importlib import import_module
from typing import Final

from hegemon.rules.cards import ALL_CARDS, DOMAINS
from hegemon.rules.piles import Cards
from hegemon.rules.rulings import STANDARD

MAX_PLAYERS: Final = 4


class Question(IntEnum):
    """What a seat has to choose."""

    DRAFT = 0  # keep one card of the packet
    CENTER = 1  # take one card from the center
    PLAY = 2  # step 1: play a card
    EFFECTS = 3  # step 2: apply an effect, or end the step
    DISCARD_FROM_HAND = 4
    DISCARD_FROM_AREA = 5
    TAKE_BACK = 6  # take a card of one's own play area to hand
    PLAY_MORE = 7  # play a card from hand because an effect says so
    FETCH = 8  # take a card from the discard pile
    GIVE = 9  # give a card back after an Inquisition
    EMBARGO = 10  # choose the Domain that the Embargo lies on
    DEMOCRACY = 11  # choose the Domain that the Democracy lies in
    OVER = 12

    __repr__ = Enum.__str__  # a repr that can be pasted back


class Ending(IntEnum):
    """How a game ended."""

    NOT_YET = 0
    HEGEMONY = 1
    MAJORITY = 2
    STALL = 3

    __repr__ = Enum.__str__  # a repr that can be pasted back


# Plain integers, which the interpreter reads fastest and which compiled code can read too.
(
    DRAFT_PICK, CENTER_PICK, PLAY, EFFECTS, DISCARD_FROM_HAND, DISCARD_FROM_AREA, TAKE_BACK, PLAY_MORE, FETCH, GIVE,
    EMBARGO_DOMAIN, DEMOCRACY_DOMAIN, OVER,
) = map(int, Question)  # fmt: skip
NOT_YET, HEGEMONY, MAJORITY, STALL = map(int, Ending)

#: Every field of a position: its name, its width in bits and its shape. Compiled code stores them in this order.
FIELDS: Final[tuple[tuple[str, int, tuple[int, ...]], ...]] = (
    *((name, 16, (MAX_PLAYERS, DOMAINS)) for name in ("hands", "areas", "embargoes", "kept")),
    ("discard_piles", 16, (DOMAINS,)),
    ("center_piles", 16, (DOMAINS,)),
    ("round", 16, ()),
    ("used", 16, ()),
    ("democracies", 8, (MAX_PLAYERS, DOMAINS)),
    ("deck", 8, (ALL_CARDS,)),
    *((name, 8, ()) for name in (
        "deck_size", "players", "teams", "rulings", "seat", "question", "left", "floor", "plays", "target", "hand_size",
        "new_embargo", "coin_owner", "coin_seat", "coin_domain", "drew", "quiet_rounds", "ending",
    )),
)  # fmt: skip

_SCALARS: Final = tuple(name for name, _, shape in FIELDS if not shape)
_ROWS: Final = tuple((name, shape[0]) for name, _, shape in FIELDS if len(shape) == 1)
_GRIDS: Final = tuple((name, shape) for name, _, shape in FIELDS if len(shape) == 2)


@singledispatch
def notation_of(value: object) -> str:
    """The `repr` of a position or a view. `hegemon.notation`, which the rules do not import, registers their text."""
    return object.__repr__(value)


def picture_of(value: object) -> str:
    """The drawing of a position, a view or a game for notebooks."""
    # Imported by name, because the rules must not depend on the packages above them.
    return str(import_module("hegemon.views.drawing").draw(value))


class PublicTable:
    """What a position and a view of it have in common: everything face up.

    Seats are numbered from 0, clockwise from the First Player. Each place holds six piles, one per Domain, each
    packed in an integer. `area(seat)`, `discard_pile` and `center` give the same cards as values to read.
    """

    areas: list[list[int]]
    """The face-up cards in front of each seat."""
    embargoes: list[list[int]]
    """The Economy cards face down on each seat's Domains, which restrict that seat's turn."""
    democracies: list[list[int]]
    """The number of Utopia cards face down in each seat's Domains."""
    discard_piles: list[int]
    center_piles: list[int]
    """The face-up cards in the middle of the table, in the draft."""
    players: int
    teams: int
    """1 if seats 0 and 2 play against seats 1 and 3."""
    rulings: int
    round: int
    """The round, from 1; 0 in the draft."""
    seat: int
    """The seat whose choice it is; after a Hegemony, the seat that won it."""
    question: int
    left: int
    """The number of cards still to pick; in the draft, of picks each seat had to make when its packet came."""
    floor: int
    """The lowest Domain still offered: picks whose order does not matter are offered in one order only.
    In a view, 0 unless the viewer is to move."""
    plays: int
    """The number of cards to play after the picks."""
    target: int
    """The seat that an Inquisition, Embargo or Democracy is aimed at."""
    used: int
    """The effects used this turn: bit d for the permanent effect of Domain d (Culture: Inspiration), bit 6 + d for
    its discard effect."""
    hand_size: int
    """The number of cards to draw up to at the end of this turn."""
    new_embargo: int
    """The Embargo that the seat put on itself this turn (4 * domain + age; 0 if none): it binds the next turn (A50)."""
    coin_owner: int
    """The seat that copied last, plus 1; 0 while the coin lies beside the deck."""
    coin_seat: int
    coin_domain: int
    drew: int
    """1 if a player drew from the Age deck this round."""
    quiet_rounds: int
    """The number of whole rounds in a row without a draw (A111)."""
    ending: int

    __slots__: tuple[str, ...] = ()
    __hash__ = None  # type: ignore[assignment]  # it holds lists, and a position changes under the rules

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __repr__(self) -> str:
        return notation_of(self)

    def _repr_html_(self) -> str:
        return picture_of(self)

    def area(self, seat: int) -> Cards:
        return Cards.from_piles(self.areas[seat])

    @property
    def discard_pile(self) -> Cards:
        return Cards.from_piles(self.discard_piles)

    @property
    def center(self) -> Cards:
        return Cards.from_piles(self.center_piles)


class Position(PublicTable):
    """The whole table at one moment, hidden cards included.

    The rules read and write these attributes; compiled code has the same names in a record, so one source serves both.
    """

    hands: list[list[int]]
    """The cards in each hand; in the draft, the packet that the seat chooses from."""
    kept: list[list[int]]
    """The draft picks that lie face down in front of each seat."""
    deck: list[int]
    """The kinds of the cards in the Age deck, bottom first: the top card is at `deck_size - 1`; 0 above it."""
    deck_size: int

    __slots__ = tuple(name for name, _, _ in FIELDS)

    def __init__(self, **fields: int | list[int] | list[list[int]]) -> None:
        for name in _SCALARS:
            setattr(self, name, 0)
        for name, length in _ROWS:
            setattr(self, name, [0] * length)
        for name, (rows, columns) in _GRIDS:
            setattr(self, name, [[0] * columns for _ in range(rows)])
        self.players = 2
        self.rulings = STANDARD
        self.hand_size = 3
        for name, value in fields.items():
            setattr(self, name, value)

    def copy(self) -> "Position":
        new = Position.__new__(Position)
        for name in _SCALARS:
            setattr(new, name, getattr(self, name))
        for name, _ in _ROWS:
            setattr(new, name, getattr(self, name)[:])
        for name, _ in _GRIDS:
            setattr(new, name, [row[:] for row in getattr(self, name)])
        return new

    def hand(self, seat: int) -> Cards:
        return Cards.from_piles(self.hands[seat])

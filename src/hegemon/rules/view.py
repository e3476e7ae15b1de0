"""What a seat may know: its own cards, everything face up, and the backs of the rest."""

from typing import Final

from hegemon.rules.cards import DOMAINS, age_of, count_of_age, total
from hegemon.rules.position import DRAFT_PICK, GIVE, Position
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.setup import owes_pick

#: The seat number of somebody who only watches.
SPECTATOR: Final = -1

#: How many cards of Age I, II and III lie somewhere, as backs tell; or how many in all, where backs are not shown.
Backs = tuple[int, int, int] | tuple[int]

_PUBLIC_SCALARS: Final = (
    "players", "teams", "rulings", "seat", "question", "plays", "target", "used", "hand_size",
    "new_embargo", "coin_owner", "coin_seat", "coin_domain", "round", "drew", "quiet_rounds", "ending",
)  # fmt: skip
_PUBLIC_ROWS: Final = ("discard_pile", "center")
_PUBLIC_GRIDS: Final = ("areas", "embargoes", "democracies")


class View:
    """A position as one viewer sees it. It holds nothing that the viewer may not know.

    Public attributes bear the names they have in a `Position`. Of the hidden cards, `hand` and `kept` are the viewer's
    own piles (None for a spectator); `backs`, `kept_backs` and `deck_backs` tell only how many there are of each Age.
    """

    viewer: int
    hand: list[int] | None
    kept: list[int] | None
    backs: list[Backs]
    kept_backs: list[Backs]
    deck_backs: tuple[int, int, int]
    owing: tuple[int, ...]
    """The seats that still owe a draft pick."""
    floor: int
    """As in a position for the seat that is asked; 0 for everybody else, whom the order of the picks tells nothing."""
    players: int
    teams: int
    rulings: int
    seat: int
    question: int
    left: int
    plays: int
    target: int
    used: int
    hand_size: int
    new_embargo: int
    coin_owner: int
    coin_seat: int
    coin_domain: int
    round: int
    drew: int
    quiet_rounds: int
    ending: int
    discard_pile: list[int]
    center: list[int]
    areas: list[list[int]]
    embargoes: list[list[int]]
    democracies: list[list[int]]

    __slots__ = (
        "viewer", "hand", "kept", "backs", "kept_backs", "deck_backs", "owing", "left", "floor",
        *_PUBLIC_SCALARS, *_PUBLIC_ROWS, *_PUBLIC_GRIDS,
    )  # fmt: skip
    __hash__ = None  # type: ignore[assignment]  # it holds lists, as a position does

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    @property
    def deck_size(self) -> int:
        """How many cards are left in the Age deck."""
        return sum(self.deck_backs)


def ages(piles: list[int]) -> tuple[int, int, int]:
    """How many cards of each Age lie in the piles of one place."""
    one, two, three = (
        sum(count_of_age(piles[domain], age) for domain in range(DOMAINS)) for age in (1, 2, 3)
    )
    return one, two, three


def backs(position: Position, piles: list[int]) -> Backs:
    """What the backs of hidden cards tell: their Ages, or only their number where the table hides them (A04)."""
    return ages(piles) if position.rulings & SHOW_BACKS else (total(piles),)


def hands_as_seen(position: Position, viewer: int) -> tuple[list[list[int]], int]:
    """The hands that a viewer sees, if only from behind, and how many cards are still asked for.

    After an Inquisition the cards given back change hands all at once (A35). We ask for them one by one and in the
    order of the Domains, so the backs of the first would tell of the others: until the last one is chosen, only the
    inquisitor sees them apart.
    """
    if position.question != GIVE or viewer == position.seat:
        return position.hands, position.left
    giver, target = position.seat, position.target
    hands = position.hands[:]
    hands[giver] = [own + given for own, given in zip(hands[giver], hands[target], strict=True)]
    hands[target] = [0] * DOMAINS
    return hands, position.left + total(position.hands[target])


def view(position: Position, viewer: int) -> View:
    """The position as that seat sees it, or a spectator."""
    seen = View()
    for name in _PUBLIC_SCALARS:
        setattr(seen, name, getattr(position, name))
    for name in _PUBLIC_ROWS:
        setattr(seen, name, getattr(position, name)[:])
    for name in _PUBLIC_GRIDS:
        setattr(seen, name, [row[:] for row in getattr(position, name)])
    seats = range(position.players)
    hands, seen.left = hands_as_seen(position, viewer)
    seen.viewer = viewer
    seen.hand = hands[viewer][:] if viewer != SPECTATOR else None
    seen.kept = position.kept[viewer][:] if viewer != SPECTATOR else None
    seen.backs = [backs(position, hands[seat]) for seat in seats]
    seen.kept_backs = [backs(position, position.kept[seat]) for seat in seats]
    deck = [age_of(kind) for kind in position.deck[: position.deck_size]]
    seen.deck_backs = (deck.count(1), deck.count(2), deck.count(3))
    seen.floor = position.floor if viewer == position.seat else 0
    drafting = position.question == DRAFT_PICK
    seen.owing = tuple(seat for seat in seats if owes_pick(position, seat)) if drafting else ()
    return seen

"""What a seat may know: its own cards, everything face up, and the backs of the rest."""

from functools import cache
from typing import Final

from hegemon.rules.cards import DOMAINS, KINDS, age_of, count_of_age, total
from hegemon.rules.piles import Cards
from hegemon.rules.position import DRAFT_PICK, GIVE, Position, PublicTable
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.setup import owes_pick

#: The seat number of a spectator.
SPECTATOR: Final = -1

# A position that a search starts from has kind 0, an unknown card, in its deck.
_AGE_OF: Final = {kind: age_of(kind) for kind in (0, *KINDS)}

#: The number of hidden cards of Age I, II and III; or only the number of all, where backs are not shown.
Backs = tuple[int, int, int] | tuple[int]

_PUBLIC_SCALARS: Final = (
    "players", "teams", "rulings", "seat", "question", "plays", "target", "used", "hand_size",
    "new_embargo", "coin_owner", "coin_seat", "coin_domain", "round", "drew", "quiet_rounds", "ending",
)  # fmt: skip
_PUBLIC_ROWS: Final = ("discard_piles", "center_piles")
_PUBLIC_GRIDS: Final = ("areas", "embargoes", "democracies")


class View(PublicTable):
    """A position as one viewer sees it. It holds nothing that the viewer may not know.

    `hand` and `kept` are the viewer's own `Cards`, none for a spectator. Of hidden cards, `backs`, `kept_backs` and
    `deck_backs` give the number of each Age.
    """

    viewer: int
    hand_piles: list[int]
    kept_piles: list[int]
    backs: list[Backs]
    kept_backs: list[Backs]
    deck_backs: tuple[int, int, int]
    owing: tuple[int, ...]
    """The seats that still owe a draft pick."""

    __slots__ = (
        "viewer", "hand_piles", "kept_piles", "backs", "kept_backs", "deck_backs", "owing", "left", "floor",
        *_PUBLIC_SCALARS, *_PUBLIC_ROWS, *_PUBLIC_GRIDS,
    )  # fmt: skip

    @property
    def hand(self) -> Cards:
        """The viewer's hand; in the draft, the packet to choose from."""
        return Cards.from_piles(self.hand_piles)

    @property
    def kept(self) -> Cards:
        """The viewer's draft picks."""
        return Cards.from_piles(self.kept_piles)

    @property
    def faces(self) -> int:
        """The number of cards whose faces the viewer knows: it grows when a hidden card is shown."""
        piles = (self.hand_piles, self.kept_piles, self.discard_piles, self.center_piles)
        markers = sum(map(sum, self.democracies)) + (self.new_embargo > 0)
        return sum(map(total, (*piles, *self.areas, *self.embargoes))) + markers

    @property
    def deck_size(self) -> int:
        """The number of cards left in the Age deck."""
        return sum(self.deck_backs)


def ages(piles: list[int]) -> tuple[int, int, int]:
    """The number of cards of each Age in the piles of one place."""
    one, two, three = map(sum, zip(*map(_ages_in_pile, piles), strict=True))
    return one, two, three


@cache
def _ages_in_pile(pile: int) -> tuple[int, ...]:
    return tuple(count_of_age(pile, age) for age in (1, 2, 3))


def backs(position: Position, piles: list[int]) -> Backs:
    """The Ages of hidden cards, or only their number where the rulings hide the backs (A04)."""
    return ages(piles) if position.rulings & SHOW_BACKS else (total(piles),)


def hands_as_seen(position: Position, viewer: int) -> tuple[list[list[int]], int]:
    """The hands as a viewer sees them, at least their backs, and the number of cards still to choose.

    After an Inquisition the cards given back change hands all at once (A35). They are chosen one by one and in the
    order of the Domains, so the backs of the first would give hints about the rest: until the last one is chosen, only
    the inquisitor sees the two hands apart.
    """
    if position.question != GIVE or viewer == position.seat:
        return position.hands, position.left
    giver, target = position.seat, position.target
    hands = position.hands[:]
    hands[giver] = [own + given for own, given in zip(hands[giver], hands[target], strict=True)]
    hands[target] = [0] * DOMAINS
    return hands, position.left + total(position.hands[target])


def view(position: Position, viewer: int) -> View:
    """The position as a seat sees it, or a spectator."""
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
    seen.hand_piles = hands[viewer][:] if viewer != SPECTATOR else [0] * DOMAINS
    seen.kept_piles = position.kept[viewer][:] if viewer != SPECTATOR else [0] * DOMAINS
    seen.backs = [backs(position, hands[seat]) for seat in seats]
    seen.kept_backs = [backs(position, position.kept[seat]) for seat in seats]
    deck = [_AGE_OF[kind] for kind in position.deck[: position.deck_size]]
    seen.deck_backs = (deck.count(1), deck.count(2), deck.count(3))
    seen.floor = position.floor if viewer == position.seat else 0
    drafting = position.question == DRAFT_PICK
    seen.owing = tuple(seat for seat in seats if owes_pick(position, seat)) if drafting else ()
    return seen

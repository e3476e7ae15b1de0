"""A table as one viewer sees it: panels, columns, cards, the question and its choices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Final, NamedTuple

from hegemon.notation.choices import choices_in, read_choice
from hegemon.notation.record import Result, result_of
from hegemon.play.determinization import public_position
from hegemon.play.game import Game
from hegemon.play.legality import Reason, choices_of, reason_against
from hegemon.play.memory import Memory
from hegemon.play.selection import Selection, selection_of
from hegemon.rules.actions import END
from hegemon.rules.cards import Domain, count_of_age
from hegemon.rules.position import Position, Question
from hegemon.rules.victory import hegemony_threshold, side_of
from hegemon.rules.view import SPECTATOR, Backs, View
from hegemon.rules.view import view as view_of
from hegemon.views.effects import EffectRow, effect_rows
from hegemon.views.majority import MajorityRow, TieBreak, majority_rows, tie_breaks

#: The place of the cards that represent choices, by question.
_PLACES: Final = {
    Question.DRAFT: "hand",
    Question.CENTER: "center",
    Question.PLAY: "hand",
    Question.PLAY_MORE: "hand",
    Question.DISCARD_FROM_HAND: "hand",
    Question.GIVE: "hand",
    Question.DISCARD_FROM_AREA: "area",
    Question.TAKE_BACK: "area",
    Question.FETCH: "pile",
    Question.EMBARGO: "target",
    Question.DEMOCRACY: "target",
}


#: The size of the cache of columns, which takes about 8 MB.
MAX_CACHED_COLUMNS: Final = 8192


@dataclass(frozen=True)
class CardView:
    """A face-up card with the choice that picks it; cards that are chosen together are marked instead."""

    domain: Domain
    age: int
    choice: str | None = None
    markable: bool = False
    marked: bool = False

    @property
    def kind(self) -> str:
        """The card in notation."""
        return f"{self.domain.letter}{self.age}"


@dataclass(frozen=True)
class ColumnView:
    """The cards of one Domain in a player's area, with the markers on them."""

    domain: Domain
    cards: tuple[CardView, ...]
    needed: int
    """The number of cards for Hegemony."""
    embargoes: tuple[int, ...]
    """The Ages of the cards that are Embargoes on this column."""
    democracies: int
    coin_of: int | None
    """The seat whose coin lies here."""
    leads: bool
    won: bool = False
    """Whether the column won the game by Hegemony."""
    choice: str | None = None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, field.name) for field in fields(self)))

    @property
    def ages(self) -> tuple[int, ...]:
        return tuple(card.age for card in self.cards)

    @cached_property
    def count(self) -> int:
        return len(self.cards)

    @cached_property
    def markable(self) -> bool:
        """Whether cards of this column can be marked."""
        return any(card.markable for card in self.cards)

    @cached_property
    def missing(self) -> int:
        """The number of cards missing for Hegemony."""
        return max(0, self.needed - self.count)


@dataclass(frozen=True)
class PlayerPanel:
    """A player's side of the table."""

    seat: int
    name: str
    bot: str | None
    side: int
    columns: tuple[ColumnView, ...]
    backs: Backs
    kept_backs: Backs
    points: int
    to_move: bool
    own: bool
    won: bool
    color: int = 0
    is_open: bool = False
    """Whether the seat waits for a player."""
    present: bool = False
    substitute: bool = False
    """Whether a bot plays for an absent player."""
    hand: tuple[CardView, ...] = ()
    """The hand, if all hands are open."""
    kept: tuple[CardView, ...] = ()
    """The cards kept in the draft, if all hands are open."""

    @property
    def hand_size(self) -> int:
        return sum(self.backs)


@dataclass(frozen=True)
class TableInfo:
    """Properties of a table that are not part of its game."""

    id: str = ""
    version: int = 0
    """The number of entries so far: a move refers to it."""
    bots: tuple[str | None, ...] = (None,) * 4
    colors: tuple[int, ...] = (0, 1, 2, 3)
    open_seats: tuple[int, ...] = ()
    score: tuple[int, ...] = ()
    """Games of the series won by each seat; empty in the first game."""
    games_before: int = 0
    next_game: str | None = None
    """The id of the next game of the series."""
    present: frozenset[int] = frozenset()
    substitutes: tuple[int, ...] = ()
    daily: str = ""
    """The date, if this is the deal of the day; empty otherwise."""
    tournament: str = ""
    """The tournament that this game belongs to; empty for any other game."""
    resigned: tuple[int, ...] = ()
    withdrawn: tuple[int, ...] = ()

    @property
    def is_solo(self) -> bool:
        """Whether one person plays against bots."""
        return bool(self.id) and self.bots.count(None) == 1

    @property
    def has_hints(self) -> bool:
        return self.is_solo and not self.daily and not self.tournament


class PublicPart(NamedTuple):
    """The part of a table view that is the same for all viewers."""

    result: Result | None
    majority: tuple[MajorityRow, ...]
    panels: tuple[PlayerPanel, ...]
    """The panels as seen by a viewer who cannot choose anything there, without the backs of cards."""


@dataclass(frozen=True)
class TableView:
    """Everything that one viewer sees of a table, without prose and markup."""

    info: TableInfo
    viewer: int
    view: View
    position: Position
    """What the viewer sees, as a position for the rules: hidden cards are missing."""
    names: tuple[str, ...]
    panels: tuple[PlayerPanel, ...]
    hand: tuple[CardView, ...]
    kept: tuple[CardView, ...]
    center: tuple[CardView, ...]
    discard_pile: tuple[CardView, ...]
    question: Question
    choices: tuple[str, ...]
    selection: Selection | None
    """The cards that the viewer has to choose; None if the question asks for something else."""
    place: str
    """The place of the cards that represent choices: hand, area, center, pile or target; empty if there are none."""
    to_move: tuple[int, ...]
    can_undo: bool
    known: dict[int, tuple[CardView, ...]]
    """The cards that the viewer knows in each other hand."""
    public: PublicPart

    @property
    def result(self) -> Result | None:
        return self.public.result

    @property
    def majority(self) -> tuple[MajorityRow, ...]:
        return self.public.majority

    @property
    def marking(self) -> int:
        """The number of cards to choose together; 0 if each card is a separate choice."""
        return self.selection.number if self.selection is not None and self.selection.number > 1 else 0

    @property
    def marked(self) -> int:
        """The number of cards that are marked."""
        columns = self.me.columns if self.me is not None else ()
        return sum(
            card.marked
            for row in (self.hand, self.discard_pile, *(column.cards for column in columns))
            for card in row
        )

    @property
    def deck(self) -> tuple[int, int, int]:
        """The number of cards of each Age in the deck."""
        return self.view.deck_backs

    @property
    def me(self) -> PlayerPanel | None:
        return self.panels[self.viewer] if self.viewer != SPECTATOR else None

    @property
    def others(self) -> tuple[PlayerPanel, ...]:
        """The other panels, clockwise from the viewer."""
        first = self.viewer + 1
        clockwise = self.panels[first:] + self.panels[:first]
        return tuple(panel for panel in clockwise if panel.seat != self.viewer)

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The other seats that are to move."""
        return tuple(seat for seat in self.to_move if seat != self.viewer)

    @cached_property
    def effects(self) -> tuple[EffectRow, ...]:
        """The reference board for the viewer."""
        if self.viewer == SPECTATOR or self.question is Question.OVER:
            return ()
        rows = effect_rows(self.position, self.viewer, self._legal)
        if self.viewer in self.info.substitutes:
            return tuple(replace(row, choices=()) for row in rows)
        return rows

    @cached_property
    def _legal(self) -> int:
        """The viewer's legal actions, even if a page offers no choices."""
        if self.choices:
            return sum(1 << read_choice(choice) for choice in self.choices)
        return choices_of(self.position, self.viewer) if self.viewer in self.to_move else 0

    @property
    def unused(self) -> int:
        """The number of effects that the viewer can still apply in this turn."""
        return sum(bool(row.choices) for row in self.effects) if self.question is Question.EFFECTS else 0

    @cached_property
    def reasons(self) -> dict[str, dict[Domain, Reason]]:
        """Why a card of a Domain cannot be chosen, by place.

        Empty if the question itself says what can be chosen.
        """
        if self.viewer == SPECTATOR or self.question is Question.OVER:
            return {}
        if self.question is Question.EFFECTS and self.viewer in self.to_move:
            return dict.fromkeys(("hand", "area"), self._reasons_against_domains())
        playing = self.viewer in self.to_move and self.viewer not in self.info.substitutes
        place = _PLACES.get(self.question, "") if playing else ""
        if not place:
            reason = reason_against(self.position, self.viewer, END)
            refused = dict.fromkeys(Domain, reason) if reason is not None else {}
            return dict.fromkeys(("hand", "area"), refused)
        if self.question in (Question.DRAFT, Question.CENTER):
            return {}
        return {place: self._reasons_against_domains()}

    def _reasons_against_domains(self) -> dict[Domain, Reason]:
        found = {domain: reason_against(self.position, self.viewer, domain, self._legal) for domain in Domain}
        return {domain: reason for domain, reason in found.items() if reason is not None}

    @cached_property
    def tie_breaks(self) -> tuple[TieBreak, ...]:
        return tie_breaks(self.position)

    def hand_of(self, seat: int) -> tuple[str, ...]:
        """A hand in notation: face-up and known cards first, then backs, such as `?1`."""
        panel, own = self.panels[seat], seat == self.viewer
        if own or panel.hand:
            return tuple(card.kind for card in (self.hand if own else panel.hand))
        # Packets are passed on in the draft, so what was known of them is obsolete.
        known = self.known.get(seat, ()) if self.view.round else ()
        return _with_backs(tuple(card.kind for card in known), panel.backs)

    def kept_of(self, seat: int) -> tuple[str, ...]:
        """The cards that a seat has kept in the draft, in notation."""
        panel, own = self.panels[seat], seat == self.viewer
        if own or panel.kept:
            return tuple(card.kind for card in (self.kept if own else panel.kept))
        return _with_backs((), panel.kept_backs)


def _with_backs(known: tuple[str, ...], backs: Backs) -> tuple[str, ...]:
    if len(backs) == 1:
        return known + ("?",) * (backs[0] - len(known))
    hidden = list(backs)
    for card in known:
        hidden[int(card[1]) - 1] -= 1
    return known + tuple(f"?{age}" for age, number in enumerate(hidden, 1) for _ in range(number))


def cards_in(piles: Sequence[int], offer: Sequence[str] | Selection = ()) -> tuple[CardView, ...]:
    """The cards of one place, each with the choice that picks it, or marked if several are chosen together."""
    if not offer:
        return tuple(chain.from_iterable(map(_plain_cards, Domain, piles)))
    return tuple(card for domain in Domain for card in _cards_of(domain, _ages(piles[domain]), offer))


@cache
def _plain_cards(domain: Domain, pile: int) -> tuple[CardView, ...]:
    """The cards of a Domain where none can be chosen."""
    return tuple(CardView(domain, age) for age in _ages(pile))


def _cards_of(domain: Domain, ages: tuple[int, ...], offer: Sequence[str] | Selection) -> Iterator[CardView]:
    """The cards of a Domain, the oldest first.

    A choice that names a Domain picks a card of the oldest Age, so no other card of the Domain has it. If all cards
    that can be marked must be chosen, they are marked.
    """
    if isinstance(offer, Selection):
        most, forced = offer.cards.count(domain), len(offer.cards) == offer.number
        for place, age in enumerate(ages):
            yield CardView(domain, age, markable=place < most, marked=forced and place < most)
        return
    for age in ages:
        choice = domain.letter if age == ages[0] and domain.letter in offer else f"{domain.letter}{age}"
        yield CardView(domain, age, choice if choice in offer else None)


@cache
def _ages(pile: int) -> tuple[int, ...]:
    return tuple(age for age in (1, 2, 3) for _ in range(count_of_age(pile, age)))


def game_table(
    game: Game,
    viewer: int,
    *,
    info: TableInfo | None = None,
    memory: Memory | None = None,
    open_hands: bool = False,
    names: Sequence[str] = (),
    public: PublicPart | None = None,
) -> TableView:
    """The table view of a game, optionally with all hands open or with other names.

    Pass the public part if it is known, so that it is not computed again. It depends on the game, the info and the
    names.
    """
    info = info or TableInfo()
    active = viewer != SPECTATOR and viewer not in info.substitutes
    return view_table(
        game.view(viewer),
        names or game.names,
        info=info,
        memory=memory,
        open_hands=game.position if open_hands else None,
        choices=game.choices_of(viewer) if active else (),
        can_undo=active and game.undoable(viewer) is not None,
        public=public,
    )


def position_table(position: Position, names: Sequence[str]) -> TableView:
    """The table view of a position with all hands open and the choices of the seat to move."""
    choices = choices_in(choices_of(position, position.seat)) if position.question != Question.OVER else ()
    return view_table(view_of(position, SPECTATOR), names, open_hands=position, choices=choices)


def view_table(
    view: View,
    names: Sequence[str],
    *,
    info: TableInfo | None = None,
    memory: Memory | None = None,
    open_hands: Position | None = None,
    choices: tuple[str, ...] | None = None,
    can_undo: bool = False,
    public: PublicPart | None = None,
) -> TableView:
    """The table view of a view, with the cards of a memory; with a position, all hands are open."""
    info = info or TableInfo()
    viewer, question, position = view.viewer, Question(view.question), public_position(view)
    position.deck_size = view.deck_size
    to_move = () if question is Question.OVER else view.owing or (view.seat,)
    if choices is None:
        choices = choices_in(choices_of(position, viewer)) if viewer in to_move else ()
    place = _PLACES.get(question, "") if choices else ""
    selection = selection_of(position, viewer) if choices else None
    offer = selection if selection is not None and selection.number > 1 else choices
    if public is None:
        public = _public_part(view, position, tuple(names), info, to_move)

    def at(where: str) -> Sequence[str] | Selection:
        return offer if place == where else ()

    def panel(seat: int) -> PlayerPanel:
        shown, own = public.panels[seat], seat == viewer
        # After an Inquisition, only the inquisitor sees how many cards the two hands have.
        backs, kept_backs = view.backs[seat], view.kept_backs[seat]
        if (shown.backs, shown.kept_backs) != (backs, kept_backs):
            shown = replace(shown, backs=backs, kept_backs=kept_backs)
        in_area = at("target") if seat == view.target else ()
        in_area = in_area or (at("area") if own else ())
        if in_area:
            side = public.majority[shown.side]
            shown = replace(shown, columns=columns(position, seat, in_area, public.result, side))
        if open_hands is not None:
            hands, kept = open_hands.hands[seat], open_hands.kept[seat]
            shown = replace(shown, hand=cards_in(hands), kept=cards_in(kept))
        return replace(shown, own=True) if own else shown

    known = {
        seat: cards
        for seat in range(view.players)
        if memory is not None and seat != viewer and (cards := cards_in(memory.known(seat).piles))
    }
    return TableView(
        info=info,
        viewer=viewer,
        view=view,
        position=position,
        names=tuple(names),
        panels=tuple(panel(seat) for seat in range(view.players)),
        hand=cards_in(view.hand_piles, at("hand")),
        kept=cards_in(view.kept_piles),
        center=cards_in(view.center_piles, at("center")),
        discard_pile=cards_in(view.discard_piles, at("pile")),
        question=question,
        choices=choices,
        selection=selection,
        place=place,
        to_move=to_move,
        can_undo=can_undo,
        known=known,
        public=public,
    )


def _public_part(
    view: View, position: Position, names: tuple[str, ...], info: TableInfo, to_move: tuple[int, ...]
) -> PublicPart:
    result, majority = result_of(position), majority_rows(position, names)

    def panel(seat: int) -> PlayerPanel:
        side = side_of(position, seat)
        return PlayerPanel(
            seat=seat,
            name=names[seat],
            bot=info.bots[seat],
            side=side,
            columns=columns(position, seat, (), result, majority[side]),
            backs=view.backs[seat],
            kept_backs=view.kept_backs[seat],
            points=majority[side].points,
            to_move=seat in to_move,
            own=False,
            won=result is not None and seat in result.winners,
            color=info.colors[seat],
            is_open=seat in info.open_seats,
            present=seat in info.present,
            substitute=seat in info.substitutes,
        )

    return PublicPart(result, majority, tuple(map(panel, range(view.players))))


def columns(
    position: Position,
    seat: int,
    offer: Sequence[str] | Selection,
    result: Result | None,
    side: MajorityRow,
) -> tuple[ColumnView, ...]:
    """The six columns of a player's area; of two teammates, the one with more cards leads."""
    marks = offer if isinstance(offer, Selection) else ()
    choices = offer if not isinstance(offer, Selection) else ()
    coin = position.coin_owner - 1 if position.coin_owner and position.coin_seat == seat else None
    area, embargoes, democracies = position.areas[seat], position.embargoes[seat], position.democracies[seat]
    return tuple(
        _column(
            domain,
            tuple(_cards_of(domain, _ages(area[domain]), marks))
            if marks
            else _plain_cards(domain, area[domain]),
            hegemony_threshold(position, seat, domain),
            _ages(embargoes[domain]),
            democracies[domain],
            coin if position.coin_domain == domain else None,
            side.counts[domain] == (len(_ages(area[domain])), True),
            result is not None and domain is result.domain and seat == position.seat,
            domain.letter if domain.letter in choices else None,
        )
        for domain in Domain
    )


#: The same columns occur in many tables and versions: they are compared and hashed at every move.
_column: Final = lru_cache(MAX_CACHED_COLUMNS)(ColumnView)

"""A table as one viewer sees it: panels, columns, cards, the question and its choices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Final

from hegemon.notation.choices import choices_in, read_choice
from hegemon.notation.record import Result, result_of
from hegemon.play.game import Game
from hegemon.play.imagine import public_position
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

#: Where the cards of each question lie: such a card stands for a choice.
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


@dataclass(frozen=True)
class CardView:
    """A face-up card, with the choice that picks it; where several are chosen together, they are marked instead."""

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
    """Whether it won the game, by Hegemony."""
    choice: str | None = None

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
        """The number of cards missing to Hegemony."""
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
    """The hand, where all hands are open."""
    kept: tuple[CardView, ...] = ()
    """The cards kept in the draft, where all hands are open."""

    @property
    def hand_size(self) -> int:
        return sum(self.backs)


@dataclass(frozen=True)
class TableInfo:
    """What belongs to a table rather than to its game."""

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
    """The date of the deal of the day that this is; empty for any other game."""
    tournament: str = ""
    """The tournament that this game belongs to; empty for any other game."""
    resigned: tuple[int, ...] = ()
    withdrawn: tuple[int, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether one person plays against bots."""
        return bool(self.id) and self.bots.count(None) == 1

    @property
    def has_hints(self) -> bool:
        return self.alone and not self.daily and not self.tournament


@dataclass(frozen=True)
class TableView:
    """Everything that is shown of a table to one viewer, free of prose and markup."""

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
    """Where the cards lie that stand for choices: hand, area, center, pile or target; empty if none do."""
    to_move: tuple[int, ...]
    can_undo: bool
    result: Result | None
    known: dict[int, tuple[CardView, ...]]
    """The cards that the viewer knows in each other hand."""
    majority: tuple[MajorityRow, ...]

    @property
    def marking(self) -> int:
        """The number of cards to choose together; 0 where each card is a choice of its own."""
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
        """The reference board as it stands for the viewer."""
        if self.viewer == SPECTATOR or self.question is Question.OVER:
            return ()
        rows = effect_rows(self.position, self.viewer, self._legal)
        if self.viewer in self.info.substitutes:
            return tuple(replace(row, choices=()) for row in rows)
        return rows

    @cached_property
    def _legal(self) -> int:
        """The viewer's legal actions, also where a page offers no choices."""
        if self.choices:
            return sum(1 << read_choice(choice) for choice in self.choices)
        return choices_of(self.position, self.viewer) if self.viewer in self.to_move else 0

    @property
    def unused(self) -> int:
        """The number of effects that the viewer can still apply in this turn."""
        return sum(bool(row.choices) for row in self.effects) if self.question is Question.EFFECTS else 0

    @cached_property
    def reasons(self) -> dict[str, dict[Domain, Reason]]:
        """Why a card of a Domain cannot be chosen, by the place where it lies.

        Empty where the question itself says what can be chosen.
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
        # A packet of the draft moves on, so what was known of it is no longer of use.
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
    """The cards of one place, each with the choice that picks it, or marked where several are chosen together."""
    return tuple(card for domain in Domain for card in _cards_of(domain, _ages(piles[domain]), offer))


def _cards_of(domain: Domain, ages: tuple[int, ...], offer: Sequence[str] | Selection) -> Iterator[CardView]:
    """The cards of a Domain, the oldest first.

    A choice that names a Domain picks a card of the oldest Age, so no other card of the Domain has it. If all cards
    that can be marked have to be, they are.
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
) -> TableView:
    """What a viewer sees of a game, perhaps with all hands open, or with other names."""
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
    )


def position_table(position: Position, names: Sequence[str]) -> TableView:
    """A whole position with all hands open, and the choices of the seat to move."""
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
) -> TableView:
    """What the viewer of a view sees, with the cards of a memory; a position opens all hands."""
    info = info or TableInfo()
    viewer, question, position = view.viewer, Question(view.question), public_position(view)
    position.deck_size = view.deck_size
    to_move = () if question is Question.OVER else view.owing or (view.seat,)
    if choices is None:
        choices = choices_in(choices_of(position, viewer)) if viewer in to_move else ()
    place = _PLACES.get(question, "") if choices else ""
    selection = selection_of(position, viewer) if choices else None
    offer = selection if selection is not None and selection.number > 1 else choices
    result = result_of(position)
    majority = majority_rows(position, tuple(names))

    def at(where: str) -> Sequence[str] | Selection:
        return offer if place == where else ()

    def panel(seat: int) -> PlayerPanel:
        side = side_of(position, seat)
        in_area = at("target") if seat == view.target else ()
        return PlayerPanel(
            seat=seat,
            name=names[seat],
            bot=info.bots[seat],
            side=side,
            columns=columns(
                position, seat, in_area or (at("area") if seat == viewer else ()), result, majority[side]
            ),
            backs=view.backs[seat],
            kept_backs=view.kept_backs[seat],
            points=majority[side].points,
            to_move=seat in to_move,
            own=seat == viewer,
            won=result is not None and seat in result.winners,
            color=info.colors[seat],
            is_open=seat in info.open_seats,
            present=seat in info.present,
            substitute=seat in info.substitutes,
            hand=cards_in(open_hands.hands[seat]) if open_hands is not None else (),
            kept=cards_in(open_hands.kept[seat]) if open_hands is not None else (),
        )

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
        result=result,
        known=known,
        majority=majority,
    )


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
    return tuple(
        ColumnView(
            domain=domain,
            cards=tuple(_cards_of(domain, _ages(position.areas[seat][domain]), marks)),
            needed=hegemony_threshold(position, seat, domain),
            embargoes=_ages(position.embargoes[seat][domain]),
            democracies=position.democracies[seat][domain],
            coin_of=coin if position.coin_domain == domain else None,
            leads=side.counts[domain] == (len(_ages(position.areas[seat][domain])), True),
            won=result is not None and domain is result.domain and seat == position.seat,
            choice=domain.letter if domain.letter in choices else None,
        )
        for domain in Domain
    )

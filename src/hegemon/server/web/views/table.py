"""The table as the page draws it: what one viewer may see, laid out in panels and columns. No rule is here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from hegemon.notation.choices import read_choice
from hegemon.notation.record import Result
from hegemon.play.game import Game
from hegemon.play.imagine import public_position
from hegemon.play.legality import Reason, reason_against
from hegemon.play.memory import Memory
from hegemon.rules.actions import ACTIONS, DISCARD_EFFECTS, END, PERMANENT_EFFECTS, Action, ActionKind, Effect
from hegemon.rules.cards import Domain, count, count_of_age
from hegemon.rules.position import Position, Question
from hegemon.rules.victory import (
    best_count,
    has_majority,
    hegemony_threshold,
    leaders_by_cards,
    leaders_by_points,
    majority_winners,
    points,
    side_of,
    sides,
)
from hegemon.rules.view import SPECTATOR, View

#: Where the cards of each question lie: a click on such a card is an answer.
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
class Card:
    """A card that lies open; it may be an answer."""

    domain: Domain
    age: int
    choice: str | None = None

    @property
    def kind(self) -> str:
        """The card as notation writes it."""
        return f"{self.domain.letter}{self.age}"


@dataclass(frozen=True)
class Column:
    """The cards of one Domain in front of a player, with what lies on them."""

    domain: Domain
    ages: tuple[int, ...]
    needed: int
    embargoes: tuple[int, ...]
    democracies: int
    coin_of: int | None
    leads: bool
    won: bool = False
    """Whether it won the game, by Hegemony."""
    choice: str | None = None

    @property
    def count(self) -> int:
        """How many cards lie there."""
        return len(self.ages)

    @property
    def missing(self) -> int:
        """How many cards are missing to Hegemony."""
        return max(0, self.needed - self.count)


@dataclass(frozen=True)
class Panel:
    """A player's side of the table."""

    seat: int
    name: str
    bot: str | None
    side: int
    columns: tuple[Column, ...]
    backs: tuple[int, ...]
    hand_size: int
    points: int
    to_move: bool
    own: bool
    won: bool
    color: int = 0
    is_open: bool = False
    """Whether nobody sits there at the moment."""
    here: bool = False
    """Whether its player follows the game now."""
    substitute: bool = False
    """Whether a bot stands in for its player."""
    hand: tuple[Card, ...] = ()
    """The hand where it lies open: after the game, with all cards shown."""


@dataclass(frozen=True)
class EffectRow:
    """An effect on the reference board: the words that apply it now, or why it cannot be applied."""

    effect: Effect
    words: tuple[str, ...]
    reason_against: Reason | None


@dataclass(frozen=True)
class TableModel:
    """Everything that a page shows of a table."""

    id: str
    seating: "Seating"
    version: int
    viewer: int
    view: View
    names: tuple[str, ...]
    panels: tuple[Panel, ...]
    hand: tuple[Card, ...]
    kept: tuple[Card, ...]
    center: tuple[Card, ...]
    pile: tuple[Card, ...]
    deck: tuple[int, int, int]
    question: Question
    choices: tuple[str, ...]
    place: str
    effects: tuple[EffectRow, ...]
    whys: dict[str, dict[Domain, Reason]]
    """Why a card of a Domain cannot be chosen now, by where it lies: in one's hand or area, or where a marker goes."""
    waiting_for: tuple[int, ...]
    can_undo: bool
    unused: int
    known: dict[int, tuple[Card, ...]]
    """What the viewer has seen go into each other hand."""

    @property
    def me(self) -> Panel | None:
        """The viewer's own panel."""
        return self.panels[self.viewer] if self.viewer != SPECTATOR else None

    @property
    def others(self) -> tuple[Panel, ...]:
        """The other panels, clockwise from the viewer."""
        seats = len(self.panels)
        first = self.viewer + 1 if self.viewer != SPECTATOR else 0
        return tuple(
            self.panels[(first + turn) % seats]
            for turn in range(seats)
            if (first + turn) % seats != self.viewer
        )


def cards_in(piles: Sequence[int], words: dict[str, str] | None = None) -> tuple[Card, ...]:
    """The open cards of one place, each with the word that picks it, where there is one.

    A Domain word picks a card of the oldest Age, so no other card of the Domain bears it.
    """
    words = words or {}
    cards = []
    for domain in Domain:
        ages = [age for age in (1, 2, 3) for _ in range(count_of_age(piles[domain], age))]
        for age in ages:
            choice = words.get(domain.letter) if age == ages[0] else None
            cards.append(Card(domain, age, choice or words.get(f"{domain.letter}{age}")))
    return tuple(cards)


@dataclass(frozen=True)
class Seating:
    """What a page must know of a table besides its game."""

    id: str
    version: int
    """How many entries there are: the number that a command answers."""
    bots: tuple[str | None, ...]
    colors: tuple[int, ...] = (0, 1, 2, 3)
    open_seats: tuple[int, ...] = ()
    score: tuple[int, ...] = ()
    """How many games of the series each seat has won; nothing where this is the first."""
    before: int = 0
    """How many games of the series there were before."""
    next_game: str | None = None
    """The next game of the series."""
    here: frozenset[int] = frozenset()
    """The seats whose players follow the game now."""
    substitutes: tuple[int, ...] = ()
    """The seats on which a bot stands in for somebody who is away."""

    @property
    def alone(self) -> bool:
        """Whether one person plays against bots: then there may be hints."""
        return bool(self.id) and self.bots.count(None) == 1


def table_model(
    game: Game, seating: Seating, viewer: int, memory: Memory | None, *, open_hands: bool = False
) -> TableModel:
    """What that viewer sees of a game; after it, perhaps with every hand open."""
    view = game.view(viewer)
    answers = viewer != SPECTATOR and viewer not in seating.substitutes
    choices = game.choices_of(viewer) if answers else ()
    question = Question(view.question)
    place = _PLACES.get(question, "") if choices else ""
    to_move = tuple(seat for seat in range(game.players) if game.choices_of(seat))
    words = {choice: choice for choice in choices}
    result = game.result
    table = public_position(view)

    def at(where: str) -> dict[str, str]:
        return words if place == where else {}

    def words_on(seat: int) -> dict[str, str]:
        return (
            at("target")
            if place == "target" and seat == view.target
            else at("area")
            if seat == viewer
            else {}
        )

    effects = effect_rows(game, viewer, view, choices)
    return TableModel(
        id=seating.id,
        seating=seating,
        version=seating.version,
        viewer=viewer,
        view=view,
        names=game.names,
        panels=tuple(
            Panel(
                seat=seat,
                name=game.names[seat],
                bot=seating.bots[seat],
                side=side_of(table, seat),
                columns=columns(table, seat, words_on(seat), result),
                backs=tuple(view.backs[seat]),
                hand_size=sum(view.backs[seat]),
                points=points(table, side_of(table, seat)),
                to_move=seat in to_move,
                own=seat == viewer,
                won=result is not None and seat in result.winners,
                color=seating.colors[seat],
                is_open=seat in seating.open_seats,
                here=seat in seating.here,
                substitute=seat in seating.substitutes,
                hand=cards_in(game.position.hands[seat]) if open_hands else (),
            )
            for seat in range(game.players)
        ),
        hand=cards_in(view.hand_piles, at("hand")),
        kept=cards_in(view.kept_piles),
        center=cards_in(view.center_piles, at("center")),
        pile=cards_in(view.discard_piles, at("pile")),
        deck=view.deck_backs,
        question=question,
        choices=choices,
        place=place,
        effects=effects,
        whys=reasons(game, viewer, place, question),
        waiting_for=tuple(seat for seat in to_move if seat != viewer),
        can_undo=answers and game.undoable(viewer) is not None,
        unused=sum(bool(row.words) for row in effects) if question is Question.EFFECTS else 0,
        known={
            seat: cards
            for seat in range(game.players)
            if memory is not None and seat != viewer and (cards := cards_in(memory.known(seat).piles))
        },
    )


def reasons(game: Game, viewer: int, place: str, question: Question) -> dict[str, dict[Domain, Reason]]:
    """Why cards cannot be chosen now; nothing where the open question itself says what is asked for instead."""
    if viewer == SPECTATOR or question is Question.OVER:
        return {}
    position = game.position

    def rejected(choice: int) -> dict[Domain, Reason]:
        found = {
            domain: reason_against(position, viewer, choice if choice >= 0 else domain) for domain in Domain
        }
        return {domain: reason for domain, reason in found.items() if reason is not None}

    if not place and not (game.choices_of(viewer) and question is Question.EFFECTS):
        return {where: rejected(END) for where in ("hand", "area")}
    if question is Question.EFFECTS:
        return {where: rejected(-1) for where in ("hand", "area")}
    return {place: rejected(-1)} if question not in (Question.DRAFT, Question.CENTER) else {}


def columns(
    view: Position, seat: int, words: dict[str, str], result: Result | None = None
) -> tuple[Column, ...]:
    """A player's six columns."""
    coin = view.coin_owner - 1 if view.coin_owner and view.coin_seat == seat else None
    return tuple(
        Column(
            domain=domain,
            ages=tuple(age for age in (1, 2, 3) for _ in range(count_of_age(view.areas[seat][domain], age))),
            needed=hegemony_threshold(view, seat, domain),
            embargoes=tuple(
                age for age in (1, 2, 3) for _ in range(count_of_age(view.embargoes[seat][domain], age))
            ),
            democracies=view.democracies[seat][domain],
            coin_of=coin if coin is not None and view.coin_domain == domain else None,
            leads=leads_for_its_side(view, seat, domain),
            won=result is not None and domain is result.domain and seat == view.seat,
            choice=words.get(domain.letter),
        )
        for domain in Domain
    )


def leads_for_its_side(table: Position, seat: int, domain: Domain) -> bool:
    """Whether it is this player's cards that score the Domain: of two teammates, those of the one who has more."""
    side = side_of(table, seat)
    return has_majority(table, side, domain) and count(table.areas[seat][domain]) == best_count(
        table, side, domain
    )


class MajorityRow(NamedTuple):
    """What one side has: its best count in every Domain and whether it leads there, and the points."""

    names: tuple[str, ...]
    counts: tuple[tuple[int, bool], ...]
    points: int
    ahead: bool


def majority_rows(model: TableModel) -> tuple[MajorityRow, ...]:
    """The majorities as they stand, side by side."""
    table = public_position(model.view)
    ahead = majority_winners(table)
    return tuple(
        MajorityRow(
            tuple(panel.name for panel in model.panels if panel.side == side),
            tuple((best_count(table, side, domain), has_majority(table, side, domain)) for domain in Domain),
            points(table, side),
            bool(ahead >> side & 1),
        )
        for side in range(sides(table))
    )


def effect_rows(game: Game, viewer: int, view: View, choices: tuple[str, ...]) -> tuple[EffectRow, ...]:
    """The effects as they stand for the viewer: the words that apply each, or why it cannot be applied now."""
    if viewer == SPECTATOR or view.question == Question.OVER:
        return ()
    position, ahead = game.position, looking_ahead(game.position, viewer)
    rows = []
    for effect, words in _WORDS_OF_EFFECTS:
        on_offer = tuple(choice for choice in words if choice in choices)
        number = read_choice(words[0])
        # What is missing teaches more than that it is not the time; that is said where nothing is missing.
        reason = reason_against(ahead, viewer, number) or reason_against(position, viewer, number)
        rows.append(EffectRow(effect, on_offer, None if on_offer else reason))
    return tuple(rows)


def looking_ahead(position: Position, viewer: int) -> Position:
    """The table as if the viewer were to apply effects now."""
    if position.question == Question.EFFECTS and position.seat == viewer:
        return position
    ahead = position.copy()
    ahead.seat, ahead.question, ahead.left = viewer, Question.EFFECTS, 0
    if position.seat != viewer or position.question == Question.PLAY:
        ahead.used = 0
    return ahead


@dataclass(frozen=True)
class TieBreak:
    """A Domain in which sides with equal points were compared, and who was still ahead after it."""

    domain: Domain
    most: int
    ahead: tuple[int, ...]


def tie_breaks(table: Position) -> tuple[TieBreak, ...]:
    """The Domains that were looked at because points were equal, in the order of the rules, until one is ahead."""
    ahead = leaders_by_points(table)
    compared = []
    for domain in sorted(Domain, reverse=True):
        if ahead & (ahead - 1) == 0:
            break
        ahead = leaders_by_cards(table, ahead, domain)
        left = tuple(side for side in range(sides(table)) if ahead >> side & 1)
        compared.append(TieBreak(domain, best_count(table, left[0], domain), left))
    return tuple(compared)


def domain_of_word(choice: str) -> Domain | None:
    """The Domain whose emblem stands beside an answer; None for the end of the turn."""
    action = ACTIONS[read_choice(choice)]
    return action.effect.domain if action.effect is not None else action.domain


def _words_of_effects() -> list[tuple[Effect, tuple[str, ...]]]:
    """Every effect of the reference board with the words that apply it; of several, the plainest first."""

    def plainest_first(action: Action) -> bool:
        unusual_payment = action.kind is ActionKind.BREAKTHROUGH and action.domain is not Domain.SCIENCE
        return unusual_payment or action.distance == 0

    actions = sorted(ACTIONS, key=plainest_first)
    return [
        (effect, tuple(action.text for action in actions if action.effect is effect))
        for effect in (*PERMANENT_EFFECTS, *DISCARD_EFFECTS)
    ]


_WORDS_OF_EFFECTS: Final = _words_of_effects()

#: The reference board: every effect, its Domain, and its level (0 for an effect that one card pays).
BOARD: Final = tuple((effect, effect.domain, effect.level) for effect in Effect)

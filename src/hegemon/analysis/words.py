"""Reasons in words: what a better choice would provably have achieved or prevented."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Final

from hegemon.analysis.report import Decision
from hegemon.notation.choices import read_choice
from hegemon.play.determinization import position_to_move
from hegemon.play.game import Game
from hegemon.play.solver import after_choice, position_to_solve
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.translator import Translator
from hegemon.rules.actions import ACTIONS, END, ActionKind
from hegemon.rules.cards import Domain, count, total
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Ending, Position, Question
from hegemon.rules.turn import refill_level
from hegemon.rules.victory import hegemony, hegemony_threshold, side_of
from hegemon.rules.view import View
from hegemon.rules.view import view as view_of

#: The maximum number of missing cards for a Hegemony to be near.
_NEAR: Final = 3

#: Majorities matter once the deck has at most this many cards.
_LATE: Final = 12

_REVEALING: Final = (ActionKind.DRAFT, ActionKind.INQUISITION, ActionKind.BREAKTHROUGH)


@dataclass(frozen=True)
class Wording:
    """A decision in one language."""

    choice: str
    best: str
    line: tuple[str, ...]
    """How the turn could have continued from the best choice, until a hidden card would be shown."""
    reason: str


def wording(game: Game, decision: Decision, tr: Translator, names: Sequence[str] | None = None) -> Wording:
    """A decision of a game in words: what was chosen, what was better, and why."""
    view = game.at(decision.ply - 1).view(decision.seat)
    names = names or game.names
    describer = ChoiceDescriber(view, names, tr)
    return Wording(
        describer.describe(decision.choice),
        describer.describe(decision.best),
        tuple(describe_line(view, decision.line, names, tr)[0]),
        reason(game, decision, tr, names),
    )


def reason(game: Game, decision: Decision, tr: Translator, names: Sequence[str] | None = None) -> str:
    """Why another choice was better, in a sentence or two; empty if none was."""
    if decision.best == decision.choice:
        return ""
    return " ".join(_Reasons(game, decision, tr, names or game.names).sentences())


# ------------------------------------------------------------------ lines


def steps(view: View, line: Sequence[str]) -> Iterator[tuple[Position, str]]:
    """The choices of a line, each with the position before it, as the viewer sees it.

    The line ends with the turn, or where hidden cards would be shown.
    """
    position = position_to_move(view)
    position.deck_size = view.deck_size
    for choice in line:
        action = read_choice(choice)
        if position.question == Question.OVER or not legal(position) >> action & 1:
            return
        yield position, choice
        if action == END or ACTIONS[action].kind in _REVEALING:
            return
        position = position.copy()
        apply(position, action)


def describe_line(
    view: View, line: Sequence[str], names: Sequence[str], tr: Translator
) -> tuple[list[str], Domain | None]:
    """The choices of a line as text, until a hidden card would be shown, and the Domain in which they win."""
    texts, won = list[str](), -1
    for position, choice in steps(view, line):
        texts.append(ChoiceDescriber(view_in_line(position, view), names, tr).describe(choice))
        if read_choice(choice) == END:
            won = hegemony(position, view.viewer)
    return texts, Domain(won) if won >= 0 else None


def view_in_line(position: Position, view: View) -> View:
    """A position of a line as a view, with the hidden cards of the original."""
    result = view_of(position, view.viewer)
    result.backs, result.deck_backs = view.backs, view.deck_backs
    return result


# ------------------------------------------------------------------ reasons


class _Reasons:
    def __init__(self, game: Game, decision: Decision, tr: Translator, names: Sequence[str]) -> None:
        self._game = game
        self._decision = decision
        self._tr = tr
        self._names = names
        self._seat = decision.seat
        self._before = game.at(decision.ply - 1)
        self._view = self._before.view(decision.seat)
        *_, (self._planned, last) = steps(self._view, decision.line)
        self._ends = read_choice(last) == END
        self._actual = self._end_of_turn()

    def sentences(self) -> list[str]:
        if certain := self._certain():
            return [certain]
        facts: list[str] = []
        if self._view.round:
            facts = self._prevented() or self._reached() or self._led() or self._kept()
            facts += self._then_won()
        chosen = self._decision.expected
        chance = self._tr.analysis(
            "chance",
            player=self._names[self._seat],
            best=round(100 * (chosen + self._decision.loss)),
            chosen=round(100 * chosen),
        )
        return [*facts, chance]

    def _domain(self, domain: int) -> str:
        return self._tr.domains[Domain(domain)]

    def _end_of_turn(self) -> Position:
        """The position at the end of the seat's turn, or of the game."""
        round_, seat = self._view.round, self._seat
        for ply in range(self._decision.ply, len(self._game.moves)):
            position = self._game.at(ply).position
            if (position.seat, position.round) != (seat, round_):
                return position
        return self._game.position

    def _certain(self) -> str:
        """A win that no hidden card could have prevented."""
        _, domain = describe_line(self._view, self._decision.line, self._names, self._tr)
        if self._decision.certain:
            position = position_to_solve(self._view)
            for choice in self._decision.line:
                position = after_choice(position, read_choice(choice))
            if position.ending != Ending.HEGEMONY:
                return self._tr.analysis("certain.majority")
            domain = Domain(hegemony(position, self._seat))
        return "" if domain is None else self._tr.analysis("certain", domain=self._domain(domain))

    def _prevented(self) -> list[str]:
        """The nearest Hegemony of an opponent that the better choice makes harder, and the choice made did not."""
        before, planned, actual = self._view, self._planned, self._actual
        found = []
        for other in range(before.players):
            if side_of(planned, other) == side_of(planned, self._seat):
                continue
            for domain in Domain:
                needed, after = missing(before, other, domain), missing(planned, other, domain)
                harder = after > max(needed, missing(actual, other, domain))
                blocked = planned.embargoes[other][domain] > actual.embargoes[other][domain]
                if needed <= _NEAR and (harder or blocked):
                    won = (other, domain) == self._next_winner()
                    found.append((not won, needed, -after, other, domain, harder))
        if not found:
            return []
        _, needed, after, other, domain, harder = min(found)
        facts = {"name": self._names[other], "domain": self._domain(domain), "after": -after}
        return [self._tr.analysis("prevents" if harder else "blocks", needed, **facts)]

    def _next_winner(self) -> tuple[int, Domain] | None:
        """The winner by Hegemony before this seat's next move, and the Domain."""
        result, winner = self._game.result, self._game.position.seat
        movers = iter(self._game.movers[self._decision.ply :])
        moved_again = self._seat in dropwhile(lambda mover: mover == self._seat, movers)
        if result is None or result.domain is None or moved_again or winner == self._seat:
            return None
        return winner, result.domain

    def _then_won(self) -> list[str]:
        if (found := self._next_winner()) is None:
            return []
        winner, domain = found
        name, player = self._names[winner], self._names[self._seat]
        return [self._tr.analysis("then-won", name=name, player=player, domain=self._domain(domain))]

    def _reached(self) -> list[str]:
        """The seat's own Hegemony that would have been nearer."""
        if not self._ends:
            return []
        planned, domain = min((missing(self._planned, self._seat, domain), domain) for domain in Domain)
        actual = min(missing(self._actual, self._seat, domain) for domain in Domain)
        if planned >= actual or planned > _NEAR:
            return []
        facts = {"player": self._names[self._seat], "domain": self._domain(domain), "actual": actual}
        return [self._tr.analysis("own", planned, **facts)]

    def _led(self) -> list[str]:
        """The Domains that the seat would have led, late in the game."""
        planned, actual = domains_led(self._planned, self._seat), domains_led(self._actual, self._seat)
        if not self._ends or self._view.deck_size > _LATE or planned <= actual:
            return []
        return [self._tr.analysis("majority", planned, player=self._names[self._seat], actual=actual)]

    def _kept(self) -> list[str]:
        """The additional cards that the seat would have had at the end of its turn, in play or in hand."""
        if not self._ends:
            return []
        seat, planned, actual = self._seat, self._planned, self._actual
        hand = total(planned.hands[seat])
        drawn = min(max(0, refill_level(planned) - hand), planned.deck_size)
        for key, more, fewer in (
            ("area", total(planned.areas[seat]), total(actual.areas[seat])),
            ("hand", hand + drawn, total(actual.hands[seat])),
        ):
            if more > fewer:
                return [self._tr.analysis(key, more, player=self._names[seat], actual=fewer)]
        return []


def missing(position: Position | View, seat: int, domain: Domain) -> int:
    """The cards that a seat still needs for a Hegemony in a Domain."""
    return hegemony_threshold(position, seat, domain) - count(position.areas[seat][domain])  # type: ignore[arg-type]  # a view has the fields that are read


def domains_led(position: Position, seat: int) -> int:
    """The number of Domains that a seat leads, alone or together with others."""
    columns = [[count(area[domain]) for area in position.areas[: position.players]] for domain in Domain]
    return sum(column[seat] == max(column) > 0 for column in columns)

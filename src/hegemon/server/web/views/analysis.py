"""The analysis of a finished game as it is shown: the curves of the chances, the costliest choices, and luck.

There are two readings, which are never mixed: one based on what each seat could know, which judges choices, and one
with open cards, which explains the course of the game, including luck.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from babel.numbers import format_percent

from hegemon.analysis import Analysis, Decision, Luck
from hegemon.analysis.words import Wording, wording
from hegemon.notation.record import Result
from hegemon.play.game import Game
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import Translator
from hegemon.server.texts import translatable

#: The maximum numbers of listed mistakes per player and of turning points.
MAX_MISTAKES: Final = 3
MAX_MOMENTS: Final = 6

#: The minimum change of the chances at a turning point or a lucky draw.
_MIN_SWING: Final = 0.06

_RISES: Final = translatable("{name}: the chance to win rises from {before} to {after}.")
_FALLS: Final = translatable("{name}: the chance to win falls from {before} to {after}.")


@dataclass(frozen=True)
class Curve:
    """The chances of a player, with a mark for each listed moment, in percent from the top."""

    name: str
    color: int
    points: str
    marks: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Mistake:
    """A costly choice in words; `at` is the ply before it."""

    at: int
    where: str
    name: str
    cost: str
    words: Wording


@dataclass(frozen=True)
class Judgment:
    """How a player has chosen."""

    name: str
    color: int
    accuracy: str
    average: str
    mistakes: tuple[Mistake, ...]


@dataclass(frozen=True)
class KeyMoment:
    """A turning point or a lucky draw: the change of a player's chances, and its cause."""

    at: int
    where: str
    change: str
    events: str
    is_luck: bool


@dataclass(frozen=True)
class ChancesRow:
    """A row of the table of chances: at the beginning of a round, or at the end of the game."""

    at: int
    where: str
    chances: tuple[str, ...]


def decisive_ply(analysis: Analysis, result: Result, seats: Sequence[int]) -> int | None:
    """The ply before the costliest choice of these seats, or else of the losers, or else of all."""
    losers = [seat for seat in range(len(analysis.chances[0].open)) if seat not in result.winners]
    for group in (seats, losers):
        found = [mistake for seat in group for mistake in analysis.mistakes(seat, 1)]
        if found:
            return max(found, key=lambda decision: decision.loss).ply - 1
    return next((decision.ply - 1 for decision in analysis.mistakes(limit=1)), None)


class Reading:
    """An analysis, or the beginning of one, in one language and one of the two readings."""

    def __init__(
        self,
        analysis: Analysis,
        game: Game,
        turns: dict[int, int],
        names: Sequence[str],
        colors: Sequence[int],
        tr: Translator,
        *,
        is_open: bool,
    ) -> None:
        """Create a reading; `turns` maps the plies at which turns begin to their rounds."""
        self.is_open = is_open
        self._analysis = analysis
        self._game = game
        self._turns = turns
        self._names = names
        self._colors = colors
        self._tr = tr
        self._decisions = {decision.ply: decision for decision in analysis.decisions}
        self._mistakes = {
            decision.ply: decision
            for seat in range(game.players)
            for decision in analysis.mistakes(seat, MAX_MISTAKES)
        }

    @property
    def progress(self) -> int:
        """The number of choices that have been judged."""
        return self._analysis.chances[-1].ply if self._analysis.chances else 0

    def percent(self, part: float) -> str:
        return str(format_percent(part, locale=self._tr.code))

    def _signed(self, part: float) -> str:
        shown = round(part, 2)
        return f"{'−' if shown < 0 else '+' if shown > 0 else ''}{self.percent(abs(shown))}"

    def where(self, ply: int) -> str:
        starts = list(self._turns)
        before = bisect_right(starts, ply)
        if not before:
            return self._tr.text("Draft")
        return self._tr.text("Round {number}", number=self._turns[starts[before - 1]])

    # ---------------------------------------------------------------- curves

    def curves(self) -> list[Curve]:
        rows = [chances.open if self.is_open else chances.known for chances in self._analysis.chances]
        return [
            Curve(
                name,
                self._colors[seat],
                " ".join(f"{ply},{100 - round(100 * row[seat])}" for ply, row in enumerate(rows)),
                tuple((ply, 100 - round(100 * rows[ply][seat])) for ply in self._marks(seat, len(rows))),
            )
            for seat, name in enumerate(self._names)
        ]

    def _marks(self, seat: int, known: int) -> Iterator[int]:
        """The plies that are marked on the curve of a seat: before its mistakes, or its moments of luck."""
        if self.is_open:
            yield from (luck.ply for luck in self._lucks() if luck.seat == seat and luck.ply < known)
        else:
            mistakes = (decision for decision in self._mistakes.values() if decision.seat == seat)
            yield from (decision.ply - 1 for decision in mistakes)

    def table(self) -> list[ChancesRow]:
        """The chances at the beginning of every round, and at the end."""
        starts = {number: ply for ply, number in reversed(self._turns.items())}
        last = len(self._game.moves)
        rows = [(ply, self.where(ply)) for ply in sorted(starts.values())]
        rows.append((last, self._tr.text("The end of the game")))
        found = self._analysis.chances
        return [
            ChancesRow(
                ply, where, tuple(map(self.percent, found[ply].open if self.is_open else found[ply].known))
            )
            for ply, where in rows
            if ply < len(found)
        ]

    # ---------------------------------------------------------------- choices

    def judgments(self) -> list[Judgment]:
        return [
            Judgment(
                name,
                self._colors[seat],
                self.percent(self._analysis.accuracy(seat) / 100),
                str(format_percent(self._analysis.average_loss(seat), "#,##0.0%", locale=self._tr.code)),
                tuple(map(self.mistake, self._analysis.mistakes(seat, MAX_MISTAKES))),
            )
            for seat, name in enumerate(self._names)
        ]

    def mistake(self, decision: Decision) -> Mistake:
        return Mistake(
            decision.ply - 1,
            self.where(decision.ply - 1),
            self._names[decision.seat],
            self._signed(-decision.loss),
            wording(self._game, decision, self._tr, self._names),
        )

    def mistake_after(self, at: int) -> Mistake | None:
        """The choice that is made next, if it was a mistake."""
        decision = self._decisions.get(at + 1)
        return self.mistake(decision) if decision is not None and decision.is_mistake else None

    @property
    def stops(self) -> list[int]:
        """The plies of the moments that are listed, in their order."""
        if self.is_open:
            return sorted({*self._turning_plies(), *(luck.ply for luck in self._lucks())})
        return sorted(ply - 1 for ply in self._mistakes)

    # ---------------------------------------------------------------- the story

    def _change(self, ply: int) -> tuple[float, int]:
        """The largest change of a seat's chances by a choice, and the seat."""
        before, after = self._analysis.chances[ply - 1].open, self._analysis.chances[ply].open
        return max((abs(after[seat] - before[seat]), seat) for seat in range(len(after)))

    def _turning_plies(self) -> list[int]:
        changes = [(self._change(ply)[0], ply) for ply in range(1, len(self._analysis.chances))]
        largest = sorted(changes, reverse=True)[:MAX_MOMENTS]
        return sorted(ply for change, ply in largest if change >= _MIN_SWING)

    def _lucks(self) -> list[Luck]:
        return [luck for luck in self._analysis.luckiest(limit=MAX_MISTAKES) if abs(luck.swing) >= _MIN_SWING]

    def turning_points(self) -> list[KeyMoment]:
        return [self._turning_point(ply) for ply in self._turning_plies()]

    def _turning_point(self, ply: int) -> KeyMoment:
        change, seat = self._change(ply)
        before, after = (self._analysis.chances[number].open[seat] for number in (ply - 1, ply))
        swings = [abs(luck.swing) for luck in self._analysis.lucks if luck.ply == ply]
        text = self._tr.text(
            _RISES if after > before else _FALLS,
            name=self._names[seat],
            before=self.percent(before),
            after=self.percent(after),
        )
        return KeyMoment(ply, self.where(ply - 1), text, self._events_text(ply), sum(swings) >= change / 2)

    def lucky_draws(self) -> list[KeyMoment]:
        return [
            KeyMoment(
                luck.ply,
                self.where(luck.ply - 1),
                f"{self._names[luck.seat]}: {self._signed(luck.swing)}",
                self._events_text(luck.ply),
                is_luck=True,
            )
            for luck in self._lucks()
        ]

    def luck(self) -> list[tuple[str, str]]:
        """The luck of each player in all draws."""
        return [(name, self._signed(self._analysis.luck(seat))) for seat, name in enumerate(self._names)]

    def _events_text(self, ply: int) -> str:
        teams = self._game.record().teams
        return " ".join(Narrator(self._names, teams=teams, tr=self._tr).narrate(self._game.events_at(ply)))

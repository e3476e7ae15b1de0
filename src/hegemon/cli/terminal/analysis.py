"""The analysis of games as tables, one-line curves and sentences."""

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hegemon.analysis import Analysis, Decision, Luck
from hegemon.analysis.words import wording
from hegemon.arena.review import Review
from hegemon.cli.prose import ANALYSIS, translator
from hegemon.cli.seats import printable
from hegemon.play.game import Game

#: The heights of a curve of one line.
_BARS: Final = "▁▂▃▄▅▆▇█"

#: The lengths of a curve, and the space around a column.
_MIN_CURVE: Final = 10
_MAX_CURVE: Final = 60
_PADDING: Final = 3

#: The minimum swing of a lucky or unlucky draw that is shown.
_MIN_SWING: Final = 0.05


def draw_analysis(console: Console, game: Game, analysis: Analysis, seat: int | None = None) -> None:
    """Draw the analysis of a game, for all seats or from the view of one."""
    if analysis.is_quick:
        console.print(ANALYSIS["quick"], style="quiet", markup=False)
    reading = "open" if seat is None else "known"
    console.print(ANALYSIS[reading], style="quiet", markup=False)
    seats = range(game.players) if seat is None else (seat,)
    console.print(_summary(console, game, analysis, seats, reading))
    mistakes = [mistake for number in seats for mistake in analysis.mistakes(number)]
    if not mistakes:
        console.print(ANALYSIS["no-mistake"])
    for mistake in sorted(mistakes, key=lambda decision: decision.ply):
        console.print(_mistake_text(game, mistake))
    lucky = [luck for luck in analysis.lucks if luck.seat in seats and abs(luck.swing) >= _MIN_SWING]
    if lucky:
        console.print()
        console.print(ANALYSIS["luck"], markup=False)
        for luck in sorted(lucky, key=lambda one: -abs(one.swing))[:3]:
            console.print(_luck_sentence(game, luck), markup=False)


def _summary(console: Console, game: Game, analysis: Analysis, seats: Sequence[int], reading: str) -> Table:
    numbers = ("accuracy", "average-loss", "mistakes", "luck-sum")
    table = _table("player", "chance", *numbers)
    other_columns = [max(map(len, game.names)), *(len(ANALYSIS[heading]) for heading in numbers)]
    free = console.width - sum(width + _PADDING for width in other_columns) - _PADDING
    width = max(_MIN_CURVE, min(_MAX_CURVE, free))
    plies = sorted({*game.turn_starts, len(game.moves)})
    for seat in seats:
        chances = [getattr(analysis.chances[ply], reading)[seat] for ply in plies]
        table.add_row(
            Text(printable(game.names[seat])),
            curve(chances, width),
            f"{analysis.accuracy(seat):.1f}",
            points(analysis.average_loss(seat)),
            str(len(analysis.mistakes(seat, limit=None))),
            signed(analysis.luck(seat)),
        )
    return table


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        if heading in ("player", "chance"):
            table.add_column(ANALYSIS[heading], style="name" if heading == "player" else "", overflow="fold")
        else:
            table.add_column(ANALYSIS[heading], justify="right")
    return table


def curve(chances: Sequence[float], width: int) -> str:
    """Chances as at most `width` bars; each bar is the last of the chances that share its place."""
    shown = [chances[(place + 1) * len(chances) // width - 1] for place in range(width)]
    bars = chances if len(chances) <= width else shown
    return "".join(_BARS[min(len(_BARS) - 1, int(len(_BARS) * chance))] for chance in bars)


def _mistake_text(game: Game, decision: Decision) -> Group:
    words = wording(game, decision, translator())
    head = ANALYSIS["mistake"].format(
        ply=decision.ply, player=printable(game.names[decision.seat]), loss=points(decision.loss)
    )
    lines = [
        Text(ANALYSIS["chosen"].format(choice=words.choice)),
        Text(ANALYSIS["better"].format(choice=words.best), style="win"),
        Text(words.reason),
    ]
    if len(words.line) > 1:
        lines.append(Text(ANALYSIS["line"].format(line=" → ".join(words.line)), style="quiet"))
    return Group(Text(f"\n{head}", style="alert"), *(Padding(line, (0, 0, 0, 2)) for line in lines))


def _luck_sentence(game: Game, luck: Luck) -> str:
    key = "drew-by-effect" if luck.effect else "drew"
    return ANALYSIS[key].format(
        ply=luck.ply, player=printable(game.names[luck.seat]), points=signed(luck.swing)
    )


def draw_players(console: Console, review: Review) -> None:
    """Draw the losses of all players over many games."""
    games = review.progress.games - review.skipped
    console.print(ANALYSIS.numbered("analyzed", games, iterations=review.iterations))
    table = _table("player", "games", "decisions", "accuracy", "average-loss", "mistakes-a-game")
    for name, totals in sorted(review.players.items(), key=lambda entry: entry[1].average_loss):
        table.add_row(
            Text(printable(name)),
            f"{totals.games:,}",
            f"{totals.decisions:,}",
            f"{totals.accuracy:.1f}",
            points(totals.average_loss),
            f"{totals.mistakes / totals.games:.2f}",
        )
    console.print(table)


def points(part: float) -> str:
    return f"{100 * part:.1f}"


def signed(part: float) -> str:
    return f"{100 * part:+.1f}"

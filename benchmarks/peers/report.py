"""The results of a run: a table for the terminal, and a table and a plot for the documentation."""

import os
import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from field import Kind
from measuring import Result

BEGIN: Final = "<!-- peers:begin -->"
END: Final = "<!-- peers:end -->"

PLOT: Final = Path("speed/peers.svg")

COLUMNS: Final = ("", "game", "loop", "decisions per second", "slowest and fastest run", "decisions per game")

UNITS: Final = {"M": 1e6, "k": 1e3, "": 1.0}

INK, OURS, OWN, PYTHON = "#33302c", "#8a4b14", "#5f7f95", "#b8c6cf"


def short(rate: float) -> str:
    """A rate with three significant digits: 24.1 M, 302 k."""
    unit = next((unit for unit in ("M", "k") if rate >= UNITS[unit]), "")
    value = rate / UNITS[unit]
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{decimals}f} {unit}".strip()


def rows(results: Iterable[Result]) -> list[tuple[str, ...]]:
    """The table, in the order of the field; a loop that did not run has its reason in place of figures."""
    table: list[tuple[str, ...]] = []
    for result in results:
        name = (result.peer.name, result.loop.game, result.loop.how)
        if not result.runs:
            table.append((*name, "–", f"did not run: {result.failure}", "–"))
            continue
        slowest, fastest = map(short, result.rates)
        length = "–" if result.length is None else f"{result.length:.0f}"
        table.append((*name, short(result.rate), f"{slowest}, {fastest}", length))
    return table


def for_terminal(results: Sequence[Result]) -> Any:
    """The same as a Rich table."""
    from rich.table import Table

    table = Table(title="decisions per second, one core, uniformly random play, whole games")
    for heading in COLUMNS:
        table.add_column(heading, justify="right" if heading.startswith("decisions") else "left")
    for row in rows(results):
        table.add_row(*row, style="bold" if row[0] == "Hegemon" else None)
    return table


@dataclass(frozen=True)
class Comparison:
    """A comparison of the slowest of our loops of one kind with a loop of a peer."""

    ours: str
    theirs: tuple[str, str]
    text: str
    goal: float


COMPARISONS: Final = (
    Comparison("compiled", ("OpenSpiel", "crazy_eights-rollouts"), "compiled random play", 4),
    Comparison("compiled", ("OpenSpiel", "gin_rummy-rollouts"), "compiled random play", 100),
    Comparison("game", ("OpenSpiel", "crazy_eights-python"), "a Python loop over one `Game`", 1),
    Comparison("batch", ("PufferLib", "tripletriad"), "`Batch`", 1),
)


def comparisons(results: Iterable[Result]) -> list[str]:
    """The speedup of the slower of our loops over the peer's loop in this run."""
    found = {(result.peer.name, result.loop.name): result for result in results if result.runs}
    lines = []
    for comparison in COMPARISONS:
        theirs = found.get(comparison.theirs)
        ours = [
            result
            for (_, name), result in found.items()
            if result.peer.ours and name.startswith(f"{comparison.ours}-")
        ]
        if theirs and ours:
            slower = min(ours, key=lambda result: result.rate)
            times = slower.rate / theirs.rate
            lines.append(
                f"{comparison.text} ({slower.loop.game}) is {times:.{1 if times < 100 else 0}f} times as fast as "
                f"{theirs.peer.name}'s {theirs.loop.game}, {theirs.loop.how} (goal: at least {comparison.goal:g})"
            )
    return lines


def chance_note(results: Iterable[Result]) -> str:
    """Figures with chance counted, for peers that play it as moves."""
    with_chance = [
        f"{result.loop.game}, {result.loop.how}: {short(result.rate_with_chance)}"
        for result in results
        if any(run.chance for run in result.runs)
    ]
    if not with_chance:
        return ""
    return (
        "OpenSpiel plays deals and draws as chance moves, which take time but are not decisions. "
        f"Counted as if they were: {'; '.join(with_chance)}."
    )


def disturbed_note(results: Iterable[Result]) -> str:
    """The reliability of the figures."""
    runs = [run for result in results for run in result.runs]
    disturbed = sum(not run.undisturbed for run in runs)
    if not disturbed:
        return f"All {len(runs)} runs had their core to themselves."
    return f"{disturbed} of {len(runs)} runs shared their core with something else."


def processor() -> str:
    """The name of the processor, if the system provides it."""
    try:
        model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        model = None
    name = model[1] if model else platform.processor() or platform.machine()
    return f"{re.sub(r'[(](R|TM)[)]', '', name)}, {os.cpu_count()} cores"


def markdown(results: Sequence[Result], command: str, setting: str) -> str:
    """The section of the documentation."""
    versions = {result.peer.name: result.version for result in reversed(results) if result.runs}
    in_order = dict.fromkeys(result.peer.name for result in results if result.peer.name in versions)
    table = [COLUMNS, ["---", "---", "---", "---:", "---", "---:"], *rows(results)]
    chance = chance_note(results)
    notes = [f"- {line}." for line in comparisons(results)]
    return "\n".join(
        [
            "```sh",
            command,
            "```",
            "",
            f"{setting}. {', '.join(f'{name} {versions[name]}' for name in in_order)}. {disturbed_note(results)}",
            "",
            f"![Decisions per second of every loop, on a logarithmic scale]({PLOT.as_posix()})",
            "",
            *(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in table),
            "",
            *(["In this run:", "", *notes, ""] if notes else []),
            *([chance, ""] if chance else []),
        ]
    )


def write_section(page: Path, section: str) -> None:
    """Put the section between its markers."""
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{page} needs the lines {BEGIN} and {END}, once each: the table goes between them")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{section.strip()}\n\n{END}{after}", encoding="utf-8")


def color(result: Result) -> str:
    """Highlight our loops; Python loops are paler than compiled ones."""
    if result.peer.ours:
        return OURS
    return PYTHON if result.loop.kind is Kind.PYTHON else OWN


def draw(results: Sequence[Result], file: Path) -> None:
    """A bar for each loop, fastest on top, on a logarithmic scale."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    shown = sorted((result for result in results if result.runs), key=lambda result: result.rate)
    with mpl.rc_context({"svg.hashsalt": "peers", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(9, 1.2 + 0.24 * len(shown)), layout="constrained")
        axes = figure.add_subplot()
        rates = [result.rate for result in shown]
        axes.barh(range(len(shown)), rates, color=[color(result) for result in shown], height=0.72)
        for place, result in enumerate(shown):
            axes.plot(result.rates, (place, place), color=INK, linewidth=1)
            axes.text(result.rates[1] * 1.12, place, short(result.rate), va="center", color=INK)
        labels = [f"{result.peer.name} · {result.loop.game} · {result.loop.how}" for result in shown]
        axes.set_yticks(range(len(shown)), labels)
        axes.set_xscale("log")
        if rates:
            axes.set_xlim(min(rates) / 2, max(rates) * 5)
        axes.set_ylim(-0.6, len(shown) - 0.4)
        axes.set_xlabel("decisions a second, one core (the line: slowest to fastest run)")
        axes.legend(
            handles=[
                Patch(color=OURS, label="Hegemon"),
                Patch(color=OWN, label="peers, their own loops"),
                Patch(color=PYTHON, label="peers, a Python loop"),
            ],
            loc="lower right",
            frameon=False,
        )
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="x", color="#e5e1da", linewidth=0.6)
        axes.set_axisbelow(True)
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, format="svg", metadata={"Date": None})

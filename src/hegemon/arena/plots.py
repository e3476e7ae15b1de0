"""Plots as SVG text, for the reports of tournaments and studies."""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any, Final

INK: Final = "#33302c"
MAIN: Final = "#8a4b14"
OTHER: Final = "#5f7f95"
PALE: Final = "#b8c6cf"

#: The colors of the Domains; they also differ in brightness.
DOMAIN_COLORS: Final = {
    "military": "#a8322a",
    "religion": "#6d4fb3",
    "economy": "#c9971c",
    "science": "#2f7fb5",
    "culture": "#c25a92",
    "utopia": "#3f8a48",
}

_CURVES: Final = (MAIN, OTHER, "#d9a441", "#6d4fb3")

#: A value and the two ends of its 95 % interval.
Interval = tuple[float, float, float]


def figure(width: float, height: float, draw: Callable[[Any], None]) -> str:
    """A plot as an SVG element; deterministic."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    settings: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "hegemon",
        "font.family": "sans-serif",
        "font.size": 10,
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK
        ),
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(settings):
        fig, axes = plt.subplots(figsize=(width, height), layout="constrained")
        draw(axes)
        text = io.StringIO()
        fig.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(fig)
    svg = text.getvalue()
    return re.sub(r"\s+\n", "\n", svg[svg.index("<svg") :])


def in_page(svg: str, title: str, prefix: str) -> str:
    """The SVG for a page with several plots: unique ids and an accessible name."""
    svg = re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\1{prefix}-", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)


def intervals(
    rows: Mapping[str, Interval],
    label: str,
    *,
    even: float | None = None,
    color: str = MAIN,
    scale: float = 100,
    form: str = "{:.1f} %",
) -> str:
    """One value with its 95 % interval per row, and a line at the fair value; by default rates, in percent."""

    def draw(axes: Any) -> None:
        names = list(rows)[::-1]
        values = [scale * rows[name][0] for name in names]
        below = [max(0.0, scale * (rows[name][0] - rows[name][1])) for name in names]
        above = [max(0.0, scale * (rows[name][2] - rows[name][0])) for name in names]
        if even is not None:
            axes.axvline(scale * even, color=PALE, linewidth=1.5, zorder=0)
        axes.errorbar(values, range(len(names)), xerr=(below, above), fmt="o", color=color, capsize=4)
        for place, value in enumerate(values):
            axes.annotate(form.format(value), (value, place), (0, 8), textcoords="offset points", ha="center")
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(-0.6, len(names) - 0.2)
        axes.set_xlabel(label)
        axes.grid(axis="x", color=PALE, linewidth=0.5)

    return figure(7.2, 0.9 + 0.5 * len(rows), draw)


def bars(
    rows: Mapping[str, float], label: str, colors: Mapping[str, str] | None = None, form: str = "{:.1f} %"
) -> str:
    def draw(axes: Any) -> None:
        names = list(rows)[::-1]
        values = [rows[name] for name in names]
        bar_colors = [(colors or {}).get(name, OTHER) for name in names]
        patches = axes.barh(range(len(names)), values, color=bar_colors, height=0.7)
        axes.bar_label(patches, [form.format(value) for value in values], padding=3)
        axes.set_yticks(range(len(names)), names)
        axes.set_xlabel(label)
        axes.margins(x=0.12)

    return figure(7.2, 0.8 + 0.32 * len(rows), draw)


def grouped(groups: Sequence[str], rows: Mapping[str, Sequence[Interval | None]], label: str) -> str:
    """A group of horizontal bars with 95 % intervals, one per row; rates, in percent."""

    def draw(axes: Any) -> None:
        height = 0.8 / len(rows)
        for number, (name, measured) in enumerate(rows.items()):
            shown = [(place, interval) for place, interval in enumerate(measured) if interval is not None]
            places = [place + (number - (len(rows) - 1) / 2) * height for place, _ in shown]
            values = [100 * value for _, (value, _, _) in shown]
            below = [max(0.0, 100 * (value - low)) for _, (value, low, _) in shown]
            above = [max(0.0, 100 * (high - value)) for _, (value, _, high) in shown]
            ends = {"ecolor": INK, "capsize": 2, "elinewidth": 1}
            color = _CURVES[number % len(_CURVES)]
            axes.barh(
                places, values, height * 0.9, xerr=(below, above), label=name, color=color, error_kw=ends
            )
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_yticks(range(len(groups)), groups)
        axes.set_ylim(len(groups) - 0.4, -0.6)  # the first row on top
        axes.set_xlabel(label)
        axes.grid(axis="x", color=PALE, linewidth=0.5)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, ncols=len(rows), loc="lower center", bbox_to_anchor=(0.4, 1.0))

    return figure(7.2, 1.2 + 0.17 * len(groups) * (len(rows) + 1), draw)


def histogram(rows: Mapping[str, Sequence[float]], label: str) -> str:
    """One line per row, in percent of its games; the values are whole numbers."""
    highest = int(max(map(max, rows.values())))
    step = max(1, highest // 40)
    bins = [edge - 0.5 for edge in range(0, highest + step + 1, step)]

    def draw(axes: Any) -> None:
        for color, (name, values) in zip(cycle(_CURVES), rows.items()):
            weights = [100 / len(values)] * len(values)
            axes.hist(values, bins, weights=weights, histtype="step", linewidth=1.8, label=name, color=color)
        axes.set_xlabel(label)
        axes.set_ylabel("percent of the games")
        if len(rows) > 1:
            axes.legend(frameon=False)

    return figure(7.2, 3.2, draw)


def curves(
    rows: Mapping[str, Sequence[tuple[float, Interval]]],
    horizontal: str,
    vertical: str,
    even: Mapping[str, float],
) -> str:
    """Rates with their 95 % intervals over a logarithmic axis, one curve per row."""

    def draw(axes: Any) -> None:
        for color, (name, points) in zip(cycle(_CURVES), rows.items()):
            positions = [position for position, _ in points]
            values = [100 * measured[0] for _, measured in points]
            below = [100 * (measured[0] - measured[1]) for _, measured in points]
            above = [100 * (measured[2] - measured[0]) for _, measured in points]
            axes.errorbar(
                positions, values, yerr=(below, above), fmt="o-", color=color, capsize=4, label=name
            )
            if name in even:
                axes.axhline(100 * even[name], color=color, linewidth=0.8, linestyle=":")
        axes.set_xscale("log")
        axes.set_xlabel(horizontal)
        axes.set_ylabel(vertical)
        axes.set_ylim(0, 100)
        axes.grid(color=PALE, linewidth=0.5)
        axes.legend(frameon=False)

    return figure(7.2, 4.2, draw)

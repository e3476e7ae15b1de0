"""`hegemon bench`: the speed of this machine as a table and a plot."""

import importlib.util
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from typer import Option

from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson
from hegemon.cli.prose import ARENA, BENCH
from hegemon.cli.terminal.console import error_console, output_console

#: The figures other than speeds.
_TIMES: Final = {
    "clone_ns": "{:.1f} ns",
    "import_ms": "{:.0f} ms",
    "compile_cold_s": "{:.1f} s",
    "compile_warm_s": "{:.2f} s",
}

PLOT_SUFFIXES: Final = (".svg", ".png", ".pdf")
_SPEEDS: Final = ("interpreted", "compiled", "all_cores", "batch", "cuda")


def bench(
    seconds: Annotated[float, Option(min=0.1, max=600, help="Seconds for each measurement.")] = 3.0,
    as_json: AsJson = False,
    plot: Annotated[Path | None, Option(help="Draw the speeds to this file: .svg, .png or .pdf.")] = None,
) -> None:
    """Measure decisions per second: interpreted, compiled, on all cores, in batches and on a GPU."""
    if plot is not None:
        check_plot(plot)
    figures = measure_all(seconds)
    if as_json:
        write_json(figures)
    else:
        draw_figures(output_console(), figures)
    if plot is not None:
        plot_figures(figures, plot)


def check_plot(file: Path) -> None:
    """Reject a file that cannot be plotted to, before measuring."""
    if file.suffix not in PLOT_SUFFIXES:
        suffixes = ", ".join(PLOT_SUFFIXES)
        raise typer.BadParameter(BENCH["suffix"].format(suffixes=suffixes, suffix=file.suffix or "–"))
    if importlib.util.find_spec("matplotlib") is None:
        raise typer.BadParameter(BENCH["no-matplotlib"])
    if not file.absolute().parent.is_dir():
        folder = file.absolute().parent
        raise typer.BadParameter(ARENA["no-folder"].format(path=file, folder=folder))


def measure_all(seconds: float) -> dict[str, Any]:
    """Measure everything, with the progress on standard error."""
    from hegemon.kernels.benchmark import Speeds, measure

    figures: dict[str, Any] = {}
    with error_console().status(BENCH["measuring"]) as status:
        for name, value in measure(seconds):
            figures[name] = value
            status.update(BENCH["measured"].format(row=BENCH[name]))
    return asdict(Speeds(**figures))


def draw_figures(console: Console, figures: dict[str, Any]) -> None:
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right", style="bold")
    for name in (*_SPEEDS, *_TIMES):
        table.add_row(BENCH[name], figure(name, figures[name]) if figures[name] is not None else "–")
    console.print(table)


def figure(name: str, value: float) -> str:
    """A figure with its unit."""
    return _TIMES[name].format(value) if name in _TIMES else BENCH["speed"].format(number=f"{value:,.0f}")


def plot_figures(figures: dict[str, Any], file: Path) -> None:
    """Plot the speeds as bars on a logarithmic scale."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    shown = [name for name in _SPEEDS if figures[name]]
    fig = Figure(figsize=(8, 0.7 * len(shown) + 1.2), layout="constrained")
    axes = fig.subplots()
    bars = axes.barh([BENCH[name] for name in shown], [figures[name] for name in shown], color="#7a2e1d")
    axes.bar_label(bars, [f"{figures[name]:,.0f}" for name in shown], padding=4)
    axes.set_xscale("log")
    axes.set_xlim(right=30 * max(figures[name] for name in shown))
    axes.invert_yaxis()
    axes.set_xlabel(BENCH["axis"])
    axes.spines[["top", "right"]].set_visible(False)
    fig.savefig(file)

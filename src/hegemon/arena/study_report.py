"""The report of a study: one self-contained HTML page, or Markdown with plots in a folder."""

import json
import platform
import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Final

from hegemon.arena import plots
from hegemon.arena.analysis import Finding
from hegemon.arena.report import html_table, page, section
from hegemon.arena.study import GameStudy
from hegemon.arena.tables import TextTable
from hegemon.kernels.random_play import available_cores

TITLE: Final = "Study of the game"

#: The generated part of a Markdown file is between these lines.
BEGIN: Final = "<!-- study:begin -->"
END: Final = "<!-- study:end -->"


def summary(study: GameStudy) -> str:
    played = sum(map(len, study.samples.values()))
    return (
        f"{played:,} games, {study.games:,} of each kind, seed {study.seed}. Unless stated otherwise, all seats of a "
        "game have the same player: the network `learned`, which samples every choice from its policy (temperature 1). "
        "± is the distance to the farther end of the 95 % confidence interval."
    )


def made_with() -> str:
    """The versions, the weights and the machine type."""
    packages = ", ".join(f"{name} {version(name.lower())}" for name in ("hegemon", "NumPy"))
    folder = files("hegemon.bots") / "data"
    trained = json.loads((folder / "learned.json").read_text(encoding="utf-8"))
    digest = sha256((folder / "learned.npz").read_bytes()).hexdigest()[:16]
    return (
        f"Made with {packages} and Python {platform.python_version()} on {platform.machine()}, {available_cores()} "
        f"cores. Weights: `learned.npz`, SHA-256 `{digest}…`, by `{trained['command']}`, "
        f"{trained['progress']['decisions']:,} decisions of self-play with the standard rulings."
    )


def html(study: GameStudy, found: Iterable[Finding], command: str) -> str:
    parts = []
    for finding in found:
        plot = plots.in_page(finding.draw(), finding.title, finding.name) if finding.draw else ""
        note = f'<p class="note">{coded(finding.text)}</p>'
        parts.append(section(finding.title, note, html_table(finding.table), plot))
    parts.append(section("Made by", f"<p><code>{escape(command)}</code></p><p>{coded(made_with())}</p>"))
    return page(TITLE, coded(summary(study)), parts)


def coded(text: str) -> str:
    """Escape a text and turn `backticks` into code elements."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def write_page(folder: Path, study: GameStudy, found: Iterable[Finding], command: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "index.html"
    path.write_text(html(study, found, command), encoding="utf-8")
    return path


def markdown(study: GameStudy, found: Iterable[Finding], command: str, plots_folder: str) -> str:
    """The study as Markdown with links to plots in a folder."""
    parts = [f"```sh\n{command}\n```", summary(study), made_with()]
    for finding in found:
        parts += [f"## {finding.title}", finding.text]
        if finding.draw is not None:
            parts.append(f"![{finding.title}]({plots_folder}/{finding.name}.svg)")
        parts.append(markdown_table(finding.table))
    return "\n\n".join(parts)


def markdown_table(table: TextTable) -> str:
    """A table whose columns after the second are aligned right."""
    rule = ["---" if place < 2 else "---:" for place in range(len(table.headings))]
    starred = ([cell.replace("*", r"\*") for cell in row] for row in table.rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (table.headings, rule, *starred))


def write_markdown(path: Path, study: GameStudy, found: Sequence[Finding], command: str) -> None:
    """Replace the generated part of a file, or write a new one, and write the plots to a folder with its name."""
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    for finding in found:
        if finding.draw is not None:
            (folder / f"{finding.name}.svg").write_text(finding.draw() + "\n", encoding="utf-8")
    written = f"{BEGIN}\n\n{markdown(study, found, command, folder.name)}\n\n{END}"
    text = path.read_text(encoding="utf-8") if path.exists() else f"# {TITLE}\n\n{BEGIN}{END}\n"
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        before, after = f"{text.rstrip()}\n\n", "\n"
    path.write_text(before + written + after, encoding="utf-8")

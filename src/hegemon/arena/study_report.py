"""The report of a study: one self-contained HTML page, or Markdown with plots in a folder."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Final

from hegemon.arena import plots
from hegemon.arena.analysis import Finding
from hegemon.arena.report import html_table, page, section
from hegemon.arena.study import GameStudy
from hegemon.arena.tables import TextTable

TITLE: Final = "What the game is like"

#: The generated part of a Markdown file is between these lines.
BEGIN: Final = "<!-- study:begin -->"
END: Final = "<!-- study:end -->"


def summary(study: GameStudy) -> str:
    played: dict[str, int] = dict.fromkeys(study.players, 0)
    for (by, _), games in study.samples.items():
        played[by] += len(games)
    numbers = [f"{number:,} games by {by}" for by, number in played.items() if number]
    return (
        f"{', '.join(numbers) or 'No games'}, seed {study.seed}. All seats of a game have the same player: "
        "`chance` chooses at random among the legal choices, `sense` is the playout policy of the search, and the "
        "others are bots. ± is the distance to the farther end of the 95 % interval."
    )


def html(study: GameStudy, found: Iterable[Finding], command: str) -> str:
    parts = []
    for finding in found:
        plot = plots.in_page(finding.draw(), finding.title, finding.name) if finding.draw else ""
        note = f'<p class="note">{coded(finding.text)}</p>'
        parts.append(section(finding.title, note, html_table(finding.table), plot))
    parts.append(section("Made by", f"<p><code>{escape(command)}</code></p>"))
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
    parts = [f"```sh\n{command}\n```", summary(study)]
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
    """Replace the generated part of a file, or write a new one, and write the plots into a folder of its name."""
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

"""A study at the terminal: its progress while it runs, and its tables when it is over."""

import json
import shlex
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hegemon.arena.findings import Finding, findings
from hegemon.arena.paper import TITLE, summary, write_markdown, write_page
from hegemon.arena.playing import BotFailed
from hegemon.arena.running import Progress
from hegemon.arena.study import CHANCE, SENSE, Study
from hegemon.cli import saves
from hegemon.cli.competing import Watched, complain, expect_folder, here, unfinished_journal
from hegemon.cli.console import terminal
from hegemon.cli.guard import INTERRUPTED
from hegemon.cli.prose import ARENA, STUDY
from hegemon.notation.setup import SetupError

MOST_GAMES: Final = 2_000_000


@dataclass(frozen=True)
class Inquiry:
    """What was asked for at the command line."""

    study: Study
    jobs: int
    json_file: str | None = None
    report: Path | None = None
    markdown: Path | None = None

    def run(self) -> int:
        """Play, and tell what came out; returns the exit status."""
        self._check()
        status = 0
        try:
            with Watched() as watched:
                self._play(watched)
        except KeyboardInterrupt:
            complain(STUDY["interrupted"])
            status = INTERRUPTED
        except BotFailed as failure:
            raise SetupError(str(failure)) from None
        self._tell(findings(self.study), finished=status == 0)
        return status

    def _check(self) -> None:
        study = self.study
        if not 1 <= study.games <= MOST_GAMES:
            raise SetupError(STUDY["games"].format(most=MOST_GAMES, games=study.games))
        if not 0 <= study.strong_games <= MOST_GAMES:
            raise SetupError(STUDY["strong-games"].format(most=MOST_GAMES, games=study.strong_games))
        if self.jobs < 1:
            raise SetupError(ARENA["jobs"].format(jobs=self.jobs))
        list(study.tournaments())  # an unknown bot is refused before anything is played
        for path in (self.json_file, self.markdown):
            if path is not None and path != "-":
                expect_folder(Path(path))
        if (self.report is not None or self.markdown is not None) and find_spec("matplotlib") is None:
            raise SetupError(STUDY["no-matplotlib"])
        if self.report is not None:
            saves.make_folder(self.report)

    def _play(self, watched: Watched) -> None:
        study = self.study

        def tell(by: str, progress: Progress) -> None:
            watched.tell(progress, by)

        for by in (CHANCE, SENSE):
            study.sample(by, self.jobs, tell)
        if study.strong is not None and study.strong_games:
            study.watch_strong(here((study.strong,), self.jobs), unfinished_journal, tell)

    def _tell(self, found: list[Finding], *, finished: bool) -> None:
        study, command = self.study, shlex.join(["hegemon", *sys.argv[1:]])
        data: dict[str, Any] = {
            "finished": finished,
            "games": study.games,
            "strong": study.strong if study.strong_games else None,
            "strong_games": study.strong_games,
            "seed": study.seed,
            **{finding.name: finding.data for finding in found},
        }
        if self.json_file == "-":
            sys.stdout.write(json.dumps(data, indent=2) + "\n")
        else:
            draw_findings(terminal(), study, found)
            if self.json_file is not None:
                Path(self.json_file).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        if self.report is not None:
            complain(ARENA["report"].format(path=write_page(self.report, study, found, command)))
        if self.markdown is not None:
            write_markdown(self.markdown, study, found, command)
            complain(STUDY["markdown"].format(path=self.markdown))


def draw_findings(console: Console, study: Study, found: list[Finding]) -> None:
    """Everything that was found, as tables."""
    if not found:
        console.print(STUDY["nothing"])
        return
    console.print(Text(TITLE, style="bold"))
    console.print(summary(study).replace("`", ""), markup=False)
    for finding in found:
        console.print()
        console.print(Text(finding.title, style="bold"))
        console.print(finding.text.replace("`", ""), markup=False)
        made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for place, heading in enumerate(finding.headings):
            made.add_column(heading, justify="right" if place > 1 else "left", overflow="fold")
        before = ""
        for row in finding.rows:  # a name that stands in the row above need not stand here again
            made.add_row(*(Text(cell) for cell in ("" if row[0] == before else row[0], *row[1:])))
            before = row[0]
        console.print(made)

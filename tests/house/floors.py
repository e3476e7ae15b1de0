"""The least coverage each room of the package may have, judged after the last test.

The floors stand in pyproject.toml. This runs inside pytest, not after it, so that pytest has the last
word in the output and its exit status tells of both.
"""

import io
import tomllib

import coverage
from coverage.exceptions import NoDataError

USUAL = 90


class Floors:
    """A pytest plugin: measures every room and fails the run where one is under its floor."""

    def __init__(self, root):
        self.source = root / "src" / "hegemon"
        settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        self.floors = settings["tool"]["hegemon"]["floors"]
        self.lines = []
        self.broken = False

    def rooms(self):
        return sorted(init.parent.name for init in self.source.glob("*/__init__.py"))

    def pytest_sessionfinish(self, session):
        data = coverage.Coverage()
        data.load()
        for room in self.rooms():
            floor = self.floors.get(room, USUAL)
            report = io.StringIO()
            try:
                per_cent = data.report(include=f"*/hegemon/{room}/*", file=report)
            except NoDataError:
                per_cent = 0.0
            short = per_cent < floor
            self.broken |= short
            verdict = f" is under its floor of {floor} %\n{report.getvalue()}" if short else ""
            self.lines.append(f"{room:10}{int(per_cent * 10) / 10:6.1f} %{verdict}")
        if self.broken and session.exitstatus == 0:
            session.exitstatus = 1

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("branch coverage, room by room", "-", red=self.broken)
        for line in self.lines:
            terminalreporter.write_line(line)

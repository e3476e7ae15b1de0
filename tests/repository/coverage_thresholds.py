"""Minimum coverage of each package, checked after the last test.

The thresholds are in pyproject.toml. The check is a pytest plugin, so that pytest's own summary closes the output and
its exit status covers both.
"""

import io
import tomllib

import coverage
from coverage.exceptions import NoDataError

DEFAULT_THRESHOLD = 90


class CoverageThresholds:
    """Report the coverage of each package and fail the run where one is below its threshold."""

    def __init__(self, root):
        self.source = root / "src" / "hegemon"
        settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        self.thresholds = settings["tool"]["hegemon"]["coverage"]
        self.lines = []
        self.failed = False

    def packages(self):
        return sorted(init.parent.name for init in self.source.glob("*/__init__.py"))

    def pytest_sessionfinish(self, session):
        data = coverage.Coverage()
        data.load()
        for package in self.packages():
            threshold = self.thresholds.get(package, DEFAULT_THRESHOLD)
            report = io.StringIO()
            try:
                percent = data.report(include=f"*/hegemon/{package}/*", file=report)
            except NoDataError:
                percent = 0.0
            below = percent < threshold
            self.failed |= below
            verdict = f" is below its threshold of {threshold} %\n{report.getvalue()}" if below else ""
            self.lines.append(f"{package:10}{int(percent * 10) / 10:6.1f} %{verdict}")
        if self.failed and session.exitstatus == 0:
            session.exitstatus = 1

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("branch coverage by package", "-", red=self.failed)
        for line in self.lines:
            terminalreporter.write_line(line)

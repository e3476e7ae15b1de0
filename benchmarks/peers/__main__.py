"""Measure Hegemon and its peers in one run: `python benchmarks/peers`.

Each peer has its own virtual environment in a cache folder, which the first run installs. Then every loop runs in turn,
in a separate process on one core, round after round; the table shows the medians. The results go into
`docs/internals/speed.md` and `docs/internals/speed/`, unless only some peers were selected.
"""

import argparse
import json
import os
import platform
import shlex
import sys
from pathlib import Path

import report
from environments import HERE, default_cache
from field import PEERS
from measuring import results_of, run_all

DOCS = HERE.parents[1] / "docs" / "internals"


def read_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python benchmarks/peers", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=2, help="how long each run takes (default: 2)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each loop runs (default: 5)")
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="PEER",
        help=f"of {', '.join(peer.name for peer in PEERS)}; the documentation is not updated",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every run to this file")
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="FILE",
        help="read the runs from such a file instead of measuring",
    )
    parser.add_argument("--core", type=int, help="the core to run on (default: the last one)")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="the folder of the environments")
    parser.add_argument("--docs", type=Path, default=DOCS, help="the folder of speed.md")
    given = parser.parse_args(arguments)
    names = {peer.name.lower(): peer for peer in PEERS}
    unknown = [name for name in given.only or () if name.lower() not in names]
    if unknown:
        parser.error(f"no peer {unknown[0]!r}; there are {', '.join(peer.name for peer in PEERS)}")
    if given.seconds <= 0 or given.rounds < 1:
        parser.error("a run takes more than 0 seconds, and there is at least 1 round")
    chosen = {name.lower() for name in given.only or names}
    given.peers = [peer for peer in PEERS if peer.name.lower() in chosen]
    return given


def core_to_use(requested: int | None) -> int | None:
    """The core that every loop is pinned to; None where the system cannot pin."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    return max(os.sched_getaffinity(0)) if requested is None else requested


def report_progress(line: str) -> None:
    """Report progress on standard error."""
    print(line, file=sys.stderr, flush=True)


def main(arguments: list[str]) -> None:
    """Measure, print the results, and update the documentation."""
    given = read_options(arguments)
    if given.source:
        found = json.loads(given.source.read_text(encoding="utf-8"))
        results = results_of(found["results"], PEERS)
    else:
        command = f"python benchmarks/peers --seconds {given.seconds:g} --rounds {given.rounds}"
        if given.only:
            command += f" --only {shlex.join(given.only)}"
        setting = f"{report.processor()}, Python {platform.python_version()}, {platform.system()}"
        results = run_all(
            given.peers,
            given.seconds,
            given.rounds,
            core_to_use(given.core),
            given.cache.resolve(),
            report_progress,
        )
        found = {"command": command, "setting": setting, "results": [result.as_data() for result in results]}
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")

    from rich.console import Console

    console = Console()
    console.width = max(console.width, 130)  # a wrapped table cannot be read
    console.print(report.for_terminal(results))
    for line in [*report.comparisons(results), report.disturbed_note(results)]:
        console.print(line, highlight=False)
    if given.only:
        report_progress("Only some peers ran: the documentation is not updated.")
        return
    report.draw(results, given.docs / report.PLOT)
    report.write_section(
        given.docs / "speed.md", report.markdown(results, found["command"], found["setting"])
    )
    report_progress(f"{given.docs / 'speed.md'} and {given.docs / report.PLOT} are written.")


if __name__ == "__main__":
    main(sys.argv[1:])

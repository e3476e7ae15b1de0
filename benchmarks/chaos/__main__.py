"""Chaos testing of servers: no acknowledged move may be lost or doubled, no table stuck, no hidden card sent.

    python benchmarks/chaos [--minutes M] [--workers N] [--shared-port] [--seed S] [--database sqlite]
                            [--keep FOLDER] [--json FILE]
    python benchmarks/chaos --check FOLDER

Programs play on several workers with one database, through the JSON API and its streams, while workers are killed,
paused and restarted, their clocks are stepped, the database is restarted, connections are cut, stalled and half closed,
and the disk is full. Then every table is played to its end, and a checker reads the clients' logs. All traffic is on
loopback. With `--shared-port`, the workers are those of one `hegemon serve --workers`. `--keep` saves the logs, and
`--check` checks saved logs again.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests" / "server")]

from rich.console import Console  # noqa: E402  # after the path
from rich.table import Table as Rows  # noqa: E402

from chaos.checker import KINDS, Anomaly  # noqa: E402
from chaos.cluster import POSTGRESQL, SQLITE, ClusterError, reason_unavailable  # noqa: E402
from chaos.run import Plan, Verdict, check_folder, run  # noqa: E402

#: The maximum number of anomalies that are printed in full.
MAX_LISTED = 20


def show(verdict: Verdict, plan: Plan, console: Console) -> None:
    counts = verdict.counts
    workers = f"{plan.workers} workers{' behind one port' if plan.shared_port else ''} on {plan.database}"
    rows = Rows(title=f"{workers}, seed {plan.seed}, {verdict.seconds:.0f} s")
    rows.add_column("")
    rows.add_column("", justify="right")
    figures = {
        "games played to the end": verdict.tables,
        "moves acknowledged": counts["move ok"],
        "moves rejected": counts["move rejected"],
        "moves with an unknown outcome": counts["move unknown"],
        "states read": counts["read ok"],
        "reads without an answer": counts["read unknown"],
        "messages acknowledged": counts["chat ok"],
        "events on streams": counts["stream events"],
        "interrupted streams": counts["interrupted streams"],
        "internal errors (status 500)": counts["status 500"],
        "workers that crashed": verdict.crashes,
    }
    for name, figure in figures.items():
        rows.add_row(name, str(figure))
    rows.add_section()
    for name, times in sorted(verdict.strikes.items()):
        rows.add_row(name, f"{times} times")
    for name in verdict.skipped:
        rows.add_row(name, "skipped")
    rows.add_section()
    show_anomalies(verdict.anomalies, rows)
    console.print(rows)
    list_anomalies(verdict.anomalies, console)


def show_anomalies(anomalies: list[Anomaly], rows: Rows) -> None:
    for kind in KINDS:
        found = sum(anomaly.kind == kind for anomaly in anomalies)
        rows.add_row(kind, f"[bold red]{found}" if found else "0")


def list_anomalies(anomalies: list[Anomaly], console: Console) -> None:
    for anomaly in anomalies[:MAX_LISTED]:
        console.print(str(anomaly), markup=False)
    if len(anomalies) > MAX_LISTED:
        console.print(f"and {len(anomalies) - MAX_LISTED} more")
    console.print("anomalies were found" if anomalies else "no anomaly was found")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/chaos", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--shared-port", action="store_true", help="all workers behind one port")
    parser.add_argument("--tables", type=int, default=Plan.tables, help="tables at the same time")
    parser.add_argument("--pace", type=float, default=Plan.pace, help="seconds between two moves of a player")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--database", choices=(POSTGRESQL, SQLITE), default=POSTGRESQL)
    parser.add_argument("--json", type=Path, help="also write the verdict to this file")
    parser.add_argument("--keep", type=Path, help="save the logs in this folder, which must not exist")
    parser.add_argument("--check", type=Path, help="check the logs of an earlier run")
    options = parser.parse_args()
    if options.workers < 1 or options.tables < 1 or options.minutes <= 0:
        parser.error("the numbers of workers, tables and minutes must be positive")
    if options.database == SQLITE and options.workers > 1:
        parser.error("SQLite has one worker: add --workers 1")
    if options.shared_port and options.workers < 2:
        parser.error("several workers share a port: leave out --workers 1")
    if options.keep is not None and options.keep.exists():
        parser.error(f"{options.keep} exists; name another folder")
    if options.check is not None and not (options.check / "logs").is_dir():
        parser.error(f"{options.check} has no logs; it must be a folder that --keep has created")
    return options


def main() -> int:
    """Return 1 if there was an anomaly, 2 if the run is not possible on this machine."""
    options = read_options()
    console, errors = Console(), Console(stderr=True)
    if options.check is not None:
        rows = Rows("anomaly", "found")
        anomalies = check_folder(options.check / "logs", os.cpu_count() or 1)
        show_anomalies(anomalies, rows)
        console.print(rows)
        list_anomalies(anomalies, console)
        return 1 if anomalies else 0
    if reason := reason_unavailable(options.database, shared_port=options.shared_port):
        errors.print(reason)
        return 2
    plan = Plan(
        options.database,
        options.workers,
        60 * options.minutes,
        options.tables,
        options.pace,
        options.seed,
        shared_port=options.shared_port,
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic()

    def report(what: str) -> None:
        errors.print(f"{(time.monotonic() - began) / 60:6.2f} min  {what}", markup=False, highlight=False)

    with tempfile.TemporaryDirectory(prefix="hegemon-chaos-") as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            verdict = asyncio.run(run(plan, folder, report, os.cpu_count() or 1))
        except KeyboardInterrupt:
            errors.print("stopped without a verdict")
            return 130
        except ClusterError as error:
            errors.print(f"The run has failed: {error}", markup=False)
            return 2
    if options.json:
        options.json.write_text(json.dumps(verdict.to_dict(), indent=2) + "\n", encoding="utf-8")
    show(verdict, plan, console)
    return 0 if verdict.is_good else 1


if __name__ == "__main__":
    sys.exit(main())

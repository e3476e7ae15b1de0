"""Moves per second by the number of workers, on a temporary PostgreSQL server.

    python benchmarks/workers.py [--workers 1 2 4 8] [--by-game] [--tables N] [--seconds S] [--players P] [--json FILE]

Every table has four players with a stream each, and makes its next move as soon as the last one was acknowledged. The
players run in separate processes, by default as many as the largest number of workers; they, the workers and PostgreSQL
share the machine, so it needs more than twice as many cores as workers. PostgreSQL runs with full durability: an
acknowledged move is on disk.
"""

import argparse
import asyncio
import json
import runpy
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import cycle, repeat
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "load"), str(HERE.parent / "tests" / "server")]

import hegemon_players  # noqa: E402  # after the path
import postgresql_server  # noqa: E402

#: Unlike the server of the tests, this one must not lose anything.
DURABLE = {"fsync": "on", "full_page_writes": "on", "autovacuum": "on"}


def play(port, games, seconds):
    """Play a share of the games in this process; return the number of moves and the delays."""
    return asyncio.run(hegemon_players.play(port, games, seconds, interval=0))


@contextmanager
def new_database(postgresql, name):
    postgresql.execute(f"CREATE DATABASE {name}")
    try:
        yield postgresql.url(name)
    finally:
        postgresql.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def servers(load, database, workers, *, by_game):
    """The process ids and the ports of the workers: one port for all of them, or one for each."""
    with ExitStack() as stack:
        start = load["hegemon_server"]
        if by_game:
            started = [stack.enter_context(start(database)) for _ in range(workers)]
        else:
            started = [stack.enter_context(start(database, workers))]
        yield zip(*started, strict=True)


def measure(load, postgresql, workers, options):
    with new_database(postgresql, f"workers{workers}") as database:
        games = asyncio.run(hegemon_players.create_tables(database, options.tables))
        shares = [games[first :: options.players] for first in range(options.players)]
        with (
            servers(load, database, workers, by_game=options.by_game) as (pids, ports),
            ProcessPoolExecutor(options.players, get_context("spawn")) as pool,
        ):
            meters = [load["CpuMeter"](pid) for pid in pids]
            # The players start their measurement after the same time, apart from the start of their processes.
            for meter in meters:
                threading.Timer(hegemon_players.WARM_UP_SECONDS, meter.begin).start()
            played = list(pool.map(play, cycle(ports), shares, repeat(options.seconds)))
            moves = sum(moves for moves, _ in played)
            cpu = sum(load["cpu_seconds"](meter.pid) - meter.began for meter in meters)
            delays = sorted(delay for _, found in played for delay in found)
            if not delays:
                raise SystemExit("The games ended before the measurement began: use more --tables.")
            return {
                "moves_a_second": round(moves / options.seconds, 1),
                "median_ms": round(delays[len(delays) // 2], 1),
                "p95_ms": round(delays[len(delays) * 95 // 100], 1),
                "cpu_ms_a_move": round(1000 * cpu / moves, 2),
                "memory_mb": round(sum(load["peak_memory"](pid) for pid in pids)),
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument(
        "--by-game", action="store_true", help="send all connections of a table to one worker"
    )
    parser.add_argument("--tables", type=int, default=400)
    parser.add_argument("--seconds", type=int, default=20, help="at most 60: then the first games are over")
    parser.add_argument("--players", type=int, help="processes of players")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    options.players = options.players or max(options.workers)
    if not postgresql_server.is_installed():
        raise SystemExit("PostgreSQL is not installed (on Debian: the package postgresql).")
    load = runpy.run_path(str(HERE / "load" / "__main__.py"), run_name="load")
    console, figures = Console(stderr=True), {}
    with postgresql_server.PostgresqlServer(settings=DURABLE) as postgresql:
        for workers in options.workers:
            with console.status(f"{workers} workers, {options.tables} tables for {options.seconds} s"):
                figures[workers] = measure(load, postgresql, workers, options)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    first = options.workers[0]
    shown = Table(title=f"{options.tables} tables of four, as fast as the server answers")
    for heading in (
        "workers",
        "moves a second",
        "per worker, against the first row",
        "median",
        "95 %",
        "CPU per move",
        "memory",
    ):
        shown.add_column(heading, justify="right")
    for workers, found in figures.items():
        share = found["moves_a_second"] / workers / (figures[first]["moves_a_second"] / first)
        shown.add_row(
            str(workers),
            str(found["moves_a_second"]),
            f"{share:.2f}",
            f"{found['median_ms']} ms",
            f"{found['p95_ms']} ms",
            f"{found['cpu_ms_a_move']} ms",
            f"{found['memory_mb']} MB",
        )
    Console().print(shown)


if __name__ == "__main__":
    main()

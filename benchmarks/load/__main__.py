"""Many tables at once: the delay until remote players see a move, and the memory of the server.

    python benchmarks/load [--tables N] [--seconds S] [--json FILE] [--only NAME …]

Every table has four players on separate connections and makes one move per second. The delay is the time from sending
a move until each of the other three players has received it, over loopback, with the server in one process and all
players in another. The same load is then put on boardgame.io's server with a card game of similar size, if Node.js and
npm are installed. Hegemon saves every move to disk before it counts; boardgame.io stores games in memory. Its server
needs an older koa-compose: with the newest one its lobby is not found.

Both send what has changed as data. `--only "hegemon, pages"` measures the streams of the pages instead: the server then
renders the page for each of the four players, in that player's language, at every move.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import hegemon_players
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
PEER = HERE / "boardgame_io"


def peak_memory(pid):
    """The peak memory of a process so far, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM in /proc")


def cpu_seconds(pid):
    """The CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def summary(moves, delays, seconds, pid):
    centiles = statistics.quantiles(delays, n=100)
    return {
        "moves_a_second": round(moves / seconds, 1),
        "updates": len(delays),
        "median_ms": round(statistics.median(delays), 1),
        "p95_ms": round(centiles[94], 1),
        "p99_ms": round(centiles[98], 1),
        "cpu_ms_a_move": round(1000 * cpu_seconds(pid) / moves, 2),
        "memory_mb": round(peak_memory(pid)),
    }


def measure_hegemon(tables, seconds, *, pages=False):
    """`hegemon serve` with a SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "tables.db"
        games = asyncio.run(hegemon_players.create_tables(database, tables))
        command = [
            sys.executable,
            "-c",
            "from hegemon.cli import main; main()",
            "serve",
            "--port",
            "0",
            "--log",
            "quiet",
        ]
        with subprocess.Popen(
            [*command, "--database", str(database)],
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            port = int(server.stdout.readline().rstrip().rpartition(":")[2])
            try:
                moves, delays = asyncio.run(hegemon_players.play(port, games, seconds, pages=pages))
                return summary(moves, delays, seconds, server.pid)
            finally:
                server.terminate()


def install_peer(folder):
    """Copy the programs for boardgame.io and install their npm packages."""
    shutil.copytree(PEER, folder, dirs_exist_ok=True)
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True)


def measure_boardgame_io(tables, seconds):
    with tempfile.TemporaryDirectory() as folder:
        install_peer(folder)
        with subprocess.Popen(
            ["node", "server.js"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            port = next(line.split()[1] for line in server.stdout if line.startswith("listening"))
            try:
                players = subprocess.run(
                    ["node", "players.js", f"http://localhost:{port}", str(tables), "4", str(seconds)],
                    cwd=folder,
                    check=True,
                    capture_output=True,
                    text=True,
                )
                output = json.loads(players.stdout.splitlines()[-1])
                return summary(output["moves"], output["delays"], seconds, server.pid)
            finally:
                server.kill()


SERVERS = {
    "hegemon": measure_hegemon,
    "hegemon, pages": partial(measure_hegemon, pages=True),
    "boardgame.io": measure_boardgame_io,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--only", choices=list(SERVERS), nargs="+", default=["hegemon", "boardgame.io"])
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    console = Console(stderr=True)
    figures = {}
    for name, measure in SERVERS.items():
        if name not in options.only:
            continue
        if name == "boardgame.io" and shutil.which("npm") is None:
            console.print(
                "boardgame.io is skipped: npm is not installed (on Debian: the packages nodejs and npm)."
            )
            continue
        with console.status(f"{name}: {options.tables} tables for {options.seconds} s"):
            figures[name] = measure(options.tables, options.seconds)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    shown = Table(title=f"{options.tables} tables of four, one move per second each, {options.seconds} s")
    for heading in ("server", "moves a second", "median", "95 %", "99 %", "CPU a move", "memory"):
        shown.add_column(heading, justify="left" if heading == "server" else "right")
    for name, found in figures.items():
        shown.add_row(
            name,
            str(found["moves_a_second"]),
            *(f"{found[key]} ms" for key in ("median_ms", "p95_ms", "p99_ms", "cpu_ms_a_move")),
            f"{found['memory_mb']} MB",
        )
    Console().print(shown)


if __name__ == "__main__":
    main()

"""Many tables at once: the delay until remote players see a move, and the memory of the server.

    python benchmarks/load [--tables N] [--seconds S] [--json FILE] [--only NAME …] [--database URL] [--workers N]
                           [--streams N] [--languages CODE …]

Every table has four players on separate connections and makes one move per second. The delay is the time from sending
a move until each of the other three players has received it, over loopback, with the server in one process and all
players in another. The same load is then put on boardgame.io's server with a card game of similar size, if Node.js and
npm are installed. Hegemon saves every move to disk before it counts; boardgame.io stores games in memory. Its server
needs an older koa-compose: with the newest one its lobby is not found.

Both send what has changed as data. `--only "hegemon, browsers"` measures pages instead: moves are forms, and at every
move the server renders what has changed for each of the four players, in that player's language, and compresses it. The
players read in `--languages`, in turn. With `--streams 0`, there are no readers: the difference in CPU time is theirs.
`--only "hegemon, idle"` opens the streams of programs and makes no move, for the memory of a stream.

CPU time is that of the measured moves, without the start and the warm-up; memory is the peak since the start.
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
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))

import hegemon_players  # noqa: E402  # after the path
from child_processes import process_tree  # noqa: E402

PEER = HERE / "boardgame_io"


def peak_memory(pid):
    """The peak memory of a server so far in MB, summed over its processes."""
    lines = [line for process in process_tree(pid) for line in status_of(process)]
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def open_files(pid):
    return sum(len(list(Path(f"/proc/{process}/fd").iterdir())) for process in process_tree(pid))


def status_of(pid):
    return Path(f"/proc/{pid}/status").read_text().splitlines()


def cpu_seconds(pid):
    """The CPU time of a server so far."""
    ticks = 0
    for process in process_tree(pid):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class CpuMeter:
    """Measures the CPU time of a server from the end of the warm-up."""

    def __init__(self, pid):
        self.pid = pid
        self.began = 0.0

    def begin(self):
        self.began = cpu_seconds(self.pid)

    def summary(self, moves, delays, seconds):
        centiles = [round(centile, 1) for centile in statistics.quantiles(delays, n=100)] if delays else []
        return {
            "moves_a_second": round(moves / seconds, 1),
            "updates": len(delays),
            **({"median_ms": centiles[49], "p95_ms": centiles[94], "p99_ms": centiles[98]} if delays else {}),
            "cpu_ms_a_move": round(1000 * (cpu_seconds(self.pid) - self.began) / moves, 2),
            "memory_mb": round(peak_memory(self.pid)),
        }


@contextmanager
def hegemon_server(database, workers=1):
    """`hegemon serve` with that database; yields its process id and its port."""
    command = [sys.executable, "-c", "from hegemon.cli import main; main()", "serve", "--port", "0"]
    command += ["--log", "quiet", "--database", str(database)]
    if workers > 1:
        command += ["--workers", str(workers)]
    with subprocess.Popen(
        command, env=os.environ | {"PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            yield server.pid, int(server.stdout.readline().rstrip().rpartition(":")[2])
        finally:
            server.terminate()


@contextmanager
def database_for(options):
    """The database that was given, or a new file."""
    with tempfile.TemporaryDirectory() as folder:
        yield options.database or str(Path(folder) / "tables.db")


def measure_hegemon(options, *, browsers=False):
    player = hegemon_players.Browser(options.languages) if browsers else hegemon_players.PROGRAM
    with database_for(options) as database:
        games = asyncio.run(hegemon_players.create_tables(database, options.tables))
        with hegemon_server(database, options.workers) as (pid, port):
            meter = CpuMeter(pid)
            playing = hegemon_players.play(
                port, games, options.seconds, player=player, streams=options.streams, on_measure=meter.begin
            )
            moves, delays = asyncio.run(playing)
            return meter.summary(moves, delays, options.seconds)


def measure_idle(options):
    """The memory of a server whose streams, four for each table, have nothing to send."""
    with database_for(options) as database:
        games = asyncio.run(hegemon_players.create_tables(database, options.tables))
        with hegemon_server(database, options.workers) as (pid, port):

            async def wait():
                async with hegemon_players.following(port, games, []):
                    while open_files(pid) < hegemon_players.SEATS * options.tables:
                        await asyncio.sleep(0.1)
                    await asyncio.sleep(options.seconds)
                    return peak_memory(pid)

            return {"memory_mb": round(asyncio.run(wait()))}


def install_peer(folder):
    """Copy the programs for boardgame.io and install their npm packages."""
    shutil.copytree(PEER, folder, dirs_exist_ok=True)
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True)


def measure_boardgame_io(options):
    with tempfile.TemporaryDirectory() as folder:
        install_peer(folder)
        with subprocess.Popen(
            ["node", "server.js"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            port = next(line.split()[1] for line in server.stdout if line.startswith("listening"))
            meter = CpuMeter(server.pid)
            command = ["node", "players.js", f"http://localhost:{port}", str(options.tables), "4"]
            try:
                with subprocess.Popen(
                    [*command, str(options.seconds)], cwd=folder, stdout=subprocess.PIPE, text=True
                ) as players:
                    next(line for line in players.stdout if line == "measuring\n")
                    meter.begin()
                    output = json.loads(players.stdout.readline())
                    return meter.summary(output["moves"], output["delays"], options.seconds)
            finally:
                server.kill()


SERVERS = {
    "hegemon": measure_hegemon,
    "hegemon, browsers": partial(measure_hegemon, browsers=True),
    "hegemon, idle": measure_idle,
    "boardgame.io": measure_boardgame_io,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--only", choices=list(SERVERS), nargs="+", default=["hegemon", "boardgame.io"])
    parser.add_argument(
        "--database", help="a file, or the URL of a PostgreSQL database; otherwise a new file"
    )
    parser.add_argument(
        "--workers", type=int, default=1, help="processes of Hegemon's server, with PostgreSQL"
    )
    parser.add_argument(
        "--streams", type=int, default=hegemon_players.SEATS, help="open streams of Hegemon's players a table"
    )
    parser.add_argument("--languages", nargs="+", default=["en"], help="languages of browsers, by seat")
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
            figures[name] = measure(options)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    shown = Table(title=f"{options.tables} tables of four, one move per second each, {options.seconds} s")
    for heading in ("server", "moves a second", "median", "95 %", "99 %", "CPU a move", "memory"):
        shown.add_column(heading, justify="left" if heading == "server" else "right")
    for name, found in figures.items():
        shown.add_row(
            name,
            str(found.get("moves_a_second", "")),
            *(
                f"{found[key]} ms" if key in found else ""
                for key in ("median_ms", "p95_ms", "p99_ms", "cpu_ms_a_move")
            ),
            f"{found['memory_mb']} MB",
        )
    Console().print(shown)


if __name__ == "__main__":
    main()

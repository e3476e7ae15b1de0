"""The effect of searching bots on others: response times while champions search, in threads and in processes.

    python benchmarks/thinkers.py --thinkers 2 --champions 6 --tables 10 --seconds 20 --rounds 3

A server runs on a new database. At some tables, three champions play against a program that answers immediately, from a
separate address; at the others, a player moves about once per second against bots that do not search, with the stream
of the page open. The response time of these moves is measured without champions, with champions in threads of the
server, and with champions in thinking processes, in turn, for a number of rounds.

    python benchmarks/thinkers.py --costs

measures how long a bot without a search takes, and how long it takes to write and read its view and memory as text.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
from server import Player

#: Seconds before anything is measured: the search is loaded from the cache, or compiled.
WARM_UP_SECONDS = 15

THREADS, PROCESSES, NONE = "champions in threads", "champions in processes", "no champions"


@contextlib.contextmanager
def server(thinkers: int) -> Iterator[tuple[str, int]]:
    """Start `hegemon serve`; yields its address and process id."""
    with tempfile.TemporaryDirectory() as folder:
        command = ("serve", "--port", "0", "--log", "quiet", "--database", f"{folder}/games.db")
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "from hegemon.cli import main; main()",
                *command,
                "--thinkers",
                str(thinkers),
            ],
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield re.search(r"http://\S+", process.stdout.readline())[0], process.pid
        finally:
            process.terminate()
            process.communicate()


def cpu_time(process: int) -> float:
    """The CPU time of a process in seconds, without the processes that it has started (on Linux; 0 elsewhere)."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return 0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def face_champions(address: str, number: int, moves: list[float]) -> None:
    """Play against three champions from a separate address, always immediately, so that one of them is searching."""
    transport = httpx.AsyncHTTPTransport(local_address=f"127.0.0.{number + 2}")
    async with httpx.AsyncClient(base_url=address, timeout=60, transport=transport) as client:
        while True:
            created = await client.post("/api/games", json={"seats": [{}] + [{"bot": "champion"}] * 3})
            game = f"/api/games/{created.json()['game']}"
            client.headers["authorization"] = f"Bearer {created.json()['seats'][0]['token']}"
            async with client.stream("GET", f"{game}/stream") as stream:
                async for line in stream.aiter_lines():
                    if not line.startswith("data: {"):
                        continue
                    moves.append(time.monotonic())
                    state = (await client.get(game)).json()
                    if state["result"] is not None:
                        break
                    if state["choices"]:
                        move = {"choice": state["choices"][-1]["choice"], "version": state["version"]}
                        await client.post(
                            f"{game}/moves", json=move | {"idempotency_key": str(time.time_ns())}
                        )
            del client.headers["authorization"]


async def measure(address: str, tables: int, champions: int, seconds: float) -> tuple[list[float], int]:
    """The response times of moves in milliseconds, and the number of the champions' moves meanwhile."""
    moves: list[float] = []
    watching = [asyncio.create_task(face_champions(address, number, moves)) for number in range(champions)]
    await asyncio.sleep(WARM_UP_SECONDS)
    for task in watching:
        if task.done():
            task.result()
    began = time.monotonic()
    players = [Player(address, ["normal", "greedy"], seed) for seed in range(tables)]
    await asyncio.gather(*(player.play(began + seconds) for player in players))
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    times = [took for player in players for took in player.times]
    return times, sum(moment >= began for moment in moves)


def compare(
    thinkers: int, champions: int, tables: int, seconds: float, rounds: int
) -> dict[str, dict[str, float]]:
    """The figures of each kind of server, over all rounds."""
    kinds = {NONE: (0, 0), THREADS: (0, champions), PROCESSES: (thinkers, champions)}
    times: dict[str, list[float]] = {kind: [] for kind in kinds}
    played: dict[str, int] = dict.fromkeys(kinds, 0)
    busy: dict[str, float] = dict.fromkeys(kinds, 0.0)
    for number in range(rounds):
        for kind, (processes, tables_of_champions) in kinds.items():
            print(f"round {number + 1}: {kind}", file=sys.stderr)
            with server(processes) as (address, process):
                began = cpu_time(process), time.monotonic()
                took, moves = asyncio.run(measure(address, tables, tables_of_champions, seconds))
                busy[kind] += (cpu_time(process) - began[0]) / (time.monotonic() - began[1]) / rounds
                times[kind] += took
                played[kind] += moves
    return {kind: figures(sorted(took), played[kind], busy[kind]) for kind, took in times.items()}


def figures(took: list[float], played: int, busy: float) -> dict[str, float]:
    return {
        "moves": len(took),
        "median": statistics.median(took),
        "p95": took[int(len(took) * 0.95)],
        "p99": took[int(len(took) * 0.99)],
        "slowest": took[-1],
        "champions' moves": played,
        "CPU of the server": busy,
    }


def costs() -> None:
    """Print the cost of a choice without a search, and of writing and reading the bot's view and memory."""
    from hegemon import Game, Memory
    from hegemon.bots import make_bot
    from hegemon.notation.reading import read_view
    from hegemon.notation.writing import write_view

    names, took, choices = ("easy", "normal", "greedy"), dict[str, float](), 0
    bots = {name: make_bot(name, 1) for name in names}
    for seed in range(20):
        game = Game(3, seed=seed)
        while not game.over:
            seat = game.seat
            known = game.view(seat), game.memory(seat), game.choices_of(seat)
            began = time.perf_counter()
            Memory(seat, 3, str(known[1]))
            read_view(write_view(known[0]))
            took["text"] = took.get("text", 0) + time.perf_counter() - began
            for name, bot in bots.items():
                began = time.perf_counter()
                choice = bot.choose(*known)
                took[name] = took.get(name, 0) + time.perf_counter() - began
            game.play(choice)
            choices += 1
    for name, seconds in took.items():
        print(f"{name:8} {seconds / choices * 1000:6.3f} ms a choice")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--thinkers", type=int, default=2, help="thinking processes")
    options.add_argument("--champions", type=int, default=6, help="tables of champions")
    options.add_argument("--tables", type=int, default=10, help="tables whose moves are measured")
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--json", action="store_true")
    options.add_argument("--costs", action="store_true")
    wanted = options.parse_args()
    if wanted.costs:
        costs()
        return
    measured = compare(wanted.thinkers, wanted.champions, wanted.tables, wanted.seconds, wanted.rounds)
    if wanted.json:
        print(json.dumps(measured))
        return
    for kind, values in measured.items():
        shown = "  ".join(
            f"{name} {value:,}" if isinstance(value, int) else f"{name} {value:,.2f}"
            for name, value in values.items()
        )
        print(f"{kind:24} {shown}")


if __name__ == "__main__":
    main()

"""Waiting times in a browser: the size of pages, the first paint, and the response to a move.

    python benchmarks/server.py --tables 20 --seconds 30

A server runs on a new database. The size is the compressed transfer of a page with its styles and scripts, headers
included, images excluded. The first paint is Chromium's measurement, with a cold cache. Moves are measured with
that many tables in play, each with bots and a player who reads the stream of the page and moves about once per second.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx

#: The goals; `docs/hosting/capacity.md` has the measurements.
GOALS = {"start page": 100, "table page": 100, "first paint": 500, "table paint": 500, "move p95": 50}
BOTS = "normal,greedy"
WARM_UP_SECONDS = 20
UNITS = {"start page": "kB", "table page": "kB", "moves": "", "one core busy": "%"}


@contextlib.contextmanager
def server() -> Iterator[tuple[str, int]]:
    """Start `hegemon serve`; yields its address and process id."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-c", "from hegemon.cli import main; main()", "serve", "--port", "0", "--log", "quiet",
             "--database", f"{folder}/games.db"],
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        try:
            yield re.search(r"http://\S+", process.stdout.readline())[0], process.pid
        finally:
            process.terminate()
            process.communicate()


# ------------------------------------------------------------------ size and paint


def page_size(address: str, path: str, cookie: str = "") -> int:
    """Bytes over the wire for a page with its styles and scripts, without images."""
    seen, queue, total = set(), [path], 0
    while queue:
        path = queue.pop()
        if path in seen:
            continue
        seen.add(path)
        size, text = fetch(address, path, cookie)
        total += size
        if not path.endswith((".css", ".js")):
            queue += re.findall(r'<link rel="stylesheet" href="([^"]+)"', text)
            queue += re.findall(r'<script[^>]* src="([^"]+)"', text)
        else:
            queue += [urljoin(path, name) for name in re.findall(r'from "(\./[^"]+\.js)"', text)]
    return total


def fetch(address: str, path: str, cookie: str) -> tuple[int, str]:
    """The transfer size of a response in bytes, headers included, and its text."""
    connection = HTTPConnection(urlsplit(address).netloc)
    connection.request("GET", path, headers={"accept-encoding": "gzip", "cookie": cookie})
    answer = connection.getresponse()
    body = answer.read()
    head = sum(len(name) + len(value) + 4 for name, value in answer.getheaders())
    connection.close()
    text = httpx.Response(
        200, headers={"content-encoding": answer.headers.get("content-encoding", "")}, content=body
    )
    return len(body) + head, text.text


def first_paint(address: str, times: int, cookie: str = "") -> float | None:
    """Milliseconds from the request for a page to the first contentful paint: the median of several tries."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return None
    from playwright.sync_api import sync_playwright

    paints = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(times):
            # Each context has an empty cache; waiting for the paint evaluates a script, which the CSP would block.
            context = browser.new_context(
                bypass_csp=True, extra_http_headers={"cookie": cookie} if cookie else {}
            )
            page = context.new_page()
            page.goto(address)
            paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
            page.wait_for_function(paint)
            paints.append(page.evaluate(paint))
            context.close()
        browser.close()
    return statistics.median(paints)


# ------------------------------------------------------------------ moves


class Player:
    """A player at a table with bots, with the stream of the page open."""

    def __init__(self, address: str, bots: list[str], seed: int) -> None:
        self.form = {"seat1": "me"} | {f"seat{seat}": bot for seat, bot in enumerate(bots, 2)}
        self.client = httpx.AsyncClient(base_url=address, timeout=60)
        self.chance = random.Random(seed)
        self.times: list[float] = []
        self.table = ""
        self.regions: dict[str, str] = {}

    async def play(self, until: float) -> None:
        while time.monotonic() < until:
            self.table = (await self.client.post("/games", data=self.form)).headers["location"]
            stream = asyncio.create_task(self._read_stream())
            while time.monotonic() < until and await self._move():
                pass
            stream.cancel()
            await asyncio.gather(stream, return_exceptions=True)
        await self.client.aclose()

    async def _read_stream(self) -> None:
        """Replace the regions of the page as they change, like a browser."""
        self.regions = {}
        async with self.client.stream("GET", f"{self.table}/stream") as stream:
            async for line in stream.aiter_lines():
                if line.startswith("data: {"):
                    self.regions |= json.loads(line.removeprefix("data: "))

    async def _move(self) -> bool:
        await asyncio.sleep(self.chance.uniform(0.5, 1.5))
        page = "".join(self.regions.values())
        if 'class="over"' in page:
            return False
        choices = [
            choice for choice in re.findall(r'name="choice" value="([^"]+)"', page) if choice != "undo"
        ]
        if choices:
            hidden = ("version", "seat", "idempotency_key")
            fields = {name: re.search(rf'name="{name}" value="([^"]*)"', page)[1] for name in hidden}
            began = time.perf_counter()
            answer = await self.client.post(
                f"{self.table}/moves",
                data=fields | {"choice": self.chance.choice(choices)},
                headers={"accept": "application/json"},
            )
            self.times.append((time.perf_counter() - began) * 1000)
            assert answer.status_code == 201, answer.text
        return True


async def measure_moves(address: str, bots: list[str], tables: int, seconds: float) -> list[float]:
    """The response times of all moves in milliseconds, sorted."""
    players = [Player(address, bots, seed) for seed in range(tables)]
    until = time.monotonic() + seconds
    await asyncio.gather(*(player.play(until) for player in players))
    return sorted(took for player in players for took in player.times)


def cpu_time(process: int) -> float:
    """The CPU time of a process in seconds, bots included (on Linux; 0 elsewhere)."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return 0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ------------------------------------------------------------------ command line


def measure(tables: int, bots: list[str], seconds: float, paints: int) -> dict[str, float | None]:
    with server() as (address, process):
        asyncio.run(measure_moves(address, bots, 2, WARM_UP_SECONDS))  # the first bots wait for the compiler
        began = cpu_time(process)
        took = asyncio.run(measure_moves(address, bots, tables, seconds))
        share = (cpu_time(process) - began) / seconds
        with httpx.Client(base_url=address) as client:
            table = client.post("/games", data={"quick": "yes"}).headers["location"]
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        return {
            "start page": page_size(address, "/") / 1000,
            "table page": page_size(address, table, cookie) / 1000,
            "first paint": first_paint(address, paints) if paints else None,
            "table paint": first_paint(f"{address}{table}", paints, cookie) if paints else None,
            "moves": len(took),
            "move median": statistics.median(took),
            "move p95": took[int(len(took) * 0.95)],
            "move slowest": took[-1],
            "one core busy": share * 100,
        }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--tables", type=int, default=20)
    options.add_argument("--bots", default=BOTS, help="the bots at every table")
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--paints", type=int, default=5, help="the number of first paints; 0 for no browser")
    options.add_argument("--json", action="store_true")
    wanted = options.parse_args()
    measured = measure(wanted.tables, wanted.bots.split(","), wanted.seconds, wanted.paints)
    if wanted.json:
        print(json.dumps(measured))
        return
    for name, value in measured.items():
        unit = UNITS.get(name, "ms")
        shown = "–" if value is None else f"{value:,.1f}" if unit else f"{value:,}"
        goal = f"(goal: under {GOALS[name]:,} {unit})" if name in GOALS else ""
        print(f"{name:16} {shown:>9} {unit:2} {goal}".rstrip())


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
    main()

"""Attacks that are too heavy for the tests, each against its own server, with measurements of their effect.

    python benchmarks/attack.py [--only NAME ...]

An attack is a function with the decorator `attack`; it receives a running server and returns its measurements.
Meanwhile, a thread requests `/health` continuously and records the longest response time. `docs/hosting/attacks.md`
contains the results.
"""

import argparse
import contextlib
import json
import os
import re
import resource
import secrets
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Rows

from hegemon import Game, write_record
from hegemon.client import Server

#: Seconds after which a request counts as unanswered.
REQUEST_TIMEOUT = 60

Figures = dict[str, str]
ATTACKS: dict[str, Callable[["Target"], Figures]] = {}


def attack(function: Callable[["Target"], Figures]) -> Callable[["Target"], Figures]:
    """Register an attack under the name of its function."""
    ATTACKS[function.__name__.replace("_", "-")] = function
    return function


# ------------------------------------------------------------------ the server


@dataclass
class Target:
    """A running server, with measurements of its process."""

    host: str
    port: int
    process: int
    log: Path

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
        """The status of the response and the location it redirects to."""
        with contextlib.closing(HTTPConnection(self.host, self.port, timeout=REQUEST_TIMEOUT)) as connection:
            connection.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.headers.get("location", "")

    def wait_until_idle(self) -> None:
        """Wait until the server is idle: at startup, it loads the compiled search."""
        before = -1.0
        while self.cpu() - before > 0.05:
            before = self.cpu()
            time.sleep(1)

    def memory(self) -> int:
        """The resident memory in MB."""
        status = Path(f"/proc/{self.process}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024

    def cpu(self) -> float:
        """The CPU time so far, in seconds."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def server() -> Iterator[Target]:
    """Start `hegemon serve` on a new database and all interfaces, since callers from this machine have fewer limits."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", "from hegemon.cli import main; main()", "serve", "--host", "0.0.0.0",
             "--port", "0", "--log", "json", "--database", f"{folder}/games.db"],
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            preexec_fn=limit_open_files,
        )  # fmt: skip
        port = int(re.search(r"http://[^:]+:(\d+)", process.stdout.readline())[1])
        target = Target(own_address(), port, process.pid, Path(log.name))
        try:
            target.wait_until_idle()
            yield target
        finally:
            process.terminate()
            process.communicate()


def limit_open_files() -> None:
    """Limit this process to the number of open files that most systems allow by default."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, hard), hard))


def own_address() -> str:
    """The address of this machine in its network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return probe.getsockname()[0]


@dataclass
class HealthProbe:
    """Requests the health of a server continuously, as a load balancer on the same machine would."""

    port: int
    longest: float = 0
    unanswered: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "HealthProbe":
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.01):
            began = time.perf_counter()
            try:
                with contextlib.closing(
                    HTTPConnection("127.0.0.1", self.port, timeout=REQUEST_TIMEOUT)
                ) as connection:
                    connection.request("GET", "/health")
                    connection.getresponse().read()
            except (OSError, HTTPException):
                self.unanswered += 1
            self.longest = max(self.longest, time.perf_counter() - began)

    @property
    def figures(self) -> Figures:
        return {"longest /health": f"{self.longest:.2f} s", "/health unanswered": str(self.unanswered)}


# ------------------------------------------------------------------ uploads


def upload(target: Target, record: bytes) -> tuple[int, str]:
    boundary = secrets.token_hex(8)
    part = f'--{boundary}\r\nContent-Disposition: form-data; name="record"; filename="game.toml"\r\n\r\n'
    body = part.encode() + record + f"\r\n--{boundary}--\r\n".encode()
    return target.request("POST", "/replays", body, content_type=f"multipart/form-data; boundary={boundary}")


def finished_game(name: str) -> str:
    """The record of a finished game with these names."""
    game = Game(2, seed=5, names=[name, name])
    while not game.over:
        game.play(game.choices[0])
    return write_record(game.record())


@attack
def freeze(target: Target) -> Figures:
    """One record with a table header of 995 dotted parts and 36,500 keys."""
    text = "[" + ".".join(["a"] * 995) + "]\n" + "".join(f"{n:x}=1\n" for n in range(36_500))
    with HealthProbe(target.port) as watch:
        time.sleep(0.2)
        began = time.perf_counter()
        status, _ = upload(target, text.encode()[:255_000])
        took = time.perf_counter() - began
    return {"status": str(status), "answered after": f"{took:.2f} s", **watch.figures}


@attack
def uploads(target: Target) -> Figures:
    """One record with two names of 120,000 letters, and a hundred requests for its replay."""
    before = target.memory()
    with HealthProbe(target.port) as watch:
        status, path = upload(target, finished_game("&" * 120_000).encode())
        for ply in range(100 if status == 303 else 0):
            target.request("GET", f"{path}?at={ply}&seat={ply % 6}")
    return {"status": str(status), "memory": f"{before} → {target.memory()} MB", **watch.figures}


# ------------------------------------------------------------------ connections


@attack
def half_sent(target: Target) -> Figures:
    """1,100 requests whose last byte never arrives, held for half a minute."""
    held = []
    with HealthProbe(target.port) as watch:
        for _ in range(1_100):
            connection = socket.socket()
            connection.settimeout(5)
            with contextlib.suppress(OSError):
                connection.connect((target.host, target.port))
                connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
            held.append(connection)
        time.sleep(30)
        open_now = len(list(Path(f"/proc/{target.process}/fd").iterdir()))
    for connection in held:
        connection.close()
    return {
        "files open after 30 s": str(open_now),
        "log": f"{target.log.stat().st_size / 1e6:.2f} MB",
        **watch.figures,
    }


@attack
def answers(target: Target) -> Figures:
    """No attack: the response times of a program that uses `hegemon.client`."""
    times: dict[str, list[float]] = {"look": [], "submit": []}

    def timed(name: str, call: Callable[..., Any], *arguments: object) -> Any:
        began = time.perf_counter()
        result = call(*arguments)
        times[name].append(time.perf_counter() - began)
        return result

    seats = Server(f"http://{target.host}:{target.port}").create_table("Ada", "Ben").own
    for number in range(120):
        seat = seats[number % 2]
        state = timed("look", seat.state)
        if state.choices:
            timed("submit", seat.submit_move, state.choices[0].choice, state.version)
    return {name: f"{statistics.median(values) * 1000:.1f} ms" for name, values in times.items()}


# ------------------------------------------------------------------ spectators


def new_table(target: Target, *seats: dict[str, object]) -> dict[str, Any]:
    """Create a table through the API."""
    with contextlib.closing(HTTPConnection(target.host, target.port, timeout=REQUEST_TIMEOUT)) as connection:
        body = json.dumps({"seats": seats})
        connection.request("POST", "/api/games", body, {"content-type": "application/json"})
        return json.load(connection.getresponse())


def play(target: Target, game: str, token: str, choice: str, version: int) -> None:
    body = json.dumps({"choice": choice, "version": version, "idempotency_key": secrets.token_hex(8)})
    status, _ = target.request(
        "POST",
        f"/api/games/{game}/moves",
        body.encode(),
        content_type="application/json",
        authorization=f"Bearer {token}",
    )
    assert status == 200, status


def drain(streams: list[socket.socket], seconds: float, enough: int = 0) -> int:
    """Read from the streams for some seconds, or until `enough` of them have received data; return how many have."""
    readers, end = set(), time.monotonic() + seconds
    while time.monotonic() < end and (not enough or len(readers) < enough):
        for stream in streams:
            with contextlib.suppress(BlockingIOError):
                if stream.recv(1 << 20):
                    readers.add(stream)
        time.sleep(0.05)
    return len(readers)


@attack
def spectators(target: Target) -> Figures:
    """1,000 spectators connect to one table, see one move, and see the server stop."""
    raise_file_limit(4_096)
    table = new_table(target, {"name": "Ada"}, {"name": "Ben"})
    game, tokens = table["game"], [seat["token"] for seat in table["seats"]]
    request = f"GET /games/{game}/stream HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n".encode()
    streams, moves, waited = [], [], []
    began = target.cpu()
    with HealthProbe(target.port) as while_connecting:
        for _ in range(1_000):
            streams.append(socket.create_connection(("127.0.0.1", target.port)))
            streams[-1].sendall(request)
            streams[-1].recv(1 << 16)
            streams[-1].setblocking(False)
        while drain(streams, 2):
            pass
    connecting = target.cpu() - began
    for version in range(10):
        state = player_to_move(target, game, tokens)
        before = target.cpu()
        with HealthProbe(target.port) if version >= 5 else contextlib.nullcontext() as probe:
            play(target, game, *state, version)
            readers = drain(streams, REQUEST_TIMEOUT, len(streams))
        assert readers == len(streams), f"{readers} of {len(streams)} spectators saw the move"
        time.sleep(0.2)
        if probe is None:
            moves.append(target.cpu() - before)
        else:
            waited.append(probe.longest)
    began_stop = time.perf_counter()
    os.kill(target.process, signal.SIGTERM)
    while Path(f"/proc/{target.process}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    return {
        "CPU while 1,000 connect": f"{connecting:.1f} s",
        "longest /health meanwhile": f"{while_connecting.longest * 1000:.0f} ms",
        "CPU of one move": f"{statistics.median(moves) * 1000:.0f} ms",
        "longest /health while moving": f"{statistics.median(waited) * 1000:.0f} ms",
        "stopped after": f"{time.perf_counter() - began_stop:.1f} s",
    }


# ------------------------------------------------------------------ bots


@attack
def starve(target: Target) -> Figures:
    """60 tables of the strongest bots, watched by one caller, while another caller plays against an easy bot."""
    alone = turns_against_bot(target)
    streams = []
    for _ in range(60):
        table = new_table(target, {"name": "Eve"}, *[{"bot": "champion"}] * 3)
        path, bearer = f"/api/games/{table['game']}", f"Bearer {table['host']}"
        target.request(
            "POST",
            f"{path}/seats/1",
            b'{"bot": "champion"}',
            content_type="application/json",
            authorization=bearer,
        )
        streams.append(socket.create_connection((target.host, target.port)))
        streams[-1].sendall(f"GET {path}/stream HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    time.sleep(5)
    with HealthProbe(target.port) as watch:
        busy = turns_against_bot(target)
    return {"turn of an easy bot": f"{alone:.2f} s", "during the attack": f"{busy:.2f} s", **watch.figures}


def turns_against_bot(target: Target) -> float:
    """The median time that an easy bot takes for its turn, at the table of a caller on the same machine."""
    other, times = replace(target, host="127.0.0.1"), []
    table = new_table(other, {"name": "Ada"}, {"bot": "easy"})
    token = table["seats"][0]["token"]
    while len(times) < 5:
        state = state_of(other, table["game"], token)
        play(other, table["game"], token, state["choices"][-1]["choice"], state["version"])
        began = time.perf_counter()
        if not state_of(other, table["game"], token)["choices"]:
            while not state_of(other, table["game"], token)["choices"]:
                time.sleep(0.005)
            times.append(time.perf_counter() - began)
    return statistics.median(times)


def state_of(target: Target, game: str, token: str) -> dict[str, Any]:
    """The table as a seat sees it."""
    with contextlib.closing(HTTPConnection(target.host, target.port, timeout=REQUEST_TIMEOUT)) as connection:
        connection.request("GET", f"/api/games/{game}", headers={"authorization": f"Bearer {token}"})
        return json.load(connection.getresponse())


def player_to_move(target: Target, game: str, tokens: list[str]) -> tuple[str, str]:
    """The token of the player to move, and a legal choice."""
    for token in tokens:
        state = state_of(target, game, token)
        if state["choices"]:
            return token, state["choices"][0]["choice"]
    raise AssertionError("no player is to move")


def raise_file_limit(number: int) -> None:
    """Raise this program's limit on open files."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(number, hard), hard))


# ------------------------------------------------------------------ the table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=ATTACKS, default=list(ATTACKS), metavar="NAME")
    rows = Rows("attack", "figure", "measured")
    for name in parser.parse_args().only:
        with server() as target:
            for figure, measured in ATTACKS[name](target).items():
                rows.add_row(name, figure, measured)
                name = ""
    Console().print(rows)


if __name__ == "__main__":
    main()

"""An hour of random requests to a server, to find stuck tables and leaks.

    python benchmarks/soak.py --minutes 60 [--players 24] [--seed S] [--json FILE]

Players create tables, take seats by invitation, move, undo, chat, reassign seats, spectate, start rematches; they
disappear, cut connections in the middle, send moves twice, late, or for seats of others, and open streams that they
never read. In the first half of the time the server is also killed every few seconds and restarted on the same
database. In the second half it stays up, so that leaks add up.

At the end all players leave. Then every table is played to its end, and the tasks, threads, open files and sockets of
the server are compared with those of a fresh one.
"""

import argparse
import asyncio
import contextlib
import json
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from rich.console import Console
from rich.progress import Progress
from rich.table import Table as Rows

from hegemon.server.config import ServerConfig
from hegemon.server.runner import database_url, listening_socket, serve
from hegemon.server.security import tokens

BOTS = ("chance", "greedy", "easy")

#: The statuses that a server may return to any request of a player.
EXPECTED = frozenset((200, 201, 303, 401, 403, 404, 409, 410, 422, 429))

#: The shortest and longest time between kills in the first half.
KILL_INTERVAL = (5, 40)

#: Seconds without a new version, though players submit moves, after which a table is stuck.
STUCK_TIMEOUT = 60

#: The number of moves after which a player leaves a table, so that there are always new ones.
MAX_MOVES = 400


# ------------------------------------------------------------------ the server


def serve_here(database: str, number: int, report: str) -> None:
    """Run a server in this process; SIGUSR1 makes it write its resources to the report."""

    def write_report(*_):
        tasks = Counter(task.get_coro().__qualname__ for task in asyncio.all_tasks())
        files = Counter()
        for descriptor in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                target = str(descriptor.readlink())
                files["sockets" if target.startswith("socket:") else "files"] += 1
        Path(f"{report}.part").write_text(
            json.dumps(
                {"tasks": tasks, **files, "threads": threading.active_count(), "memory_mb": memory_mb()}
            )
        )
        Path(f"{report}.part").replace(report)

    signal.signal(signal.SIGUSR1, write_report)
    serve(
        ServerConfig(database_url(database)), socket.socket(fileno=number), lambda: print("ready", flush=True)
    )


def memory_mb():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return round(int(line.split()[1]) / 1024)
    raise RuntimeError("no VmRSS in /proc")


class RestartingServer:
    """The server process; its port stays open between restarts, so that requests wait."""

    def __init__(self, folder):
        self.database, self.report = f"{folder}/tables.db", f"{folder}/report.json"
        self.listener = listening_socket("127.0.0.1", 0)
        self.port = self.listener.getsockname()[1]
        self.kills = 0
        self.process = None

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, __file__, "--serve", self.database, str(self.listener.fileno()), self.report),
            stdout=subprocess.PIPE,
            pass_fds=[self.listener.fileno()],
        )
        await self.process.stdout.readline()

    async def kill(self, chance):
        """Stop the process, mostly by SIGKILL."""
        self.process.send_signal(signal.SIGTERM if chance.random() < 0.2 else signal.SIGKILL)
        self.kills += 1
        await self.process.wait()

    async def resources(self):
        Path(self.report).unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        while not Path(self.report).exists():
            await asyncio.sleep(0.05)
        return json.loads(Path(self.report).read_text())


# ------------------------------------------------------------------ players


@dataclass
class World:
    """What the players share: the server, the tables, the invitations, and the faults that were found."""

    server: RestartingServer
    counts: Counter = field(default_factory=Counter)
    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    """The tokens of every table: the host's, and those of its players."""
    invitations: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    killing: bool = False
    """Whether the server is being killed."""


class RandomPlayer:
    """A player with a token, who repeatedly does something at random."""

    def __init__(self, world, chance):
        self.world, self.chance = world, chance
        self.token = tokens.new_token()
        self.moves = 0
        self.games = []
        self.client = self._connect()

    def _connect(self):
        return httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.world.server.port}",
            headers={"authorization": f"Bearer {self.token}"},
            cookies={tokens.COOKIE: self.token},
            timeout=30,
        )

    async def run(self):
        """Act until cancelled."""
        actions = {
            self.play: 30, self.spectate: 6, self.follow: 4, self.create_table: 2, self.join: 4, self.chat: 2,
            self.reassign_seat: 1, self.disconnect: 2, self.ignore_stream: 1, self.rematch: 1, self.send_nonsense: 2,
            self.vote: 1,
        }  # fmt: skip
        try:
            while True:
                action = self.chance.choices(list(actions), list(actions.values()))[0]
                try:
                    await action()
                    self.world.counts[action.__name__] += 1
                except httpx.HTTPError as error:
                    self.world.counts["cut off"] += 1
                    if not self.world.killing:
                        self.world.faults.append(f"{action.__name__}: {error!r}")
                    await self.client.aclose()
                    self.client = self._connect()
                await asyncio.sleep(self.chance.expovariate(4))
        finally:
            await self.client.aclose()

    async def request(self, method, path, **sent):
        """Send a request; an unexpected status is a fault."""
        answer = await self.client.request(method, path, **sent)
        self.world.counts[str(answer.status_code)] += 1
        if answer.status_code not in EXPECTED:
            self.world.faults.append(f"{method} {path}: {answer.status_code}")
        return answer

    async def create_table(self):
        if len(self.games) > 2:
            return
        others = [
            {"open": True} if self.chance.random() < 0.6 else {"bot": self.chance.choice(BOTS)}
            for _ in range(self.chance.randint(1, 3))
        ]
        variant = self.chance.choice(("basic", "draft"))
        answer = await self.request(
            "POST", "/api/games", json={"seats": [{"name": "Ada"}, *others], "variant": variant}
        )
        if answer.status_code == 201:
            table = answer.json()
            self.world.tables[table["game"]] = {"host": table["host"], "Ada": table["seats"][0]["token"]}
            self.games.append((table["game"], table["seats"][0]["token"]))
            self.world.invitations += [seat["invite"] for seat in table["seats"] if seat["invite"]]

    async def join(self):
        """Take a seat by an invitation, which other players may use at the same time."""
        if self.world.invitations and len(self.games) < 4:
            invite = self.chance.choice(self.world.invitations[-50:])
            answer = await self.request("POST", f"/api/invitations/{invite}", json={"name": "Guest"})
            if answer.status_code in (404, 410) and invite in self.world.invitations:
                self.world.invitations.remove(invite)
            if answer.status_code == 201:
                seat = answer.json()
                self.world.tables.setdefault(seat["game"], {})[f"guest {seat['seat']}"] = self.token
                self.games.append((seat["game"], self.token))

    def own(self):
        """A table of this player, and its token."""
        return self.chance.choice(self.games) if self.games else None

    async def play(self):
        """Submit some moves; sometimes undo one, or send it twice."""
        if (mine := self.own()) is None:
            await self.create_table()
            return
        game, token = mine
        bearer = {"authorization": f"Bearer {token}"}
        for _ in range(self.chance.randint(1, 6)):
            answer = await self.request("GET", f"/api/games/{game}", headers=bearer)
            state = answer.json() if answer.status_code == 200 else {"result": "gone"}
            if state["result"] is not None or self.moves > MAX_MOVES:
                self.games.remove(mine)
                self.moves = 0
                return
            if not state["choices"]:
                return
            choice = self.chance.choice(state["choices"])["choice"]
            if state["undo"] and self.chance.random() < 0.1:
                choice = "undo"
            move = {
                "choice": choice,
                "version": state["version"],
                "idempotency_key": f"{self.chance.getrandbits(64):x}",
            }
            for _ in range(2 if self.chance.random() < 0.1 else 1):
                await self.request("POST", f"/api/games/{game}/moves", headers=bearer, json=move)
            self.moves += 1

    async def read(self, path, headers, seconds):
        """Read a stream for a while, then disconnect."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async with self.client.stream("GET", path, headers=headers) as answer:
                    async for _ in answer.aiter_bytes():
                        pass

    async def spectate(self):
        """Follow the page of any table."""
        if self.world.tables:
            game = (
                self.own()[0]
                if self.games and self.chance.random() < 0.7
                else self.chance.choice(list(self.world.tables))
            )
            await self.read(f"/games/{game}/stream", {}, self.chance.expovariate(0.3))

    async def follow(self):
        """Follow a table by the API."""
        if mine := self.own():
            bearer = {"authorization": f"Bearer {mine[1]}", "last-event-id": str(self.chance.randrange(9))}
            await self.read(f"/api/games/{mine[0]}/stream", bearer, self.chance.expovariate(0.3))

    async def chat(self):
        if mine := self.own():
            bearer = {"authorization": f"Bearer {mine[1]}"}
            await self.request(
                "POST", f"/api/games/{mine[0]}/chat", headers=bearer, json={"text": "Well played."}
            )

    async def reassign_seat(self):
        """Give any seat to a bot, or open it."""
        if mine := self.own():
            token = self.world.tables[mine[0]].get("host", mine[1])
            request = {"bot": self.chance.choice(BOTS)} if self.chance.random() < 0.5 else {}
            path = f"/api/games/{mine[0]}/seats/{self.chance.randint(1, 4)}"
            answer = await self.request(
                "POST", path, headers={"authorization": f"Bearer {token}"}, json=request
            )
            if answer.status_code == 200 and answer.json()["invite"]:
                self.world.invitations.append(answer.json()["invite"])

    async def vote(self):
        if mine := self.own():
            await self.request(
                "POST", f"/games/{mine[0]}/vote", data={"seat": str(self.chance.randint(1, 4))}
            )

    async def disconnect(self):
        """Cut a connection in the middle of a request."""
        if mine := self.own():
            reader, writer = await asyncio.open_connection("127.0.0.1", self.world.server.port)
            cookie = f"{tokens.COOKIE}={self.token}"
            request = f"GET /games/{mine[0]} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n"
            writer.write(request.encode()[: self.chance.randint(1, 2 * len(request))])
            with contextlib.suppress(OSError):
                await writer.drain()
            writer.transport.abort()
            del reader

    async def ignore_stream(self):
        """Open a stream and never read it."""
        if mine := self.own():
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.world.server.port, limit=1)
                writer.write(
                    f"GET /games/{mine[0]}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    f"Cookie: {tokens.COOKIE}={self.token}\r\n\r\n".encode()
                )
                try:
                    await asyncio.sleep(self.chance.expovariate(0.2))
                finally:
                    writer.transport.abort()

    async def rematch(self):
        for game, held in self.chance.sample(list(self.world.tables.items()), min(3, len(self.world.tables))):
            token = self.chance.choice(list(held.values()))
            path, bearer = f"/api/games/{game}/rematch", {"authorization": f"Bearer {token}"}
            answer = await self.request("POST", path, headers=bearer)
            if answer.status_code == 200:
                self.world.tables.setdefault(answer.json()["game"], dict(held))

    async def send_nonsense(self):
        if self.world.tables:
            game = self.chance.choice(list(self.world.tables))
            choice = {
                "choice": self.chance.choice(("M", "nonsense", "")),
                "version": self.chance.randint(-1, 90),
                "idempotency_key": "x",
            }
            bearer = {"authorization": f"Bearer {self.chance.choice((self.token, 'nonsense'))}"}
            answer = await self.client.post(f"/api/games/{game}/moves", headers=bearer, json=choice)
            if answer.status_code >= 500:
                self.world.faults.append(f"nonsense: {answer.status_code}")


# ------------------------------------------------------------------ afterwards


async def finish(world, chance):
    """Play every table to its end, a few at a time; return those that got stuck."""
    slots = asyncio.Semaphore(16)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{world.server.port}", timeout=60) as client:

        async def finish_table(game, held):
            async with slots:
                return await finish_one(client, game, held, chance)

        ended = await asyncio.gather(*(finish_table(game, held) for game, held in world.tables.items()))
    return [game for game, has_ended in zip(world.tables, ended, strict=True) if not has_ended]


async def finish_one(client, game, held, chance):
    """Play a table to its end with its tokens; the host gives the seats of absent players to bots."""
    version, moved = -1, time.monotonic()
    while time.monotonic() - moved < STUCK_TIMEOUT:
        absent = set()
        for token in held.values():
            bearer = {"authorization": f"Bearer {token}"}
            answer = await client.get(f"/api/games/{game}", headers=bearer)
            if answer.status_code == 401:
                continue  # the seat has been given away
            table = answer.json()
            if table["result"] is not None:
                return True
            if table["version"] != version:
                version, moved = table["version"], time.monotonic()
            people = {seat["seat"] for seat in table["seats"] if seat["bot"] is None}
            absent = (
                absent
                or {seat["seat"] for seat in table["seats"] if seat["open"]}
                or people & set(table["to_move"])
            )
            if table["choices"]:
                choice = chance.choice(table["choices"])["choice"]
                move = {
                    "choice": choice,
                    "version": table["version"],
                    "idempotency_key": f"{chance.getrandbits(64):x}",
                }
                await client.post(f"/api/games/{game}/moves", headers=bearer, json=move)
                absent.discard(table["seat"])
        for seat in absent:
            host = {"authorization": f"Bearer {held['host']}"}
            await client.post(f"/api/games/{game}/seats/{seat}", headers=host, json={"bot": "chance"})
    return False


async def idle_resources(server):
    """The resources of the server without connections and thinking bots."""
    before = None
    for _ in range(60):
        await asyncio.sleep(2)
        now = await server.resources()
        if before is not None and now["tasks"] == before["tasks"] and now["sockets"] == before["sockets"]:
            return now
        before = now
    return before


async def soak(folder, minutes, number_of_players, seed, progress):
    chance = random.Random(seed)
    server = RestartingServer(folder)
    world = World(server)
    await server.start()
    players = [RandomPlayer(world, random.Random(chance.getrandbits(64))) for _ in range(number_of_players)]
    running = [asyncio.create_task(player.run()) for player in players]
    seconds = 60 * minutes
    began, bar = time.monotonic(), progress.add_task("soaking", total=seconds)

    async def wait(up_to, least=0.0):
        end = time.monotonic() + up_to
        while time.monotonic() < end and (time.monotonic() - began < seconds or least):
            await asyncio.sleep(min(1.0, end - time.monotonic()))
            progress.update(bar, completed=time.monotonic() - began)
            if dead := next((task for task in running if task.done()), None):
                await dead

    world.killing = True
    while time.monotonic() - began < seconds / 2:
        await wait(chance.uniform(*KILL_INTERVAL))
        await server.kill(chance)
        await server.start()
    await wait(2, least=2)  # until disconnected players have noticed
    world.killing = False
    while time.monotonic() - began < seconds:
        await wait(60)
        now = await server.resources()
        held = f"{now['sockets']} sockets, {now['files']} files, {now['memory_mb']} MB"
        progress.console.print(
            f"{(time.monotonic() - began) / 60:5.1f} min  {len(world.tables)} tables, "
            f"{sum(now['tasks'].values())} tasks, {held}, {len(world.faults)} faults"
        )
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    progress.update(bar, description="playing every table to its end")
    stuck = await finish(world, chance)
    end = await idle_resources(server)
    await server.kill(chance)
    await server.start()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}") as client:
        await client.get("/")
    start = await idle_resources(server)
    await server.kill(chance)
    return {
        "minutes": minutes,
        "players": number_of_players,
        "kills": server.kills - 2,
        "tables": len(world.tables),
        "ok": world.counts["200"],
        "done": dict(world.counts),
        "stuck": stuck,
        "faults": world.faults,
        "at the start": start,
        "at the end": end,
    }


def show(found):
    rows = Rows(
        title=f"{found['minutes']:g} minutes, {found['players']} players, {found['kills']} servers killed"
    )
    for heading in ("", "fresh server", "at the end"):
        rows.add_column(heading, justify="left" if not heading else "right")
    start, end = found["at the start"], found["at the end"]
    rows.add_row("tasks", str(sum(start["tasks"].values())), str(sum(end["tasks"].values())))
    for key in ("sockets", "files", "threads", "memory_mb"):
        rows.add_row(key.replace("_mb", ", MB"), str(start[key]), str(end[key]))
    console = Console()
    console.print(rows)
    console.print(f"{found['tables']} tables, {len(found['stuck'])} stuck; {len(found['faults'])} faults")
    for fault in found["faults"][:20]:
        console.print(fault)


def main():
    """Exit with status 1 if a table got stuck, a request failed, or the server leaks."""
    if sys.argv[1:2] == ["--serve"]:
        serve_here(sys.argv[2], int(sys.argv[3]), sys.argv[4])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--players", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="also write the report to this file")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        Progress(console=Console(stderr=True), transient=True) as progress,
    ):
        found = asyncio.run(soak(folder, options.minutes, options.players, options.seed, progress))
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    show(found)
    start, end = found["at the start"], found["at the end"]
    leaks = sum(end["tasks"].values()) > sum(start["tasks"].values()) or end["sockets"] > start["sockets"]
    sys.exit(1 if leaks or found["stuck"] or found["faults"] else 0)


if __name__ == "__main__":
    main()

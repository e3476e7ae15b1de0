"""An hour of everything that people do to a server: whether a table gets stuck, and whether the server loses anything.

    python benchmarks/soak.py --minutes 60 [--people 24] [--seed S] [--json FILE]

People lay tables, take seats by invitation, play, take back, talk, give seats away, come as spectators, ask for another
game; they go without a word, cut connections in the middle, send commands twice, late, or for seats that are not
theirs, and open streams that they never read. For the first half of the time the server is also killed every few
seconds and started again on the same database. In the second half it stays up, so that whatever it loses adds up.

In the end everyone leaves. Then every table is played to its end, and what the server holds is compared with what it
held when it had just been started: tasks, threads, open files, sockets.
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
from hegemon.server.runner import database_url, serve, take_port
from hegemon.server.security import tokens as identity

BOTS = ("chance", "greedy", "easy")

#: What a server may answer to people who do anything at all.
EXPECTED = frozenset((200, 201, 303, 401, 403, 404, 409, 410, 422, 429))

#: How long a server may live in the first half.
LIVES_SECONDS = (5, 40)

#: A table at which nothing happens for that long, though someone is to choose and answers, is stuck.
STUCK_SECONDS = 60

#: Moves after which a player leaves a table, so that there are always new ones.
PATIENCE = 400


# ------------------------------------------------------------------ the server


def serve_here(database: str, number: int, telling: str) -> None:
    """A server as usual, in this process; a signal makes it tell what it holds."""

    def tell(*_):
        tasks = Counter(task.get_coro().__qualname__ for task in asyncio.all_tasks())
        files = Counter()
        for move in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                place = str(move.readlink())
                files["sockets" if place.startswith("socket:") else "files"] += 1
        Path(f"{telling}.part").write_text(
            json.dumps(
                {"tasks": tasks, **files, "threads": threading.active_count(), "memory_mb": memory_mb()}
            )
        )
        Path(f"{telling}.part").replace(telling)

    signal.signal(signal.SIGUSR1, tell)
    serve(
        ServerConfig(database_url(database)), socket.socket(fileno=number), lambda: print("ready", flush=True)
    )


def memory_mb():
    """How much memory this process holds."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return round(int(line.split()[1]) / 1024)
    raise RuntimeError("the system does not say")


class Site:
    """The server, which comes and goes; its port stays, so a player who comes in between waits."""

    def __init__(self, folder):
        self.database, self.telling = f"{folder}/tables.db", f"{folder}/told.json"
        self.taken = take_port("127.0.0.1", 0)
        self.port = self.taken.getsockname()[1]
        self.kills = 0
        self.process = None

    async def start(self):
        """Start a server and wait until it answers."""
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, __file__, "--serve", self.database, str(self.taken.fileno()), self.telling),
            stdout=subprocess.PIPE,
            pass_fds=[self.taken.fileno()],
        )
        await self.process.stdout.readline()

    async def kill(self, chance):
        """End it, mostly by force."""
        self.process.send_signal(signal.SIGTERM if chance.random() < 0.2 else signal.SIGKILL)
        self.kills += 1
        await self.process.wait()

    async def told(self):
        """What the server holds now."""
        Path(self.telling).unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        while not Path(self.telling).exists():
            await asyncio.sleep(0.05)
        return json.loads(Path(self.telling).read_text())


# ------------------------------------------------------------------ people


@dataclass
class World:
    """What everyone shares: the server, the tables there are, invitations that were passed on, and what went wrong."""

    site: Site
    done: Counter = field(default_factory=Counter)
    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    """For every table the tokens with which it can be played: the host's, and those of people who sat down."""
    invitations: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    killing: bool = False
    """Whether the server may be gone at any moment."""


class RatedPlayer:
    """Someone with a token of their own, who does something at random, again and again."""

    def __init__(self, world, chance):
        self.world, self.chance = world, chance
        self.token = identity.new_token()
        self.words = 0
        self.games = []
        self.client = self._connect()

    def _connect(self):
        return httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.world.site.port}",
            headers={"authorization": f"Bearer {self.token}"},
            cookies={identity.COOKIE: self.token},
            timeout=30,
        )

    async def live(self):
        """Do this and that until told to stop."""
        ways = {
            self.play: 30, self.watch: 6, self.follow: 4, self.lay: 2, self.sit: 4, self.chat: 2, self.change: 1,
            self.vanish: 2, self.stare: 1, self.ask_again: 1, self.mistake: 2, self.vote: 1,
        }  # fmt: skip
        try:
            while True:
                way = self.chance.choices(list(ways), list(ways.values()))[0]
                try:
                    await way()
                    self.world.done[way.__name__] += 1
                except httpx.HTTPError as error:
                    self.world.done["cut off"] += 1
                    if not self.world.killing:
                        self.world.faults.append(f"{way.__name__}: {error!r}")
                    await self.client.aclose()
                    self.client = self._connect()
                await asyncio.sleep(self.chance.expovariate(4))
        finally:
            await self.client.aclose()

    async def ask(self, method, path, **sent):
        """Ask for something; a status that no one may get is a fault."""
        answer = await self.client.request(method, path, **sent)
        self.world.done[str(answer.status_code)] += 1
        if answer.status_code not in EXPECTED:
            self.world.faults.append(f"{method} {path}: {answer.status_code}")
        return answer

    async def lay(self):
        """Create a game for others, for bots, or for both."""
        if len(self.games) > 2:
            return
        others = [
            {"open": True} if self.chance.random() < 0.6 else {"bot": self.chance.choice(BOTS)}
            for _ in range(self.chance.randint(1, 3))
        ]
        variant = self.chance.choice(("basic", "draft"))
        answer = await self.ask(
            "POST", "/api/games", json={"seats": [{"name": "Ada"}, *others], "variant": variant}
        )
        if answer.status_code == 201:
            created = answer.json()
            self.world.tables[created["game"]] = {
                "host": created["host"],
                "Ada": created["seats"][0]["token"],
            }
            self.games.append((created["game"], created["seats"][0]["token"]))
            self.world.invitations += [seat["invite"] for seat in created["seats"] if seat["invite"]]

    async def sit(self):
        """Take a seat by an invitation, which others may try at the same time."""
        if self.world.invitations and len(self.games) < 4:
            invite = self.chance.choice(self.world.invitations[-50:])
            answer = await self.ask("POST", f"/api/invitations/{invite}", json={"name": "Guest"})
            if answer.status_code in (404, 410) and invite in self.world.invitations:
                self.world.invitations.remove(invite)
            if answer.status_code == 201:
                seat = answer.json()
                self.world.tables.setdefault(seat["game"], {})[f"guest {seat['seat']}"] = self.token
                self.games.append((seat["game"], self.token))

    def own(self):
        """One of the tables at which this person sits, and the token for it."""
        return self.chance.choice(self.games) if self.games else None

    async def play(self):
        """Look, and say a word or two; now and then take one back, or say it twice."""
        if (mine := self.own()) is None:
            await self.lay()
            return
        game, token = mine
        bearer = {"authorization": f"Bearer {token}"}
        for _ in range(self.chance.randint(1, 6)):
            looked = await self.ask("GET", f"/api/games/{game}", headers=bearer)
            seen = looked.json() if looked.status_code == 200 else {"result": "gone"}
            if seen["result"] is not None or self.words > PATIENCE:
                self.games.remove(mine)
                self.words = 0
                return
            if not seen["choices"]:
                return
            choice = self.chance.choice(seen["choices"])["choice"]
            if seen["undo"] and self.chance.random() < 0.1:
                choice = "undo"
            submit_move = {
                "choice": choice,
                "version": seen["version"],
                "idempotency_key": f"{self.chance.getrandbits(64):x}",
            }
            for _ in range(2 if self.chance.random() < 0.1 else 1):
                await self.ask("POST", f"/api/games/{game}/moves", headers=bearer, json=submit_move)
            self.words += 1

    async def read(self, path, headers, seconds):
        """Read a stream for a while, and cut it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async with self.client.stream("GET", path, headers=headers) as answer:
                    async for _ in answer.aiter_bytes():
                        pass

    async def watch(self):
        """Follow a table on its page, one's own or another person's."""
        if self.world.tables:
            game = (
                self.own()[0]
                if self.games and self.chance.random() < 0.7
                else self.chance.choice(list(self.world.tables))
            )
            await self.read(f"/games/{game}/stream", {}, self.chance.expovariate(0.3))

    async def follow(self):
        """Follow a table as a program does."""
        if mine := self.own():
            bearer = {"authorization": f"Bearer {mine[1]}", "last-event-id": str(self.chance.randrange(9))}
            await self.read(f"/api/games/{mine[0]}/stream", bearer, self.chance.expovariate(0.3))

    async def chat(self):
        """Say something in the chat."""
        if mine := self.own():
            bearer = {"authorization": f"Bearer {mine[1]}"}
            await self.ask(
                "POST", f"/api/games/{mine[0]}/chat", headers=bearer, json={"text": "Well played."}
            )

    async def change(self):
        """Give a seat away, as a host if one is it: to a bot, or to a player who comes."""
        if mine := self.own():
            held = self.world.tables[mine[0]].get("host", mine[1])
            wish = {"bot": self.chance.choice(BOTS)} if self.chance.random() < 0.5 else {}
            path = f"/api/games/{mine[0]}/seats/{self.chance.randint(1, 4)}"
            answer = await self.ask("POST", path, headers={"authorization": f"Bearer {held}"}, json=wish)
            if answer.status_code == 200 and answer.json()["invite"]:
                self.world.invitations.append(answer.json()["invite"])

    async def vote(self):
        """Want a bot to play for another person."""
        if mine := self.own():
            await self.ask("POST", f"/games/{mine[0]}/vote", data={"seat": str(self.chance.randint(1, 4))})

    async def vanish(self):
        """Cut a connection in the middle of a request, before the answer is there."""
        if mine := self.own():
            reader, writer = await asyncio.open_connection("127.0.0.1", self.world.site.port)
            cookie = f"{identity.COOKIE}={self.token}"
            request = f"GET /games/{mine[0]} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n"
            writer.write(request.encode()[: self.chance.randint(1, 2 * len(request))])
            with contextlib.suppress(OSError):
                await writer.drain()
            writer.transport.abort()
            del reader

    async def stare(self):
        """Open a stream and never read it."""
        if mine := self.own():
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.world.site.port, limit=1)
                writer.write(
                    f"GET /games/{mine[0]}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    f"Cookie: {identity.COOKIE}={self.token}\r\n\r\n".encode()
                )
                try:
                    await asyncio.sleep(self.chance.expovariate(0.2))
                finally:
                    writer.transport.abort()

    async def ask_again(self):
        """Ask for another game after one that is over."""
        for game, held in self.chance.sample(list(self.world.tables.items()), min(3, len(self.world.tables))):
            token = self.chance.choice(list(held.values()))
            path, bearer = f"/api/games/{game}/rematch", {"authorization": f"Bearer {token}"}
            answer = await self.ask("POST", path, headers=bearer)
            if answer.status_code == 200:
                self.world.tables.setdefault(answer.json()["game"], dict(held))

    async def mistake(self):
        """Send what no server should accept."""
        if self.world.tables:
            game = self.chance.choice(list(self.world.tables))
            choice = {
                "choice": self.chance.choice(("M", "nonsense", "")),
                "version": self.chance.randint(-1, 90),
                "idempotency_key": "x",
            }
            bearer = {"authorization": f"Bearer {self.chance.choice((self.token, 'nobody'))}"}
            answer = await self.client.post(f"/api/games/{game}/moves", headers=bearer, json=choice)
            if answer.status_code >= 500:
                self.world.faults.append(f"a mistake: {answer.status_code}")


# ------------------------------------------------------------------ afterwards


async def finish(world, chance):
    """Play every table to its end, a few at a time; says which of them got stuck."""
    places = asyncio.Semaphore(16)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{world.site.port}", timeout=60) as client:

        async def ends(game, held):
            async with places:
                return await finish_one(client, game, held, chance)

        ended = await asyncio.gather(*(ends(game, held) for game, held in world.tables.items()))
    return [game for game, has_ended in zip(world.tables, ended, strict=True) if not has_ended]


async def finish_one(client, game, held, chance):
    """Play a game to its end with the tokens there are; the host gives the seats of absent players to bots."""
    number, moved = -1, time.monotonic()
    while time.monotonic() - moved < STUCK_SECONDS:
        gone = set()
        for token in held.values():
            bearer = {"authorization": f"Bearer {token}"}
            looked = await client.get(f"/api/games/{game}", headers=bearer)
            if looked.status_code == 401:
                continue  # the seat has been given away
            table = looked.json()
            if table["result"] is not None:
                return True
            if table["version"] != number:
                number, moved = table["version"], time.monotonic()
            people = {seat["seat"] for seat in table["seats"] if seat["bot"] is None}
            gone = (
                gone
                or {seat["seat"] for seat in table["seats"] if seat["open"]}
                or people & set(table["to_move"])
            )
            if table["choices"]:
                choice = chance.choice(table["choices"])["choice"]
                submit_move = {
                    "choice": choice,
                    "version": table["version"],
                    "idempotency_key": f"{chance.getrandbits(64):x}",
                }
                await client.post(f"/api/games/{game}/moves", headers=bearer, json=submit_move)
                gone.discard(table["seat"])
        for seat in gone:
            host = {"authorization": f"Bearer {held['host']}"}
            await client.post(f"/api/games/{game}/seats/{seat}", headers=host, json={"bot": "chance"})
    return False


async def settled(site):
    """What the server holds when no one is connected any more and no bot thinks."""
    before = None
    for _ in range(60):
        await asyncio.sleep(2)
        told = await site.told()
        if before is not None and told["tasks"] == before["tasks"] and told["sockets"] == before["sockets"]:
            return told
        before = told
    return before


async def soak(folder, minutes, people, seed, progress):
    """The whole of it; says what was found."""
    chance = random.Random(seed)
    site = Site(folder)
    world = World(site)
    await site.start()
    everyone = [RatedPlayer(world, random.Random(chance.getrandbits(64))) for _ in range(people)]
    living = [asyncio.create_task(person.live()) for person in everyone]
    seconds = 60 * minutes
    began, bar = time.monotonic(), progress.add_task("soaking", total=seconds)

    async def wait(up_to, least=0.0):
        end = time.monotonic() + up_to
        while time.monotonic() < end and (time.monotonic() - began < seconds or least):
            await asyncio.sleep(min(1.0, end - time.monotonic()))
            progress.update(bar, completed=time.monotonic() - began)
            if dead := next((task for task in living if task.done()), None):
                await dead

    world.killing = True
    while time.monotonic() - began < seconds / 2:
        await wait(chance.uniform(*LIVES_SECONDS))
        await site.kill(chance)
        await site.start()
    await wait(2, least=2)  # a player who was cut off has noticed
    world.killing = False
    while time.monotonic() - began < seconds:
        await wait(60)
        told = await site.told()
        held = f"{told['sockets']} sockets, {told['files']} files, {told['memory_mb']} MB"
        progress.console.print(
            f"{(time.monotonic() - began) / 60:5.1f} min  {len(world.tables)} tables, "
            f"{sum(told['tasks'].values())} tasks, {held}, {len(world.faults)} faults"
        )
    for task in living:
        task.cancel()
    await asyncio.gather(*living, return_exceptions=True)
    progress.update(bar, description="playing every table to its end")
    stuck = await finish(world, chance)
    end = await settled(site)
    await site.kill(chance)
    await site.start()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{site.port}") as client:
        await client.get("/")
    start = await settled(site)
    await site.kill(chance)
    return {
        "minutes": minutes,
        "people": people,
        "kills": site.kills - 2,
        "tables": len(world.tables),
        "words": world.done["200"],
        "done": dict(world.done),
        "stuck": stuck,
        "faults": world.faults,
        "at the start": start,
        "at the end": end,
    }


def show(found):
    """What was found, as a table."""
    rows = Rows(
        title=f"{found['minutes']:g} minutes, {found['people']} people, {found['kills']} servers killed"
    )
    for heading in ("", "fresh server", "after everything"):
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
    """Read the options, soak, show what was found; the exit status is 1 if anything was lost."""
    if sys.argv[1:2] == ["--serve"]:
        serve_here(sys.argv[2], int(sys.argv[3]), sys.argv[4])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--people", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="write what was found here too")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        Progress(console=Console(stderr=True), transient=True) as progress,
    ):
        found = asyncio.run(soak(folder, options.minutes, options.people, options.seed, progress))
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    show(found)
    start, end = found["at the start"], found["at the end"]
    lost = sum(end["tasks"].values()) > sum(start["tasks"].values()) or end["sockets"] > start["sockets"]
    sys.exit(1 if lost or found["stuck"] or found["faults"] else 0)


if __name__ == "__main__":
    main()

"""Programs that play through the JSON API, on any worker, and log everything that they send and receive."""

import asyncio
import contextlib
import json
import random
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from chaos.history import CHAT, CREATE, FAIL, INFO, JOIN, MOVE, OK, READ, RETURN, Facts, Log, digest
from hegemon.play.selection import text_of_choice

SPECTATOR: Final = -1

#: Statuses that mean that nothing was changed. After any other error, the outcome is unknown.
REJECTION_STATUSES: Final = frozenset((400, 401, 403, 404, 409, 410, 413, 422, 429))

#: Statuses that ask the client to retry later.
RETRY_STATUSES: Final = (429, 503)

#: The exceptions of a failed request or stream.
FAILURES: Final = (httpx.RequestError, httpx.StreamError, ValueError)

#: Timeouts of requests and streams; after one, the client switches to another worker.
REQUEST_TIMEOUT: Final = 5.0
STREAM_TIMEOUT: Final = 20.0

#: The timeout after the faults: now a response is certain, unless the machine is very slow.
PATIENT_TIMEOUT: Final = 120.0

#: Seconds between two checks for progress.
PROGRESS_INTERVAL: Final = 1.0

#: After the faults, seconds without any response after which clients give up.
SILENCE_TIMEOUT: Final = 900.0

#: Seconds between two attempts.
RETRY_DELAY: Final = (0.1, 0.5)

#: Seconds after which a client that waits for its turn reads the state, even if its stream sends nothing.
POLL_INTERVAL: Final = 3.0

#: The shortest time control. A player who is away for longer gets a substitute.
CLOCK: Final = "5s a move"
ABSENCE: Final = (6.0, 9.0)

BOTS: Final = ("chance", "greedy")

#: The maximum number of chat messages at a table; the server shows the latest hundred.
MAX_MESSAGES: Final = 60


class Denied(Exception):
    """A table or a seat was denied although the request was valid; the log has the response."""


@dataclass
class World:
    """What all clients share: the workers, the phase, and counters."""

    addresses: Sequence[str]
    pace: float
    """Seconds between two moves of a player, on average."""
    stuck_timeout: float
    """Seconds with answers but without a new version, after the chaos, after which a table is stuck."""
    workers: int = 1
    """The number of workers at each address."""
    counts: Counter[str] = field(default_factory=Counter)
    finishing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set after the faults: from then on, clients play as fast as possible, and no new tables are created."""

    def __post_init__(self) -> None:
        self.https = [self.connect(number) for number in range(len(self.addresses))]

    def connect(self, number: int) -> httpx.AsyncClient:
        """New connections to one of the addresses; the caller closes them."""
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=50)
        return httpx.AsyncClient(base_url=self.addresses[number], limits=limits, trust_env=False)

    @property
    def timeout(self) -> httpx.Timeout:
        return httpx.Timeout(PATIENT_TIMEOUT if self.finishing.is_set() else REQUEST_TIMEOUT)

    @property
    def stream_timeout(self) -> httpx.Timeout:
        if self.finishing.is_set():
            return httpx.Timeout(PATIENT_TIMEOUT)
        return httpx.Timeout(STREAM_TIMEOUT, connect=REQUEST_TIMEOUT)

    async def wait_until_stalled(self, progress: Callable[[], int], answers: Callable[[], int]) -> None:
        """Wait until there is no progress although servers respond, or until there are no responses.

        Time without progress counts only while there are responses, and it is measured by sleeping. On a slow machine
        both slow down, so slowness does not look like being stuck.
        """
        last, idle, silent = progress(), 0.0, 0.0
        while idle < self.stuck_timeout and silent < SILENCE_TIMEOUT:
            answered = answers()
            await asyncio.sleep(PROGRESS_INTERVAL)
            if (now := progress()) != last:
                last, idle, silent = now, 0, 0
            elif answers() != answered:
                idle, silent = idle + PROGRESS_INTERVAL, 0
            else:
                silent += PROGRESS_INTERVAL

    async def close(self) -> None:
        for http in self.https:
            await http.aclose()


async def run_until_first(*works: Coroutine[None, None, None]) -> None:
    """Run coroutines until the first of them returns, and cancel the others."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True)
class Setup:
    """Random options of a table."""

    variant: str
    clock: str
    bots: tuple[str | None, ...]
    """The bot of each seat; None for a client's."""
    open_seat: int | None
    """A seat that a client takes by invitation."""
    twins: frozenset[int]
    """The seats that two clients play, as a person with two devices."""

    @classmethod
    def at_random(cls, chance: random.Random) -> "Setup":
        players = chance.choice((2, 2, 3, 4))
        bots = [None] + [chance.choice(BOTS) if chance.random() < 0.2 else None for _ in range(players - 1)]
        chance.shuffle(bots)
        own = [seat for seat, bot in enumerate(bots) if bot is None]
        return cls(
            variant=chance.choice(("basic", "draft")),
            clock=CLOCK if chance.random() < 0.3 else "",
            bots=tuple(bots),
            open_seat=chance.choice(own) if chance.random() < 0.2 else None,
            twins=frozenset(seat for seat in own if chance.random() < 0.2),
        )

    def request(self, key: str) -> Facts:
        seats = [
            {"bot": bot} if bot is not None else {"open": True} if seat == self.open_seat else {"name": ""}
            for seat, bot in enumerate(self.bots)
        ]
        return {"seats": seats, "variant": self.variant, "clock": self.clock, "idempotency_key": key}


class Table:
    """The clients of one table, from its creation to the end of the game."""

    def __init__(self, world: World, log: Path, chance: random.Random) -> None:
        self.world, self.chance = world, chance
        self.path = log
        self.log = Log(log.open("w", encoding="utf-8"))
        self.setup = Setup.at_random(chance)
        self.game: str | None = None
        self.tokens: dict[int, str] = {}
        self.over = asyncio.Event()
        self.is_stuck = False
        self.version = -1
        self.answers = 0
        """The number of responses to reads of its state."""
        self.messages = 0

    def record_version(self, version: int) -> None:
        if version > self.version:
            self.version = version
            self.world.counts["versions"] += 1

    async def run(self) -> None:
        """Play until the game is over, or the table is stuck."""
        with contextlib.suppress(Denied):
            await run_until_first(self._play(), self._watch())
        if not self.over.is_set():
            self.is_stuck = True
            self.over.set()

    async def _play(self) -> None:
        """Create the table, and play until the game is over."""
        await self._create()
        clients = [SeatClient(self, seat, token) for seat, token in self.tokens.items()]
        clients += [SeatClient(self, seat, self.tokens[seat], twin=True) for seat in self.setup.twins]
        tasks = [asyncio.create_task(work) for client in clients for work in (client.follow(), client.play())]
        tasks.append(asyncio.create_task(SeatClient(self, SPECTATOR, None).follow()))
        try:
            await self.over.wait()
            with contextlib.suppress(TimeoutError):  # streams deliver the end, and the next read shows it
                async with asyncio.timeout(REQUEST_TIMEOUT):
                    await asyncio.gather(*(task for task in tasks if not task.done()))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in tasks:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error

    async def _create(self) -> None:
        """Create the table, repeating the request until it is answered, and take the open seat."""
        key = secrets.token_urlsafe(32)
        client = Client(self, "host")
        answer = await client.until_answered(
            CREATE, "POST", "/api/games", self.setup.request(key), lambda data: {"game": data["game"]}
        )
        self.game = answer["game"]
        self.tokens = {seat["seat"] - 1: seat["token"] for seat in answer["seats"] if seat["token"]}
        seat = self.setup.open_seat
        if seat is not None:
            token = secrets.token_urlsafe(32)
            guest = Client(self, "guest", token)
            path = f"/api/invitations/{answer['seats'][seat]['invite']}"
            await guest.until_answered(JOIN, "POST", path, {"name": "Guest"}, lambda _: {})
            self.tokens[seat] = token

    async def _watch(self) -> None:
        """After the faults, wait until the table is stuck."""
        await self.world.finishing.wait()
        await self.world.wait_until_stalled(lambda: self.version, lambda: self.answers)

    async def audit(self) -> None:
        """Read the whole game again, from every worker, each time as another seat or a spectator."""
        for worker in range(len(self.world.addresses)):
            for _ in range(self.world.workers):  # those behind one port cannot be distinguished
                seat = self.chance.choice((SPECTATOR, *self.tokens))
                auditor = SeatClient(self, seat, self.tokens.get(seat), name="auditor")
                await auditor.audit(worker)
                self.log.audit(worker, seat, auditor.last)


class Client:
    """Sends requests to workers, and logs them."""

    def __init__(self, table: Table, name: str, token: str | None = None, seat: int = SPECTATOR) -> None:
        self.table, self.name, self.token, self.seat = table, name, token, seat
        self.chance = random.Random(table.chance.getrandbits(64))
        self.worker = self.chance.randrange(len(table.world.https))

    @property
    def world(self) -> World:
        return self.table.world

    def switch_worker(self) -> int:
        """Choose a worker at random, usually a different one."""
        self.worker = self.chance.randrange(len(self.world.https))
        return self.worker

    async def pause(self) -> None:
        """Wait before trying again."""
        await asyncio.sleep(self.chance.uniform(*RETRY_DELAY))

    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"} if self.token else {}

    async def request(
        self, kind: str, method: str, path: str, body: Facts | None, facts: Any, worker: int, **sent: Any
    ) -> tuple[str, int, Facts]:
        """Send a request once; return the outcome, the status (0 without a response) and the response data."""
        counts = self.world.counts
        number = self.table.log.invoke(self.name, kind, worker, self.seat, **sent)
        counts[f"{kind} requests"] += 1
        try:
            response = await self.world.https[worker].request(
                method, path, json=body, headers=self.headers(), timeout=self.world.timeout
            )
            data = response.json()
        except FAILURES as error:
            counts[f"{kind} unknown"] += 1
            self.table.log.complete(number, INFO, error=type(error).__name__)
            return INFO, 0, {}
        except asyncio.CancelledError:
            self.table.log.complete(number, INFO, error="cancelled")
            raise
        counts[f"status {response.status_code}"] += 1
        self.table.answers += kind == READ and response.status_code not in RETRY_STATUSES
        if response.is_success:
            counts[f"{kind} ok"] += 1
            self.table.log.complete(number, OK, **facts(data))
            return OK, response.status_code, data
        outcome = FAIL if response.status_code in REJECTION_STATUSES else INFO
        counts[f"{kind} {'rejected' if outcome == FAIL else 'unknown'}"] += 1
        self.table.log.complete(number, outcome, status=response.status_code, why=data.get("why", ""))
        return outcome, response.status_code, data

    async def until_answered(self, kind: str, method: str, path: str, body: Facts, facts: Any) -> Facts:
        """Repeat a request until it succeeds."""
        while True:
            outcome, status, data = await self.request(kind, method, path, body, facts, self.switch_worker())
            if outcome == OK:
                return data
            if outcome == FAIL and status != 429:
                raise Denied
            await self.pause()


class SeatClient(Client):
    """A player or a spectator: it follows the stream, and a player moves when it is its turn."""

    def __init__(
        self, table: Table, seat: int, token: str | None, *, twin: bool = False, name: str = ""
    ) -> None:
        kind = name or ("spectator" if seat == SPECTATOR else f"seat {seat + 1}{' (twin)' if twin else ''}")
        super().__init__(table, kind, token, seat)
        self.last = -1
        """The last version that a stream has sent."""
        self.changed = asyncio.Event()

    @property
    def path(self) -> str:
        return f"/api/games/{self.table.game}"

    # ---------------------------------------------------------------- the stream

    async def follow(self) -> None:
        """Follow the stream to the end of the game; when it is interrupted, resume it on any worker."""
        while not await self.follow_once(self.chance.randrange(len(self.world.https))):
            await self.pause()

    async def audit(self, worker: int) -> None:
        """Follow the stream of a worker to the end of the game, or until it stalls."""
        async with self.world.connect(worker) as http:
            await run_until_first(
                self._follow_at(worker, http),
                self._read_repeatedly(worker),
                self.world.wait_until_stalled(lambda: self.last, lambda: self.table.answers),
            )

    async def _follow_at(self, worker: int, http: httpx.AsyncClient) -> None:
        while not await self.follow_once(worker, http):
            await self.pause()

    async def _read_repeatedly(self, worker: int) -> None:
        """Read the state repeatedly, to tell a stalled stream from a worker that does not respond."""
        while True:
            await self.request(READ, "GET", self.path, None, state_facts, worker)
            await self.pause()

    async def follow_once(self, worker: int, http: httpx.AsyncClient | None = None) -> bool:
        """Follow a stream until it ends or is interrupted; return whether the game is over."""
        headers = self.headers() | {"last-event-id": str(self.last)}
        number = self.table.log.stream(self.name, worker, self.seat, self.last)
        ended = False
        try:
            async with (http or self.world.https[worker]).stream(
                "GET", f"{self.path}/stream", headers=headers, timeout=self.world.stream_timeout
            ) as response:
                if response.status_code != 200:
                    return False
                async for event, data in server_sent_events(response):
                    if event == "move":
                        self.last = data["version"]
                        self.table.log.event(number, data["version"], data["events"])
                        self.world.counts["stream events"] += 1
                        self.table.record_version(self.last)
                        self.changed.set()
                        ended = any(item["event"] == "game_ended" for item in data["events"])
                    elif event == "chat" and data["seat"] is not None:
                        self.table.log.message(number, data["number"], data["seat"] - 1, data["sentence"])
        except FAILURES:
            self.world.counts["interrupted streams"] += 1
        return ended

    # ---------------------------------------------------------------- moves

    async def play(self) -> None:
        """Play until the game is over."""
        while not self.table.over.is_set():
            state = await self._read()
            if state is None:
                await self.pause()
                continue
            if state["result"] is not None:
                self.table.over.set()
                return
            if state["seats"][self.seat]["substitute"]:
                await self._return()
            elif state["choices"]:
                await self._think()
                await self._move(state)
                continue
            elif state["undo"] and self._misbehaves(0.05):
                await self._submit("undo", state["version"])
                continue
            elif self._misbehaves(0.05):
                await self._chat()
            await self._wait_for_change()

    def _misbehaves(self, probability: float) -> bool:
        """Whether to do something unusual now; never after the faults."""
        return not self.world.finishing.is_set() and self.chance.random() < probability

    async def _sleep(self, seconds: float) -> None:
        """Sleep, at most until the faults are over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.world.finishing.wait()

    async def _wait_for_change(self) -> None:
        self.changed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(POLL_INTERVAL if not self.world.finishing.is_set() else 0.5):
                await self.changed.wait()

    async def _think(self) -> None:
        if self.table.setup.clock and self._misbehaves(0.03):
            await self._sleep(self.chance.uniform(*ABSENCE))
        else:
            await self._sleep(self.chance.uniform(0, 2 * self.world.pace))

    async def _read(self) -> Facts | None:
        worker = self.switch_worker() if self.chance.random() < 0.2 else self.worker
        outcome, _, data = await self.request(READ, "GET", self.path, None, state_facts, worker)
        if outcome != OK:
            self.switch_worker()
            return None
        self.table.record_version(data["version"])
        return data

    async def _move(self, state: Facts) -> None:
        choice: str | list[str] = self.chance.choice(state["choices"])["choice"]
        if state["undo"] and self._misbehaves(0.1):
            choice = "undo"
        elif state["selection"] and self.chance.random() < 0.5:
            choice = self.chance.sample(state["selection"]["cards"], state["selection"]["number"])
        version = state["version"]
        if version and self._misbehaves(0.02):
            version -= 1  # like a program that missed the last move
        await self._submit(choice, version)

    async def _submit(self, choice: str | list[str], version: int) -> None:
        """Submit a move until there is a response, sometimes to two workers at once."""
        key = secrets.token_urlsafe(9)
        again = self._misbehaves(0.1)
        while not self.table.over.is_set() or again:
            sending = [self._send(choice, version, key, self.worker)]
            if again:
                sending.append(self._send(choice, version, key, self.switch_worker()))
            again = False
            answers = await asyncio.gather(*sending)
            if any(outcome != INFO and status != 429 for outcome, status, _ in answers):
                return
            self.switch_worker()
            self.world.counts["moves sent again"] += 1
            await self.pause()

    async def _send(
        self, choice: str | list[str], version: int, key: str, worker: int
    ) -> tuple[str, int, Facts]:
        body = {"version": version, "idempotency_key": key}
        body |= {"choice": choice} if isinstance(choice, str) else {"cards": choice}
        outcome, status, data = await self.request(
            *(MOVE, "POST", f"{self.path}/moves", body, lambda data: {"version": data["version"]}, worker),
            version=version,
            key=key,
            choice=text_of_choice(choice),
        )
        if outcome == OK:
            self.table.record_version(data["version"])
        return outcome, status, data

    # ---------------------------------------------------------------- chat and absence

    async def _return(self) -> None:
        """Take the seat back from a substitute, which finishes its turn first."""
        path = f"{self.path}/return"
        await self.request(RETURN, "POST", path, None, lambda _: {}, self.worker)

    async def _chat(self) -> None:
        if self.table.messages >= MAX_MESSAGES:
            return
        self.table.messages += 1
        key, text = secrets.token_urlsafe(9), f"Message {self.table.messages} of {self.name}"
        path, body = f"{self.path}/chat", {"text": text, "idempotency_key": key}
        while not self.table.over.is_set():
            outcome, *_ = await self.request(
                *(CHAT, "POST", path, body, lambda data: {"number": data["number"]}, self.worker),
                key=key,
                text=text,
            )
            if outcome != INFO:
                return
            self.switch_worker()
            await self.pause()


def state_facts(state: Facts) -> Facts:
    """The parts of a table's state that are logged."""
    return {
        "version": state["version"],
        "view": state["view"],
        "table": digest(state["table"]),
        "substitutes": [info["seat"] - 1 for info in state["seats"] if info["substitute"]],
        "names": [info["name"] for info in state["seats"]],
        "waiting": state["is_waiting"],
    }


async def server_sent_events(response: httpx.Response) -> AsyncIterator[tuple[str, Facts]]:
    """The complete events of a stream, with their data."""
    event, data = "", ""
    async for line in response.aiter_lines():
        name, _, value = line.partition(":")
        if name == "event":
            event = value.strip()
        elif name == "data":
            data += value
        elif not line and data:
            yield event, json.loads(data)
            event, data = "", ""

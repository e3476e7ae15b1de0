"""A server that is killed at random moments, and a client that keeps playing."""

import asyncio
import contextlib
import gc
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from datetime import timedelta
from http.client import HTTPConnection, HTTPException
from json import dumps, loads
from pathlib import Path

from server_config import config_at
from waiting import WAIT_TIMEOUT, block_until

from hegemon.prose.translator import languages
from hegemon.server import runner
from hegemon.server.app import create_app
from hegemon.server.runner import database_url, listening_socket, serve


@dataclass
class Acknowledged:
    """A move that the server has acknowledged."""

    game: str
    version: int
    seat: int
    choice: str
    idempotency_key: str


@dataclass
class Player:
    """Plays one game after another through the API, and repeats requests that get no response."""

    port: int
    chance: random.Random
    seats: list[dict[str, str]]
    acknowledged: list[Acknowledged] = field(default_factory=list)
    sent_again: int = 0
    problem: BaseException | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    _connection: HTTPConnection | None = None

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self._play()
        except BaseException as problem:
            self.problem = problem
        finally:
            if self._connection is not None:
                self._connection.close()

    def _play(self) -> None:
        _, created = self._ask("POST", "/api/games", body={"seats": self.seats})
        tokens = {seat["seat"]: seat["token"] for seat in created["seats"] if seat["token"]}
        path = f"/api/games/{created['game']}"
        while not self.stop.is_set():
            for seat, token in tokens.items():
                status, seen = self._ask("GET", path, token)
                assert status == 200, (status, seen)
                if seen["result"] is not None:
                    return
                if not seen["choices"]:
                    continue
                choice = self.chance.choice(seen["choices"])["choice"]
                idempotency_key = f"{self.chance.getrandbits(64):x}"
                submit_move = {
                    "choice": choice,
                    "version": seen["version"],
                    "idempotency_key": idempotency_key,
                }
                status, answer = self._ask("POST", f"{path}/moves", token, submit_move)
                assert (status, answer) == (200, {"version": seen["version"] + 1}), (status, answer)
                self.acknowledged.append(
                    Acknowledged(created["game"], answer["version"], seat, choice, idempotency_key)
                )

    def _ask(self, method: str, path: str, token: str = "", body: object = None) -> tuple[int, dict]:
        deadline = time.monotonic() + WAIT_TIMEOUT
        headers = {"authorization": f"Bearer {token}"} if token else {}
        text = dumps(body) if body is not None else None
        while True:
            try:
                if self._connection is None:
                    self._connection = HTTPConnection("127.0.0.1", self.port, timeout=WAIT_TIMEOUT)
                self._connection.request(method, path, text, headers | {"content-type": "application/json"})
                answer = self._connection.getresponse()
                text_of_answer = answer.read()
                if answer.status != 429:
                    return answer.status, loads(text_of_answer)
                # Polling while a bot thinks exceeds the rate limit.
                time.sleep(int(answer.headers["retry-after"]))
            except (OSError, HTTPException):
                self._connection.close()
                self._connection = None
                self.sent_again += 1
                assert time.monotonic() < deadline, "the server has not come back"


class ForkServer:
    """A process that has imported everything and forks one server at a time, so that each start is fast."""

    def __init__(self, url: str, listener: socket.socket) -> None:
        # The socket outlives the servers, so connections wait while none is running.
        self._process = subprocess.Popen(
            [sys.executable, __file__, url, str(listener.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[listener.fileno()],
        )

    def start(self) -> int:
        """Start a server once the last one has ended; return its process id."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


async def start_once(url: str) -> None:
    """Start and stop a server, so that its forks find everything loaded."""
    async with create_app(config_at(url)).lifespan():
        pass


def fork_servers(url: str, socket_number: int) -> None:
    """Fork a server for each line of the input, and print its process id."""
    asyncio.run(start_once(url))
    languages()
    app = create_app(config_at(url))
    runner.create_app = lambda config: app  # affects only this process, which serves no other purpose
    gc.freeze()  # what all servers share is not collected in each of them
    for _ in sys.stdin:
        server = os.fork()
        if server == 0:
            with contextlib.suppress(KeyboardInterrupt):
                # The tests look for the idempotency keys of moves, which archives do not have.
                config = config_at(url, archive_after=timedelta(days=365))
                serve(config, socket.socket(fileno=socket_number), lambda: None)
            os._exit(0)
        print(server, flush=True)
        os.waitpid(server, 0)


def wait_for_a_move(player: Player) -> None:
    """Wait until another move is acknowledged, or the player has failed."""
    before = len(player.acknowledged)
    block_until(lambda: len(player.acknowledged) > before or player.problem)


def play_and_kill(database: Path, seed: int, kills: int, seats: list[dict[str, str]]) -> Player:
    """Let a player play while the server is killed this many times."""
    chance = random.Random(seed)
    with listening_socket("127.0.0.1", 0) as listener:
        fork_server = ForkServer(database_url(str(database)), listener)
        player = Player(listener.getsockname()[1], random.Random(seed), seats)
        playing = threading.Thread(target=player.run)
        playing.start()
        try:
            for kill in range(kills + 1):
                server = fork_server.start()
                if kill == kills or chance.random() < 0.9:  # otherwise it is killed while it starts
                    wait_for_a_move(player)
                if player.problem or kill == kills:
                    break
                time.sleep(chance.uniform(0, 0.05))
                os.kill(server, signal.SIGKILL)
        finally:
            player.stop.set()
            playing.join()
            os.kill(server, signal.SIGKILL)
            fork_server.close()
    return player


if __name__ == "__main__":
    fork_servers(sys.argv[1], int(sys.argv[2]))

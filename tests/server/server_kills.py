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

from hegemon.prose.translator import languages
from hegemon.server import runner
from hegemon.server.app import create_app
from hegemon.server.runner import database_url, listening_socket, serve

#: A player who gets no answer for that long gives up.
PATIENCE_SECONDS = 60


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
    """Plays games through the API, one after the other; whatever gets no answer is sent again, as it was."""

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
        patience = time.monotonic() + PATIENCE_SECONDS
        headers = {"authorization": f"Bearer {token}"} if token else {}
        text = dumps(body) if body is not None else None
        while True:
            try:
                if self._connection is None:
                    self._connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
                self._connection.request(method, path, text, headers | {"content-type": "application/json"})
                answer = self._connection.getresponse()
                text_of_answer = answer.read()
                if answer.status != 429:
                    return answer.status, loads(text_of_answer)
                # Where a bot thinks for long, we ask too often.
                time.sleep(int(answer.headers["retry-after"]))
            except (OSError, HTTPException):
                self._connection.close()
                self._connection = None
                self.sent_again += 1
                assert time.monotonic() < patience, "the server does not come back"


class Nursery:
    """A process that has loaded everything once and forks servers, one after the other: so a start costs little."""

    def __init__(self, url: str, taken: socket.socket) -> None:
        # A socket that outlives the servers keeps a player who comes in between waiting.
        self._process = subprocess.Popen(
            [sys.executable, __file__, url, str(taken.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[taken.fileno()],
        )

    def start(self) -> int:
        """Start a server when the last one is dead; says which process it is."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


async def start_once(url: str) -> None:
    """Start a server and stop it, so that whatever is loaded for the first one is there for all."""
    async with create_app(config_at(url)).lifespan():
        pass


def fork_servers(url: str, socket_number: int) -> None:
    """What a nursery does: a line asks for a server, and its process is the answer."""
    asyncio.run(start_once(url))
    languages()
    app = create_app(config_at(url))
    runner.create_app = lambda config: app  # in this process alone, which exists for that
    gc.freeze()  # no server looks through what it has in common with the others
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


def wait_for_a_word(player: Player) -> None:
    """Until another word is acknowledged."""
    before, patience = len(player.acknowledged), time.monotonic() + PATIENCE_SECONDS
    while len(player.acknowledged) == before and not player.problem:
        assert time.monotonic() < patience, "the player gets nowhere"
        time.sleep(0.001)


def play_and_kill(database: Path, seed: int, kills: int, seats: list[dict[str, str]]) -> Player:
    """Let someone play while the server is killed that many times."""
    chance = random.Random(seed)
    with listening_socket("127.0.0.1", 0) as taken:
        nursery = Nursery(database_url(str(database)), taken)
        player = Player(taken.getsockname()[1], random.Random(seed), seats)
        playing = threading.Thread(target=player.run)
        playing.start()
        try:
            for kill in range(kills + 1):
                server = nursery.start()
                if kill == kills or chance.random() < 0.9:  # otherwise it is killed while it starts
                    wait_for_a_word(player)
                if player.problem or kill == kills:
                    break
                time.sleep(chance.uniform(0, 0.05))
                os.kill(server, signal.SIGKILL)
        finally:
            player.stop.set()
            playing.join()
            os.kill(server, signal.SIGKILL)
            nursery.close()
    return player


if __name__ == "__main__":
    fork_servers(sys.argv[1], int(sys.argv[2]))

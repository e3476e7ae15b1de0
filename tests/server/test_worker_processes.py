"""`hegemon serve --workers`: several processes behind one port, on a PostgreSQL database."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from child_processes import spawned_by
from waiting import WAIT_TIMEOUT, block_until

from hegemon.cli.prose import MESSAGES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="finds child processes in /proc"),
]

WORKERS = 2

STREAMS = 20


@contextmanager
def serving(*options):
    """A server with its own processes: the parent process and the address."""
    command = [sys.executable, "-c", "from hegemon.cli import main; main()", "serve", "--port", "0", *options]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            line = ""
            while "http://" not in line or line.startswith("{"):  # the workers' logs name it earlier
                line = process.stdout.readline()
                assert line, "the server has not started"
            yield process, re.search(r"http://[\w.:]+", line)[0]
        finally:
            process.kill()


def ask(address, path, token="", body=None):
    """The response of the server; a request that is lost with its worker is repeated."""
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    data = json.dumps(body).encode() if body is not None else None

    def answer():
        try:
            with urlopen(Request(f"{address}{path}", data, headers), timeout=WAIT_TIMEOUT) as response:
                return json.load(response)
        except (URLError, HTTPException, ConnectionError):
            return None

    return block_until(answer)


def play(address, seats, game, number):
    """Play some moves, each in a separate request, so that any worker may answer."""
    for _ in range(number):
        for token in seats:
            state = ask(address, f"/api/games/{game}", token)
            if state["choices"]:
                body = {
                    "choice": state["choices"][0]["choice"],
                    "version": state["version"],
                    "idempotency_key": f"move {state['version']}",
                }
                answer = ask(address, f"/api/games/{game}/moves", token, body)
                assert answer == {"version": state["version"] + 1}
                break


def has_ended(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_workers_share_a_port_outlive_a_killed_one_and_stop_together(postgresql_database):
    options = ("--database", postgresql_database, "--workers", str(WORKERS), "--log", "json")
    with serving(*options) as (process, address):
        workers = block_until(lambda: len(found := spawned_by(process.pid)) == WORKERS and found)
        table = ask(address, "/api/games", body={"seats": [{"name": "Ada"}, {"name": "Ben"}]})
        seats = [seat["token"] for seat in table["seats"]]
        play(address, seats, table["game"], 6)
        os.kill(workers[0], signal.SIGKILL)
        play(address, seats, table["game"], 6)
        again = block_until(
            lambda: len(found := spawned_by(process.pid)) == WORKERS and workers[0] not in found and found
        )
        play(address, seats, table["game"], 6)
        assert ask(address, f"/api/games/{table['game']}")["version"] == 18
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=WAIT_TIMEOUT)[0]
    assert process.returncode == 0, output
    assert output.endswith(f"{MESSAGES['served']}\n")
    assert "Traceback" not in output
    assert all(has_ended(worker) for worker in again)


def clients_of(process, port):
    """The number of connections to a port that a process serves."""
    rows = map(str.split, Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:])
    established = {row[9] for row in rows if row[3] == "01" and int(row[1].partition(":")[2], 16) == port}
    served = 0
    for file in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed in the meantime
            served += file.readlink().name.removeprefix("socket:[").rstrip("]") in established
    return served


def test_one_worker_serves_all_streams_of_a_game(postgresql_database):
    options = ("--database", postgresql_database, "--workers", str(WORKERS), "--log", "quiet")
    with serving(*options) as (process, address), ExitStack() as streams:
        workers = block_until(lambda: len(found := spawned_by(process.pid)) == WORKERS and found)
        table = ask(address, "/api/games", body={"seats": [{"name": "Ada"}, {"name": "Ben"}]})
        for _ in range(STREAMS):
            url = f"{address}/api/games/{table['game']}/stream"
            streams.enter_context(urlopen(url, timeout=WAIT_TIMEOUT))  # returns when the head has arrived
        port = int(address.rpartition(":")[2])
        block_until(lambda: sorted(clients_of(worker, port) for worker in workers) == [0, STREAMS])


def test_workers_that_replace_killed_ones_serve(postgresql_database):
    options = ("--database", postgresql_database, "--workers", str(WORKERS), "--log", "json")
    with serving(*options) as (process, address):
        table = ask(address, "/api/games", body={"seats": [{"name": "Ada"}, {"name": "Ben"}]})
        for worker in spawned_by(process.pid):
            os.kill(worker, signal.SIGKILL)
        for _ in range(WORKERS):
            block_until(lambda: '"worker replaced"' in process.stdout.readline())
        play(address, [seat["token"] for seat in table["seats"]], table["game"], 6)
        assert ask(address, f"/api/games/{table['game']}")["version"] == 6
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=WAIT_TIMEOUT)[0]
    assert process.returncode == 0, output
    assert "Traceback" not in output


def test_workers_do_not_outlive_their_parent(postgresql_database):
    with serving("--database", postgresql_database, "--workers", str(WORKERS)) as (process, _):
        workers = block_until(lambda: len(found := spawned_by(process.pid)) == WORKERS and found)
        process.kill()
        block_until(lambda: all(has_ended(worker) for worker in workers))

"""`hegemon serve --workers`: several processes behind one port, on a PostgreSQL database."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from hegemon.cli.prose import MESSAGES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="finds child processes in /proc"),
]

#: Seconds after which a test fails; a busy machine takes long.
PATIENCE = 120

WORKERS = 2


@contextmanager
def serving(*options):
    """A server in processes of its own: the parent, and its address."""
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


def workers_of(process):
    """The processes that serve: children of the parent, without multiprocessing's own."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            command = (status.parent / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == process and b"spawn_main" in command:
            found.append(int(status.parent.name))
    return found


def eventually(condition):
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "it has not happened"
        time.sleep(0.05)
    return found


def ask(address, path, token="", body=None):
    """The answer of the server; a request that is lost with its worker is sent again."""
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    data = json.dumps(body).encode() if body is not None else None

    def answer():
        try:
            with urlopen(Request(f"{address}{path}", data, headers), timeout=PATIENCE) as response:
                return json.load(response)
        except (URLError, HTTPException, ConnectionError):
            return None

    return eventually(answer)


def play(address, seats, game, number):
    """Play some moves, each with a request of its own, so that any worker may answer."""
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


def is_over(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_workers_share_a_port_outlive_a_killed_one_and_stop_together(postgresql_database):
    options = ("--database", postgresql_database, "--workers", str(WORKERS), "--log", "json")
    with serving(*options) as (process, address):
        workers = eventually(lambda: len(found := workers_of(process.pid)) == WORKERS and found)
        table = ask(address, "/api/games", body={"seats": [{"name": "Ada"}, {"name": "Ben"}]})
        seats = [seat["token"] for seat in table["seats"]]
        play(address, seats, table["game"], 6)
        os.kill(workers[0], signal.SIGKILL)
        play(address, seats, table["game"], 6)
        again = eventually(
            lambda: len(found := workers_of(process.pid)) == WORKERS and workers[0] not in found and found
        )
        play(address, seats, table["game"], 6)
        assert ask(address, f"/api/games/{table['game']}")["version"] == 18
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 0, output
    assert output.endswith(f"{MESSAGES['served']}\n")
    assert "Traceback" not in output
    assert all(is_over(worker) for worker in again)


def test_workers_that_replace_killed_ones_serve(postgresql_database):
    options = ("--database", postgresql_database, "--workers", str(WORKERS), "--log", "json")
    with serving(*options) as (process, address):
        table = ask(address, "/api/games", body={"seats": [{"name": "Ada"}, {"name": "Ben"}]})
        for worker in workers_of(process.pid):
            os.kill(worker, signal.SIGKILL)
        for _ in range(WORKERS):
            eventually(lambda: '"worker replaced"' in process.stdout.readline())
        play(address, [seat["token"] for seat in table["seats"]], table["game"], 6)
        assert ask(address, f"/api/games/{table['game']}")["version"] == 6
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 0, output
    assert "Traceback" not in output


def test_workers_do_not_outlive_their_parent(postgresql_database):
    with serving("--database", postgresql_database, "--workers", str(WORKERS)) as (process, _):
        workers = eventually(lambda: len(found := workers_of(process.pid)) == WORKERS and found)
        process.kill()
        eventually(lambda: all(is_over(worker) for worker in workers))

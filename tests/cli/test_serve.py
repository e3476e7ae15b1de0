"""`hegemon serve`: its address, the errors that prevent it from starting, and how it stops."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest
from waiting import WAIT_TIMEOUT

from hegemon.cli.commands import serve
from hegemon.cli.errors import BAD_INPUT, FAILED
from hegemon.cli.prose import ERRORS, MESSAGES
from hegemon.server.runner import database_url, listening_socket, local_url


@pytest.fixture
def server(tmp_path):
    """A server in a separate process, and its address."""
    with subprocess.Popen(
        [sys.executable, "-c", "from hegemon.cli import main; main()", "serve", "--port", "0"],
        env=os.environ | {"XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        line = process.stdout.readline()
        yield process, re.search(r"http://\S+", line)[0]
        if process.poll() is None:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 3])
def test_a_server_is_healthy_and_stops_while_streaming(server, tmp_path, times):
    """Further interrupts change nothing."""
    process, address = server
    with urlopen(f"{address}/health") as answer:
        assert json.load(answer) == {"status": "ok", "failing": [], "broken_games": 0}
    with urlopen(f"{address}/games", data=b"seat1=me&seat2=person") as answer:
        table = answer.url
    assert Path(tmp_path / "hegemon" / "tables.db").exists()
    with urlopen(f"{table}/stream") as stream:
        assert stream.readline().startswith(b"id: 0")
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        output = process.communicate(timeout=WAIT_TIMEOUT)[0]
    assert output.endswith(f"{MESSAGES['served']}\n")
    assert '"level": "error"' not in output
    assert "Traceback" not in output
    assert process.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_thinking_processes_end_with_the_server(tmp_path):
    command = ("serve", "--port", "0", "--thinkers", "1", "--database", str(tmp_path / "games.db"))
    with subprocess.Popen(
        [sys.executable, "-c", "from hegemon.cli import main; main()", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        process.stdout.readline()
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not (thinkers := children.read_text().split()):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=WAIT_TIMEOUT)[0]
    assert process.returncode == 0, output
    assert "Traceback" not in output
    assert not any(Path(f"/proc/{thinker}").exists() for thinker in thinkers)


@pytest.mark.parametrize("number", ["-1", "65", "many"])
def test_a_wrong_number_of_thinkers_is_reported(hegemon, number):
    run = hegemon("serve", "--thinkers", number)
    assert run.status == BAD_INPUT
    assert "--thinkers" in run.err


def test_several_workers_need_postgresql(hegemon, tmp_path):
    run = hegemon("serve", "--workers", "2", "--database", tmp_path / "games.db")
    assert run.status == FAILED
    assert ERRORS["workers-sqlite"] in " ".join(run.err.split())
    assert not (tmp_path / "games.db").exists()


def test_a_bound_port_is_reachable_and_exclusive():
    with listening_socket("127.0.0.1", 0) as listener:
        with pytest.raises(OSError, match="in use"):
            listening_socket("127.0.0.1", listener.getsockname()[1])
        with socket.create_connection(listener.getsockname()):
            pass


@pytest.mark.skipif(sys.platform != "linux", reason="the option exists on Linux only")
def test_every_connection_has_a_tcp_user_timeout():
    with (
        listening_socket("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as connection,
    ):
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 20_000


def test_a_port_in_use_is_reported(hegemon, tmp_path):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        run = hegemon("serve", "--port", str(port), "--database", str(tmp_path / "games.db"))
    assert run.status == FAILED
    assert f"Port {port} of 127.0.0.1 is in use" in run.err


def test_without_a_port_any_free_one_is_used(monkeypatch):
    with listening_socket("127.0.0.1", 0) as listener:
        monkeypatch.setattr(serve, "DEFAULT_PORT", listener.getsockname()[1])
        with serve.listen("127.0.0.1", None) as other:
            assert other.getsockname()[1] != listener.getsockname()[1]


def test_make_play_opens_the_page():
    makefile = Path(__file__).parents[2] / "Makefile"
    assert re.search(r"^play:.*\n\t@\$\(BIN\)/hegemon serve --open$", makefile.read_text(), re.MULTILINE)


def test_a_foreign_address_is_reported(hegemon, tmp_path):
    arguments = ("serve", "--host", "203.0.113.7", "--database", str(tmp_path / "games.db"))
    for port, number in ((), 8000), (("--port", "0"), 0):
        run = hegemon(*arguments, *port)
        assert run.status == FAILED
        assert f"cannot listen at 203.0.113.7, port {number}" in run.err


@pytest.mark.parametrize(
    "address", ["nowhere://games", "postgresql+nothing://me:secret@localhost/games", "sqlite:///games.db"]
)
def test_a_bad_database_url_is_reported(hegemon, address):
    run = hegemon("serve", "--database", address)
    assert run.status == FAILED
    assert run.err.startswith("The address of the database cannot be used: ")
    assert "Give a file" in run.err
    assert "secret" not in run.err


def test_a_file_that_is_not_a_database_is_reported(hegemon, tmp_path):
    file = tmp_path / "shopping.txt"
    file.write_text("bread, cheese, and a good deal more than fits into a header\n")
    run = hegemon("serve", "--database", str(file))
    assert run.status == FAILED
    assert "cannot be opened" in run.err


def test_a_folder_as_database_is_reported(hegemon, tmp_path):
    run = hegemon("serve", "--database", str(tmp_path))
    assert run.status == FAILED
    assert "it is a folder" in run.err


def test_missing_packages_are_named(hegemon, monkeypatch):
    monkeypatch.setattr(serve, "_SERVER_PACKAGES", ("no_such_part",))
    run = hegemon("serve")
    assert run.status == FAILED
    assert "no_such_part" in run.err


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg"])
def test_postgresql_without_its_package_is_explained(hegemon, monkeypatch, scheme):
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    run = hegemon("serve", "--database", f"{scheme}://me:secret@localhost/games")
    assert run.status == FAILED
    assert "pip install 'hegemon[postgres]'" in run.err
    assert "secret" not in run.err


def test_a_path_is_a_file_of_sqlite():
    assert database_url("/games.db") == "sqlite+aiosqlite:////games.db"
    assert database_url("postgresql+asyncpg://host/games") == "postgresql+asyncpg://host/games"
    assert database_url("postgres://postgres://") == "postgresql+asyncpg://postgres://"


def test_the_address_is_one_that_a_browser_can_open():
    with listening_socket("0.0.0.0", 0) as listener:
        assert local_url(listener) == f"http://localhost:{listener.getsockname()[1]}"


@pytest.mark.parametrize(("screen", "there"), [("", False), (":0", True)])
def test_a_browser_is_opened_only_where_there_is_a_screen(monkeypatch, screen, there):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DISPLAY", screen)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert serve.has_display() is there


@pytest.mark.parametrize(
    ("allowed", "found"),
    [
        ("solon=program:true -x=y", ("solon", "program:true -x=y")),
        ("json-bot=types:SimpleNamespace", None),
        ("Σόλων.2=json:JSONDecoder.decode", None),
    ],
)
def test_a_host_allows_a_bot_by_a_new_name(allowed, found, monkeypatch):
    monkeypatch.setattr("hegemon.bots.make_bot", lambda code: None)
    assert serve.read_allowed_bot(allowed) == (found or tuple(allowed.split("=")))


@pytest.mark.parametrize(
    ("allowed", "sentence"),
    [
        ("genius", 'There is no bot "genius"'),
        ("greedy=json:loads", "cannot be allowed. Name an installed bot, or give code a new name"),
        ("expert", "cannot be allowed"),
        ("me=json:loads", "cannot be allowed"),
        ("program:true", "cannot be allowed"),
        ("a b=json:loads", "cannot be allowed"),
        (f"{'x' * 25}=json:loads", "cannot be allowed"),
        ("solon=no.where:Bot", "No module named"),
        ("solon=program:no-such-program", "There is no program for the command"),
        ("solon=", "cannot be allowed"),
    ],
)
def test_a_bot_that_cannot_be_allowed_prevents_the_start(hegemon, allowed, sentence):
    run = hegemon("serve", "--port", "0", "--allow-bot", allowed)
    assert run.status == 2
    assert sentence in " ".join(run.err.split())


# ------------------------------------------------------------------ hegemon think


@pytest.mark.parametrize("database", ["games.db", "sqlite+aiosqlite:///games.db"])
def test_thinking_elsewhere_needs_postgresql(hegemon, tmp_path, monkeypatch, database):
    monkeypatch.chdir(tmp_path)
    run = hegemon("think", "--database", database, "--processes", "3")
    assert run.status == FAILED
    assert run.err.startswith("`hegemon think` works for servers on PostgreSQL.")
    assert "hegemon serve --thinkers 3" in run.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ((), "--database"),
        (("--database", "games.db", "--processes", "0"), "--processes"),
        (("--database", "games.db", "--processes", "two"), "--processes"),
        (("--database", "games.db", "--log", "loud"), "--log"),
    ],
)
def test_wrong_options_for_thinking_are_reported(hegemon, options, named):
    run = hegemon("think", *options)
    assert run.status == BAD_INPUT
    assert named in run.err


@pytest.mark.parametrize(
    ("database", "reason"),
    [
        ("nowhere://games", "The address of the database cannot be used: "),
        ("postgresql://me:secret@127.0.0.1:1/games", "cannot be opened: "),
    ],
)
def test_a_database_that_thinkers_cannot_use_is_reported(hegemon, database, reason):
    run = hegemon("think", "--database", database)
    assert run.status == FAILED
    assert reason in run.err
    assert "secret" not in run.err
    assert "Traceback" not in run.err

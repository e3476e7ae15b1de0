"""The example of a remote bot: it plays a whole game at a server in another process."""

import subprocess
import sys
from pathlib import Path

import pytest
from server_process import server_process
from waiting import WAIT_TIMEOUT

from hegemon.bots import make_bot
from hegemon.client import SeatRequest, Server

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples" / "remote_bot" / "remote_bot.py"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with server_process(tmp_path_factory.mktemp("server")) as running:
        server = Server(running.address)
        yield server
        server.close()


def start(link):
    return subprocess.Popen(
        [sys.executable, EXAMPLE, link], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("wish", [{}, {"variant": "draft", "rulings": "pl"}])
def test_it_plays_a_whole_game(server, wish):
    table = server.create_table("Ada", SeatRequest(open=True), SeatRequest("Livia", bot="chance"), **wish)
    [ada] = table.own
    with start(*table.links) as bot:
        ada.play(make_bot("chance", 1))
        told, problems = bot.communicate(timeout=WAIT_TIMEOUT)
    assert (bot.returncode, problems) == (0, "")
    record = ada.record()
    assert record.names == ("Ada", "Solon", "Livia")
    assert told == f"Won by {' and '.join(record.names[seat] for seat in record.result.winners)}.\n"
    assert [line.phrase for line in ada.messages()] == ["hello", "well-played"]


def test_errors_are_reported_in_a_sentence(server):
    with start(f"{server.address}/join/forged") as bot:
        told, problems = bot.communicate(timeout=WAIT_TIMEOUT)
    assert (bot.returncode, told) == (1, "")
    assert problems.startswith("There is no such invitation.")


def test_it_has_thirty_lines():
    source = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert sum(1 for line in source if line.strip()) <= 30

"""`hegemon join`: taking a seat, playing, leaving and returning, and the errors that prevent it."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass

import pytest
from server_process import server_process
from waiting import WAIT_TIMEOUT

from hegemon.bots import BOTS, make_bot
from hegemon.cli import saves
from hegemon.cli.commands import join as join_command
from hegemon.cli.errors import BAD_INPUT, FAILED, INTERRUPTED
from hegemon.client import SeatRequest, Server, join

pytestmark = pytest.mark.slow

STRANGE = "\x1b[31mEve"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with server_process(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def server(running):
    return Server(running.address)


@dataclass
class Guided:
    """A bot that does something else before one of its choices."""

    act: object
    at: int = 3

    def choose(self, view, memory, choices):
        self.at -= 1
        if self.at == 0:
            self.act()
        return make_bot("greedy", 1).choose(view, memory, choices)


@pytest.fixture
def guided(monkeypatch):
    """Register a bot "guided" that does something before its third choice."""

    def let(act):
        monkeypatch.setitem(BOTS, "guided", lambda seed: Guided(act))

    return let


def interrupt():
    raise KeyboardInterrupt


def an_open_seat(server, *others, **wish):
    return server.create_table(
        SeatRequest(open=True), *others or [SeatRequest("Zenobia", bot="greedy")], **wish
    )


def test_a_bot_joins_by_an_invitation_and_plays_a_whole_game(hegemon, server):
    table = an_open_seat(server)
    run = hegemon("join", *table.links, "--bot", "greedy", "--seed", "1", "--name", "Ada")
    assert (run.status, run.err) == (0, "")
    first, *_ = run.out.splitlines()
    assert first == f"Ada is in seat 1, with Zenobia, at {table.address}"
    assert "Round 1: your turn." in run.out
    assert re.search(r"won|share", run.out)
    assert "game over" in run.out
    assert table.host.state().result is not None
    again = hegemon("join", *table.links, "--bot", "greedy")
    assert (again.status, "That game is already over." in again.out) == (0, True)
    assert "Round 1" not in again.out


def test_json_has_a_line_for_every_event(hegemon, server):
    table = an_open_seat(server)
    run = hegemon("join", *table.links, "--bot", "chance", "--json")
    first, *lines, last = [json.loads(line) for line in run.out.splitlines()]
    assert (first["seat"], first["names"], first["is_waiting"]) == (1, ["chance (bot)", "Zenobia"], False)
    numbers = [line["version"] for line in lines if "events" in line]
    assert numbers == list(range(len(numbers)))
    assert {"version", "choice"} in [line.keys() for line in lines]
    assert last["result"]["winners"]


def test_in_a_terminal_the_table_is_redrawn(hegemon, server, monkeypatch, guided):
    monkeypatch.setattr(join_command, "is_interactive", lambda console: True)
    table = an_open_seat(server, "Ben")
    ben = table.own[0]
    guided(lambda: ben.post_message(f"{STRANGE} greets you."))
    playing = threading.Thread(target=ben.play, args=[make_bot("chance", 3)], daemon=True)
    playing.start()
    run = hegemon("join", *table.links, "--bot", "guided")
    playing.join(60)
    assert not playing.is_alive()
    assert run.status == 0
    assert "guided plays here · Ctrl-C leaves, and the seat stays" in run.out
    assert run.out.count("Your hand") > 5


def test_it_waits_for_the_other_players(hegemon, server, monkeypatch):
    table = server.create_table(SeatRequest(open=True), SeatRequest(open=True))
    notes = []

    def come(_reporter, sentence):
        notes.append(sentence)
        table.host.reassign_seat(1, bot="greedy")

    monkeypatch.setattr(join_command.LogReporter, "notify", come)
    run = hegemon("join", table.links[0], "--bot", "greedy")
    assert (run.status, len(notes)) == (0, 1)


def test_an_interrupted_bot_can_return(hegemon, server, guided):
    table = an_open_seat(server)
    guided(interrupt)
    left = hegemon("join", *table.links, "--bot", "guided")
    assert left.status == INTERRUPTED
    back = f"hegemon join {table.links[0]} --bot guided"
    assert left.out.replace("\n", " ").rstrip().endswith(f"Come back with: {back}")
    assert table.host.state().result is None
    guided(lambda: None)
    assert hegemon(*back.split()[1:]).status == 0
    assert table.host.state().result is not None


def test_without_a_saved_key_the_seat_link_leads_back(hegemon, server, guided, monkeypatch):
    def nowhere():
        raise saves.SaveError

    monkeypatch.setattr(saves, "folder", nowhere)
    table = an_open_seat(server)
    guided(interrupt)
    left = hegemon("join", *table.links, "--bot", "guided")
    [link] = re.findall(r"'(http\S+#\S{43})'", left.out.replace("\n", ""))
    assert join(link).state().seat == 0
    assert hegemon("join", link, "--bot", "greedy").status == 0


def test_an_interrupt_before_it_has_a_seat(hegemon, server, monkeypatch):
    monkeypatch.setattr(join_command, "token_for", lambda link: interrupt())
    run = hegemon("join", *an_open_seat(server).links, "--bot", "greedy")
    assert (run.status, run.out) == (INTERRUPTED, "You left.\n")


def test_the_key_of_a_machine_is_private_and_permanent(tmp_path):
    path = tmp_path / "new" / "key"
    key = join_command.machine_key(path)
    assert len(key) == 32
    assert join_command.machine_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert [other.name for other in path.parent.iterdir()] == ["key"]


def test_chat_and_undone_moves_are_shown(hegemon, server, guided):
    table = an_open_seat(server, "Ben")
    ben = table.own[0]

    def play():
        hesitated = False
        for moment in ben.moments():
            number = moment.play(moment.choices[0])
            look = ben.state()
            if not hesitated and look.undo and look.version == number:
                hesitated = True
                ben.undo(number)
                ben.post_message("One moment…")

    playing = threading.Thread(target=play, daemon=True)
    playing.start()
    run = hegemon("join", *table.links, "--bot", "chance", "--seed", "1")
    playing.join(60)
    assert not playing.is_alive()
    assert run.status == 0
    assert "That choice was undone." in run.out
    assert "Ben: One moment…" in run.out


def test_it_stays_for_a_rematch(hegemon, server, monkeypatch):
    table = an_open_seat(server)
    is_waiting = []

    def sleep(seconds):
        if is_waiting:
            raise KeyboardInterrupt
        is_waiting.append(seconds)
        table.host.rematch()

    monkeypatch.setattr(join_command.time, "sleep", sleep)
    run = hegemon("join", *table.links, "--bot", "greedy", "--again")
    assert run.status == INTERRUPTED
    assert run.out.count("is in seat") == 2
    assert "greedy (bot) is in seat 2" in run.out
    rematch = server.seat(table.host.state().next_game).state()
    assert rematch.result is not None


@pytest.mark.parametrize(
    ("url", "status", "part"),
    [
        ("localhost:8000/join/x", BAD_INPUT, "begins with http"),
        ("{address}/rules", BAD_INPUT, "an invitation is"),
        ("{address}/join/forged", BAD_INPUT, "There is no such invitation"),
        ("{address}/games/nowhere#{token}", BAD_INPUT, "There is no such game"),
        ("{address}/games/{game}", BAD_INPUT, "for spectators"),
        ("{address}/games/{game}#{host}", BAD_INPUT, "which has no seat"),
        ("{address}/games/{game}#{token}", FAILED, "has no seat"),
        ("{address}/join/{taken}", FAILED, "already"),
        ("{address}/join/{over}", FAILED, "The game is over."),
        ("http://127.0.0.1:1/join/x", FAILED, "does not answer"),
    ],
)
def test_the_reason_why_a_bot_cannot_play_is_reported(hegemon, server, url, status, part):
    table = server.create_table(SeatRequest(open=True), SeatRequest(open=True))
    finished = an_open_seat(server)
    if "{over}" in url:
        join(finished.links[0]).play(make_bot("greedy"))
    join(table.links[1])
    facts = {
        "address": server.address,
        "token": "x" * 43,
        "game": table.host.game,
        "host": table.host.token,
        "taken": table.links[1].rpartition("/")[2],
        "over": finished.links[0].rpartition("/")[2],
    }
    run = hegemon("join", url.format(**facts), "--bot", "greedy")
    assert (run.status, run.out) == (status, "")
    assert part in run.err


def test_an_unknown_bot_takes_no_seat(hegemon, server):
    table = an_open_seat(server)
    run = hegemon("join", *table.links, "--bot", "genius")
    assert (run.status, 'There is no bot "genius"' in run.err) == (BAD_INPUT, True)
    assert table.host.state().is_waiting


def test_a_bot_whose_seat_was_given_away_stops(hegemon, server, guided):
    table = an_open_seat(server)
    guided(lambda: table.host.reassign_seat(0, bot="chance"))
    run = hegemon("join", *table.links, "--bot", "guided")
    assert run.status == FAILED
    assert "no longer the bot’s" in run.err


@pytest.mark.slow
def test_it_waits_for_a_restarted_server(hegemon, server, running, guided):
    table = an_open_seat(server)

    def fall():
        running.kill()
        running.start()

    guided(fall)
    run = hegemon("join", *table.links, "--bot", "guided")
    assert run.status == 0
    assert table.host.state().result is not None


@pytest.mark.slow
def test_ctrl_c_prints_how_to_return(server, tmp_path):
    table = an_open_seat(server)
    program = [sys.executable, "-c", "from hegemon.cli import main; main()"]
    with subprocess.Popen(
        [*program, "join", *table.links, "--bot", "search:0.2s"],
        env=os.environ | {"XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1", "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while "You played" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WAIT_TIMEOUT)
    assert (process.returncode, err) == (INTERRUPTED, "")
    assert f"Come back with: hegemon join {table.links[0]} --bot search:0.2s" in out

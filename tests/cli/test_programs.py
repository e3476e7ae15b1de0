"""Bots in any language, and classes that are not installed, in the terminal, in the arena and on a server."""

import shlex
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from bot_programs import write_program
from server_process import server_process

from hegemon import Memory, read_record, read_view
from hegemon.cli.commands.join import public_name
from hegemon.client import SeatRequest, Server
from hegemon.views import view_table

ROOT = Path(__file__).parents[2]


@pytest.fixture
def program(tmp_path):
    """The name of a bot that answers with an expression of its choices."""

    def name(answer="choices[0]"):
        return write_program(tmp_path / "bot.py", answer)

    return name


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A class in the working directory that makes the first choice."""
    (tmp_path / "gambits.py").write_text(
        "class First:\n    def __init__(self, seed): pass\n"
        "    def choose(self, view, memory, choices): return choices[0]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield "gambits:First"
    sys.modules.pop("gambits", None)


@pytest.fixture(params=["program", "class"])
def bot(request, program, module, tmp_path):
    if request.param == "class":
        return module
    # A short name, wherever Python and the temporary folder are: a table wraps a long one.
    (tmp_path / "bot").write_text(f"#!/bin/sh\nexec {program().removeprefix('program:')}\n")
    (tmp_path / "bot").chmod(0o755)
    return "program:./bot"


# ------------------------------------------------------------------ the terminal


def test_it_plays_at_the_terminal(hegemon, bot, games):
    run = hegemon("play", "--bots", bot, "--seed", "3", "--seat", "1", typed="1\n.\n1\nq\n")
    assert run.status == 0, run.err
    assert f"Zenobia ({bot})" in " ".join(run.out.split())
    (path,) = games.glob("*.toml")
    record = read_record(path.read_text(encoding="utf-8"))
    assert record.names[1] == f"Zenobia (bot {bot})"
    assert len(record.moves) > 4


def test_it_can_be_watched(hegemon, bot):
    run = hegemon("watch", "--fast", "--bots", f"{bot},greedy", "--players", "2", "--seed", "3", "--json")
    assert run.json()["result"]["winners"]


def test_a_file_does_not_decide_what_is_run(hegemon, bot, monkeypatch):
    left = hegemon("play", "--bots", bot, "--players", "2", "--seed", "4", typed="1\nq\n")
    with monkeypatch.context() as context:
        context.setattr("hegemon.cli.seats.make_bot", lambda *_: pytest.fail("it is run"))
        refused = hegemon("play", "--resume", typed="q\n")
    assert refused.status == 2
    assert "on this machine. If you trust it, add --bots" in " ".join(refused.err.split())
    (hint,) = (line for line in left.out.splitlines() if line.startswith("Resume with: hegemon "))
    assert hegemon(*shlex.split(hint)[3:], typed="q\n").status == 0


@pytest.mark.parametrize("language", ["en", "de", "el", "hu", "pl"])
def test_a_program_that_fails_is_one_sentence_and_the_game_is_saved(hegemon, program, games, language):
    bot = program("'nonsense'")
    run = hegemon(
        "play",
        "--bots",
        bot,
        "--players",
        "2",
        "--seed",
        "4",
        "--seat",
        "1",
        "--language",
        language,
        typed="1\n.\n",
    )
    assert run.status == 1
    assert "nonsense" in run.err
    assert "Traceback" not in run.err
    assert bot.removeprefix("program:") in " ".join(run.err.split())
    assert len([*games.glob("*.toml")]) == 1


def test_a_class_that_fails_is_named(hegemon, module, tmp_path):
    (tmp_path / "gambits.py").write_text(
        "class First:\n    def __init__(self, seed): pass\n"
        "    def choose(self, view, memory, choices): raise RuntimeError('out of ideas')\n"
    )
    run = hegemon("watch", "--fast", "--bots", module)
    assert run.status == 2
    assert "The bot gambits:First of another package failed: RuntimeError: out of ideas" in run.err


def test_a_missing_program_is_named(hegemon):
    run = hegemon("play", "--bots", "program:no-such-program")
    assert run.status == 2
    assert 'There is no program for the command "no-such-program".' in run.err


# ------------------------------------------------------------------ the arena


@pytest.mark.slow
@pytest.mark.parametrize("workers", [("--jobs", "1"), ("--threads", "--jobs", "2")])
def test_it_plays_in_the_arena(hegemon, bot, workers):
    run = hegemon("arena", "--seats", f"{bot},chance", "--games", "4", "--json", *workers)
    assert run.status == 0, run.err
    assert run.json()["bots"][bot]["decisions"] > 20


# ------------------------------------------------------------------ a server


@pytest.fixture
def server(tmp_path):
    with server_process(tmp_path) as running:
        yield Server(running.address)


@pytest.mark.slow
def test_it_plays_at_a_table_on_a_server_without_the_name_of_its_folder(hegemon, program, server):
    table = server.create_table(SeatRequest(open=True), SeatRequest("Zenobia", bot="chance"))
    run = hegemon("join", *table.links, "--bot", program())
    assert (run.status, run.err) == (0, "")
    assert table.host.state().names[0] == "bot.py (bot)"
    assert table.host.state().result is not None


@pytest.mark.slow
def test_a_program_that_fails_leaves_its_seat_and_says_how_to_return(hegemon, program, server):
    table = server.create_table(SeatRequest(open=True), SeatRequest("Zenobia", bot="chance"))
    run = hegemon("join", *table.links, "--bot", program("'nonsense'"))
    assert run.status == 1
    assert 'chose "nonsense", which is not one of its choices' in " ".join(run.err.split())
    assert f"Come back with: hegemon join {table.links[0]} --bot" in run.out


@pytest.mark.parametrize(
    ("bot", "name"),
    [
        ("program:node bots/collector.js", "collector.js"),
        ("program:5s:./bots/solon", "solon"),
        ("my.bots:Solon", "Solon"),
        ("search:0.1s", "search:0.1s"),
    ],
)
def test_the_name_on_a_server_has_no_folder(bot, name):
    assert public_name(bot) == name


# ------------------------------------------------------------------ the protocol


def test_the_command_prints_the_protocol_and_the_documentation_has_it(hegemon):
    printed = hegemon("bot-protocol").out
    assert printed == (ROOT / "docs" / "reference" / "bot-protocol.md").read_text(encoding="utf-8"), (
        "hegemon bot-protocol > docs/reference/bot-protocol.md"
    )
    assert printed == files("hegemon.bots").joinpath("protocol.md").read_text(encoding="utf-8")


def test_the_conversation_in_it_is_a_possible_one(hegemon):
    lines = dict(
        line.removeprefix("> ").split(" ", 1)
        for line in hegemon("bot-protocol").out.splitlines()
        if line.startswith("> ") and " " in line[2:]
    )
    view = read_view(lines["view"])
    assert " ".join(view_table(view, ["Ada", "Ben", "Cleo"]).choices) == lines["choices"]
    assert str(Memory(view.viewer, view.players, lines["memory"])) == lines["memory"]

"""`--json` means the same for every command: JSON and nothing else on standard output, and errors as JSON."""

import json
import re
from pathlib import Path

import pytest

from hegemon import Game, write_record
from hegemon.cli.app import build_command

GROUP = build_command()
#: What is played, served or read, and has no results.
WITHOUT = {"play", "puzzle", "serve", "think", "bot-protocol"}
COMMANDS = sorted(set(GROUP.commands) - WITHOUT)
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "command-line.md"

LINE = "M112e1R1(E1S2)/C1(S1) 1e"

#: A short run of every command that needs neither a server nor a database.
RUNS = {
    "show": [LINE],
    "perft": [LINE, "2"],
    "rulings": [],
    "replay": ["game.toml"],
    "analyze": ["finished.toml", "--iterations", "0"],
    "watch": ["--players", "2", "--seed", "1"],
    "bench": ["--seconds", "0.1"],
    "arena": ["--seats", "chance", "--games", "2", "--threads", "--jobs", "1"],
    "study": ["--games", "1", "--jobs", "1"],
    "export": ["data", "--games", "2", "--bots", "chance"],
    "train": ["run", "--device", "cpu", "--minutes", "0.01", "--players", "2"],
    "compile": [],
    "puzzles": ["journal.jsonl", "--games", "1", "--jobs", "1"],
}
HOSTING = {
    "backup": ["saved.db"],
    "restore": ["saved.db"],
    "check": [],
    "compact": [],
    "purge": ["--days", "1"],
    "erase": ["http://localhost/me/" + "x" * 43],
    "host-token": [],
    "moderate": ["block", "*spam*"],
}


@pytest.fixture(autouse=True)
def _short(monkeypatch, tmp_path):
    """Run in an empty folder with one game, and neither compile, train nor measure for long."""
    from hegemon.arena import samples, workers
    from hegemon.bots import compilation
    from hegemon.kernels import benchmark, mining
    from hegemon.kernels.network import Network
    from hegemon.learn import trainer

    monkeypatch.chdir(tmp_path)
    game = Game(2, seed=1)
    game.play(game.choices[0])
    Path("game.toml").write_text(write_record(game.record()), encoding="utf-8")
    finished = Game.from_position("M1112223(M3)/C1(S1) 1p", moves="M .")
    Path("finished.toml").write_text(write_record(finished.record()), encoding="utf-8")
    tiny = {"games": 64, "rollout_steps": 4, "minibatch_size": 512, "epochs": 1, "widths": (8, 8, 8)}
    monkeypatch.setattr(trainer, "CPU_OPTIONS", trainer.CPU_OPTIONS | tiny)
    monkeypatch.setattr(compilation, "PARTS", dict.fromkeys(compilation.PARTS, lambda: None))
    figures = dict.fromkeys(benchmark.Speeds.__dataclass_fields__, 1.0)
    monkeypatch.setattr(benchmark, "measure", lambda seconds: iter(figures.items()))
    monkeypatch.setattr(workers, "processes", workers.threads)
    monkeypatch.setattr(mining, "positions_of", lambda series: [])
    monkeypatch.setattr(samples, "shipped_network", lambda: Network.random(0, tiny["widths"]))


def test_every_command_with_results_takes_json():
    takes = {
        name for name, command in GROUP.commands.items() if any("--json" in p.opts for p in command.params)
    }
    assert takes == set(COMMANDS)
    assert {*RUNS, *HOSTING, "join"} == takes
    for name, command in GROUP.commands.items():
        flags = [parameter for parameter in command.params if "--json" in parameter.opts]
        assert all(flag.is_flag for flag in flags), name


@pytest.mark.parametrize("command", RUNS)
def test_it_prints_one_document_and_nothing_else(hegemon, command):
    run = hegemon(command, *RUNS[command], "--json")
    assert run.status == 0, run.err
    assert isinstance(run.json(), dict)
    assert not run.err.startswith("{")


def test_commands_for_hosts_print_documents(hegemon, tmp_path):
    from hegemon.server.runner import check_database, database_url

    database = tmp_path / "games.db"
    check_database(database_url(str(database)))
    printed = {}
    for command, arguments in HOSTING.items():
        run = hegemon(command, *arguments, "--database", database, "--json")
        printed[command] = run.json() if run.status == 0 else json.loads(run.err.splitlines()[-1])
    assert printed["backup"] == {"file": "saved.db", "bytes": Path("saved.db").stat().st_size}
    assert printed["restore"]["file"] == "saved.db"
    assert printed["restore"]["former"] is not None
    assert printed["check"] == {"games": 0, "moves": 0, "problems": []}
    assert printed["compact"] == {"archived": 0}
    assert printed["purge"] == {"purged": 0}
    assert printed["erase"]["status"] == 1  # the person is unknown
    assert len(printed["host-token"]["token"]) == 43
    assert printed["moderate"] == {"action": "block"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_failure_is_json_too(hegemon, command):
    run = hegemon(command, "--json", "--no-such-option")
    assert (run.status, run.out) == (2, "")
    (line,) = run.err.splitlines()
    error = json.loads(line)
    assert error["status"] == 2
    assert error["error"].startswith("There is no option --no-such-option.")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["show", "M9"], 2),
        (["replay", "nowhere.toml"], 2),
        (["watch", "--bots", "deepblue"], 2),
        (["export", "game.toml"], 2),
        (["backup", "saved.db", "--database", "nowhere.db"], 1),
    ],
)
def test_every_kind_of_failure_is_json(hegemon, arguments, status):
    run = hegemon(*arguments, "--json")
    assert (run.status, run.out) == (status, "")
    assert json.loads(run.err.splitlines()[-1])["status"] == status
    plain = hegemon(*arguments)
    assert not plain.err.startswith("{")


def test_an_internal_error_is_json(hegemon, monkeypatch):
    from hegemon.cli.commands import show

    for raised in (ZeroDivisionError(), OSError("no")):

        def fail(*arguments, raised=raised):
            raise raised

        monkeypatch.setattr(show, "write_json", fail)
        run = hegemon("show", LINE, "--json")
        assert (run.status, run.out) == (1, "")
        assert json.loads(run.err)["status"] == 1


def test_the_page_says_what_it_means():
    text = PAGE.read_text(encoding="utf-8").partition("## JSON output")[2]
    sentence = text.partition("all commands except")[2].partition(".")[0]
    assert set(re.findall(r"`([a-z-]+)`", sentence)) == WITHOUT
    assert set(json.loads(re.search(r'`(\{"error".*\})`', text)[1])) == {"error", "status"}

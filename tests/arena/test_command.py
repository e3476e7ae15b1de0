"""The command `hegemon arena`: tables, JSON, a report, interrupts and resuming, wrong input."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

import hegemon
from hegemon.arena.journal import Journal
from hegemon.arena.tournament import Tournament
from hegemon.bots import BOTS
from hegemon.cli.app import app
from hegemon.cli.commands import arena as arena_command
from hegemon.cli.errors import run_command
from hegemon.cli.runs import progress_bars, unfinished_path

RUN = "import sys; sys.argv[0] = 'hegemon'; from hegemon.cli import main; main()"


@pytest.fixture
def environment(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return {
        **os.environ,
        "PYTHONPATH": str(Path(hegemon.__file__).parents[1]),
        "COLUMNS": "120",
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }


@pytest.fixture
def arena(environment, tmp_path, monkeypatch, capsys):
    """Run the command in this process and return its output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments, status=0):
        monkeypatch.setattr(sys, "argv", ["hegemon", "arena", *arguments])
        capsys.readouterr()
        left = run_command(lambda: app(["arena", *arguments], prog_name="hegemon", standalone_mode=False))
        out, err = capsys.readouterr()
        assert left == status, err
        return SimpleNamespace(stdout=out, stderr=err)

    return run


def test_it_prints_tables(arena):
    text = arena("--seats", "greedy,chance", "--games", "8", "--jobs", "2").stdout
    assert "8 games of 4 deals: 2 players, basic, rulings standard, seed 0" in text
    for part in (
        "win rate",
        "95% interval",
        "rating",
        "beats",
        "seat 2",
        "how games end",
        "rounds",
        "effects per game",
    ):
        assert part in text


def test_teams_play_as_they_are_named(arena):
    done = arena("--teams", "--seats", "greedy+chance,chance", "--games", "4", "--threads", "--json")
    data = json.loads(done.stdout)
    assert {name: side["games"] for name, side in data["sides"].items()} == {"chance+greedy": 4, "chance": 4}
    assert {name: bot["seats"] for name, bot in data["bots"].items()} == {"greedy": 4, "chance": 12}


def test_a_single_deal_is_written_in_the_singular(arena):
    assert "2 games of 1 deal: 2" in arena("--seats", "greedy,chance", "--games", "2", "--threads").stdout


def test_it_prints_plain_data_and_nothing_else(arena):
    done = arena("--seats", "greedy,chance", "--games", "4", "--json", "--threads")
    data = json.loads(done.stdout)
    assert data["finished"] is True
    assert data["games"] == 4
    assert set(data["sides"]["greedy"]) >= {"games", "wins", "win_rate", "low", "high", "rating"}


@pytest.mark.slow
def test_it_writes_a_report(arena, tmp_path):
    done = arena(
        "--seats", "greedy,chance", "--games", "4", "--players", "3", "--variant", "draft", "--rulings", "pl",
        "--seed", "9", "--json", "--report", "report", "--threads",
    )  # fmt: skip
    assert "report/index.html" in done.stderr
    data = json.loads(done.stdout)
    assert data["tournament"]["rulings"] == "pl"
    assert len(list((tmp_path / "report" / "games").iterdir())) == data["games"] == 6
    assert "--seed 9" in (tmp_path / "report" / "index.html").read_text()


@pytest.mark.slow
def test_an_interrupt_reports_and_the_same_command_resumes(environment, tmp_path):
    # More games than a busy machine can play before the interrupt comes.
    arguments = ["arena", "--seats", "greedy,chance,chance", "--games", "60000", "--jobs", "2", "--json"]
    command = [sys.executable, "-c", RUN, *arguments]
    tournament = Tournament(("greedy", "chance", "chance"))
    path = unfinished_path(tournament)
    running = subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    while running.poll() is None and not (path.exists() and path.read_bytes().count(b"\n") > 3):
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate()
    assert running.returncode == 130
    data = json.loads(out)
    assert data["finished"] is False
    assert 0 < data["games"] < 60_000
    assert f"Interrupted after {data['games']} of 60000 games" in err
    assert "Traceback" not in err
    assert len(Journal(tournament, path).games) == data["games"]

    shorter = [*command, "--threads"]
    shorter[shorter.index("60000")] = str(data["games"] + 3)
    again = subprocess.run(shorter, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert f"Resuming an unfinished run: {data['games']} of {data['games'] + 3}" in again.stderr
    assert json.loads(again.stdout)["games"] == data["games"] + 3
    assert not path.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_are_interrupts_while_games_are_played(number, monkeypatch):
    monkeypatch.setattr("hegemon.cli.signals.discard_output", lambda *descriptors: None)
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), progress_bars():
        signal.raise_signal(number)
    assert signal.getsignal(number) == before


def test_workers_that_end_again_and_again_are_reported(arena, monkeypatch):
    def broken(*_):
        raise BrokenExecutor

    monkeypatch.setattr("hegemon.arena.runner.Run.play", broken)
    assert "ended again and again" in arena("--seats", "greedy,chance", "--threads", status=1).stderr


def test_an_interrupt_in_the_middle_of_a_line_is_counted_correctly(arena, monkeypatch):
    flushed = []

    def interrupted(file):
        flushed.append(file)
        if len(flushed) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("hegemon.arena.journal.os.fsync", interrupted)
    done = arena("--seats", "greedy,chance", "--games", "40", "--threads", "--json", status=130)
    assert f"Interrupted after {json.loads(done.stdout)['games']} of 40 games" in done.stderr


def test_results_are_saved_to_the_given_file(arena, tmp_path):
    arguments = ("--seats", "greedy,chance", "--results", "results.jsonl", "--threads", "--games")
    arena(*arguments, "4")
    assert "4 of 6" in arena(*arguments, "6").stderr
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 4
    wrong = arena("--seats", "greedy,chance", "--results", "results.jsonl", "--seed", "3", status=2)
    assert "another tournament. What is different: seed 0 → 3" in wrong.stderr.replace("\n", " ")
    assert "Remove the file to start over" in wrong.stderr


def test_an_unfinished_run_of_different_code_starts_over_and_says_what_changed(arena, environment):
    tournament = Tournament(("greedy", "chance"))
    path = unfinished_path(tournament)
    version = Journal(tournament, path).code.versions["numpy"]
    path.write_text(path.read_text().replace(f'"numpy":"{version}"', '"numpy":"1.0"'))
    done = arena("--seats", "greedy,chance", "--games", "2", "--threads")
    assert f"What has changed: numpy 1.0 → {version}" in done.stderr.replace("\n", " ")
    assert "The run starts over." in done.stderr
    assert "2 games" in done.stdout
    assert not path.exists()


def test_an_unfinished_run_that_cannot_be_read_starts_over(arena, environment):
    path = unfinished_path(Tournament(("greedy", "chance")))
    path.parent.mkdir(parents=True)
    path.write_text("something else\n")
    done = arena("--seats", "greedy,chance", "--games", "2", "--threads")
    assert "The run starts over." in done.stderr
    assert "2 games" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--seats", "greedy,deep-blue"), 'no bot "deep-blue"; the bots are chance, greedy'),
        (("--seats", ""), "Name the bots"),
        (("--seats", "greedy,chance", "--games", "0"), "1 to 10000000 games, not 0"),
        (("--seats", "greedy,chance", "--jobs", "0"), "number of jobs is 1 or more"),
        (("--seats", "greedy,chance", "--players", "7"), "Two, three or four"),
        (("--seats", "greedy,chance", "--players", "0"), "Two, three or four"),
        (("--seats", "greedy,chance", "--variant", "chess"), "basic"),
        (("--seats", "greedy,chance", "--seed", "-1"), "A seed is"),
        (("--seats", "greedy,chance", "--seconds-per-move", "-1"), "seconds for a move, not -1"),
        (("--seats", "greedy+chance,chance"), "greedy+chance is a team"),
        (("--seats", "greedy,chance", "--results", "nowhere/out.jsonl"), "there is no folder"),
        (("--seats", "greedy,chance", "--results", "."), "is a folder"),
        (("--seats", "greedy,chance", "--report", "file"), "part of the path is a file"),
        (("--seats", "greedy,chance", "--cluster", "nonsense"), "no Dask scheduler at nonsense"),
        ((), "--seats"),
    ],
)
def test_wrong_input_is_explained(arena, tmp_path, arguments, sentence):
    (tmp_path / "file").touch()
    done = arena(*arguments, status=2)
    assert sentence in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_unreachable_cluster_is_named(environment, tmp_path):
    arguments = ["arena", "--seats", "greedy,chance", "--cluster", "tcp://127.0.0.1:9"]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no Dask scheduler at tcp://127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("package", "arguments", "sentence"),
    [
        ("matplotlib", ("--report", "there"), "A report needs Matplotlib"),
        ("distributed", ("--cluster", "tcp://127.0.0.1:9"), "A cluster needs Dask"),
    ],
)
def test_missing_packages_are_named(arena, monkeypatch, package, arguments, sentence):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(arena_command, "find_spec", lambda name: None if name == package else object())
    assert sentence in arena("--seats", "greedy,chance", *arguments, status=2).stderr


def test_a_run_without_a_writable_data_folder_is_played(arena, tmp_path):
    (tmp_path / "data").write_text("a file where the folder should be")
    assert "2 games" in arena("--seats", "greedy,chance", "--games", "2", "--threads").stdout


def test_a_bot_that_fails_is_named(arena, monkeypatch):
    class Broken:
        def __init__(self, seed=0):
            pass

        def choose(self, view, memory, choices):
            raise RuntimeError("out of ideas")

    monkeypatch.setitem(BOTS, "broken", Broken)
    assert (
        "broken failed in deal 0"
        in arena("--seats", "broken,chance", "--jobs", "1", "--threads", status=2).stderr
    )


@pytest.mark.slow
def test_bots_that_think_get_ready_first(arena):
    data = json.loads(arena("--seats", "search:5,chance", "--games", "2", "--json", "--threads").stdout)
    assert data["bots"]["search:5"]["decisions"] > 10

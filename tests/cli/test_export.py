"""The command `hegemon export`: files, a summary, interrupts, and wrong input."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hegemon as package
from hegemon.arena import workers
from hegemon.arena.export import ExportRun, path_of, write_file
from hegemon.bots import Greedy

RUN = "import sys; sys.argv[0] = 'hegemon'; from hegemon.cli import main; main()"


@pytest.fixture
def command(tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(package.__file__).parents[1]),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "LC_ALL": "C.UTF-8",
    }

    def run(*arguments, status=0):
        done = subprocess.run(
            [sys.executable, "-c", RUN, "export", *map(str, arguments)],
            capture_output=True, check=False, text=True, env=environment, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        return done

    return run


@pytest.mark.slow
def test_the_command_writes_a_folder_and_resumes(command, tmp_path):
    """Processes write the files; running the same command again writes the missing ones."""
    options = ("--games", 12, "--format", "parquet", "--bots", "chance", "--games-per-file", 4, "--jobs", 2)
    done = command(*options, "--json")
    folder = tmp_path / "export"
    assert json.loads(done.stdout) == {"finished": True, "folder": "export", "games": 12, "files": 3}
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert len(whole) == 3
    path_of(folder, 1).unlink()
    again = command(*options)
    assert "Resuming an unfinished run: 8 of 12 games are already there." in again.stderr
    assert "12 games are in export, in 3 files." in again.stderr
    assert again.stdout == ""
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == whole


@pytest.mark.slow
def test_a_killed_export_is_resumed_to_the_same_bytes(command, tmp_path):
    options = ("--games", "120", "--bots", "heuristic,chance", "--what", "decisions", "--games-per-file", "2")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    command(whole, *options, "--jobs", 1)
    environment = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])}
    line = [sys.executable, "-c", RUN, "export", str(killed), *options, "--jobs", "2"]
    with subprocess.Popen(line, env=environment, stderr=subprocess.DEVNULL) as running:
        while not list(killed.glob("*.parquet")) and running.poll() is None:
            time.sleep(0.01)
        running.kill()
    command(killed, *options, "--jobs", 2)
    assert {path.name: path.read_bytes() for path in killed.iterdir()} == {
        path.name: path.read_bytes() for path in whole.iterdir()
    }
    assert len(list(whole.iterdir())) == 60


def test_a_bot_that_fails_is_named(hegemon, tmp_path, monkeypatch):
    def fail(bot, view, memory, choices):
        raise ZeroDivisionError

    monkeypatch.setattr(Greedy, "choose", fail)
    monkeypatch.setattr(workers, "processes", workers.threads)
    run = hegemon("export", tmp_path / "e", "--games", 1, "--bots", "greedy", "--jobs", 1)
    assert (run.status, run.out) == (2, "")
    assert "greedy failed in deal 0, after 0 moves: ZeroDivisionError" in run.err


def test_a_bot_that_exits_is_named(hegemon, tmp_path, monkeypatch):
    def leave(bot, view, memory, choices):
        raise SystemExit(3)

    monkeypatch.setattr(Greedy, "choose", leave)
    monkeypatch.setattr(workers, "processes", workers.threads)
    run = hegemon("export", tmp_path / "e", "--games", 1, "--bots", "greedy", "--jobs", 1)
    assert (run.status, run.out) == (2, "")
    assert "greedy did not finish game 0: SystemExit: 3" in run.err


def test_finished_files_survive_an_interrupt(hegemon, tmp_path, monkeypatch):
    def interrupt(run, report):
        write_file(run.export, run.folder, 0)
        run.missing.remove(0)
        run.progress.games += 4
        raise KeyboardInterrupt

    monkeypatch.setattr(ExportRun, "play", interrupt)
    run = hegemon("export", tmp_path / "e", "--games", 8, "--games-per-file", 4, "--bots", "chance", "--json")
    assert run.status == 130
    assert "Interrupted after 4 of 8 games. The same command resumes the run." in run.err
    assert run.json()["finished"] is False
    assert run.json()["files"] == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--format", "csv"], "The format of an export is parquet, not csv."),
        (["--what", "pictures"], "An export has records or decisions, not pictures."),
        (["--bots", "deepblue"], 'There is no bot "deepblue"'),
        (["--bots", "heuristic,greedy"], "heuristic plays only with itself and chance."),
        (["--players", "5"], "Two, three or four can play, not 5."),
        (["--games", "0"], "--games"),
        (["--jobs", "0"], "The number of jobs is 1 or more, not 0."),
        (["--seed", "-1"], "A seed is a whole number from 0 to"),
    ],
)
def test_wrong_input_is_explained(hegemon, tmp_path, arguments, sentence):
    run = hegemon("export", tmp_path / "e", *arguments)
    assert (run.status, run.out) == (2, "")
    assert sentence in run.err
    assert not (tmp_path / "e").exists()


def test_without_pyarrow_it_says_what_to_install(hegemon, monkeypatch):
    from hegemon.cli.commands import export as command

    monkeypatch.setattr(command, "find_spec", lambda name: None)
    run = hegemon("export")
    assert run.status == 2
    assert "pip install 'hegemon[data]'" in run.err

"""Bots that fail, hang or exit: an exception is shown, and a bot that does not answer loses only that game."""

import importlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import CancelledError
from pathlib import Path

import pytest
from waiting import WAIT_TIMEOUT, block_until

import hegemon
from hegemon import Game, SetupError, read_record, write_record
from hegemon.arena import BotFailed, Deal, Journal, Run, Standings, Tournament, play_deal, seats, threads
from hegemon.arena.games import record_of_result
from hegemon.arena.report import tournament_page
from hegemon.arena.tables import forfeits_table
from hegemon.arena.workers import is_stopping
from hegemon.bots import BOTS, Chance, Program
from hegemon.notation.record import replay

pytestmark = pytest.mark.slow

BOTS_OF_OTHERS = """
import ctypes
import os
import sys
import time
from pathlib import Path
from random import Random


class Wanderer:
    def __init__(self, seed=0):
        self.random = Random(seed)

    def choose(self, view, memory, choices):
        return self.random.choice(choices)


class Chatty(Wanderer):
    def choose(self, view, memory, choices):
        print("thinking about", choices)
        return super().choose(view, memory, choices)


class Raises(Wanderer):
    def choose(self, view, memory, choices):
        return self.think(choices)

    def think(self, choices):
        raise RuntimeError("out of ideas")


class Confused(Wanderer):
    def choose(self, view, memory, choices):
        return lambda: choices


class Unborn(Wanderer):
    def __init__(self, seed=0):
        if seed:
            raise RuntimeError("not today")


class Exits(Wanderer):
    def choose(self, view, memory, choices):
        os._exit(3)


class Leaves(Wanderer):
    def choose(self, view, memory, choices):
        sys.exit("enough")


class Hangs(Wanderer):
    def choose(self, view, memory, choices):
        while True:
            pass


class HangsIfTold(Wanderer):
    def choose(self, view, memory, choices):
        while Path("hang").exists():
            Path(f"hung-{os.getpid()}").touch()
            time.sleep(0.01)
        return super().choose(view, memory, choices)


class HangsHard(HangsIfTold):
    def choose(self, view, memory, choices):
        if Path("hang").exists():
            Path(f"hung-{os.getpid()}").touch()
            ctypes.PyDLL(None).pause()  # without giving up the GIL
        return super().choose(view, memory, choices)


def play_as_a_daemon():
    from hegemon.arena import Deal, Tournament, play_deal

    games = play_deal(Tournament(("others:Wanderer", "chance")), Deal(0, 0))
    Path("played").write_text(" ".join(game.ending for game in games))
"""

PROGRAM = """
import os, sys, time
from pathlib import Path
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "seed":
        print("ready", flush=True)
    elif word == "choices":
        choices = rest.split()
    elif word == "choose":
        while Path("hang").exists():
            Path(f"hung-{os.getpid()}").touch()
            time.sleep(0.01)
        if Path("exit").exists():
            sys.exit("nothing to say")
        print("choice", choices[0], flush=True)
"""


PROGRAM_BOT = f"program:{sys.executable} program.py"


@pytest.fixture
def others(tmp_path, monkeypatch):
    """A working directory with third-party bots; every thread starts its own processes."""
    (tmp_path / "others.py").write_text(BOTS_OF_OTHERS)
    (tmp_path / "program.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(seats, "_processes", type(seats._processes)())
    yield tmp_path
    for process in vars(seats._processes).values():
        process.end()
    sys.modules.pop("others", None)


def standings(tournament, games):
    journal = Journal(tournament)
    Run(tournament, games, threads(1), journal).play()
    return Standings.of(tournament, journal.games), journal.games


# ------------------------------------------------------------------ exceptions


@pytest.mark.parametrize("isolated", [False, True])
def test_an_exception_shows_the_bots_traceback(others, monkeypatch, isolated):
    name = "others:Raises"
    if not isolated:
        monkeypatch.setattr(seats, "is_third_party", lambda name: False)
    with pytest.raises(
        BotFailed, match=f"{name} failed in deal 0, after 0 moves: RuntimeError: out of ideas"
    ) as failed:
        play_deal(Tournament((name, "chance")), Deal(0, 0))
    lines = failed.value.trace.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{others / "others.py"}", line 26, in choose'
    assert "in think" in failed.value.trace
    assert lines[-1] == "RuntimeError: out of ideas"
    assert "hegemon" not in failed.value.trace


def test_a_bot_that_cannot_be_created_for_a_game_is_named(others):
    with pytest.raises(
        SetupError, match="others:Unborn of another package cannot be created: RuntimeError: not today"
    ):
        play_deal(Tournament(("others:Unborn", "chance")), Deal(0, 0))


def test_an_answer_that_is_not_a_choice_is_named(others):
    with pytest.raises(BotFailed, match=r"others:Confused failed .* a choice is a str, not function"):
        play_deal(Tournament(("others:Confused", "chance")), Deal(0, 0))


# ------------------------------------------------------------------ forfeits


def test_a_bot_of_another_package_plays_the_same_in_a_separate_process(others, monkeypatch):
    def moves():
        games = play_deal(Tournament(("others:Wanderer", "chance")), Deal(0, 0))
        assert all(game.forfeit is None and min(game.decisions) > 5 for game in games)
        return [game.moves for game in games]

    isolated = moves()
    monkeypatch.setattr(seats, "is_third_party", lambda name: False)
    assert moves() == isolated


def test_a_daemonic_process_can_play_with_third_party_bots(others):
    """The workers of a Dask cluster are daemonic, and such processes may not have children."""
    sys.path.append(str(others))
    target = importlib.import_module("others").play_as_a_daemon
    process = multiprocessing.get_context("spawn").Process(target=target, daemon=True)
    process.start()
    process.join(300)
    assert process.exitcode == 0
    assert "forfeit" not in (others / "played").read_text()


@pytest.mark.parametrize(("bot", "detail"), [("others:Exits", ""), ("others:Leaves", "SystemExit: enough")])
def test_a_bot_that_exits_loses_its_games_and_the_run_continues(others, bot, detail):
    result, games = standings(Tournament((bot, "chance")), 4)
    assert result.games == 4
    assert result.sides["chance"].wins == 4
    assert result.bots[bot].forfeits == {"exit": 4}
    assert result.bots["chance"].forfeits == {}
    assert result.endings == {"forfeit": 4}
    assert {game.forfeit for game in games} == {(0, "exit", detail), (1, "exit", detail)}
    assert result.to_data()["bots"][bot]["forfeits"] == {"exit": 4}
    assert forfeits_table(result).rows == [(bot, "4", "0", "4")]
    assert "Lost by forfeit" in tournament_page(result, games, "hegemon arena")
    assert "Lost by forfeit" not in tournament_page(standings(Tournament(("chance",)), 1)[0], [], "")


def test_a_bot_that_hangs_loses_by_the_limit(others, monkeypatch):
    monkeypatch.setattr(seats, "SECONDS_PER_MOVE", 0.3)  # ours have none, however slow this machine is
    result, _ = standings(Tournament(("others:Hangs", "chance")), 4)
    assert result.bots["others:Hangs"].forfeits == {"time": 4}
    assert result.sides["chance"].wins == 4


def test_a_limit_for_all_bots_applies_to_built_in_ones(others, monkeypatch):
    assert seats.limit_for("chance", None) is None
    assert seats.limit_for("chance", 5) == 5
    assert seats.limit_for("others:Hangs", None) == 60
    assert seats.limit_for(f"program:7s:{sys.executable} program.py", None) == 7
    games = play_deal(Tournament(("easy", "chance"), seconds_per_move=600), Deal(0, 0))
    monkeypatch.setattr(seats, "limit_for", lambda name, seconds: None)
    expected = play_deal(Tournament(("easy", "chance")), Deal(0, 0))
    assert [game.moves for game in games] == [game.moves for game in expected]


def test_teammates_lose_together_and_opponents_share_the_win(others):
    (game, *_) = play_deal(Tournament(("others:Exits+chance", "greedy"), teams=True), Deal(0, 0))
    loser = game.forfeit[0]
    assert game.shares == tuple(float(seat % 2 != loser % 2) for seat in range(4))
    (game, *_) = play_deal(Tournament(("others:Exits", "chance", "greedy")), Deal(0, 0))
    assert sorted(game.shares) == [0.0, 0.5, 0.5]
    assert game.shares[game.forfeit[0]] == 0


def test_a_game_lost_by_forfeit_is_saved_up_to_the_forfeit(others, tmp_path):
    tournament = Tournament(("chance", "others:Exits"))
    path = tmp_path / "results.jsonl"
    journal = Journal(tournament, path)
    Run(tournament, 2, threads(1), journal).play()
    game = journal.games[0]
    record = read_record(write_record(record_of_result(tournament, game)))
    assert record.result is None
    assert sum(1 for _ in replay(record)) == len(game.moves.split()) + 1
    assert Journal(tournament, path).games == journal.games


@pytest.mark.parametrize(
    ("told", "seconds", "reason", "detail"),
    [
        ("exit", 300, "exit", "ended with status 1.\n  nothing to say"),
        ("hang", 1, "time", "did not answer within 1 seconds"),
    ],
)
def test_a_program_that_hangs_or_exits_loses_too(others, told, seconds, reason, detail):
    program = f"program:{seconds}s:{sys.executable} program.py"
    (others / told).touch()
    result, _ = standings(Tournament((program, "chance")), 2)
    assert result.bots[program].forfeits == {reason: 2}
    assert detail in result.bots[program].first_forfeit


@pytest.fixture
def choice_request():
    game = Game(2, seed=1)
    return seats.ChoiceRequest(game.view(0), game.memory(0), game.choices_of(0))


def test_a_process_has_the_bots_of_one_game(others, monkeypatch, choice_request):
    monkeypatch.setattr(seats, "_bots", {})
    monkeypatch.setattr(seats, "_game", [])
    for seed in (5, 6, 5):
        seats.choose_here("chance", (0, 0, 0), seed, 300.0, 300.0, choice_request)
    assert set(seats._bots) == {5, 6}
    seats.choose_here(PROGRAM_BOT, (0, 0, 1), 7, 300.0, 300.0, choice_request)
    assert set(seats._bots) == {7}
    program = seats._bots[7]._process._process
    assert program.poll() is None
    seats.choose_here("chance", (0, 0, 2), 8, 300.0, 300.0, choice_request)
    assert program.poll() is not None
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_choice_ends_in_a_forfeit_or_an_error(others, choice_request):
    sys.path.append(str(others))
    bots = importlib.import_module("others")
    with pytest.raises(seats.Forfeit, match="enough"):
        seats.choose(bots.Leaves(), choice_request)
    with pytest.raises(seats.BotError, match="out of ideas"):
        seats.choose(bots.Raises(), choice_request)
    (others / "exit").touch()
    with pytest.raises(seats.Forfeit, match="nothing to say"):
        seats.choose(Program(f"{sys.executable} program.py"), choice_request)


# ------------------------------------------------------------------ the command


RUN = "import sys; sys.argv[0] = 'hegemon'; from hegemon.cli import main; main()"


@pytest.fixture
def command(others, monkeypatch):
    """Start the command as a process in a session of its own."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(hegemon.__file__).parents[1]),
        "XDG_DATA_HOME": str(others / "data"),
        "COLUMNS": "120",
    }

    def start(*arguments):
        return subprocess.Popen(
            [sys.executable, "-c", RUN, "arena", *arguments], env=environment, cwd=others, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    return start


def test_the_command_shows_the_traceback(command):
    running = command("--seats", "others:Raises,chance", "--games", "2", "--jobs", "1")
    out, err = running.communicate(timeout=WAIT_TIMEOUT)
    assert running.returncode == 2
    assert out == ""
    assert err.count("Traceback (most recent call last)") == 1
    assert "in think" in err
    assert err.rstrip().endswith("others:Raises failed in deal 0, after 0 moves: RuntimeError: out of ideas")


def test_the_command_shows_why_a_bot_cannot_be_imported(command, others):
    (others / "unfinished.py").write_text("from nowhere import Bot\n")
    running = command("--seats", "unfinished:Bot,chance", "--games", "2")
    _, err = running.communicate(timeout=WAIT_TIMEOUT)
    assert running.returncode == 2
    assert f'Traceback (most recent call last):\n  File "{others / "unfinished.py"}", line 1' in err
    assert "The bot unfinished:Bot of another package cannot be created: ModuleNotFoundError" in err


def test_the_command_shows_forfeits(command):
    running = command("--seats", "others:Leaves,chance", "--games", "2", "--jobs", "1")
    out, err = running.communicate(timeout=WAIT_TIMEOUT)
    assert running.returncode == 0, err
    assert "forfeits" in out
    assert "The first game that others:Leaves lost by forfeit: SystemExit: enough" in err


def test_what_a_bot_prints_does_not_get_into_the_results(command):
    running = command("--seats", "others:Chatty,chance", "--games", "2", "--jobs", "1", "--json")
    out, err = running.communicate(timeout=WAIT_TIMEOUT)
    assert json.loads(out)["games"] == 2
    assert "thinking about" in err


def alive(process):
    """Whether a process exists and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def processes_of_session(session):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[3]) == session and alive(stat.parent.name):
                found.append(int(stat.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize(
    ("number", "bot", "limit"),
    [
        (signal.SIGTERM, "others:HangsIfTold", "300"),
        (signal.SIGTERM, "others:HangsIfTold", "300 --threads"),
        (signal.SIGINT, "others:HangsIfTold", "300"),
        (signal.SIGKILL, "others:HangsIfTold", "300"),
        (signal.SIGTERM, PROGRAM_BOT, "300"),
        (signal.SIGKILL, PROGRAM_BOT, "300"),
        (signal.SIGTERM, "others:HangsHard", "5"),
    ],
)
def test_a_signal_ends_the_run_and_every_process(command, others, number, bot, limit):
    running = command(
        "--seats", f"{bot},chance", "--games", "4000", "--jobs", "2", "--json", "--results", "out.jsonl",
        "--seconds-per-move", *limit.split(),
    )  # fmt: skip
    block_until(
        lambda: (others / "out.jsonl").exists() and (others / "out.jsonl").read_bytes().count(b"\n") > 2
    )
    (others / "hang").touch()
    block_until(lambda: list(others.glob("hung-*")))
    hung = [int(file.name.partition("-")[2]) for file in others.glob("hung-*")]
    running.send_signal(number)
    out, err = running.communicate(timeout=WAIT_TIMEOUT)
    block_until(lambda: not processes_of_session(running.pid))
    block_until(lambda: not any(map(alive, hung)))
    if number == signal.SIGKILL:
        return
    assert running.returncode == 130
    data = json.loads(out)
    assert data["finished"] is False
    assert f"Interrupted after {data['games']} of 4000 games" in err
    assert "Traceback" not in err


# ------------------------------------------------------------------ threads


def test_a_program_that_hangs_ends_with_the_threads_that_wait_for_it(others):
    (others / "hang").touch()
    workers = threads(1)
    executor = workers.start()
    work = executor.submit(play_deal, Tournament((PROGRAM_BOT, "chance")), Deal(0, 0))
    block_until(lambda: list(others.glob("hung-*")))
    (hung,) = others.glob("hung-*")
    workers.stop(executor)
    assert isinstance(work.exception(), CancelledError)
    block_until(lambda: not alive(int(hung.name.partition("-")[2])))


def test_threads_stop_when_their_work_is_no_longer_needed():
    assert not is_stopping()
    workers = threads(1)
    executor = workers.start()
    assert executor.submit(is_stopping).result() is False

    class Stopping(Chance):
        """A bot during whose move the run is interrupted."""

        def choose(self, view, memory, choices):
            workers.stop(executor)
            return super().choose(view, memory, choices)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BOTS, "stopping", Stopping)
        work = executor.submit(play_deal, Tournament(("stopping", "stopping")), Deal(0, 0))
        assert work.exception() is not None

"""Workers: processes, threads and a real cluster; after kills no game is lost or counted twice."""

import os
import signal
import subprocess
import sys
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from child_processes import spawned_by
from waiting import WAIT_TIMEOUT, block_until

import hegemon
from hegemon.arena import Journal, Run, Tournament, cluster, processes, threads
from hegemon.arena.runner import results

TOURNAMENT = Tournament(("greedy", "chance", "chance"), seed=2)
GAMES = 36

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own warnings are Dask's business


def facts(journal):
    """The games without the times, which differ from run to run."""
    return [replace(game, seconds=(), slowest=()) for game in journal.games]


@pytest.fixture(scope="module")
def expected():
    journal = Journal(TOURNAMENT)
    Run(TOURNAMENT, GAMES, threads(1), journal).play()
    return facts(journal)


@pytest.mark.slow
def test_processes_play_the_same_games(expected):
    journal = Journal(TOURNAMENT)
    reported = []
    Run(TOURNAMENT, GAMES, processes(2), journal).play(lambda progress: reported.append(progress.games))
    assert facts(journal) == expected
    assert reported[0] == 0
    assert reported[-1] == GAMES


def test_new_processes_ignore_ctrl_c(capfd):
    """A terminal sends Ctrl-C to the whole process group, also to processes that are still starting."""
    workers = processes(1)
    executor = workers.start()
    try:
        work = executor.submit(os.getpid)
        (child,) = executor._processes
        os.kill(child, signal.SIGINT)
        assert work.result() == child
        os.kill(child, signal.SIGINT)
        assert executor.submit(os.getpid).result() == child
    finally:
        workers.stop(executor)
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_a_killed_process_costs_only_time(expected):
    journal = Journal(TOURNAMENT)
    killed = []

    def tell(progress):
        if progress.games >= 6 and not killed:
            killed.append(spawned_by(os.getpid())[0])
            os.kill(killed[0], signal.SIGKILL)

    Run(TOURNAMENT, GAMES, processes(2), journal).play(tell)
    assert killed
    assert facts(journal) == expected


def test_finished_games_survive_an_interrupt():
    journal = Journal(TOURNAMENT)

    def tell(progress):
        if progress.games >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Run(TOURNAMENT, GAMES, processes(2), journal).play(tell)
    assert 6 <= len(journal.games) < GAMES


@pytest.fixture
def dask(tmp_path):
    """A Dask scheduler and two workers on this machine: its address, and the workers' processes."""
    environment = {**os.environ, "PYTHONPATH": str(Path(hegemon.__file__).parents[1])}
    file = tmp_path / "scheduler.json"

    def start(*arguments):
        command = [sys.executable, "-m", "dask", *arguments, "--scheduler-file", str(file)]
        return subprocess.Popen(
            command, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    block_until(file.exists)
    workers = [start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(2)]
    from distributed import Client

    with Client(scheduler_file=str(file), set_as_default=False, timeout=WAIT_TIMEOUT) as client:
        client.wait_for_workers(2, timeout=WAIT_TIMEOUT)
        address = client.scheduler.address
    yield address, workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_cluster_loses_a_worker_and_nothing_else(dask, expected):
    address, workers = dask
    journal = Journal(TOURNAMENT)
    counted = []

    def tell(progress):
        counted.append(progress.games)
        if progress.games >= 6 and workers[0].poll() is None:
            workers[0].kill()
            workers[0].wait()

    remote = cluster(address)
    assert remote.count == 2
    Run(TOURNAMENT, GAMES, remote, journal).play(tell)
    assert workers[0].poll() is not None
    assert workers[1].poll() is None
    assert facts(journal) == expected
    assert counted[-1] == GAMES


def test_results_that_are_there_at_once_come_in_the_order_of_their_tasks():
    """So the error names the first deal that failed, no matter when the results are read."""

    def submit(task):
        future = Future()
        future.set_result(task)
        return future

    assert [task for task, _ in results(range(64), threads(8), submit, lambda: None)] == [*range(64)]

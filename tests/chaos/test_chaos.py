"""A short chaos run: every nemesis strikes, and the checker finds anomalies only on a sabotaged server."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from chaos import clients
from chaos.checker import BROKEN, LOST
from chaos.clients import World
from chaos.cluster import POSTGRESQL, SQLITE, reason_unavailable
from chaos.disk import SmallDisk
from chaos.nemeses import ALL, KillWorker, Nemesis, PauseWorker, RestartWorker
from chaos.run import Plan, check_folder, run

ROOT = Path(__file__).parents[2]


def decide(plan, folder):
    """Run a plan; pytest shows its output if the test fails."""
    return asyncio.run(run(plan, folder, print))


@pytest.mark.slow
@pytest.mark.parametrize(("database", "workers"), [(SQLITE, 1), (POSTGRESQL, 3)])
def test_no_fault_loses_duplicates_or_reveals_anything(database, workers, tmp_path, untraced):
    if reason := reason_unavailable(database):
        pytest.skip(reason)
    plan = Plan(database, workers, tables=4, pace=0.05, seed=18, strikes=1)
    verdict = decide(plan, tmp_path)
    assert verdict.anomalies == []
    assert verdict.crashes == 0
    assert {*verdict.strikes, *verdict.skipped} == {nemesis.name for nemesis in ALL}
    assert verdict.counts["versions"] >= plan.moves_between * len(verdict.strikes)
    assert verdict.counts["move ok"] > 0
    assert verdict.tables >= plan.tables
    assert check_folder(tmp_path / "logs") == []


@pytest.mark.slow
def test_workers_behind_one_port_lose_duplicate_and_reveal_nothing_either(tmp_path, untraced):
    if reason := reason_unavailable(POSTGRESQL, shared_port=True):
        pytest.skip(reason)
    nemeses = [KillWorker, RestartWorker, PauseWorker]
    plan = Plan(
        *(POSTGRESQL, 2),
        tables=2,
        pace=0.05,
        seed=4,
        strikes=1,
        moves_between=10,
        nemeses=nemeses,
        shared_port=True,
    )
    verdict = decide(plan, tmp_path)
    assert verdict.anomalies == []
    assert {*verdict.strikes} == {nemesis.name for nemesis in nemeses}
    assert verdict.counts["move ok"] > 0


@pytest.mark.slow
def test_a_server_that_acknowledges_unsaved_moves_is_detected(tmp_path, untraced):
    program = Path(__file__).with_name("sabotaged_worker.py")
    plan = Plan(
        *(SQLITE, 1),
        tables=2,
        pace=0,
        seed=1,
        strikes=1,
        stuck_timeout=5,
        nemeses=[KillWorker],
        program=program,
    )
    verdict = decide(plan, tmp_path)
    assert {LOST, BROKEN} & {anomaly.kind for anomaly in verdict.anomalies}


@pytest.mark.parametrize(
    ("answers", "progress", "expected"),
    [
        (lambda look: look, lambda look: 0, 10),  # answers without progress
        (lambda look: look // 4, lambda look: 0, 40),  # the same on a slow machine
        (lambda look: 0, lambda look: 0, 50),  # not even answers
        (lambda look: look, lambda look: min(look // 4, 5), 30),  # slow progress, and then none
    ],
)
def test_a_table_is_stuck_if_there_are_answers_but_no_progress(answers, progress, expected, monkeypatch):
    monkeypatch.setattr(clients, "PROGRESS_INTERVAL", 2**-10)
    monkeypatch.setattr(clients, "SILENCE_TIMEOUT", 50 * 2**-10)
    look = -1

    def next_look():
        nonlocal look
        look += 1
        return progress(look)

    world = World([], pace=0, stuck_timeout=10 * 2**-10)
    asyncio.run(world.wait_until_stalled(next_look, lambda: answers(look)))
    assert look == expected


def test_every_nemesis_is_listed_and_has_a_docstring():
    assert {nemesis.name for nemesis in ALL} == {nemesis.name for nemesis in concrete(Nemesis)}
    assert all(nemesis.__doc__ for nemesis in ALL)


def concrete(kind):
    for nemesis in kind.__subclasses__():
        if "strike" in vars(nemesis) and not nemesis.__name__.startswith("_"):
            yield nemesis
        yield from (sub for sub in nemesis.__subclasses__())


def test_a_full_disk_can_be_freed_again(tmp_path):
    with SmallDisk(tmp_path / "disk", size_mb=1) as disk:
        if not disk.is_limited:
            pytest.skip("a small file system cannot be mounted here")
        disk.fill()
        with pytest.raises(OSError, match="No space left"):
            (disk.folder / "file").write_bytes(b"\0" * 4096)
        disk.free()
        (disk.folder / "file").write_bytes(b"\0" * 4096)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--workers", "0"], "must be positive"),
        (["--database", "sqlite", "--workers", "3"], "SQLite has one worker"),
        (["--shared-port", "--workers", "1"], "several workers share a port"),
        (["--keep", "/"], "name another folder"),
        (["--check", "/nowhere"], "has no logs"),
    ],
)
def test_invalid_options_are_rejected_with_a_sentence(options, sentence):
    command = [sys.executable, str(ROOT / "benchmarks" / "chaos"), *options]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 2
    assert sentence in found.stderr

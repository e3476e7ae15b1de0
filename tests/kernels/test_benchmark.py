"""The figures of a machine: measured briefly here, to check their names and orders of magnitude."""

import dataclasses

import pytest

from hegemon.kernels import benchmark
from hegemon.kernels.dtype import to_records
from hegemon.kernels.random_play import play_compiled, play_interpreted
from hegemon.rules.position import Position


@pytest.mark.slow
def test_every_figure_is_measured_once(monkeypatch):
    monkeypatch.setattr(benchmark, "_compile_times", lambda: (9.0, 0.5))
    monkeypatch.setattr(benchmark, "_seconds_of", lambda program: 0.1)
    figures = dict(benchmark.measure(0.01))
    assert set(figures) == {field.name for field in dataclasses.fields(benchmark.Speeds)}
    facts = dataclasses.asdict(benchmark.Speeds(**figures))
    assert facts["import_ms"] == pytest.approx(100)
    assert facts["compiled"] > facts["interpreted"] > 0


def test_without_numba_only_the_interpreter_is_measured(monkeypatch):
    monkeypatch.setattr(benchmark, "can_compile", lambda: False)
    monkeypatch.setattr(benchmark, "_seconds_of", lambda program: 0.1)
    figures = dict(benchmark.measure(0.01))
    assert figures["interpreted"] > 0
    assert figures["compiled"] is figures["all_cores"] is figures["batch"] is figures["clone_ns"] is None


def test_compiled_play_is_many_times_as_fast_as_interpreted_play():
    slow = benchmark.decisions_per_second(play_interpreted, 1, 0.2)
    assert benchmark.decisions_per_second(play_compiled, 50, 0.2) > 10 * slow


def test_copies_are_copies():
    positions = to_records([Position(players=4), Position(), Position()])
    benchmark.copy_repeatedly(positions, 1)
    assert positions[2] == positions[0]
    assert 0 < benchmark.clone_nanoseconds(1) < 10_000


def test_a_program_takes_longer_than_nothing():
    assert 0 <= benchmark._seconds_of("import json") < 5


def test_the_second_start_is_quicker_than_the_first(monkeypatch):
    monkeypatch.setattr(benchmark, "_COMPILE", "pass")
    cold, warm = benchmark._compile_times()
    assert cold > 0
    assert warm > 0

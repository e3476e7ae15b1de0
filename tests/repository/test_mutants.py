"""Mutation testing: which tests a mutant meets, and the list of its survivors."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1] / "mutants"


@pytest.fixture
def script(monkeypatch):
    spec = importlib.util.spec_from_file_location("mutants_run", HERE / "run.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "mutants_run", module)
    spec.loader.exec_module(module)
    return module


def test_a_mutant_runs_the_most_specific_tests_first_and_then_all_kinds_of_tests(script, monkeypatch):
    monkeypatch.setattr(script, "MAX_SPECIFIC_TESTS", 2)
    functions = {
        "start": {"start"},
        "start again": {"start", "stop"},
        "play": {"start", "stop", "play"},
        "play slowly": {"start", "stop", "play"},
        "chat": {"start", "stop", "play", "chat"},
    }
    durations = dict.fromkeys(functions, 1.0) | {"play slowly": 2.0}
    first = ["start", "start again", "chat", "play", "play slowly"]
    assert script.selected(reversed(functions), functions, durations) == first
    monkeypatch.setattr(script, "MAX_TESTS", 3)
    assert script.selected(reversed(functions), functions, durations) == first[:3]


def test_each_survivor_is_listed_once_with_a_reason(script):
    times = Counter(script.listed("equivalent") + script.listed("accepted"))
    assert [mutant for mutant, number in times.items() if number > 1] == []


def test_a_test_that_waits_for_a_processor_does_not_hang(script, monkeypatch):
    ended, now = [], [0.0]
    monkeypatch.setattr(script.os, "_exit", ended.append)
    monkeypatch.setattr(script.signal, "alarm", lambda seconds: None)
    monkeypatch.setattr(script.signal, "signal", lambda *_: None)
    monkeypatch.setattr(script.time, "monotonic", lambda: now[0])
    limit = script.TimeLimit()
    waited = iter([0.0, 1000.0, 0.0])
    limit._waiting.since_last_call = lambda: next(waited)
    limit.start(1.0)
    now[0] += 1000
    limit._look()
    assert ended == []
    now[0] += script.HANGING + 11
    limit._look()
    assert ended == [script.TIMED_OUT]

"""Hypothesis profiles, coverage thresholds, slow folders, and exclusions from tracing and garbage collection."""

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from coverage_thresholds import CoverageThresholds
from tracing import without_tracing

pytest.register_assert_rewrite("rulebook")

# Multiply small matrices on one core: idle threads that spin would take CPU time from the other tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell that runs the tests in the background makes them ignore Ctrl-C, and each program they start as well.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A deadline would test the machine, not the game.
settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True, print_blob=True)
settings.register_profile(
    "thorough", deadline=None, max_examples=2_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))

#: Folders whose tests are all slow: each needs a browser.
SLOW_FOLDERS = ["browser"]


def pytest_addoption(parser):
    parser.addoption(
        "--coverage-thresholds",
        action="store_true",
        help="fail if a package's coverage is below its threshold",
    )


def pytest_configure(config):
    if config.getoption("--coverage-thresholds") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(CoverageThresholds(config.rootpath))


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by marks
def pytest_collection_modifyitems(items):
    slow = [Path(__file__).parent / folder for folder in SLOW_FOLDERS]
    for item in items:
        # Repetitive tests are slow, and tracing them adds nothing.
        if "untraced" in item.fixturenames or any(item.path.is_relative_to(folder) for folder in slow):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish():
    gc.collect()
    gc.freeze()  # keep loaded modules out of garbage collection


@pytest.fixture
def untraced():
    """Disable coverage tracing, for repetitive tests that cover nothing new and would take most of the time."""
    with without_tracing():
        yield

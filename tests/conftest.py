"""Hypothesis profiles, luck, the coverage floor under every room, and tests that need not be measured."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from floors import Floors
from luck import same_luck
from tracing import without_tracing

pytest.register_assert_rewrite("rulebook")

same_luck()

# A shell that runs the tests in the background has them ignore Ctrl-C, and every program they start would do so too.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Deadlines would judge the machine, not the game.
settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True, print_blob=True)
settings.register_profile(
    "thorough", deadline=None, max_examples=2_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


def pytest_addoption(parser):
    parser.addoption("--floors", action="store_true", help="fail where a room's coverage is under its floor")


def pytest_configure(config):
    if config.getoption("--floors") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Floors(config.rootpath))


@pytest.fixture
def untraced():
    """Coverage learns nothing from the thousandth time, and would take most of the time: it is switched off."""
    with without_tracing():
        yield

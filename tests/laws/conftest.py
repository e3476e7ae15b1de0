"""Laws look at very many positions: those that ask for it run without coverage, which the other tests give."""

import sys

import pytest


@pytest.fixture
def untraced():
    tracer = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(tracer)

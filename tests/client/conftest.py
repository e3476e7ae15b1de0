"""A running server for the client."""

import pytest
from server_process import server_process

from hegemon.client import Server


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    with server_process(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def server(running):
    server = Server(running.address)
    yield server
    server.close()

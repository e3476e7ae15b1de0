"""The OpenAPI description: schemathesis finds no response that differs from it."""

import shutil
import threading
import time

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from server_config import config_at

from hegemon import Game, write_record
from hegemon.server.app import create_app
from hegemon.server.runner import database_url, listening_socket, local_url
from tracing import without_tracing

pytestmark = pytest.mark.usefixtures("untraced")  # each operation is sent many requests

EXAMPLES = 20
OPERATIONS = [
    ("GET", "/health"),
    ("GET", "/ready"),
    ("POST", "/api/games"),
    ("GET", "/api/games/{game_id}"),
    ("POST", "/api/games/{game_id}/moves"),
    ("GET", "/api/games/{game_id}/record"),
    ("POST", "/api/invitations/{invite}"),
    ("GET", "/api/games/{game_id}/seats"),
    ("POST", "/api/games/{game_id}/seats/{seat}"),
    ("POST", "/api/games/{game_id}/rematch"),
    ("POST", "/api/games/{game_id}/return"),
    ("POST", "/api/games/{game_id}/vote"),
    ("GET", "/api/games/{game_id}/chat"),
    ("POST", "/api/games/{game_id}/chat"),
]

#: The rules may reject what a schema cannot: invalid options, or an illegal move.
CONFIGURATION = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "410", "422"]
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory, empty_database):
    """The address of a server in another thread."""
    database = shutil.copy(empty_database, tmp_path_factory.mktemp("described") / "games.db")
    app = create_app(config_at(database_url(str(database))))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    with listening_socket("127.0.0.1", 0) as listener:
        running = threading.Thread(target=server.run, args=([listener],))
        with without_tracing():
            running.start()
        while not server.started:
            time.sleep(0.01)
        yield local_url(listener)
        server.should_exit = True
        running.join()


@pytest.fixture(scope="module")
def described(address):
    return schemathesis.openapi.from_url(
        f"{address}/schema/openapi.json", config=SchemathesisConfig.from_str(CONFIGURATION)
    )


@pytest.fixture(scope="module")
def seated(address):
    """A running game with the token of a seat, a finished one, and the running one with the token of its host."""
    table = httpx.post(f"{address}/api/games", json={"seats": [{}, {}]}).json()
    game = Game(2, seed=4)
    while not game.over:
        game.play(game.choices[0])
    host = f"Bearer {table['host']}"
    opened = httpx.post(f"{address}/replays", files={"record": ("game.toml", write_record(game.record()))})
    over = opened.headers["location"].split("/")[2]
    return [(table["game"], f"Bearer {table['seats'][0]['token']}"), (over, None), (table["game"], host)]


def probe(operation, address, mode, **values):
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode, **values))
    def matches_description(case):
        case.validate_response(case.call(base_url=address))

    matches_description()


@pytest.mark.parametrize("mode", GenerationMode, ids=lambda mode: mode.value)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_responses_to_arbitrary_requests_match_the_description(described, address, method, path, mode):
    if mode.is_positive or method == "POST":  # any text may be the name of a game
        probe(described[path][method], address, mode)


@pytest.mark.parametrize(
    ("method", "path"), [operation for operation in OPERATIONS if "{game_id}" in operation[1]]
)
def test_responses_about_existing_tables_match_the_description(described, address, seated, method, path):
    for game, bearer in seated:
        headers = {"headers": {"Authorization": bearer}} if bearer else {}
        facts = headers | {"path_parameters": {"game_id": game}}
        probe(described[path][method], address, GenerationMode.POSITIVE, **facts)


def test_the_stream_of_a_finished_game_matches_the_description(described, address, seated):
    over = seated[1][0]
    probe(
        described["/api/games/{game_id}/stream"]["GET"],
        address,
        GenerationMode.POSITIVE,
        path_parameters={"game_id": over},
    )

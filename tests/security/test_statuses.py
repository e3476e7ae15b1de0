"""Input that makes no sense gets a status from 400 to 499, not 500."""

import re

import pytest
from hostile_requests import BODIES, HEADS, filled, routes
from server_browser import visiting
from server_config import config_at
from server_program import Program

from hegemon.server.security.middleware import MAX_HEAD_BYTES, malformed
from hegemon.server.security.tokens import new_token
from hegemon.server.texts import FAILURES

#: Ids that a file system or a database would not accept, or that are too long for any route.
IDS = ("%00", "a%00b", "%ff", "%ed%a0%80", "%0a", "..%2f..%2fetc%2fpasswd", "9" * 5_000, "a" * 5_000)


@pytest.fixture
async def client(database):
    async with visiting(database, config_at(database, lobby=True)) as client:
        yield client


@pytest.fixture
async def player(client):
    ada, _ = await Program.create(client, seats=[{}, {}])
    client.headers["authorization"] = f"Bearer {ada.token}"
    client.cookies.set("hegemon", ada.token)
    return ada


@pytest.mark.parametrize("hostile", BODIES, ids=lambda hostile: hostile.name)
async def test_no_route_answers_a_nonsensical_body_with_a_server_error(client, player, hostile):
    for method, path in routes(client):
        if method == "POST":
            answer = await client.post(
                filled(path, player.game), content=hostile.body, headers=hostile.headers
            )
            assert answer.status_code < 500, (path, answer.text)


@pytest.mark.parametrize("hostile", HEADS, ids=lambda hostile: hostile.name)
async def test_no_route_answers_a_nonsensical_head_with_a_server_error(client, player, hostile):
    for method, path in routes(client):
        url = f"{filled(path, player.game)}?{hostile.query}"
        answer = await client.request(method, url, headers=hostile.headers)
        assert answer.status_code < 500, (path, answer.text)


@pytest.mark.parametrize("word", IDS, ids=lambda word: word[:10])
async def test_an_impossible_id_is_rejected(client, word, caplog):
    for method, path in routes(client):
        if "{" in path:
            answer = await client.request(method, re.sub(r"\{\w+\}", word, path))
            assert 400 <= answer.status_code < 500, (path, answer.status_code)
    assert not caplog.records, "a query of another dependency was cancelled"


@pytest.mark.parametrize("path", ["/static/%00", "/static/a%00b.css", "/static/" + "a" * 5_000, "/%00"])
async def test_an_impossible_path_is_not_found(client, path):
    assert (await client.get(path)).status_code == 404


HOSTS = ("a:b:c", "[::1", "a b", "a/b", "a@b", "a:", "a:999999", b"\xff")


@pytest.mark.parametrize("path", ["/", "/me", "/api/games/x", "/static/base.css", "/nonsense"])
async def test_an_impossible_host_is_rejected(client, path):
    client.cookies.set("hegemon", new_token())
    for host in HOSTS:
        assert (await client.get(path, headers={"host": host})).status_code == 400, host
    for host in ("example.org", "example.org:8000", "127.0.0.1", "[::1]:8000", "my_server"):
        assert (await client.get(path, headers={"host": host})).status_code in (200, 404), host


@pytest.mark.parametrize(
    ("version", "hosts", "status"),
    [("1.1", 1, None), ("1.1", 0, 400), ("1.1", 2, 400), ("1.0", 0, None), ("1.0", 1, None), ("1.0", 2, 400)],
)
def test_a_request_must_name_one_host(version, hosts, status):
    headers = [(b"accept", b"*/*"), *[(b"host", b"example.org")] * hosts]
    scope = {"raw_path": b"/", "query_string": b"", "http_version": version, "headers": headers}
    assert malformed(scope) == status


@pytest.mark.parametrize("path", ["/", "/api/games/x", "/nonsense"])
async def test_a_head_that_is_too_long_is_rejected(client, path):
    answer = await client.get(path, headers={"cookie": "a" * MAX_HEAD_BYTES})
    assert (answer.status_code, FAILURES[431] in answer.text) == (431, True)
    assert (await client.get(path, params={"a": "b" * MAX_HEAD_BYTES})).status_code == 431

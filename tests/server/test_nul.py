"""The character NUL, which PostgreSQL cannot store: it is rejected before it reaches the database."""

import dataclasses
import re

import pytest
from litestar.enums import RequestEncodingType
from server_program import Program

from hegemon import Game, write_record
from hegemon.server.security import tokens

NUL = "a\0b"


def form_routes(client):
    """The paths of all forms, each with the names of its fields."""
    for route in client.app.routes:
        handler = getattr(route, "route_handler_map", {}).get("POST", None)
        handler = handler[0] if isinstance(handler, tuple) else handler
        field = handler.parsed_data_field if handler is not None else None
        if field is not None and field.kwarg_definition.media_type == RequestEncodingType.URL_ENCODED:
            path = re.sub(r"\{(\w+):\w+\}", "1", route.path)
            yield path, [field.name for field in dataclasses.fields(field.annotation)]


async def test_every_form_with_nul_is_rejected_with_a_sentence(client):
    forms = list(form_routes(client))
    assert len(forms) > 40
    for path, fields in forms:
        for name in fields:
            answer = await client.post(path, data={name: NUL}, headers={"accept": "text/html"})
            assert answer.status_code in (400, 403, 404), (path, name, answer.status_code)
    answer = await client.post("/games", data={"name1": NUL}, headers={"accept": "text/html"})
    assert answer.status_code == 400
    assert "This request could not be understood." in answer.text
    raw = {"content-type": "application/x-www-form-urlencoded"}
    assert (await client.post("/games", content=b"name1=a\0b", headers=raw)).status_code == 400


@pytest.mark.parametrize("text", [NUL, "\0"])
async def test_programs_get_the_reason(client, text):
    seats = [{"name": text}, {}]
    answer = await client.post("/api/games", json={"seats": seats})
    assert answer.status_code == 400
    assert "NUL" in answer.json()["detail"]
    ada, _ = await Program.create(client, seats=[{"name": "Ada"}, {}])
    for path, body in (
        ("moves", {"choice": "M", "version": 0, "idempotency_key": text}),
        ("chat", {"text": text}),
        ("chat", {"text": "hello", "idempotency_key": text}),
        ("chat", {text: "hello"}),
    ):
        answer = await client.post(
            f"/api/games/{ada.game}/{path}", json=body, headers={"authorization": f"Bearer {ada.token}"}
        )
        assert answer.status_code == 400, (path, body)


async def test_an_escaped_backslash_is_not_nul(client):
    ada, _ = await Program.create(client, seats=[{"name": "Ada"}, {}])
    answer = await client.post(
        f"/api/games/{ada.game}/chat",
        json={"text": r"\u0000 is NUL"},
        headers={"authorization": f"Bearer {ada.token}"},
    )
    assert answer.json()["sentence"] == r"\u0000 is NUL"


@pytest.mark.parametrize(
    "path", ["/games/a%00b", "/api/games/a%00b", "/join/a%00b", "/me/own?name=a%00b", "/?%00"]
)
async def test_a_url_with_nul_is_rejected(client, path):
    assert (await client.get(path)).status_code in (400, 404)


async def test_a_header_or_a_cookie_with_nul_is_rejected_or_ignored(client):
    assert (await client.get("/", headers={b"user-agent": b"a\0b"})).status_code == 400
    for cookie in ("%00", r'"a\000b"'):
        names = (tokens.COOKIE, "language", "theme", "seen", "muted", "arrival", "challenge")
        answer = await client.get("/me", headers={"cookie": "; ".join(f"{name}={cookie}" for name in names)})
        assert answer.status_code == 200


async def test_a_record_is_stored_without_nul(client):
    record = write_record(Game(2, seed=1).record())
    with_nul = re.sub(r'players = \["[^"]*"', r'players = ["a\\u0000b"', record)
    with_nul = re.sub(r'salt = "', r'salt = "\\u0000', with_nul)
    assert with_nul.count(r"\u0000") == 2
    answer = await client.post("/replays", files={"record": ("game.toml", with_nul.encode())})
    assert answer.status_code in (201, 303), answer.text
    answer = await client.post("/study/upload", files={"record": ("game.toml", with_nul.encode())})
    assert answer.status_code in (201, 303), answer.text

"""The language of rejections: sentences of the API come from the catalog of the request's language."""

import re

import pytest
from babel.messages.pofile import read_po
from server_program import Program

from hegemon.play.legality import SENTENCES
from hegemon.prose.catalogs import FOLDER
from hegemon.prose.translator import LANGUAGES, get_translator
from hegemon.server.app import MAX_REQUEST_BYTES
from hegemon.server.errors import describe_error
from hegemon.server.texts import FAILURES, REJECTIONS, SEAT_REJECTIONS, SETUP_REJECTIONS

LONG = "x" * MAX_REQUEST_BYTES


def forms(text):
    return text if isinstance(text, tuple | list) else (text,)


def sentences(code):
    """A pattern of all sentences that pages and API have in a language."""
    with (FOLDER / ("de.po" if code == "en" else f"{code}.po")).open("rb") as file:
        messages = [message for message in read_po(file) if message.id]
    texts = {form for message in messages for form in forms(message.id if code == "en" else message.string)}
    # Without texts that are little more than placeholders, which would match any sentence.
    whole = (text for text in texts if len(re.sub(r"\{.*?\}", "", text)) > 8)
    patterns = (re.sub(r"\\{.*?\\}", ".+?", re.escape(text)) for text in whole)
    return re.compile("|".join(patterns))


async def refusals(client):
    """Requests that are refused: the status, the method, the path, the headers and the body."""
    ada, _ = await Program.create(client, seats=[{"name": "Ada"}, {"name": "Ben"}])
    created = (await client.post("/api/games", json={"seats": [{}, {"open": True}]})).json()
    waiting, table = f"/api/games/{created['game']}", f"/api/games/{ada.game}"
    invitation = f"/api/invitations/{created['seats'][1]['invite']}"
    host, solon = (
        {"authorization": f"Bearer {token}"} for token in (created["host"], created["seats"][0]["token"])
    )
    seat = {"authorization": f"Bearer {ada.token}"}
    move = {"version": 0, "idempotency_key": "a"}
    two = [{}, {}]
    for body in (
        {"seats": 3},
        {"seats": two, "luck": 1},
        {"seats": [{}]},
    ):
        yield 400, "POST", "/api/games", {}, body
    for body in (
        {"seats": [{}, {"bot": "genius"}]},
        {"seats": [{}, {"bot": "chance", "open": True}]},
        {"seats": [{"bot": "chance"}, {"bot": "chance"}]},
        {"seats": two, "teams": True},
        {"seats": two, "rulings": "fr"},
        {"seats": two, "clock": "soon"},
        {"seats": two, "clock": "1s a move"},
    ):
        yield 422, "POST", "/api/games", {}, body
    yield 409, "POST", f"{waiting}/moves", solon, {**move, "choice": "M"}
    assert (await client.post(invitation, json={})).status_code == 201
    yield 410, "POST", invitation, {}, {}
    yield 409, "POST", invitation, solon, {}
    yield 404, "POST", "/api/invitations/forged", {}, {}
    yield 404, "GET", "/api/games/nowhere", {}, None
    yield 404, "GET", "/api/nowhere", {}, None
    yield 405, "DELETE", table, {}, None
    yield 413, "POST", f"{table}/chat", seat, {"text": LONG}
    yield 401, "POST", f"{table}/moves", {}, {**move, "choice": "M"}
    yield 401, "GET", table, {"authorization": "Basic x"}, None
    yield 401, "POST", f"{waiting}/rematch", seat, None
    yield 403, "GET", f"{table}/record", {}, None
    yield 403, "GET", f"{waiting}/seats", solon, None
    yield 409, "POST", f"{table}/rematch", seat, None
    yield 409, "POST", f"{table}/moves", seat, {**move, "choice": "M", "version": 7}
    yield 422, "POST", f"{table}/moves", seat, {**move, "choice": "."}
    yield 422, "POST", f"{table}/moves", seat, {**move, "choice": "mE"}
    yield 422, "POST", f"{table}/moves", seat, {**move, "choice": "???"}
    yield 422, "POST", f"{table}/moves", seat, {**move, "choice": "undo"}
    yield 422, "POST", f"{waiting}/seats/2", host, {"bot": "genius"}
    yield 404, "POST", f"{waiting}/seats/4", host, {}
    for body in (
        {},
        {"text": "x" * 300},
        {"phrase": "poem"},
        {"phrase": "stop"},
        {"phrase": "spare", "about": 2},
    ):
        yield 422, "POST", f"{table}/chat", seat, body
    yield 422, "POST", f"{table}/vote", seat, {"about": 4}
    yield 409, "POST", f"{table}/vote", seat, {"about": 1}
    yield 400, "POST", f"{table}/vote", seat, {"about": 9}
    yield 409, "POST", "/api/token", seat, {"token": created["host"]}


@pytest.mark.parametrize("code", LANGUAGES)
async def test_a_rejection_is_in_the_language_of_the_request(client, code):
    known = sentences(code)
    async for status, method, path, headers, body in refusals(client):
        answer = await client.request(method, path, json=body, headers={**headers, "accept-language": code})
        assert answer.status_code == status, (path, body, answer.text)
        assert known.fullmatch(answer.json()["why"]), answer.json()
        assert answer.json().get("detail", "x").isascii()


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_every_sentence_of_a_rejection_is_translated(code):
    tr = get_translator(code)
    said = [*FAILURES.values(), *REJECTIONS.values(), *SETUP_REJECTIONS.values()]
    said += [sentence for _, sentence in SEAT_REJECTIONS.values()]
    assert [sentence for sentence in said if tr.text(sentence) == sentence] == []
    assert [key for key, sentence in SENTENCES.items() if tr._reasons[key] == sentence] == []
    assert describe_error(RuntimeError(), tr) == (500, tr.text(FAILURES[500]))

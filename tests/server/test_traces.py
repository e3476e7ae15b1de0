"""The id of a request: in the response, in each line of the log, and continuing the trace of a caller."""

import json
import re

import pytest
from server_browser import visiting

from hegemon.server.logging import configure_logging, log_event
from hegemon.server.traces import CURRENT, continued_trace_id, current_trace_id, new_trace

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"

MALFORMED = (
    "",
    TRACE,
    f"00-{TRACE}-{PARENT}",
    f"00-{TRACE.upper()}-{PARENT}-01",
    f"00-{'0' * 32}-{PARENT}-01",
    f"00-{TRACE}-{'0' * 16}-01",
    f"ff-{TRACE}-{PARENT}-01",
    f"00-{TRACE}-{PARENT}-01-more",
    f"00-{TRACE}-{PARENT}-1",
    f" 00-{TRACE}-{PARENT}-01",
    f"00-{TRACE}-{PARENT}-01\n",
    f"00-{TRACE[:-1]}g-{PARENT}-01",
    f"01-{TRACE}-{PARENT}-01-\x1b[31m",
    "<script>alert(1)</script>",
)


def header(*values):
    return [(b"traceparent", value.encode()) for value in values]


def test_a_valid_trace_is_continued_with_a_new_span():
    first, second = new_trace(header(TRACEPARENT)), new_trace(header(TRACEPARENT))
    assert first.trace_id == second.trace_id == TRACE
    assert re.fullmatch("[0-9a-f]{16}", first.span_id)
    assert len({first.span_id, second.span_id, PARENT}) == 3


@pytest.mark.parametrize("version", ["01", "fe"])
def test_later_versions_may_have_more_fields(version):
    assert continued_trace_id(header(f"{version}-{TRACE}-{PARENT}-01-more-of.it")) == TRACE


@pytest.mark.parametrize("value", MALFORMED)
def test_malformed_headers_are_ignored(value):
    assert continued_trace_id(header(value)) == ""
    assert re.fullmatch("[0-9a-f]{32}", new_trace(header(value)).trace_id)


def test_two_headers_are_ignored():
    assert continued_trace_id(header(TRACEPARENT, TRACEPARENT)) == ""


async def test_every_response_has_an_id(client):
    ids = [
        (await client.get(path)).headers["X-Request-Id"]
        for path in ("/", "/nowhere", "/static/base.css", "/api/games/nowhere", "/?%00", "/health")
    ]
    assert len({*ids}) == len(ids)
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in ids)
    answer = await client.get("/rules", headers={"traceparent": TRACEPARENT})
    assert answer.headers["X-Request-Id"] == TRACE
    for wrong in ("zz", f"00-{'0' * 32}-{PARENT}-01"):
        answer = await client.get("/rules", headers={"traceparent": wrong})
        assert answer.headers["X-Request-Id"] not in ("zz", "0" * 32, TRACE)


async def test_only_the_lines_of_a_request_have_its_ids(database, log, monkeypatch):
    configure_logging("json", log)
    async with visiting(database) as client:

        def broken(*_):
            log_event("within")
            raise RuntimeError

        monkeypatch.setattr(client.app.state.pages, "rules", broken)
        answer = await client.get("/rules", headers={"traceparent": TRACEPARENT, "accept": "text/html"})
        log_event("outside")
    lines = {line["event"]: line for line in map(json.loads, log.getvalue().splitlines())}
    spans = {lines[event]["span_id"] for event in ("within", "a request failed", "request")}
    assert len(spans) == 1
    assert PARENT not in spans
    assert {lines[event]["trace_id"] for event in ("within", "a request failed", "request")} == {TRACE}
    assert "trace_id" not in lines["outside"]
    assert TRACE in answer.text, "the page shows the id"
    assert CURRENT.get() is None
    assert current_trace_id() == ""


async def test_only_server_errors_contain_the_request_id(client, monkeypatch):
    assert "request_id" not in (await client.get("/api/games/nowhere")).json()

    async def broken(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(client.app.state.tables, "load", broken)
    answer = await client.get("/api/games/nowhere")
    assert answer.status_code == 500
    assert answer.json()["request_id"] == answer.headers["X-Request-Id"]
    page = await client.get("/games/nowhere", headers={"accept": "text/html"})
    assert page.headers["X-Request-Id"] in page.text
    missing = await client.get("/nowhere", headers={"accept": "text/html"})
    assert missing.headers["X-Request-Id"] not in missing.text


async def test_people_read_the_id_in_the_text_form_too(database, log):
    configure_logging("text", log)
    async with visiting(database) as client:
        answer = await client.get("/nowhere/at/all", headers={"traceparent": TRACEPARENT})
        token = CURRENT.set(new_trace(header(TRACEPARENT)))
        log_event("table created", seats=3)
        CURRENT.reset(token)
    assert answer.status_code == 404
    assert f"table created seats=3 trace_id={TRACE}\n" in log.getvalue()

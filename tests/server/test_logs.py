"""The log of the server: events with their fields, without secrets."""

import json
import logging
from asyncio import CancelledError

from server_browser import Browser, visiting
from server_program import Program

from hegemon.server import logging as logs
from hegemon.server.logging import configure_logging, log_event
from hegemon.server.security import tokens as identity


def lines(log):
    return [json.loads(line) for line in log.getvalue().splitlines()]


async def test_events_are_logged_without_secrets(database, log):
    configure_logging("json", log)
    async with visiting(database) as client:
        browser = await Browser(client).take_seat(seat1="me", seat2="person", name1="Ada")
        await browser.get(f"{browser.path}?seat=1")
        choice = browser.words[0]
        await browser.submit_move(choice)
        ada, _ = await Program.create(client, seats=[{"name": "Ada"}, {}])
        state = await ada.state()
        await ada.submit_move(state["choices"][0]["choice"], 0, "secret-command")
        await client.get(f"/{ada.token}")
        cookie = client.cookies[identity.COOKIE]
    noted = lines(log)
    events = [line["event"] for line in noted]
    assert events.count("table created") == 2
    requests = [line for line in noted if line["event"] == "request"]
    assert {"method", "path", "status", "milliseconds", "time", "level"} <= requests[0].keys()
    assert any(line["path"].startswith("/games/{") for line in requests)
    text = log.getvalue()
    secrets = [cookie, ada.token, "Ada", "secret-command", identity.owner_of(ada.token), state["view"]]
    assert [secret for secret in secrets if secret in text] == []


async def test_an_error_is_logged_with_its_traceback_but_without_its_message(database, log, monkeypatch):
    configure_logging("json", log)
    async with visiting(database) as client:

        def broken(*_):
            raise RuntimeError("the hand is M1R1")

        monkeypatch.setattr(client.app.state.pages, "rules", broken)
        await client.get("/rules")
    (noted,) = [line for line in lines(log) if line["event"] == "a request failed"]
    assert (noted["level"], noted["error"]) == ("error", "RuntimeError")
    assert any("test_logs.py" in place for place in noted["where"])
    assert "M1R1" not in log.getvalue()


def test_the_text_format_shows_only_important_events(log):
    configure_logging("text", log)
    log_event("request", logging.DEBUG, path="/")
    log_event("table created", seats=3)
    assert log.getvalue()[9:] == "table created seats=3\n"


def test_a_quiet_server_logs_only_errors(log):
    configure_logging("quiet", log)
    log_event("table created")
    log_event("a request failed", logging.ERROR)
    assert log.getvalue().endswith("a request failed\n")
    assert "table created" not in log.getvalue()


def test_a_stream_that_is_cancelled_at_shutdown_is_not_logged_as_an_error(log):
    configure_logging("quiet", log)
    try:
        raise CancelledError
    except CancelledError:
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application")
    assert log.getvalue() == ""


def test_a_lost_connection_is_not_logged(log):
    configure_logging("json", log)
    logging.getLogger("asyncio").warning("socket.send() raised exception.")
    assert log.getvalue() == ""


def test_the_default_format_is_text_on_a_terminal_and_otherwise_json(log, monkeypatch):
    configure_logging(None, log)
    log_event("table created")
    assert lines(log)[0]["event"] == "table created"
    monkeypatch.setattr(log, "isatty", lambda: True, raising=False)
    configure_logging(None, log)
    log_event("table created")
    assert not log.getvalue().splitlines()[1].startswith("{")
    assert logs.FORMATS.keys() == {"json", "text", "quiet"}

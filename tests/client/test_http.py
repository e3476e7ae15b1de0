"""The HTTP client: lost responses, unavailable servers, and servers that do not run Hegemon."""

import json
import socket
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hegemon.client import ClientError, SeatLost, Server, Unreachable
from hegemon.client import http as client_http
from hegemon.client.http import HttpClient

FACTS = {"answer": 42}
STATE = {
    "game": "g",
    "seat": 1,
    "version": 1,
    "is_waiting": False,
    "seats": [],
    "view": "",
    "question": "",
    "choices": [],
}
STATE |= {"to_move": [], "undo": False, "result": None, "next_game": None}
FINISHED = STATE | {"result": {"ending": "majority", "winners": [1], "domain": None}}


@pytest.fixture(autouse=True)
def _hurry(monkeypatch):
    monkeypatch.setattr(client_http, "MIN_BACKOFF", 0.001)
    monkeypatch.setattr(client_http, "MAX_BACKOFF", 0.01)


class Handler(BaseHTTPRequestHandler):
    """Scripted responses: a status with a body, or a connection that is cut."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        length = int(self.headers.get("content-length") or 0)
        self.server.requests.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
        step = self.server.script.pop(0)
        if step == "cut":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        status, body, *headers = step
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815  # the name that http.server calls

    def log_message(self, *args):
        pass


@contextmanager
def scripted(*script):
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.script, server.requests = list(script), []
        server.daemon_threads = True
        server.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def send(http, method="GET", path="/x", **how):
    return http.request(method, path, lambda facts: facts["answer"], **how)


def test_a_connection_is_reused_and_replaced_when_it_was_cut():
    problems = []
    with scripted((200, FACTS), (200, FACTS), "cut", (200, FACTS)) as server:
        http = HttpClient(server.address, on_connection_problem=problems.append)
        assert [send(http) for _ in range(3)] == [42] * 3
        assert len(server.requests) == 4
        http.close()
    assert problems == []  # a closed pooled connection is not a problem


def test_a_request_contains_the_language_and_the_token():
    with scripted((200, FACTS)) as server:
        send(HttpClient(server.address, language="pl"), "POST", token="secret", body={"x": 1})
        [(method, path, headers, body)] = server.requests
    assert (method, path, json.loads(body)) == ("POST", "/x", {"x": 1})
    assert (headers["Accept-Language"], headers["Authorization"]) == ("pl", "Bearer secret")


@pytest.mark.parametrize(
    "trouble",
    [
        ["cut", "cut"],
        [(503, b"<html>")],
        [(502, b"")],
        [(500, {"why": "Oh."})],
        [(429, {}, ("Retry-After", "0"))],
    ],
)
def test_requests_are_retried_after_a_first_response(trouble):
    problems = []
    with scripted((200, FACTS), *trouble, (200, FACTS)) as server:
        http = HttpClient(server.address, on_connection_problem=problems.append)
        assert [send(http), send(http)] == [42, 42]
        assert server.script == []
        http.close()
    assert len(problems) == 2
    assert problems[0].endswith("Trying again.")
    assert problems[1].endswith("answers again.")


def test_a_table_and_a_message_are_sent_again_with_the_same_key():
    table = {"game": "g", "address": "a", "host": "h", "seats": []}
    message = {"number": 1, "at": "2030-01-01T12:00:00Z", "seat": 1, "name": "Ada", "sentence": "Hello"}
    message |= {"phrase": "", "about": None, "domain": ""}
    script = [(200, table), "cut", "cut", (200, table), "cut", "cut", (200, message)]
    with scripted(*script) as server:
        created = Server(server.address)
        assert [created.create_table("Ada", "Ben").host.game for _ in range(2)] == ["g", "g"]
        assert created.seat("g", "token").post_message("Hello").number == 1
        first, *again = [json.loads(body)["idempotency_key"] for _, _, _, body in server.requests]
        created.close()
    assert len(set(again[:3])) == len(set(again[3:])) == 1
    assert len({first, *again}) == 3


def test_retry_after_is_respected():
    with scripted((200, FACTS), (429, {}, ("Retry-After", "7")), (200, FACTS)) as server:
        http, waited = HttpClient(server.address), []
        send(http)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(client_http.time, "sleep", waited.append)
            send(http)
        http.close()
    assert waited == [7]


def test_retries_end_after_the_timeout():
    with scripted((200, FACTS), *["cut"] * 100_000) as server:
        http = HttpClient(server.address, retry_timeout=0.05)
        send(http)
        with pytest.raises(Unreachable, match=r"does not answer \(.+\)\."):
            send(http)


def test_the_first_request_is_not_retried():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(Unreachable, match="refused"):
            send(HttpClient(address))
    with scripted((503, {})) as server, pytest.raises(Unreachable, match="503"):
        send(HttpClient(server.address))
    with pytest.raises(Unreachable, match="does not answer"):
        send(HttpClient("http://unknown.invalid"))


def test_https_to_a_server_without_tls_is_unreachable():
    with scripted() as server, pytest.raises(Unreachable):
        send(HttpClient(server.address.replace("http", "https")))
    assert issubclass(ssl.SSLError, OSError)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        ((301, b"", ("Location", "https://else.where/x")), "has moved to https://else.where/x"),
        ((404, b"<html>Not here</html>"), "There is no Hegemon server at"),
        ((418, {"error": "teapot"}), "There is no Hegemon server at"),
        ((200, b"<html>Hello</html>"), "There is no Hegemon server at"),
        ((200, {"question": 1}), "cannot be read"),
        ((200, [1]), "cannot be read"),
        ((400, {"why": "This request could not be understood."}), "^This request could not be understood"),
    ],
)
def test_unexpected_responses_are_errors(answer, part):
    with scripted(answer) as server:
        http = HttpClient(server.address)
        with pytest.raises(ClientError, match=part):
            send(http)
        http.close()


# ------------------------------------------------------------------ streams


def move(version):
    events = [{"event": "undone", "seat": 1, "version": 0}]
    return f"id: {version}\r\nevent: move\ndata: {json.dumps({'version': version, 'events': events})}\n\n"


def streamed(*messages):
    return 200, "".join(messages).encode(), ("Content-Type", "text/event-stream")


def test_a_stream_that_breaks_off_is_resumed():
    script = [
        streamed(": still here\n\n", move(0), "event: unknown\ndata: 1\n\n", move(1)[:-20]),
        (200, STATE),
        "cut",
        (200, STATE),
        (503, b""),
        (200, STATE),
        streamed(move(1)),
        (200, FINISHED),
    ]
    with scripted(*script) as server:
        seat = Server(server.address).seat("g", "token")
        assert [update.version for update in seat.follow()] == [0, 1]
        since = [headers.get("Last-Event-ID") for _, path, headers, _ in server.requests if "stream" in path]
        assert since == ["-1", "0", "0", "0"]
        seat.server.close()


def test_the_stream_of_a_lost_seat_is_an_error():
    with scripted((401, {"why": "A seat is needed."})) as server, pytest.raises(SeatLost):
        list(Server(server.address).seat("g").follow())


def test_a_stream_that_keeps_ending_is_an_error():
    with scripted(*[streamed(), (200, STATE)] * 100_000) as server:
        seat = Server(server.address, retry_timeout=0.05).seat("g")
        with pytest.raises(Unreachable, match="ends again and again"):
            list(seat.follow())
        seat.server.close()


def test_a_stream_with_unknown_events_is_an_error():
    unknown = json.dumps({"version": 0, "events": [{"event": "earthquake"}]})
    for data in (unknown, "no JSON", "[]"):
        script = streamed(f"event: move\ndata: {data}\n\n")
        with scripted(script) as server, pytest.raises(ClientError, match="cannot be read"):
            list(Server(server.address).seat("g").follow())

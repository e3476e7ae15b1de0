"""The way to a server: answers that are lost, servers that cannot answer now, and what is no server of ours."""

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
SEEN = {
    "game": "g",
    "seat": 1,
    "version": 1,
    "is_waiting": False,
    "seats": [],
    "view": "",
    "question": "",
    "choices": [],
}
SEEN |= {"to_move": [], "undo": False, "result": None, "next_game": None}
OVER = SEEN | {"result": {"ending": "majority", "winners": [1], "domain": None}}


@pytest.fixture(autouse=True)
def _hurry(monkeypatch):
    monkeypatch.setattr(client_http, "MIN_BACKOFF", 0.001)
    monkeypatch.setattr(client_http, "MAX_BACKOFF", 0.01)


class Handler(BaseHTTPRequestHandler):
    """Answers by a script: a status with a body, or a connection that is cut."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        length = int(self.headers.get("content-length") or 0)
        self.server.to_move.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
        act = self.server.script.pop(0)
        if act == "cut":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        status, body, *headers = act
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
        server.script, server.to_move = list(script), []
        server.daemon_threads = True
        server.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(http, method="GET", path="/x", **how):
    return http.request(method, path, lambda facts: facts["answer"], **how)


def test_a_connection_is_used_again_and_replaced_when_it_was_cut():
    told = []
    with scripted((200, FACTS), (200, FACTS), "cut", (200, FACTS)) as server:
        http = HttpClient(server.address, on_connection_problem=told.append)
        assert [ask(http) for _ in range(3)] == [42] * 3
        assert len(server.to_move) == 4
        http.close()
    assert told == []  # a connection that was kept may have been closed: no one has to know


def test_what_is_to_choose_names_its_language_and_its_token():
    with scripted((200, FACTS)) as server:
        ask(HttpClient(server.address, language="pl"), "POST", token="secret", body={"x": 1})
        [(method, path, headers, body)] = server.to_move
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
def test_a_server_that_has_answered_is_waited_for(trouble):
    told = []
    with scripted((200, FACTS), *trouble, (200, FACTS)) as server:
        http = HttpClient(server.address, on_connection_problem=told.append)
        assert [ask(http), ask(http)] == [42, 42]
        assert server.script == []
        http.close()
    assert len(told) == 2
    assert told[0].endswith("Trying again.")
    assert told[1].endswith("answers again.")


def test_a_server_says_how_long_it_wants_to_be_left_alone():
    with scripted((200, FACTS), (429, {}, ("Retry-After", "7")), (200, FACTS)) as server:
        http, waited = HttpClient(server.address), []
        ask(http)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(client_http.time, "sleep", waited.append)
            ask(http)
        http.close()
    assert waited == [7]


def test_patience_ends():
    with scripted((200, FACTS), *["cut"] * 100_000) as server:
        http = HttpClient(server.address, retry_timeout=0.05)
        ask(http)
        with pytest.raises(Unreachable, match=r"does not answer \(.+\)\."):
            ask(http)


def test_what_must_not_happen_twice_is_to_choose_once():
    with scripted((200, FACTS), "cut", (503, {})) as server:
        http = HttpClient(server.address)
        ask(http)
        for _ in range(2):
            with pytest.raises(Unreachable):
                ask(http, "POST", retry=False)
        assert len(server.to_move) == 3
        http.close()


def test_a_server_that_never_answered_is_not_waited_for():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(Unreachable, match="refused"):
            ask(HttpClient(address))
    with scripted((503, {})) as server, pytest.raises(Unreachable, match="503"):
        ask(HttpClient(server.address))
    with pytest.raises(Unreachable, match="does not answer"):
        ask(HttpClient("http://nobody.invalid"))


def test_a_server_without_encryption_is_no_encrypted_one():
    with scripted() as server, pytest.raises(Unreachable):
        ask(HttpClient(server.address.replace("http", "https")))
    assert issubclass(ssl.SSLError, OSError)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        ((301, b"", ("Location", "https://else.where/x")), "is elsewhere: https://else.where/x"),
        ((404, b"<html>Not here</html>"), "There is no Hegemon server at"),
        ((418, {"error": "teapot"}), "There is no Hegemon server at"),
        ((200, b"<html>Hello</html>"), "There is no Hegemon server at"),
        ((200, {"question": 1}), "cannot be read"),
        ((200, [1]), "cannot be read"),
        ((400, {"why": "This request cannot be understood."}), "^This request cannot be understood"),
    ],
)
def test_what_is_no_answer_of_ours_is_said(answer, part):
    with scripted(answer) as server:
        http = HttpClient(server.address)
        with pytest.raises(ClientError, match=part):
            ask(http)
        http.close()


# ------------------------------------------------------------------ streams


def entry(number):
    events = [{"event": "undone", "seat": 1, "version": 0}]
    return f"id: {number}\r\nevent: move\ndata: {json.dumps({'version': number, 'events': events})}\n\n"


def streamed(*messages):
    return 200, "".join(messages).encode(), ("Content-Type", "text/event-stream")


def test_a_stream_that_is_cut_goes_on_from_where_it_was():
    script = [
        streamed(": still here\n\n", entry(0), "event: news of another time\ndata: 1\n\n", entry(1)[:-20]),
        (200, SEEN),
        "cut",
        (200, SEEN),
        (503, b""),
        (200, SEEN),
        streamed(entry(1)),
        (200, OVER),
    ]
    with scripted(*script) as server:
        seat = Server(server.address).seat("g", "token")
        assert [news.version for news in seat.follow()] == [0, 1]
        since = [headers.get("Last-Event-ID") for _, path, headers, _ in server.to_move if "stream" in path]
        assert since == ["-1", "0", "0", "0"]
        seat.server.close()


def test_a_stream_of_a_seat_that_was_lost_is_an_error():
    with scripted((401, {"why": "A seat is needed."})) as server, pytest.raises(SeatLost):
        list(Server(server.address).seat("g").follow())


def test_a_stream_that_ends_again_and_again_is_left():
    with scripted(*[streamed(), (200, SEEN)] * 100_000) as server:
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

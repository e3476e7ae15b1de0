"""Posting to URLs that users have entered: only to public addresses, resolved once, with timeouts."""

import asyncio
import hmac
import socket
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256

import pytest

from hegemon.server.webhooks import sender as posting
from hegemon.server.webhooks.sender import (
    WEBHOOK_REJECTIONS,
    Address,
    WebhookRejected,
    is_public,
    parse_url,
    post,
    resolve,
    signature_header,
)


@asynccontextmanager
async def receiver(answer=b"HTTP/1.1 204 No Content\r\n\r\n", *, silent=False):
    """A receiver on this machine: its address, and the requests that it has received."""
    heard, hearing = [], set()

    async def append(reader, writer):
        hearing.add(asyncio.current_task())
        try:
            await answer_to(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has hung up
        finally:
            writer.close()

    async def answer_to(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        heard.append((head.decode(), await reader.readexactly(length)))
        if silent:
            await reader.read()
        writer.write(answer)
        await writer.drain()

    server = await asyncio.start_server(append, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heard
        await asyncio.gather(*hearing, return_exceptions=True)


async def refusal(url, **facts):
    with pytest.raises(WebhookRejected) as rejected:
        await post(url, b"{}", {}, **facts)
    return rejected.value.key


# ------------------------------------------------------------------ addresses


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://hooks.example.org", Address("https", "hooks.example.org", 443, "/")),
        ("HTTP://Hooks.Example.org:8080/a/b?c=d#e", Address("http", "hooks.example.org", 8080, "/a/b?c=d")),
        ("https://[2606:4700::1111]/x", Address("https", "2606:4700::1111", 443, "/x")),
        ("https://bücher.example/", Address("https", "xn--bcher-kva.example", 443, "/")),
    ],
)
def test_urls_are_parsed(url, address):
    assert parse_url(url) == address


def test_a_request_names_the_host_as_browsers_do():
    assert parse_url("https://[2606:4700::1111]:8443/").host_header == "[2606:4700::1111]:8443"
    assert parse_url("http://example.org:80/").host_header == "example.org"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example.org",
        "ftp://example.org/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https:///path",
        "https://ada@example.org/",
        "https://:secret@example.org/",
        "https://example.org:99999/",
        "https://example.org/a b",
        "https://example.org/ä",
        "http://[::1",
        f"https://{'a' * 70}.example/",
    ],
)
def test_an_invalid_url_is_rejected(url):
    with pytest.raises(WebhookRejected, match="address"):
        parse_url(url)


def test_a_url_that_is_too_long_is_rejected():
    with pytest.raises(WebhookRejected, match="long"):
        parse_url(f"https://example.org/{'a' * 1000}")


def test_a_url_cannot_inject_a_header():
    assert parse_url("https://example.org/a\r\nHost:other").path == "/aHost:other"


PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fd00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:807f:fffe",
]


@pytest.mark.parametrize("number", PRIVATE)
def test_private_addresses_are_rejected_in_every_notation(number):
    assert not is_public(number)
    host = f"[{number}]" if ":" in number else number
    with pytest.raises(WebhookRejected, match="private"):
        parse_url(f"http://{host}/")
    assert parse_url(f"http://{host}/", allow_private=True).host


@pytest.mark.parametrize("number", ["1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])
def test_addresses_of_the_open_internet_are_public(number):
    assert is_public(number)


@pytest.mark.parametrize("host", ["localhost", "127.1", "2130706433", "0x7f.1"])
async def test_host_names_that_resolve_to_this_machine_are_rejected(host):
    address = Address("http", host, 80, "/")
    with pytest.raises(WebhookRejected, match="private"):
        await resolve(address, allow_private=False)
    assert {*await resolve(address, allow_private=True)} <= {"127.0.0.1", "::1"}


def resolving(monkeypatch, *answers):
    """Make names resolve to what a test wants, one answer per lookup."""
    coming = list(answers)

    async def getaddrinfo(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, port)) for number in coming.pop(0)]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
    return coming


async def test_one_private_address_among_several_is_rejected(monkeypatch):
    resolving(monkeypatch, ["1.1.1.1", "10.0.0.1"])
    assert await refusal("https://hooks.example/") == "private"


async def test_the_checked_address_is_the_one_that_is_connected_to(monkeypatch):
    """The name would lead elsewhere if it were looked up again."""
    left, called = resolving(monkeypatch, ["1.1.1.1"], ["127.0.0.1"]), []

    async def connect(host, port, **facts):
        called.append((host, port, facts["server_hostname"]))
        raise ConnectionRefusedError

    monkeypatch.setattr(asyncio, "open_connection", connect)
    assert await refusal("https://hooks.example/") == "unreachable"
    assert called == [("1.1.1.1", 443, "hooks.example")]
    assert len(left) == 1


async def test_the_first_reachable_address_is_used(monkeypatch):
    async with receiver() as (url, heard):
        resolving(monkeypatch, ["127.0.0.2", "127.0.0.1"], [])
        assert (
            await post(url.replace("127.0.0.1", "hooks.example"), b"{}", {}, allow_private=True)
        ).status == 204
        assert len(heard) == 1
        assert await refusal("http://hooks.example/", allow_private=True) == "unknown"


async def test_an_unknown_host_is_rejected(monkeypatch):
    async def nowhere(*_, **__):
        raise socket.gaierror

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", nowhere)
    assert await refusal("https://hooks.example/") == "unknown"


# ------------------------------------------------------------------ posting


async def test_a_body_is_posted_whole(monkeypatch):
    async with receiver() as (url, heard):
        answer = await post(f"{url}/here?key=1", b'{"a": 1}', {"Hegemon-Delivery": "x"}, allow_private=True)
    assert answer.status == 204
    ((head, body),) = heard
    assert head.startswith("POST /here?key=1 HTTP/1.1\r\nHost: 127.0.0.1:")
    assert "\r\nContent-Type: application/json\r\n" in head
    assert "\r\nHegemon-Delivery: x\r\n" in head
    assert body == b'{"a": 1}'


async def test_local_addresses_are_rejected_unless_the_server_allows_them():
    async with receiver() as (url, heard):
        assert await refusal(url) == "private"
        assert await refusal(url.replace("127.0.0.1", "localhost")) == "private"
        assert heard == []


async def test_a_redirect_is_not_followed():
    async with receiver() as (other, heard):
        moved = f"HTTP/1.1 302 Found\r\nLocation: {other}\r\n\r\n".encode()
        async with receiver(moved) as (url, _):
            assert (await post(url, b"{}", {}, allow_private=True)).status == 302
        assert heard == []


async def test_only_the_status_line_of_a_long_response_is_read():
    async with receiver(b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 1_000_000) as (url, _):
        assert (await post(url, b"{}", {}, allow_private=True)).status == 200


@pytest.mark.parametrize(
    ("head", "least", "most"),
    [
        (b"", 0, 0),
        (b"Server: x\r\nRETRY-AFTER:  90\r\n", 90, 90),
        (b"Retry-After: TOMORROW\r\n", 1, 24 * 3600),
        (b"Retry-After: Tue, 01 Jan 2019 00:00:00 -0000\r\n", 0, 0),
        (b"Retry-After: soon\r\n", 0, 0),
        (b"A: " + b"x" * 5000 + b"\r\nRetry-After: 90\r\n", 0, 0),
        (b"A: x\r\n" * 200 + b"Retry-After: 90\r\n", 0, 0),
    ],
)
async def test_a_busy_receiver_says_when_to_try_again(head, least, most):
    tomorrow = format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True).encode()
    head = head.replace(b"TOMORROW", tomorrow)
    async with receiver(b"HTTP/1.1 429 Too Many Requests\r\n" + head + b"\r\n") as (url, _):
        answer = await post(url, b"{}", {}, allow_private=True)
    assert answer.status == 429
    assert least <= answer.retry_after <= most


@pytest.mark.parametrize("answer", [b"", b"220 mail.example\r\n", b"x" * 100_000, b"HTTP/1.1 2\r\n"])
async def test_an_invalid_response_is_rejected(answer):
    async with receiver(answer) as (url, _):
        assert await refusal(url, allow_private=True) == "garbled"


async def test_a_slow_response_times_out(monkeypatch):
    monkeypatch.setattr(posting, "SEND_TIMEOUT", 0.05)
    async with receiver(silent=True) as (url, _):
        assert await refusal(url, allow_private=True) == "slow"


async def test_a_refused_connection_is_reported():
    async with receiver() as (url, _):
        pass
    assert await refusal(url, allow_private=True) == "unreachable"


async def test_an_https_server_must_speak_tls():
    async def speak_plainly(_, writer):
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(speak_plainly, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert await refusal(f"https://127.0.0.1:{port}/", allow_private=True) == "secure"


def test_a_signature_is_checked_with_the_secret_alone():
    body = '{"text": "Ärger"}'.encode()
    stamp, digest = (part.partition("=")[2] for part in signature_header("secret", body, 1000.9).split(","))
    assert stamp == "1000"
    assert hmac.compare_digest(digest, hmac.new(b"secret", b"1000." + body, sha256).hexdigest())
    assert signature_header("secret", body) != signature_header("other", body)


def test_every_failure_has_its_sentence():
    keys = {"address", "long", "private", "unknown", "unreachable", "slow", "secure", "garbled", "status"}
    assert set(WEBHOOK_REJECTIONS) == keys

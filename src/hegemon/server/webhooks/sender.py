"""Sending notifications to URLs that users have entered, safe against server-side request forgery.

Only http and https, and only public addresses unless the server is configured otherwise. A host name is resolved once,
so the address that was checked is the one that is called. Redirects are not followed, and only the status line and the
Retry-After header of the response are read.
"""

import asyncio
import contextlib
import hmac
import ipaddress
import re
import ssl
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from importlib.metadata import version
from typing import Final
from urllib.parse import urlsplit

from hegemon.server.texts import translatable

#: The timeout in seconds, from resolving the name to the status line of the response.
SEND_TIMEOUT: Final = 10.0

MAX_URL_LENGTH: Final = 1000

_MAX_STATUS_LINE: Final = 1024

#: The maximum number of header lines that are searched for Retry-After.
_MAX_HEADERS: Final = 100

#: The statuses with which a receiver can send Retry-After.
_BUSY: Final = (429, 503)

_PORTS: Final = {"http": 80, "https": 443}
_PRINTABLE_ASCII: Final = re.compile(r"[!-~]+")
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] (\d{3})\b")

#: IPv6 addresses that are translated to IPv4 (NAT64).
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")

#: The only IPv6 addresses that the internet routes; everything else is local, translated or reserved.
_GLOBAL_UNICAST: Final = ipaddress.ip_network("2000::/3")
_DOCUMENTATION: Final = ipaddress.ip_network("3fff::/20")  # RFC 9637, which Python calls public

#: IPv4 addresses for protocols (RFC 6890) and of relays into IPv6 (RFC 7526), which Python calls public in part.
_SPECIAL_PURPOSE: Final = (ipaddress.ip_network("192.0.0.0/24"), ipaddress.ip_network("192.88.99.0/24"))

WEBHOOK_REJECTIONS: Final = {
    "address": translatable("That is not a web address: it must begin with https:// or http://."),
    "long": translatable("That address is too long."),
    "private": translatable(
        "That address is in a private network, and this server only posts to public addresses."
    ),
    "unknown": translatable("There is no such host."),
    "unreachable": translatable("Could not connect to that address."),
    "slow": translatable("There was no response in time."),
    "secure": translatable("The encrypted connection failed: the certificate is not valid."),
    "garbled": translatable("The response was not a valid web response."),
    "status": translatable("The response was {status}; 200 was expected."),
}


class WebhookRejected(Exception):
    """A URL that is not allowed, or a request that failed; the key selects the sentence."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


@dataclass(frozen=True)
class Address:
    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


@dataclass(frozen=True)
class WebhookResponse:
    status: int
    retry_after: int = 0
    """Seconds after which a busy receiver wants a retry; 0 if unspecified."""


def parse_url(url: str, *, allow_private: bool = False) -> Address:
    """Parse a URL, and check everything that can be checked without resolving the host."""
    if len(url) > MAX_URL_LENGTH:
        raise WebhookRejected("long")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host = host.encode("idna").decode() if ":" not in host else host
    except ValueError:
        raise WebhookRejected("address") from None
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if (
        parts.scheme not in _PORTS
        or not host
        or parts.username is not None
        or not _PRINTABLE_ASCII.fullmatch(path)
    ):
        raise WebhookRejected("address")
    if is_ip_address(host) and not (allow_private or is_public(host)):
        raise WebhookRejected("private")
    return Address(parts.scheme, host, port or _PORTS[parts.scheme], path)


def host_of(url: str) -> str:
    """The host of a URL that was checked when it was entered."""
    return urlsplit(url).hostname or ""


def is_ip_address(host: str) -> bool:
    """Whether a host is an IP address rather than a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_public(ip: str) -> bool:
    """Whether an IP address is public, including any IPv4 address that it wraps."""
    address = ipaddress.ip_address(ip)
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        return address in _GLOBAL_UNICAST and address not in _DOCUMENTATION and address.is_global
    return (
        address.is_global
        and not address.is_multicast
        and not any(address in network for network in _SPECIAL_PURPOSE)
    )


async def resolve(address: Address, *, allow_private: bool) -> list[str]:
    """The IP addresses of a host, the best first; a single private one rejects the host."""
    try:
        infos = await asyncio.get_running_loop().getaddrinfo(address.host, address.port, proto=6)
    except (OSError, ValueError):
        raise WebhookRejected("unknown") from None
    ips = [str(info[4][0]) for info in infos]
    if not allow_private and not all(map(is_public, ips)):
        raise WebhookRejected("private")
    return ips


async def post(
    url: str, body: bytes, headers: Mapping[str, str], *, allow_private: bool = False
) -> WebhookResponse:
    """Post a body, by default JSON."""
    try:
        async with asyncio.timeout(SEND_TIMEOUT):
            return await _post(
                parse_url(url, allow_private=allow_private), body, headers, allow_private=allow_private
            )
    except TimeoutError:
        raise WebhookRejected("slow") from None
    except ssl.SSLError:
        raise WebhookRejected("secure") from None
    except OSError:
        raise WebhookRejected("unreachable") from None


async def connect(address: Address, ips: Sequence[str]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first IP address that can be reached."""
    secure = address.scheme == "https"
    failure: Exception = WebhookRejected("unknown")
    for ip in ips:
        try:
            return await asyncio.open_connection(
                ip,
                address.port,
                limit=_MAX_STATUS_LINE,
                ssl=ssl.create_default_context() if secure else None,
                server_hostname=address.host if secure else None,
            )
        except OSError as error:
            failure = error
    raise failure


async def _post(
    address: Address, body: bytes, headers: Mapping[str, str], *, allow_private: bool
) -> WebhookResponse:
    reader, writer = await connect(address, await resolve(address, allow_private=allow_private))
    try:
        lines = {
            "Host": address.host_header,
            "User-Agent": f"Hegemon/{version('hegemon')}",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"POST {address.path} HTTP/1.1\r\n{head}\r\n".encode("ascii") + body)
        await writer.drain()
        match = _STATUS_LINE.match(await reader.readline())
        status = int(match[1]) if match is not None else 0
        retry_after = await _read_retry_after(reader) if status in _BUSY else 0
    except ValueError:
        status = 0  # the status line is too long
    finally:
        writer.transport.abort()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    if not status:
        raise WebhookRejected("garbled")
    return WebhookResponse(status, retry_after)


async def _read_retry_after(reader: asyncio.StreamReader) -> int:
    """The value of the Retry-After header in seconds, given as a number or a date; 0 without the header."""
    with contextlib.suppress(OSError, ValueError):  # a lost connection, an overlong line, an invalid date
        for _ in range(_MAX_HEADERS):
            name, _, value = (await reader.readline()).decode("latin-1").strip().partition(":")
            if not name:
                break
            if name.lower() == "retry-after":
                value = value.strip()
                if value.isdecimal():
                    return int(value)
                at = parsedate_to_datetime(value).replace(tzinfo=UTC)
                return max(0, int((at - datetime.now(UTC)).total_seconds()))
    return 0


def signature_header(secret: str, body: bytes, now: float | None = None) -> str:
    """The signature header: a timestamp, and the HMAC of the timestamp and the body."""
    at = int(time.time() if now is None else now)
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, sha256).hexdigest()
    return f"t={at},v1={digest}"

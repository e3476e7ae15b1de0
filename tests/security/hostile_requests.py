"""Every route of a server, and bodies that none of them expects."""

import re
from dataclasses import dataclass, field

from httpx import AsyncClient

from hegemon import Game, write_record

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
MULTIPART = "multipart/form-data; boundary=x"

#: A body of 30 kB fits into the limit of all routes.
BIG = 30_000


@dataclass(frozen=True)
class Hostile:
    """A request that our own pages would never send."""

    name: str
    body: bytes = b""
    headers: dict[str, str | bytes] = field(default_factory=dict)
    query: str = ""


def part(content: bytes, name: bytes = b'"record"; filename="a"', more: bytes = b"") -> bytes:
    return b"--x\r\nContent-Disposition: form-data; name=%s\r\n%s\r\n%s\r\n" % (name, more, content)


BODIES = [
    Hostile("deep JSON", b"[" * 3_000 + b"]" * 3_000, {"content-type": JSON}),
    Hostile("deep object", b'{"seats":' * 3_000 + b"1" + b"}" * 3_000, {"content-type": JSON}),
    Hostile("numbers", b"[" + b"1.0," * (BIG // 4) + b"1]", {"content-type": JSON}),
    Hostile("long number", b'{"version":' + b"9" * 5_000 + b"}", {"content-type": JSON}),
    Hostile("bad UTF-8 in JSON", b'{"choice":"\xff"}', {"content-type": JSON}),
    Hostile(
        "half a character",
        b'{"choice":"M","version":0,"idempotency_key":"\\ud800"}',
        {"content-type": JSON},
    ),
    Hostile("half a bot", b'{"seats":[{"bot":"\\ud800"},{}]}', {"content-type": JSON}),
    Hostile("NUL in JSON", b'{"choice":"\\u0000","version":0,"idempotency_key":"\\u0000"}', {"content-type": JSON}),
    Hostile("fields", b"a=&" * (BIG // 3), {"content-type": FORM}),
    Hostile("other fields", b"&".join(b"%x=" % n for n in range(BIG // 5)), {"content-type": FORM}),
    Hostile("long field", b"name1=" + b"%26" * (BIG // 3), {"content-type": FORM}),
    Hostile("bad UTF-8 in a form", b"name1=\xff&choice=%ff&key=%ff&seat=\xff%ff", {"content-type": FORM}),
    Hostile(
        "long numbers in a form",
        b"seat=%(n)s&about=%(n)s&color=%(n)s&version=%(n)s&clock=%(n)ss a move" % {b"n": b"9" * 5_000},
        {"content-type": FORM},
    ),
    Hostile("NUL in a form", b"choice=%00&key=%00&seat=1&version=0&idempotency_key=%00", {"content-type": FORM}),
    Hostile("unknown charset", b"name1=1", {"content-type": f"{FORM}; charset=nope"}),
    Hostile("parts", part(b"") * (BIG // 80) + b"--x--\r\n", {"content-type": MULTIPART}),
    Hostile("bad parts", b"\xff\xfe", {"content-type": MULTIPART}),
    Hostile("no boundary", b"--\r\n\r\n", {"content-type": "multipart/form-data"}),
    Hostile(
        "part in an unknown charset",
        part(b"a", b'"record"', b"Content-Type: text/plain; charset=nope\r\n") + b"--x--\r\n",
        {"content-type": MULTIPART},
    ),
    Hostile("part with a bad name", part(b"a", b'"\xff"') + b"--x--\r\n", {"content-type": MULTIPART}),
    Hostile("nothing"),
]  # fmt: skip

HEADS = [
    Hostile("plain"),
    Hostile("query", query="&".join(["moves=M", "seat=9", "at=" + "9" * 4_000, "a=%00%ff"] * 3)),
    Hostile("fields in the query", query="a=&" * 4_000),
    Hostile("languages", headers={"accept-language": "a-b;q=0.1," * 1_200}),
    Hostile("cookies", headers={"cookie": "a=b; " * 2_500}),
    Hostile("muted", headers={"cookie": "muted=" + "a-" * 6_000 + "; solved=" + "1-" * 1_000}),
    Hostile("bad UTF-8", headers={"cookie": b"hegemon=\xff; language=\xff", "accept-language": b"\xff"}),
    Hostile("authorization", headers={"authorization": "Bearer " + "a" * 12_000}),
    Hostile("host", headers={"host": "a:b:c"}),
    Hostile("long cookie", headers={"cookie": "a=b; " * 25_000}),
    Hostile("long query", query="seat=1&" * 8_000),
    Hostile("forwarded", headers={"x-forwarded-for": "1.2.3.4, " * 1_500}),
]


def routes(client: AsyncClient) -> list[tuple[str, str]]:
    """The methods and paths of all routes, without streams, which do not end."""
    return sorted(
        (method, route.path_format)
        for route in client.app.routes
        for method in getattr(route, "methods", ())
        if method != "OPTIONS" and not route.path_format.endswith("/stream")
    )


def filled(path: str, game: str, word: str = "a") -> str:
    """A path filled in with a game, and with a number or a word for every other parameter."""
    path = path.replace("{game_id}", game)
    return re.sub(r"\{(\w+)\}", lambda found: "1" if found[1] in ("at", "number") else word, path)


def finished_record(name: str = "Ada", players: int = 2) -> str:
    """The record of a whole game in which all players have that name."""
    game = Game(players, "draft", seed=5, names=[name] * players)
    while not game.over:
        game.play(game.choices[0])
    return write_record(game.record())


def record_upload(record: bytes) -> dict:
    """The arguments of a request that uploads a record."""
    return {"content": part(record) + b"--x--\r\n", "headers": {"content-type": MULTIPART}}

"""Programs and browsers that play; plain sockets, so that the players use little CPU time compared to the server."""

import asyncio
import contextlib
import json
import random
import re
import time
import zlib
from dataclasses import dataclass, field
from urllib.parse import urlencode

from hegemon import CHOICES, Game, write_record
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.runner import database_url
from hegemon.server.security import tokens

SEATS = 4

#: Moves before this time are not measured.
WARM_UP_SECONDS = 5

#: The id of an event is the version of the table.
EVENT_ID = re.compile(rb"^id: (\d+)$", re.MULTILINE)


@dataclass
class ScriptedGame:
    """A game with the moves that will be played, and the tokens of its seats."""

    id: str
    seat_tokens: list[str]
    moves: list[tuple[int, str]]
    sent: dict[int, tuple[int, float, bool]] = field(default_factory=dict)
    """By version: the seat of the move, when it was sent, and whether it is measured."""


def random_game(seed):
    """A random game: its record at the start, and its moves."""
    game = Game(SEATS, seed=seed)
    start = write_record(game.record())
    chance = random.Random(seed)
    while not game.over:
        game.play(chance.choice(game.choices))
    return start, [(seat, CHOICES[choice]) for seat, choice in game.record().moves]


async def create_tables(database, tables):
    """Create games with four remote players each in a database."""
    store = Store(database_url(str(database)))
    await store.migrate()
    run, games = tokens.new_token()[:8], []
    for number in range(tables):
        start, moves = random_game(number)
        game = ScriptedGame(f"load-{run}-{number}", [tokens.new_token() for _ in range(SEATS)], moves)
        # Unique names: with equal names, the server could share more rendered output than at real tables.
        seats = [
            SeatRow(None, tokens.owner_of(token), f"Player {number}-{seat}")
            for seat, token in enumerate(game.seat_tokens, 1)
        ]
        await store.games.create(game.id, start, seats)
        games.append(game)
    await store.close()
    return games


class Program:
    """A player over the API."""

    def stream_request(self, game, seat):
        token = game.seat_tokens[seat]
        return f"GET /api/games/{game.id}/stream HTTP/1.1", [f"Authorization: Bearer {token}"]

    def move_request(self, game, seat, choice, version):
        body = json.dumps({"choice": choice, "version": version, "idempotency_key": f"c{version}"})
        return (
            f"POST /api/games/{game.id}/moves HTTP/1.1",
            [f"Authorization: Bearer {game.seat_tokens[seat]}", "Content-Type: application/json"],
            body,
        )

    def reader(self):
        """A function that decodes the chunks of a stream."""
        return bytes


class Browser(Program):
    """A player with the page of the table open: regions in HTML, compressed, and forms."""

    def __init__(self, languages=("en",)):
        self._languages = languages

    def _headers(self, game, seat, cookies=""):
        return [
            f"Cookie: {tokens.COOKIE}={game.seat_tokens[seat]}{cookies}",
            f"Accept-Language: {self._languages[seat % len(self._languages)]}",
            "Accept-Encoding: gzip, deflate, br, zstd",
        ]

    def stream_request(self, game, seat):
        return f"GET /games/{game.id}/stream?seat={seat + 1} HTTP/1.1", self._headers(game, seat)

    def move_request(self, game, seat, choice, version):
        fields = {"choice": choice, "version": version, "seat": seat + 1, "idempotency_key": f"c{version}"}
        # The moves are scripted, so none may follow automatically.
        headers = [*self._headers(game, seat, "; passing=off"), "Accept: application/json"]
        headers += ["Sec-Fetch-Site: same-origin", "Content-Type: application/x-www-form-urlencoded"]
        return f"POST /games/{game.id}/moves HTTP/1.1", headers, urlencode(fields)

    def reader(self):
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress


def encoded(port, line, headers, body=""):
    """A request as bytes."""
    length = [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join([line, f"Host: 127.0.0.1:{port}", *headers, *length, "", body]).encode()


async def follow(port, game, seat, delays, player):
    """Read one player's stream; append the delays of the others' moves."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(encoded(port, *player.stream_request(game, seat)))
    decode = player.reader()
    try:
        await reader.readuntil(b"\r\n\r\n")
        while size := int(await reader.readline(), 16):
            part = decode((await reader.readexactly(size + 2))[:-2])
            for number in EVENT_ID.findall(part):
                mover, at, counts = game.sent.get(int(number), (seat, 0.0, False))
                if counts and mover != seat:
                    delays.append(1000 * (time.perf_counter() - at))
    finally:
        writer.close()


async def submit_moves(port, game, begin, end, interval, player):
    """Submit the moves of all four players over one connection, one in each interval of that many seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    first, moves = time.perf_counter(), 0
    try:
        for number, (seat, choice) in enumerate(game.moves, 1):
            if time.perf_counter() >= end:
                break
            request = encoded(port, *player.move_request(game, seat, choice, number - 1))
            counts = time.perf_counter() >= begin
            game.sent[number] = (seat, time.perf_counter(), counts)
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.splitlines()
                if line.lower().startswith(b"content-length")
            )
            answer = await reader.readexactly(length)
            if b" 20" not in head.splitlines()[0]:
                raise RuntimeError(f"the server rejected {choice}: {answer.decode()}")
            moves += counts
            if interval:  # a late move does not shift the next one
                await asyncio.sleep(interval - (time.perf_counter() - first) % interval)
    finally:
        writer.close()
    return moves


PROGRAM = Program()


async def play(port, games, seconds, *, player=PROGRAM, streams=SEATS, interval=1.0, on_measure=lambda: None):
    """Play all games for that time; return the number of measured moves, and the delays in milliseconds.

    `on_measure` is called when the warm-up is over.
    """
    delays = []
    begin = time.perf_counter() + WARM_UP_SECONDS
    asyncio.get_running_loop().call_later(WARM_UP_SECONDS, on_measure)
    async with following(port, games, delays, player, streams):
        players = []
        for game in games:
            await asyncio.sleep(interval / len(games))
            players.append(
                asyncio.create_task(submit_moves(port, game, begin, begin + seconds, interval, player))
            )
        moves = sum(await asyncio.gather(*players))
    return moves, delays


@contextlib.asynccontextmanager
async def following(port, games, delays, player=PROGRAM, streams=SEATS):
    """Hold a stream open for the first `streams` players of each table."""
    followers = [
        asyncio.create_task(follow(port, game, seat, delays, player))
        for game in games
        for seat in range(streams)
    ]
    try:
        yield
    finally:
        for follower in followers:
            follower.cancel()
        await asyncio.gather(*followers, return_exceptions=True)

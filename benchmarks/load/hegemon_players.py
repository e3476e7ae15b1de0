"""Remote players over the API; plain sockets, so that the players need little time compared to the server."""

import asyncio
import contextlib
import json
import random
import time
from dataclasses import dataclass, field

from hegemon import CHOICES, Game, write_record
from hegemon.server.db.schema import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.runner import database_url
from hegemon.server.security import tokens

SEATS = 4

#: Moves before this time are not measured.
WARM_UP_SECONDS = 5


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
        await store.games.create(
            game.id, start, [SeatRow(None, tokens.owner_of(token)) for token in game.seat_tokens]
        )
        games.append(game)
    await store.close()
    return games


async def follow(port, game, seat, delays, pages):
    """Read one player's stream; append the delays of the others' moves."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    token = game.seat_tokens[seat]
    path, credentials = (
        (f"/games/{game.id}/stream", f"Cookie: {tokens.COOKIE}={token}")
        if pages
        else (f"/api/games/{game.id}/stream", f"Authorization: Bearer {token}")
    )
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{credentials}\r\n\r\n".encode())
    try:
        async for line in reader:
            if line.startswith(b"id: "):
                mover, at, counts = game.sent.get(int(line[4:]), (seat, 0.0, False))
                if counts and mover != seat:
                    delays.append(1000 * (time.perf_counter() - at))
    finally:
        writer.close()


async def submit_moves(port, game, begin, end, interval):
    """Submit the moves of all four players over one connection, one in each interval of that many seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    first, moves = time.perf_counter(), 0
    try:
        for number, (seat, choice) in enumerate(game.moves, 1):
            if time.perf_counter() >= end:
                break
            body = json.dumps(
                {"choice": choice, "version": number - 1, "idempotency_key": f"c{number}"}
            ).encode()
            counts = time.perf_counter() >= begin
            game.sent[number] = (seat, time.perf_counter(), counts)
            writer.write(
                f"POST /api/games/{game.id}/moves HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                f"Authorization: Bearer {game.seat_tokens[seat]}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n".encode()
                + body
            )
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.splitlines()
                if line.lower().startswith(b"content-length")
            )
            answer = await reader.readexactly(length)
            if b" 200 " not in head.splitlines()[0]:
                raise RuntimeError(f"the server rejected {choice}: {answer.decode()}")
            moves += counts
            if interval:  # a late move does not shift the next one
                await asyncio.sleep(interval - (time.perf_counter() - first) % interval)
    finally:
        writer.close()
    return moves


async def play(port, games, seconds, *, pages=False, interval=1.0, measuring=lambda: None):
    """Play all games for that time; returns the number of measured moves, and the delays in milliseconds.

    `measuring` is called when the warm-up is over.
    """
    delays = []
    begin = time.perf_counter() + WARM_UP_SECONDS
    asyncio.get_running_loop().call_later(WARM_UP_SECONDS, measuring)
    async with following(port, games, delays, pages=pages):
        players = []
        for game in games:
            await asyncio.sleep(interval / len(games))
            players.append(asyncio.create_task(submit_moves(port, game, begin, begin + seconds, interval)))
        moves = sum(await asyncio.gather(*players))
    return moves, delays


@contextlib.asynccontextmanager
async def following(port, games, delays, *, pages=False):
    """Keep a stream open for every player."""
    streams = [
        asyncio.create_task(follow(port, game, seat, delays, pages))
        for game in games
        for seat in range(SEATS)
    ]
    try:
        yield
    finally:
        for stream in streams:
            stream.cancel()
        await asyncio.gather(*streams, return_exceptions=True)

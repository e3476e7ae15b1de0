"""Remote players at our own tables, over the API: plain sockets, so that the players cost little beside the server."""

import asyncio
import json
import random
import time
from dataclasses import dataclass, field

from hegemon import CHOICES, Game, write_record
from hegemon.server.db.schema import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.runner import database_url
from hegemon.server.security import tokens as identity

SEATS = 4

#: Nothing is measured before every connection has settled.
SETTLING_SECONDS = 5


@dataclass
class Played:
    """A game that will be played: which words will be said by whom, and the tokens of the seats."""

    id: str
    tokens: list[str]
    words: list[tuple[int, str]]
    sent: dict[int, tuple[int, float, bool]] = field(default_factory=dict)
    """By the number of an entry: whose word it is, when it was sent, and whether it counts."""


def random_game(seed):
    """A game by chance: as it begins, and all its words."""
    game = Game(SEATS, seed=seed)
    beginning = write_record(game.record())
    chance = random.Random(seed)
    while not game.over:
        game.play(chance.choice(game.choices))
    return beginning, [(seat, CHOICES[choice]) for seat, choice in game.record().moves]


async def lay_tables(database, tables):
    """Keep that many games in a new database, with four remote players each, as if they had been invited."""
    store = Store(database_url(str(database)))
    await store.migrate()
    games = []
    for number in range(tables):
        beginning, words = random_game(number)
        game = Played(f"load-{number}", [identity.new_token() for _ in range(SEATS)], words)
        await store.games.create(
            game.id, beginning, [SeatRow(None, identity.owner_of(token)) for token in game.tokens]
        )
        games.append(game)
    await store.close()
    return games


async def follow(port, game, seat, is_waiting, pages):
    """One player's stream: note when the words of the others come."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    token = game.tokens[seat]
    path, shown = (
        (f"/games/{game.id}/stream", f"Cookie: {identity.COOKIE}={token}")
        if pages
        else (f"/api/games/{game.id}/stream", f"Authorization: Bearer {token}")
    )
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{shown}\r\n\r\n".encode())
    try:
        async for line in reader:
            if line.startswith(b"id: "):
                said_by, at, counts = game.sent.get(int(line[4:]), (seat, 0.0, False))
                if counts and said_by != seat:
                    is_waiting.append(1000 * (time.perf_counter() - at))
    finally:
        writer.close()


async def post_message(port, game, begin, end):
    """All four players' words, one a second, over one connection that is kept."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    first, moves = time.perf_counter(), 0
    try:
        for number, (seat, choice) in enumerate(game.words, 1):
            if time.perf_counter() >= end:
                break
            body = json.dumps(
                {"choice": choice, "version": number - 1, "idempotency_key": f"c{number}"}
            ).encode()
            counts = time.perf_counter() >= begin
            game.sent[number] = (seat, time.perf_counter(), counts)
            writer.write(
                f"POST /api/games/{game.id}/moves HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                f"Authorization: Bearer {game.tokens[seat]}\r\nContent-Type: application/json\r\n"
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
                raise RuntimeError(f"the server refused {choice}: {answer.decode()}")
            moves += counts
            await asyncio.sleep(1 - (time.perf_counter() - first) % 1)  # a player who was late keeps the beat
    finally:
        writer.close()
    return moves


async def play(port, games, seconds, *, pages):
    """Everyone plays for that many seconds; how many moves counted, and how long the others waited for each."""
    is_waiting = []
    streams = [
        asyncio.create_task(follow(port, game, seat, is_waiting, pages))
        for game in games
        for seat in range(SEATS)
    ]
    begin = time.perf_counter() + SETTLING_SECONDS
    speakers = []
    for game in games:
        await asyncio.sleep(1 / len(games))
        speakers.append(asyncio.create_task(post_message(port, game, begin, begin + seconds)))
    moves = sum(await asyncio.gather(*speakers))
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    return moves, is_waiting

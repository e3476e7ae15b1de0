"""The cost of a large database: the start of a server, and the pages that list games.

    python benchmarks/lists.py --games 100000 --clocks 2000

The database has that many finished games, a tenth of them public and a thousand of the reader, games with days per move
in progress, and twenty open tables in the lobby. The finished games are archived, as they are ten minutes after their
end; `--rows` leaves each of their moves in a row. Figures are CPU time of the server on one core, unless
stated otherwise; a page is the median of twenty requests.
"""

import argparse
import asyncio
import random
import secrets
import sqlite3
import statistics
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

from httpx import ASGITransport, AsyncClient

from hegemon import Game, write_record
from hegemon.server.app import create_app
from hegemon.server.config import ServerConfig
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.runner import check_database, database_url
from hegemon.server.security import tokens

PAGES = ("/", "/lobby", "/feed.atom", "/me/games", "/me/statistics", "/tournaments", "/daily")
REQUESTS = 20
OPEN_TABLES = 20

_NUMBERS = "WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < :last) "

#: A copy of each row of the game `model`, for each number.
_COPIES = (
    """INSERT INTO games
       (id, created_at, updated_at, record, finished, started_at, options, public, counted, archived)
       SELECT 'over' || n, created_at, datetime('2026-01-01', '-' || n || ' minutes') || '.000000', record, 1,
         started_at, options, n % 10 = 0, 1, archived
       FROM numbers, games WHERE id = 'model'""",
    """INSERT INTO seats (game, seat, bot, owner, name)
       SELECT 'over' || n, seat, bot, CASE WHEN bot IS NOT NULL OR n < :own THEN owner ELSE 'owner' || n END, name
       FROM numbers, seats WHERE game = 'model'""",
    """INSERT INTO moves (game, version, seat, choice, idempotency_key, created_at)
       SELECT 'over' || n, version, seat, choice, idempotency_key, created_at
       FROM numbers, moves WHERE game = 'model'""",
    """INSERT INTO archives (game, moves) SELECT 'over' || n, moves FROM numbers, archives WHERE game = 'model'""",
    """INSERT INTO results
       (game, seat, owner, finished_at, players, variant, teams, level, ending, won, score, turns, name)
       SELECT 'over' || n, 0, :owner, datetime('2026-01-01', '-' || n || ' minutes') || '.000000', 3, 'basic', 0,
         'hard', 'majority', n % 3 = 0, 3, 12, 'Ada'
       FROM numbers WHERE n < :own""",
)


async def fill(url: str, owner: str, clocks: int, *, archived: bool) -> int:
    """Save the model of a finished game, games in progress, and open tables; return the moves of the model."""
    store, now, chance = Store(url), datetime.now(UTC), random.Random(1)
    game = Game(3, seed=1)
    while not game.over:
        game.play(chance.choice(game.choices))
    record = write_record(Game(3, seed=1).record())
    people = [SeatRow(None, owner, "Ada"), SeatRow("hard", None), SeatRow("hard", None)]
    await store.games.create("model", record, people, now=now)
    moves = [
        {
            "game": "model",
            "version": version,
            "seat": seat,
            "choice": choice,
            "key": secrets.token_urlsafe(12),
        }
        for version, (seat, choice) in enumerate(zip(game.movers, game.moves, strict=True), 1)
    ]
    seconds = accumulate(chance.lognormvariate(1, 1.2) for _ in moves)
    timed = [(move, now + timedelta(seconds=passed)) for move, passed in zip(moves, seconds, strict=True)]
    async with store.database.writing() as connection:
        await connection.exec_driver_sql(
            "INSERT INTO moves (game, version, seat, choice, idempotency_key, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            [(*move.values(), moment.strftime("%Y-%m-%d %H:%M:%S.%f")) for move, moment in timed],
        )
        await connection.exec_driver_sql("UPDATE games SET finished = 1, counted = 1 WHERE id = 'model'")
    if archived:
        await store.archives.archive("model", now + timedelta(hours=1))
    turns = {}
    for number in range(clocks):
        seats = [SeatRow(None, f"someone {number}", "Ben"), SeatRow(None, f"another {number}", "Eve")]
        options, name = TableOptions(clock="3d a move"), f"clock{number}"
        before = now - timedelta(minutes=number % 1440)
        await store.games.create(
            name, write_record(Game(2, seed=number).record()), seats, options=options, now=before
        )
        turns[name] = {0: before + timedelta(days=3)}
    await store.turns.save(turns)
    for number in range(OPEN_TABLES):
        seats = [SeatRow(None, owner, "Ada"), SeatRow(None, None, invite=secrets.token_urlsafe(8))]
        await store.games.create(
            f"open{number}", write_record(Game(2, seed=1).record()), seats, public=True, now=now
        )
    await store.close()
    return len(moves)


async def measure(url: str, token: str) -> None:
    began, wall = time.process_time(), time.monotonic()
    app = create_app(ServerConfig(url, lobby=True, limits=None))
    print(f"| the application, before its start | {time.process_time() - began:.2f} s |")
    began = time.process_time()
    async with app.lifespan():
        print(f"| the start | {time.process_time() - began:.2f} s |")
        print(f"| both, by the clock | {time.monotonic() - wall:.2f} s |")
        began = time.process_time()
        await asyncio.sleep(10)
        print(
            f"| the first ten seconds, without requests | {time.process_time() - began:.2f} s |", flush=True
        )
        client = AsyncClient(
            transport=ASGITransport(app), base_url="http://localhost", cookies={tokens.COOKIE: token}
        )
        async with client:
            for path in PAGES:
                times = []
                for _ in range(REQUESTS):
                    began = time.process_time()
                    answer = await client.get(path)
                    times.append(1000 * (time.process_time() - began))
                    assert answer.status_code == 200, (path, answer.status_code)
                print(f"| `{path}` | {statistics.median(times):.1f} ms |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--clocks", type=int, default=2_000, help="games in progress with days per move")
    parser.add_argument(
        "--own", type=int, default=1_000, help="finished games of the person who reads the pages"
    )
    parser.add_argument("--rows", action="store_true", help="leave the finished games unarchived")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        url, token = database_url(str(path)), tokens.new_token()
        owner = tokens.owner_of(token) or ""
        check_database(url)
        moves = asyncio.run(fill(url, owner, options.clocks, archived=not options.rows))
        empty = path.stat().st_size
        facts = {"last": options.games - 1, "owner": owner, "own": options.own}
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in _COPIES:
                connection.execute(_NUMBERS + statement, facts)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = (path.stat().st_size - empty) / options.games / 1000
        print(f"\n| A database of {options.games:,} finished games of {moves} moves | |\n|---|---:|")
        print(f"| size of a finished game on disk | {size:.1f} kB |")
        began = time.monotonic()
        check_database(url)
        print(f"| the check of the file, by the clock | {time.monotonic() - began:.2f} s |", flush=True)
        asyncio.run(measure(url, token))


if __name__ == "__main__":
    main()

"""The size of a finished game on disk, by table, and the cost of archiving and loading it.

    python benchmarks/storage.py --games 2000 [--postgresql]

Games are played at random, by two and by four people, in the lobby, rated and with clocks: every seat has an owner, a
name, an invitation, a result and a rating, and every move has an idempotency key. Other games take less. Each size is
that of a table with its indexes, divided by the number of games. `--postgresql` starts a server in a temporary folder.
"""

import argparse
import asyncio
import random
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from sqlalchemy import insert, select, text, update

from hegemon import Game
from hegemon.server.db.archives import archives
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.schema import games, moves
from hegemon.server.db.store import Store
from hegemon.server.runner import database_url
from hegemon.server.tables.archiving import archive_games
from hegemon.server.tables.registry import stored_record
from hegemon.server.tables.results import results_of
from hegemon.server.tables.table import Table

#: Different games; each saved game is one of them with other people, keys and times.
MODELS = 25

#: The number of games that are saved before they are archived, as on a server with some games in progress.
ARCHIVE_BATCH = 50

NAMES = ("Margarethe", "Sándor", "Ελένη", "Jan")
FUTURE = datetime(2100, 1, 1, tzinfo=UTC)
LAST_TRANSACTION = 2**62

#: Tables whose size does not depend on the number of finished games: their space is reused.
REUSED = {"moves", "changes", "shards", "alembic_version"}

_SQLITE_SIZES = "SELECT tbl_name, sum(pgsize) FROM dbstat JOIN sqlite_schema USING (name) GROUP BY tbl_name"

_POSTGRESQL_SIZES = """
SELECT relname, pg_total_relation_size(oid) FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""


def models(players: int) -> list[Game]:
    played = []
    for seed in range(MODELS):
        chance, game = random.Random(seed), Game(players, seed=seed, names=NAMES[:players])
        while not game.over:
            game.play(chance.choice(game.choices))
        played.append(game)
    return played


async def save_game(store: Store, game: Game, people: list[str], chance: random.Random) -> str:
    """Save a finished game, with everything that a server saves about it; return its id."""
    game_id, now = secrets.token_urlsafe(12), datetime.now(UTC) - timedelta(days=1)
    owners = chance.sample(people, game.players)
    seats = [
        SeatRow(None, owner, name, color, secrets.token_urlsafe(12) if color else None)
        for color, (owner, name) in enumerate(zip(owners, NAMES, strict=False))
    ]
    options = TableOptions("de", rated=True, clock="10m a game + 10s")
    await store.games.create(
        game_id, stored_record(game), seats, host=owners[0], options=options, public=True, now=now
    )
    rows = []
    for version, (seat, choice) in enumerate(zip(game.movers, game.moves, strict=True), 1):
        now += timedelta(seconds=chance.lognormvariate(1, 1.2))
        rows.append(
            {"game": game_id, "version": version, "seat": seat, "choice": choice, "created_at": now}
            | {"idempotency_key": secrets.token_urlsafe(12)}
        )
    over = update(games).where(games.c.id == game_id).values(finished=True, rated=True, updated_at=now)
    async with store.database.writing() as connection:
        await connection.execute(insert(moves), rows)
        await connection.execute(over)
    results = results_of(game_id, game, seats, now)
    rated = [replace(result, mu=chance.gauss(25, 8), sigma=7.9) for result in results]
    await store.results.save(game_id, rated)
    return game_id


async def sizes(store: Store) -> Counter[str]:
    """The size in bytes of each table with its indexes."""
    async with store.database.reading() as connection:
        is_sqlite = connection.dialect.name == "sqlite"
        found = await connection.execute(text(_SQLITE_SIZES if is_sqlite else _POSTGRESQL_SIZES))
        return Counter({row[0]: row[1] for row in found})


async def vacuum(store: Store, *, whole: bool = False) -> None:
    """Do periodic maintenance, as PostgreSQL's autovacuum and SQLite's checkpoints do, or rewrite the whole database.

    On a shared database, workers also delete old change notifications.
    """
    if store.database.is_shared:
        await store.changes.prune(LAST_TRANSACTION)
    async with store.database.reading() as connection:
        if connection.dialect.name == "sqlite":
            if whole:
                await connection.exec_driver_sql("VACUUM")
            await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.exec_driver_sql("VACUUM FULL" if whole else "VACUUM")


async def growth_per_game(
    store: Store, empty: Counter[str], number: int, *, whole: bool = False
) -> Counter[str]:
    """The growth of each table since it was empty, in bytes per game."""
    await vacuum(store, whole=whole)
    now = await sizes(store)
    return Counter({name: round((size - empty[name]) / number) for name, size in now.items()})


async def measure(store: Store, players: int, number: int) -> dict[str, Counter[str]]:
    """The size of a finished game before it is archived, in the long run, and after the database was rewritten."""
    chance, played = random.Random(players), models(players)
    people = [secrets.token_hex(32) for _ in range(max(20, number // 10))]
    await vacuum(store, whole=True)
    empty = await sizes(store)
    first = [
        await save_game(store, played[place % MODELS], people, chance) for place in range(ARCHIVE_BATCH * 4)
    ]
    rows = await growth_per_game(store, empty, len(first), whole=True)
    began = time.process_time()
    loaded = [await store.games.load(game_id) for game_id in first]
    from_rows = (time.process_time() - began) / len(first)
    began = time.process_time()
    await archive_games(store, FUTURE, set())
    archiving = (time.process_time() - began) / len(first)
    began = time.process_time()
    again = [await store.games.load(game_id) for game_id in first]
    from_archive = (time.process_time() - began) / len(first)
    began = time.process_time()
    for row in again:
        assert row is not None
        Table(row)
    replaying = (time.process_time() - began) / len(first)
    assert [row and len(row.moves) for row in again] == [row and len(row.moves) for row in loaded]
    await vacuum(store, whole=True)
    for place in range(len(first), number):
        await save_game(store, played[place % MODELS], people, chance)
        if place % ARCHIVE_BATCH == 0:
            await archive_games(store, FUTURE, set())
            await vacuum(store)
    await archive_games(store, FUTURE, set())
    archived = await growth_per_game(store, empty, number)
    rewritten = await growth_per_game(store, empty, number, whole=True)
    async with store.database.reading() as connection:
        packed = [len(row.moves) for row in await connection.execute(select(archives.c.moves))]
    moves_of_game = sum(len(game.moves) for game in played) / MODELS
    print(f"\n| A finished game of {players} people, {moves_of_game:.0f} moves | |\n|---|---:|")
    print(f"| its archive, median | {median(packed):.0f} bytes |")
    print(f"| archiving, CPU time | {1000 * archiving:.1f} ms |")
    print(f"| loading it from rows, CPU time | {1000 * from_rows:.1f} ms |")
    print(f"| loading it from the archive, CPU time | {1000 * from_archive:.1f} ms |")
    print(f"| replaying it, CPU time | {1000 * replaying:.1f} ms |", flush=True)
    return {"rows": rows, "archived": archived, "rewritten": rewritten}


def report(found: dict[str, Counter[str]]) -> None:
    names = sorted(found["rows"] | found["archived"], key=lambda name: -found["rows"][name])
    print("\n| Bytes per game, with indexes | rows | archived | archived, rewritten |\n|---|---:|---:|---:|")
    for name in names:
        figures = [found[kind][name] for kind in found]
        if any(figures):
            print(f"| `{name}` | " + " | ".join(f"{figure:,}" for figure in figures) + " |")
    totals = [
        sum(size for name, size in found[kind].items() if kind == "rows" or name not in REUSED)
        for kind in found
    ]
    print(
        "| all, without the free space of deleted moves | "
        + " | ".join(f"{total:,}" for total in totals)
        + " |",
        flush=True,
    )


@contextmanager
def postgresql_url() -> Iterator[str]:
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "server"))
    from postgresql_server import PostgresqlServer

    with PostgresqlServer() as server:
        server.execute("CREATE DATABASE games")
        yield server.url("games")


@contextmanager
def sqlite_url() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield database_url(str(Path(folder) / "games.db"))


@asynccontextmanager
async def store_at(url: str) -> AsyncIterator[Store]:
    store = Store(url)
    try:
        await store.migrate()
        yield store
    finally:
        await store.close()


async def run(url: str, players: int, number: int) -> None:
    async with store_at(url) as store:
        report(await measure(store, players, number))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=2_000)
    parser.add_argument("--postgresql", action="store_true", help="measure PostgreSQL instead of SQLite")
    options = parser.parse_args()
    for players in (2, 4):
        with postgresql_url() if options.postgresql else sqlite_url() as url:
            asyncio.run(run(url, players, options.games))


if __name__ == "__main__":
    main()

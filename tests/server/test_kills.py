"""`kill -9` at any moment: every acknowledged move is saved exactly once."""

import asyncio
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from server_kills import play_and_kill

from hegemon import Game, write_record
from hegemon.server import maintenance
from hegemon.server.db.rows import MoveRow, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.runner import database_url

TABLES = {
    "two programs": [{}, {}],
    "a program and a bot": [{}, {"bot": "chance"}],
}
KILLS = 100


@pytest.mark.slow
def test_no_acknowledged_move_is_lost_and_none_counts_twice(tmp_path, empty_database):
    def one(number, seats):
        database = shutil.copy(empty_database, tmp_path / f"{number}.db")
        return database, play_and_kill(database, number, KILLS, seats)

    with ThreadPoolExecutor(len(TABLES)) as threads:
        played = list(threads.map(one, range(len(TABLES)), TABLES.values()))
    for database, player in played:
        if player.problem:
            raise player.problem
        check(database, player)


def check(database, player):
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "SELECT game, version, seat, choice, idempotency_key FROM moves ORDER BY game, version"
        )
        saved = [(game, version, seat + 1, choice, key) for game, version, seat, choice, key in rows]
    connection.close()
    moves = [row for row in saved if row[4] is not None]
    acknowledged = [(a.game, a.version, a.seat, a.choice, a.idempotency_key) for a in player.acknowledged]
    assert len(acknowledged) >= KILLS // 2
    assert player.sent_again > KILLS // 2
    assert {*acknowledged} <= {*moves}
    assert len({*moves} - {*acknowledged}) <= 1  # the last move may be saved and its answer lost
    assert len({idempotency_key for *_, idempotency_key in moves}) == len(moves)
    for game in {row[0] for row in saved}:
        versions = [row[1] for row in saved if row[0] == game]
        assert versions == list(range(1, len(versions) + 1))


GAMES, A_FEW = 24, 5
ARCHIVE = "import sys; from hegemon.server.maintenance import compact; compact(sys.argv[1])"


@pytest.mark.slow
def test_a_kill_during_archiving_leaves_either_the_moves_or_an_archive(tmp_path, empty_database):
    url = database_url(str(shutil.copy(empty_database, tmp_path / "games.db")))
    moves = asyncio.run(save_games(url))
    archived = 0
    while archived < GAMES:
        process = subprocess.Popen([sys.executable, "-c", ARCHIVE, url])
        try:
            while process.poll() is None and number_of_archives(tmp_path / "games.db") < archived + A_FEW:
                time.sleep(0.001)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        report = maintenance.check(url)
        assert (report.games, report.moves, report.problems) == (GAMES, GAMES * moves, [])
        found = number_of_archives(tmp_path / "games.db")
        assert found > archived
        archived = found


async def save_games(url):
    """Save finished games; return the number of moves of each."""
    store, game = Store(url), Game(2, seed=1)
    while not game.over:
        game.play("." if "." in game.choices else game.choices[-1])
    rows = [
        MoveRow(version, *move) for version, move in enumerate(zip(game.movers, game.moves, strict=True), 1)
    ]
    record, seats = write_record(Game(2, seed=1).record()), [SeatRow(None, "ada")] * 2
    for number in range(GAMES):
        await store.games.create(
            f"game{number}", record, seats, rows, finished=True, now=datetime(2020, 1, 1, tzinfo=UTC)
        )
    await store.close()
    return len(rows)


def number_of_archives(path):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)
    try:
        return connection.execute("SELECT count(*) FROM archives").fetchone()[0]
    finally:
        connection.close()

"""`kill -9` at any moment: every acknowledged move is there, once."""

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from server_kills import play_and_kill

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

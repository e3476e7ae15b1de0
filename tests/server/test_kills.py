"""`kill -9` at any moment: every acknowledged word is there, once."""

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
def test_no_acknowledged_word_is_lost_and_none_counts_twice(tmp_path, empty_database):
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
            "SELECT game, number, seat, word, command FROM entries ORDER BY game, number"
        )
        kept = [
            (game, number, seat + 1, choice, idempotency_key)
            for game, number, seat, choice, idempotency_key in rows
        ]
    connection.close()
    said = [row for row in kept if row[4] is not None]
    acknowledged = [(a.game, a.number, a.seat, a.choice, a.idempotency_key) for a in player.acknowledged]
    assert len(acknowledged) >= KILLS // 2
    assert player.sent_again > KILLS // 2
    assert {*acknowledged} <= {*said}
    assert len({*said} - {*acknowledged}) <= 1  # the last word may be kept and its answer lost
    assert len({idempotency_key for *_, idempotency_key in said}) == len(said)
    for game in {row[0] for row in kept}:
        numbers = [row[1] for row in kept if row[0] == game]
        assert numbers == list(range(1, len(numbers) + 1))

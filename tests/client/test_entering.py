"""Programs in a tournament on a server that is killed during it."""

import sqlite3
import threading

import pytest
from server_process import server_process

from hegemon.client import Forbidden, Server

pytestmark = pytest.mark.slow

PEOPLE = ("Ada", "Ben", "Eve", "Joe")
ROUNDS = 2


class Hasty:
    """End each turn as soon as possible; the first one to make some choices calls `interrupt`."""

    def __init__(self, interrupt=None, choices=10**9):
        self._interrupt = interrupt
        self._choices = choices

    def choose(self, view, memory, choices):
        self._choices -= 1
        if self._choices == 0:
            self._interrupt()
        return "." if "." in choices else choices[-1]


@pytest.mark.slow
def test_a_tournament_of_eight_bots_and_four_people_survives_a_killed_server(tmp_path):
    with server_process(tmp_path) as running:
        server = Server(running.address)
        host = server.create_tournament(
            "Cup", bots=["greedy"] * 8, rounds=ROUNDS, pause=0, clock="10m a game + 10s"
        )
        people = [server.tournament(host.id).enter(name) for name in PEOPLE]
        host.start()

        def kill():
            running.kill()
            running.start_soon()

        players = [Hasty(kill, choices=6), *(Hasty() for _ in PEOPLE[1:])]
        threads = [
            threading.Thread(target=person.play, args=[player, 0.2])
            for person, player in zip(people, players, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        final = server.tournament(host.id).state()
    assert final.is_over
    assert final.round == ROUNDS
    assert sum(line.values["points"] for line in final.standings) == ROUNDS * 6
    pairings = final.facts["pairings"]
    for number in range(1, ROUNDS + 1):
        seated = [one for found in pairings if found["round"] == number for one in found["entries"]]
        assert sorted(seated) == list(range(1, 13))
    with sqlite3.connect(running.database) as connection:
        games = [row[0] for row in connection.execute("SELECT id FROM games WHERE finished")]
        number = connection.execute("SELECT count(*) FROM games").fetchone()[0]
    connection.close()
    assert number == len(pairings) == ROUNDS * 6
    assert set(games) == {found["game"] for found in pairings}


def test_a_program_opens_a_tournament_and_enters_it(server):
    host = server.create_tournament("Cup", rounds=1, clock="10m a game + 10s", pause=0, bot="greedy")
    host.enter_bot("greedy")
    ada = server.tournament(host.link.rpartition("/")[2]).enter("Ada")
    with pytest.raises(Forbidden):
        ada.start()
    assert ada.state().names == ("Bot 1", "Ada")
    host.start()
    assert ada.play(Hasty(), poll_interval=0.05).standings[0].rank == 1

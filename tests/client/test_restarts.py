"""Programs at tables of a server that is killed or stopped, and restarted."""

import threading

import pytest
from server_process import server_process

from hegemon import Game
from hegemon.bots import make_bot
from hegemon.client import Server

FALLS = 6


@pytest.mark.slow
@pytest.mark.parametrize("end", ["kill", "stop"])
def test_a_game_continues_after_a_restart_of_the_server(tmp_path, end):
    with server_process(tmp_path) as running:
        server = Server(running.address)
        ada, ben = server.create_table("Ada", "Ben", variant="draft").own
        choice_texts = []

        class Clumsy:
            """A player that occasionally kills or stops the server before choosing."""

            chance = make_bot("chance", 7)

            def choose(self, view, memory, choices):
                choice_texts.append(self.chance.choose(view, memory, choices))
                if len(choice_texts) % 12 == 5 and len(choice_texts) // 12 < FALLS:
                    getattr(running, end)()
                    running.start_soon()
                return choice_texts[-1]

        playing = threading.Thread(target=ben.play, args=[make_bot("chance", 8)])
        playing.start()
        result = ada.play(Clumsy())
        playing.join()
        record = ada.record()
    assert record.result == result
    assert Game.from_record(record).over
    said = [seat for seat, _ in record.moves]
    assert said.count(0) == len(choice_texts)

"""The example of a bot in JavaScript plays by the rules, and better than chance."""

import shutil
from pathlib import Path

import pytest

from hegemon.arena import Journal, Run, Standings, Tournament, threads

COMMAND = f"node {Path(__file__).parents[2] / 'examples' / 'javascript_bot' / 'collector.js'}"

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed"),
    pytest.mark.usefixtures("untraced"),
]


@pytest.mark.parametrize("table", [{}, {"variant": "draft", "rulings": "pl"}])
def test_it_beats_chance_in_the_arena(table):
    tournament = Tournament((f"program:{COMMAND}", "chance"), seed=1, **table)
    journal = Journal(tournament)
    Run(tournament, 20, threads(1), journal).play()
    assert Standings.of(tournament, journal.games).sides[f"program:{COMMAND}"].win_rate > 0.6


def test_it_plays_with_four_in_teams():
    tournament = Tournament((f"program:{COMMAND}", "greedy"), players=4, teams=True, seed=1)
    journal = Journal(tournament)
    Run(tournament, 1, threads(1), journal).play()
    assert journal.games

"""The benchmark of matches gives the tested bot every seat, and credits it with its own wins."""

import runpy
import time
from pathlib import Path

import pytest

from hegemon.bots import LearnedSearch

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "matches.py"))
Match, bot_of = BENCHMARK["Match"], BENCHMARK["bot_of"]


@pytest.mark.parametrize(
    ("table", "players", "teams", "variant", "seats"),
    [("3", 3, False, "basic", 3), ("2 draft", 2, False, "draft", 2), ("teams", 4, True, "basic", 2)],
)
def test_a_match_is_read(table, players, teams, variant, seats):
    match = Match.of(f"greedy, chance, {table}")
    assert (match.players, match.teams, match.variant, match.seats) == (players, teams, variant, seats)


@pytest.mark.parametrize("text", ["greedy", "greedy, chance", "greedy, chance, 5", "greedy, chance, 2, 3"])
def test_anything_else_gets_a_sentence(text):
    with pytest.raises(SystemExit, match="is not a match"):
        Match.of(text)


@pytest.mark.parametrize("table", ["2", "3 draft", "teams"])
def test_the_better_bot_wins_in_every_seat(table):
    better, worse = Match.of(f"greedy, chance, {table}"), Match.of(f"chance, greedy, {table}")
    assert (
        sum(better.play(deal, seat) for deal in range(3) for seat in range(better.seats)) > 2 * better.seats
    )
    assert sum(worse.play(deal, seat) for deal in range(3) for seat in range(worse.seats)) < worse.seats


def test_a_guided_search_has_the_given_settings_and_thinks_in_cpu_time():
    bot = bot_of("learned:0.5s exploration=0.4 fpu_reduction=0.1", 1)
    assert isinstance(bot, LearnedSearch)
    assert (bot.seconds, bot.exploration, bot.fpu_reduction) == (0.5, 0.4, 0.1)
    assert bot.clock is time.process_time
    assert bot_of("learned:20 exploration=0.4", 1).iterations == 20
    assert bot_of("learned temperature=0.5", 1).temperature == 0.5

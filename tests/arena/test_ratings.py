"""Ratings and intervals: they predict what they were fitted to, in any order, for any number of players."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hegemon.arena import Deal, GameResult, Standings, Tournament
from hegemon.arena.bootstrap import Bootstrap
from hegemon.arena.ratings import POINTS, fit, win_chances

pytestmark = pytest.mark.slow  # simulated tournaments


def result(tournament, deal, seating, shares, table=0):
    """A game of which only the result matters."""
    players = tournament.players
    bots = tournament.tables[table][seating]
    empty = tuple({} for _ in range(players))
    zeros = (0,) * players
    return GameResult(
        deal, table, seating, bots, shares, "majority", None, 10, "", empty, zeros, zeros, zeros
    )


def match(wins, games, shared=0):
    """A match of two bots, two games a deal, in which the first wins this many games."""
    tournament = Tournament(("greedy", "chance"))
    shares = [1.0] * wins + [0.5] * shared + [0.0] * (games - wins - shared)
    Random(5).shuffle(shares)
    results = []
    for number, share in enumerate(shares):
        own = (share, 1 - share) if number % 2 == 0 else (1 - share, share)
        results.append(result(tournament, number // 2, number % 2, own))
    return Standings.of(tournament, results)


def tournament_of(strengths, deals, players, *, teams=False, seed=3):
    """Games whose winners are drawn by the strengths of the sides."""
    random = Random(seed)
    tournament = Tournament(tuple(strengths), players, teams=teams)
    results = []
    for deal in tournament.deals(deals * tournament.games_per_deal):
        for seating, bots in enumerate(tournament.tables[deal.table]):
            sides = [tournament.sides[side] for side in tournament.sides_at(bots)]
            winner = random.choices(range(len(sides)), [strengths[side] for side in sides])[0]
            shares = tuple(float(tournament.side_of_seat[seat] == winner) for seat in range(players))
            results.append(result(tournament, deal.number, seating, shares, deal.table))
    return tournament, results


def chance(points):
    """The probability of winning against an opponent rated this many points lower."""
    return 1 / (1 + 10 ** (-points / 400))


@pytest.mark.parametrize(("wins", "games"), [(63, 100), (186, 200), (10, 20), (20, 20), (0, 400)])
def test_ratings_predict_the_match_they_were_fitted_to(wins, games):
    standings = match(wins, games)
    one, other = (standings.ratings[name] for name in ("greedy", "chance"))
    # Half a win for each side is part of the fit, so that no rating is infinite.
    assert chance(one.points - other.points) == pytest.approx((wins + 0.5) / (games + 1))
    assert one.expected == pytest.approx(wins / games, abs=0.5 / games)
    assert one.low <= one.points <= one.high
    assert one.points == pytest.approx(-other.points)


def test_the_interval_of_a_rating_is_that_of_the_win_rate():
    standings = match(130, 200)
    score, rating = standings.sides["greedy"], standings.ratings["greedy"]
    assert chance(2 * rating.low) == pytest.approx(score.low, abs=0.01)
    assert chance(2 * rating.high) == pytest.approx(score.high, abs=0.01)


def test_the_only_pair_of_a_match_has_the_score_of_the_match():
    standings = match(63, 100)
    assert standings.pairs["greedy", "chance"] == standings.sides["greedy"]


def test_a_shared_win_is_half_a_win():
    assert match(40, 100, shared=20).ratings["greedy"].points == pytest.approx(
        match(50, 100).ratings["greedy"].points
    )
    assert match(0, 10, shared=10).ratings["greedy"].points == pytest.approx(0)


@pytest.mark.parametrize(
    ("players", "teams", "strengths"),
    [
        (2, False, {"chance": 1, "easy": 3, "greedy": 5, "normal": 9}),
        (3, False, {"chance": 1, "easy": 3, "greedy": 9}),
        (4, False, {"chance": 1, "greedy": 4}),
        (4, True, {"chance": 1, "easy": 2, "chance+greedy": 4}),
    ],
)
def test_ratings_find_the_strengths_and_predict_all_win_rates(players, teams, strengths):
    tournament, results = tournament_of(strengths, 300, players, teams=teams)
    standings = Standings.of(tournament, results)
    assert set(standings.sides) == set(strengths)
    for name, rating in standings.ratings.items():
        assert rating.expected == pytest.approx(standings.sides[name].win_rate, abs=0.005)
    for one, other in combinations(strengths, 2):
        gap = standings.ratings[one].points - standings.ratings[other].points
        assert gap == pytest.approx(POINTS * np.log(strengths[one] / strengths[other]), abs=75)


def test_a_hopeless_side_does_not_distort_the_ratings_of_others():
    without, with_it = (
        Standings.of(*tournament_of(strengths, 60, 2))
        for strengths in ({"greedy": 1, "easy": 1}, {"greedy": 1, "easy": 1, "chance": 1e-9})
    )
    widths = [one.ratings["greedy"].high - one.ratings["greedy"].low for one in (without, with_it)]
    assert widths[1] == pytest.approx(widths[0], rel=0.3)
    hopeless = with_it.ratings["chance"]
    assert hopeless.high < -300
    assert hopeless.high - hopeless.low > 5 * widths[1]


def test_the_order_of_games_does_not_matter():
    tournament, results = tournament_of({"chance": 1, "easy": 3, "greedy": 9}, 20, 3)
    mixed = list(results)
    Random(1).shuffle(mixed)
    one, other = (Standings.of(tournament, games).ratings for games in (results, mixed))
    for name, rating in one.items():
        assert rating.points == pytest.approx(other[name].points)
        assert (rating.low, rating.high) == pytest.approx((other[name].low, other[name].high))


def test_a_side_of_a_team_game_is_a_unit():
    tournament, results = tournament_of({"greedy": 3, "chance": 1}, 50, 4, teams=True)
    standings = Standings.of(tournament, results)
    assert standings.sides["greedy"].games == len(results) == 100
    assert standings.sides["greedy"].wins + standings.sides["chance"].wins == 100
    assert standings.bots["greedy"].seats == 200
    assert standings.pairs["greedy", "chance"].games == 100
    assert [score.games for score in standings.seats] == [100] * 4


def test_pairs_are_each_other_reversed():
    tournament, results = tournament_of({"chance": 1, "easy": 3, "greedy": 9}, 20, 3)
    pairs = Standings.of(tournament, results).pairs
    for (one, other), score in pairs.items():
        against = pairs[other, one]
        assert score.games == against.games
        assert score.wins + against.wins == score.games
        assert (score.low, score.high) == pytest.approx((1 - against.high, 1 - against.low))
        assert score.low <= score.win_rate <= score.high


@settings(max_examples=100)
@given(st.data())
def test_the_fit_always_ends_where_expected_wins_are_wins(data):
    sides = data.draw(st.integers(2, 5))
    counts = st.integers(0, 10**6)
    lineups = np.array(
        [np.eye(sides, dtype=int)[list(pair)].sum(0) for pair in combinations(range(sides), 2)]
    )
    games = np.zeros(len(lineups))
    wins = np.zeros(sides)
    for table, pair in enumerate(combinations(range(sides), 2)):
        for side in pair:
            won = data.draw(counts) + 0.5
            games[table] += won
            wins[side] += won
    strengths = fit(lineups, games, wins)
    assert games @ win_chances(strengths, lineups) == pytest.approx(wins, rel=1e-6)


def test_intervals_cover_the_truth():
    """Nineteen of twenty intervals contain the true rate, whether or not the games of a deal are alike."""
    random = np.random.default_rng(4)
    for alike in (0.0, 0.5):
        covered = 0
        for _ in range(400):
            deals = np.arange(60) // 2
            decided_by_cards = np.repeat(random.random(30) < alike, 2)
            won = np.where(decided_by_cards, np.tile([1.0, 0.0], 30), random.random(60) < 0.8)
            (score,) = Bootstrap(deals).scores(np.zeros((60, 1), int), 1, won[:, None])
            covered += score.low <= 0.8 * (1 - alike) + 0.5 * alike <= score.high
        assert 0.92 < covered / 400 < 0.98


def test_many_deals_are_weighted_in_blocks():
    deals = np.arange(4000)
    won = np.random.default_rng(2).permutation(deals % 4 != 0).astype(float)
    bootstrap = Bootstrap(deals)
    assert bootstrap.weights.shape[1] == 1000
    (score,) = bootstrap.scores(np.zeros((4000, 1), int), 1, won[:, None])
    assert score.games == 4000
    assert 0.73 < score.low < 0.75 < score.high < 0.77


def test_one_side_alone_and_no_games_have_no_rating():
    assert Standings.of(Tournament(("greedy", "chance")), []).ratings == {}
    tournament = Tournament(("chance",))
    assert Standings.of(tournament, [result(tournament, 0, 0, (1.0, 0.0))]).ratings == {}
    assert list(tournament.deals(1)) == [Deal(0, 0)]

"""Pairings and standings of tournaments, as pure functions: invariants and examples."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hegemon.server.db.tournament_rows import (
    Entry,
    Outcome,
    Pairing,
    Round,
    TournamentRow,
    TournamentSnapshot,
)
from hegemon.server.tournaments import formats, pairing
from hegemon.server.tournaments.standings import UNITS, standings

pytestmark = pytest.mark.scenario

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
SEEDS = st.integers(0, 2**32)


def entries(number, bots=()):
    return [Entry(at, f"Player {at}", None if at in bots else "x", "greedy" if at in bots else None)
            for at in range(1, number + 1)]  # fmt: skip


def played_round(number, tables, chance):
    """The tables of a round with random results; two players at a table may share a win."""

    def outcome(table):
        seats = range(len(table))
        winners = tuple(seats) if chance.random() < 0.2 else (chance.choice(seats),)
        return Outcome(winners, tuple(10 * (seat in winners) + chance.randrange(7) for seat in seats))

    return [
        Pairing(number, board, table, None if len(table) == 1 else f"{number}.{board}",
                None if len(table) == 1 else outcome(table))
        for board, table in enumerate(tables, 1)
    ]  # fmt: skip


def played_swiss(field, rounds, seed):
    chance, played = Random(seed), []
    for number in range(1, rounds + 1):
        played += played_round(number, pairing.Swiss(field, played, seed, rounds).tables(), chance)
    return played


def all_matchings(numbers):
    if not numbers:
        yield ()
        return
    first, *rest = numbers
    for other in rest:
        for matching in all_matchings([number for number in rest if number != other]):
            yield ((first, other), *matching)


# ------------------------------------------------------------------ Swiss


@given(st.integers(2, 20), st.data(), SEEDS)
@settings(max_examples=60, deadline=None)
def test_in_swiss_no_one_meets_an_opponent_or_a_bye_twice(number, data, seed):
    rounds = data.draw(st.integers(1, min(formats.MAX_ROUNDS, number - 1 + number % 2)))
    played = played_swiss(entries(number), rounds, seed)
    met = Counter(frozenset(pairing.with_bye(table.entries)) for table in played)
    assert set(met.values()) == {1}
    for at in range(1, rounds + 1):
        seated = [one for table in played if table.round == at for one in table.entries]
        assert sorted(seated) == list(range(1, number + 1))
    assert sum(table.is_bye for table in played) == rounds * (number % 2)


@pytest.mark.parametrize("number", range(3, 17))
def test_in_swiss_no_one_meets_twice_with_almost_as_many_rounds_as_opponents(number):
    most = number - 1 + number % 2
    for rounds in {min(formats.MAX_ROUNDS, most - less) for less in range(3)} - {0}:
        for seed in range(25):
            played = played_swiss(entries(number), rounds, seed)
            assert len({frozenset(pairing.with_bye(table.entries)) for table in played}) == len(played)


@pytest.mark.parametrize("number", range(4, 15))
def test_in_swiss_everyone_sits_first_about_as_often_as_second(number):
    for seed in range(25):
        balance, _ = pairing.seat_balance(played_swiss(entries(number), (number + 1) // 2, seed))
        assert max(map(abs, balance.values())) <= 2


def test_in_swiss_with_many_rounds_the_opponents_of_those_who_have_withdrawn_have_a_bye():
    field = entries(7)
    played = played_swiss(field, 5, 3)[: 4 * 3]
    field = [replace(entry, withdrawn=entry.number == 7) for entry in field]
    for number in (4, 5):
        tables = pairing.Swiss(field, played, 3, 5).tables()
        assert sorted(one for table in tables for one in table) == [1, 2, 3, 4, 5, 6]
        played += played_round(number, tables, Random(number))
    games = [frozenset(table.entries) for table in played if not table.is_bye]
    assert len(set(games)) == len(games)


@given(st.integers(2, 7), st.integers(1, 5), SEEDS)
@settings(max_examples=40, deadline=None)
def test_in_swiss_no_other_pairs_cost_less(number, rounds, seed):
    field = entries(number, bots=(2, 5))
    rounds = min(rounds, number - 1 + number % 2)
    swiss = pairing.Swiss(field, played_swiss(field, rounds, seed), seed, rounds=1)
    nodes = [*swiss.numbers, *([pairing.BYE] if number % 2 else [])]

    def cost(pairs):
        return sum(swiss.costs[max(pair), min(pair)] for pair in pairs)

    assert cost(swiss.pairs()) == min(map(cost, all_matchings(nodes)))


@given(st.integers(4, 12), SEEDS)
@settings(max_examples=20, deadline=None)
def test_in_swiss_the_one_who_sat_first_less_often_sits_first(number, seed):
    field = entries(number)
    played = played_swiss(field, 2, seed)
    balance, _ = pairing.seat_balance(played)
    for table in pairing.Swiss(field, played, seed, 3).tables():
        if len(table) == 2:
            assert balance[table[0]] <= balance[table[1]]


def test_leaders_meet_and_the_last_has_the_bye():
    field = entries(5)
    played = played_round(1, [(1, 2), (3, 4), (5,)], Random(1))
    played = [
        Pairing(p.round, p.number, p.entries, p.game, p.game and Outcome((0,), (10, 0))) for p in played
    ]
    tables = pairing.Swiss(field, played, 7, 3).tables()
    # 1, 3 and 5 have a point; 2 or 4 has the bye, and the other meets one of the leaders.
    assert len(tables[-1]) == 1
    assert tables[-1][0] in (2, 4)
    assert set(tables[0]) <= {1, 3, 5}


def test_a_bye_goes_to_a_bot_rather_than_to_a_person():
    (bye,) = pairing.Swiss(entries(5, bots=(3,)), [], 7, 3).tables()[-1]
    assert bye == 3


def test_those_who_have_withdrawn_are_not_paired_in_swiss():
    field = [*entries(4), Entry(5, "Gone", "x", withdrawn=True)]
    assert {one for table in pairing.Swiss(field, [], 1, 2).tables() for one in table} == {1, 2, 3, 4}


def test_the_same_seed_gives_the_same_pairings_and_another_seed_others():
    tables = [pairing.Swiss(entries(16), [], seed, 5).tables() for seed in (1, 1, 2)]
    assert tables[0] == tables[1] != tables[2]


def test_a_full_field_is_paired_quickly():
    played = played_swiss(entries(formats.MAX_ENTRIES), 2, 3)
    assert len(played) == formats.MAX_ENTRIES


# ------------------------------------------------------------------ round robin and groups


@pytest.mark.parametrize("number", range(2, 13))
def test_in_a_round_robin_everyone_meets_everyone_once_and_sits_first_half_of_the_time(number):
    numbers = list(range(1, number + 1))
    rounds = formats.rounds_of(formats.ROUND_ROBIN, 0, number)
    tables = [pairing.round_robin(numbers, at) for at in range(1, rounds + 1)]
    for tables_of_round in tables:
        assert sorted(one for table in tables_of_round for one in table) == numbers
    games = [table for tables_of_round in tables for table in tables_of_round if len(table) == 2]
    assert Counter(map(frozenset, games)) == Counter(map(frozenset, combinations(numbers, 2)))
    balance = Counter(first for first, _ in games)
    balance.subtract(second for _, second in games)
    assert all(abs(value) <= 1 for value in balance.values())
    byes = Counter(table[0] for tables_of_round in tables for table in tables_of_round if len(table) == 1)
    assert byes == Counter(numbers if number % 2 else [])


def test_the_opponents_of_those_who_have_withdrawn_have_a_bye():
    assert pairing.without_withdrawn([(1, 2), (3, 4), (5, 6)], {2, 5, 6}) == [(3, 4), (1,)]


def test_in_groups_of_four_everyone_plays_three_games():
    tables = pairing.groups(range(1, 9))
    assert len(tables) == 12
    for group in ((1, 2, 3, 4), (5, 6, 7, 8)):
        of_group = [frozenset(table) for table in tables if set(table) & set(group)]
        assert Counter(of_group) == Counter(map(frozenset, combinations(group, 2)))


# ------------------------------------------------------------------ duplicate


@given(st.sampled_from([3, 4]), st.integers(1, 6), st.integers(1, 9), SEEDS)
@settings(max_examples=40, deadline=None)
def test_in_duplicate_everyone_has_every_seat_equally_often(players, tables, rounds, seed):
    field, played, seats = entries(players * tables), [], Counter()
    for number in range(1, rounds + 1):
        found = pairing.duplicate(field, played, number, players, seed)
        assert sorted(one for table in found for one in table) == [entry.number for entry in field]
        assert {len(table) for table in found} == {players}
        seats.update((one, seat) for table in found for seat, one in enumerate(table))
        played += played_round(number, found, Random(seed))
    for entry in field:
        times = [seats[entry.number, seat] for seat in range(players)]
        assert max(times) - min(times) <= 1
        assert rounds % players or len(set(times)) == 1


@given(st.sampled_from([3, 4]), SEEDS)
@settings(max_examples=10, deadline=None)
def test_in_a_large_duplicate_no_two_meet_twice_before_everyone_had_every_seat(players, seed):
    field, played = entries(players * 10), []
    for number in range(1, players + 1):
        played += played_round(number, pairing.duplicate(field, played, number, players, seed), Random(seed))
    met = Counter(frozenset(pair) for table in played for pair in combinations(table.entries, 2))
    assert set(met.values()) == {1}


# ------------------------------------------------------------------ filling up


@pytest.mark.parametrize(
    ("format_name", "players", "number", "bots", "rounds"),
    [
        ("swiss", 2, 0, 2, 1),
        ("swiss", 2, 5, 0, 5),
        ("swiss", 2, 64, 0, 6),
        ("round-robin", 2, 6, 0, 5),
        ("duplicate", 3, 4, 2, 6),
        ("duplicate", 4, 8, 0, 6),
        ("groups", 2, 1, 3, 1),
        ("groups", 2, 5, 3, 1),
    ],
)
def test_bots_fill_up_the_field_and_rounds_do_not_exceed_the_opponents(
    format_name, players, number, bots, rounds
):
    assert formats.missing_bots(format_name, players, number) == bots
    assert formats.rounds_of(format_name, 6, number + bots) == rounds


# ------------------------------------------------------------------ standings


def snapshot_of(format_name, number, *played):
    tournament = TournamentRow("t", None, "Cup", format_name, 2, "basic", 3, "", 0, "greedy", 1, NOON)
    return TournamentSnapshot(tournament, tuple(entries(number)), (Round(1, NOON),), tuple(played))


def game(number, board, table, winners, scores):
    return Pairing(number, board, table, f"{number}.{board}", Outcome(winners, scores))


def shown(snapshot):
    return [
        (line.rank, line.entry.number, *(value / UNITS[name] for name, value in line.values.items()))
        for line in standings(snapshot)
    ]


def test_points_then_buchholz_then_sonneborn_berger_then_score():
    snapshot = snapshot_of(
        "swiss",
        5,
        game(1, 1, (1, 2), (0,), (13, 2)),
        game(1, 2, (3, 4), (0, 1), (12, 12)),
        Pairing(1, 3, (5,)),
        game(2, 1, (5, 1), (0,), (14, 3)),
        Pairing(2, 2, (2, 3), "2.2"),
        Pairing(2, 3, (4,)),
    )
    assert shown(snapshot) == [
        (1, 5, 2.0, 3.0, 1.0, 14.0),
        (2, 4, 1.5, 2.0, 0.25, 12.0),
        (3, 1, 1.0, 2.0, 0.0, 16.0),
        (4, 3, 0.5, 1.5, 0.75, 12.0),
        (5, 2, 0.0, 1.0, 0.0, 2.0),
    ]


def test_equal_values_share_a_rank():
    snapshot = snapshot_of("round-robin", 3)
    assert [line[0] for line in shown(snapshot)] == [1, 1, 1]


def test_in_duplicate_the_score_counts_and_then_the_comparison_with_the_same_cards():
    snapshot = snapshot_of(
        "duplicate",
        6,
        game(1, 1, (1, 2, 3), (0,), (14, 3, 2)),
        game(1, 2, (4, 5, 6), (1,), (14, 13, 2)),
    )
    assert shown(snapshot) == [
        (1, 1, 14.0, 0.5, 1.0),
        (2, 4, 14.0, 0.5, 0.0),
        (3, 5, 13.0, 1.0, 1.0),
        (4, 2, 3.0, 0.0, 0.0),
        (5, 3, 2.0, 0.5, 0.0),
        (5, 6, 2.0, 0.5, 0.0),
    ]

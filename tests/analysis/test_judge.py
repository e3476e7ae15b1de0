"""Judging finished games: decisions by what a seat could know, the story with open cards, and luck."""

import pytest

from hegemon import Game, play_match
from hegemon.analysis import Analysis, AnalysisError, Chances, Decision, Luck, analyze
from hegemon.bots import make_bot
from hegemon.kernels.network import Network

SMALL = Network.random(1, (8, 8, 8))

#: Seat 1 has six of seven Military cards in play and one in hand, and plays the other card.
MISSED = "M112223(M3R1)/E1(S1S1S1)/C1(R1R1R1) 1p"


def finished(players=2, variant="basic", seed=3, bots=("greedy", "chance", "greedy", "chance"), **options):
    game = Game(players, variant, seed=seed, **options)
    play_match(game, [make_bot(name, seat) for seat, name in enumerate(bots[:players])])
    return game


@pytest.fixture(scope="module")
def game():
    return finished()


@pytest.fixture(scope="module")
def quick(game):
    return list(analyze(game, iterations=0, network=SMALL))


def test_every_real_choice_is_a_decision(game, quick):
    decisions = [item for item in quick if isinstance(item, Decision)]
    plies = [ply for ply in range(1, len(game.moves) + 1) if not game.was_forced(ply - 1)]
    assert [decision.ply for decision in decisions] == plies
    for decision in decisions:
        before = game.at(decision.ply - 1)
        assert decision.seat == before.seat
        assert decision.choice == game.moves[decision.ply - 1]
        assert {decision.choice, decision.best, decision.line[0]} <= {*before.choices}
        assert (decision.loss > 0) == (decision.best != decision.choice)


def test_items_come_in_the_order_of_the_game(game, quick):
    chances = [item for item in quick if isinstance(item, Chances)]
    assert [item.ply for item in chances] == list(range(len(game.moves) + 1))
    assert [item.ply for item in quick] == sorted(item.ply for item in quick)


def test_open_chances_add_up_and_end_with_the_result(game, quick):
    chances = [item for item in quick if isinstance(item, Chances)]
    assert all(sum(item.open) == pytest.approx(1, abs=0.001) for item in chances)
    assert chances[-1].open == chances[-1].known
    assert [seat for seat, share in enumerate(chances[-1].open) if share] == list(game.result.winners)


def test_draws_are_moments_of_luck(game, quick):
    lucks = [item for item in quick if isinstance(item, Luck)]
    drawn = [
        ply
        for ply in range(1, len(game.moves) + 1)
        if any(type(event).__name__ == "Drew" for event in game.events_at(ply))
    ]
    assert [luck.ply for luck in lucks] == drawn
    assert {game.moves[luck.ply - 1] for luck in lucks if not luck.effect} == {"."}


def test_the_same_seed_gives_the_same_analysis(game, quick):
    assert list(analyze(game, iterations=0, network=SMALL)) == quick


def test_an_analysis_survives_as_data(game):
    analysis = Analysis.of(game, iterations=0, network=SMALL)
    assert analysis.is_quick
    assert Analysis.from_dict(analysis.to_dict()) == analysis


def test_data_of_another_version_is_rejected():
    with pytest.raises(AnalysisError, match="not an analysis of version 1"):
        Analysis.from_dict({"version": 99})


def test_a_game_in_progress_is_rejected():
    with pytest.raises(AnalysisError, match="Only a finished game"):
        analyze(Game(2, seed=1))


def test_a_negative_number_of_iterations_is_rejected(game):
    with pytest.raises(AnalysisError, match="0 iterations or more, not -1"):
        analyze(game, iterations=-1)

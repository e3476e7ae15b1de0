"""Analysis of finished games: decisions judged by what the seat could know, the game with open cards, and luck."""

from random import Random

import pytest

from hegemon import Game, determinize, play_match
from hegemon.analysis import (
    Analysis,
    AnalysisError,
    Chances,
    Decision,
    Luck,
    accuracy_of,
    analyze,
    analyze_decision,
    analyze_decisions,
)
from hegemon.bots import Learned, make_bot
from hegemon.kernels.network import Network

SMALL = Network.random(1, (8, 8, 8))

#: The last turns of a game, with a few cards in the deck.
END = "M112E1S1(R1S1C1)/S12R1(M1E1R1)/C11E1(M2R1S2) 1p - - - M2R2E2S2C2M2"


def finished(position=END, seed=1, bots=("chance", "chance", "chance")):
    game = Game.from_position(position)
    play_match(game, [make_bot(name, seed + seat) for seat, name in enumerate(bots)][: game.players])
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


def test_cards_that_do_not_fit_together_are_rejected():
    game = finished("S111(S1R1C1)/S111(M1E1R1) 1p - - - M2R2E2S2C2M2")
    with pytest.raises(AnalysisError, match="More cards of a kind lie on the table than the game has"):
        list(analyze(game, iterations=0, network=SMALL))


# ------------------------------------------------------------------ decisions


def test_a_missed_hegemony_is_the_costliest_mistake():
    """It is the last turn of the game, so nothing has to be estimated."""
    game = Game.from_position("R1S1C1U3(R1)/M1112223E111(M3) 2e", moves=".")
    decision = analyze_decision(game, 1, iterations=0, network=SMALL)
    assert (decision.choice, decision.best, decision.loss) == (".", "E+", 1.0)
    assert decision.certain
    assert decision.line[0] == "E+"
    assert decision.line[-2:] == ("M", ".")


@pytest.mark.parametrize("choice", ["M", "R"])
def test_a_search_finds_the_missed_hegemony(choice):
    game = Game.from_position("R1S1C1U3(R1)/M1112223(M3R1) 2p", moves=f"{choice} .")
    analysis = Analysis.of(game, iterations=24, network=SMALL)
    first, *_ = analysis.decisions_of(1)
    assert first.best == "M"
    if choice == "M":
        assert (first.expected, analysis.mistakes(1)) == (1.0, ())
    else:
        assert (first.certain, analysis.mistakes(1)[0]) == (True, first)
    assert analysis.accuracy(0) == 100  # no choice, no loss


def test_an_equally_good_choice_has_no_loss():
    """Seat 2 wins by Majority whatever it plays."""
    game = Game.from_position("R1(R1)/M1E1S1C1U3(M1R1) 2p", moves="R .")
    assert [decision.loss for decision in analyze_decisions(game, iterations=8, network=SMALL)] == [0.0, 0.0]


def test_a_player_who_chooses_like_the_analyzer_is_more_accurate_than_random_play():
    """The quick analysis considers the network's own choice the best."""
    game = Game(2, seed=1)
    bots = [Learned(), make_bot("chance", 2)]
    while len(game.moves) < 40:
        game.play(bots[game.seat].choose(game.view(game.seat), game.memory(game.seat), game.choices))
    plies = [ply for ply in range(1, 41) if not game.was_forced(ply - 1)]
    decisions = tuple(analyze_decision(game, ply, iterations=0) for ply in plies)
    analysis = Analysis(game.names, 0, 0, decisions=decisions)
    assert analysis.accuracy(0) == 100
    assert analysis.accuracy(1) < 99


def test_a_judgment_depends_on_nothing_that_the_seat_cannot_see():
    """In the determinization, the other hands, the deck and everything that follows are different."""
    game = Game(3, seed=8)
    play_match(game, [make_bot("chance", seat) for seat in range(3)])
    ply = next(ply for ply in range(60, 90) if not game.was_forced(ply) and game.movers[ply] == 1) + 1
    before = game.at(ply - 1)
    view, memory = before.view(1), before.memory(1)
    hidden = determinize(view, memory, Random(1))
    assert hidden != before.position
    decisions = []
    for position in (before.position, hidden):
        world = Game.from_position(position, moves=game.moves[ply - 1])
        decisions.append(analyze_decision(world, 1, iterations=8, network=SMALL))
    assert decisions[0] == decisions[1]


def test_accuracy_falls_with_the_average_loss():
    assert accuracy_of(0) == 100
    assert accuracy_of(0.01) == pytest.approx(77.9, abs=0.1)
    assert accuracy_of(0.05) == pytest.approx(28.7, abs=0.1)


# ------------------------------------------------------------------ figures


def test_figures_of_an_analysis():
    decisions = (
        Decision(1, 0, "M", "R", 0.3, 0.2),
        Decision(3, 0, "M", "M", 0.3, 0.0),
        Decision(5, 1, "M", "R", 0.3, 0.1),
        Decision(6, 0, "M", "R", 0.1, 0.6),
        Decision(8, 0, "M", "R", 0.1, 0.04),
    )
    lucks = (Luck(2, 0, 0.1), Luck(4, 0, -0.3, effect=True), Luck(6, 1, 0.2))
    analysis = Analysis(("a", "b", "c"), 1, 0, (), decisions, lucks)
    assert [decision.ply for decision in analysis.mistakes(0)] == [6, 1]
    assert [decision.ply for decision in analysis.mistakes(limit=2)] == [6, 1]
    assert analysis.average_loss(0) == pytest.approx(0.21)
    assert analysis.average_loss(2) == 0
    assert analysis.luck(0) == pytest.approx(-0.2)
    assert [luck.ply for luck in analysis.luckiest(0)] == [4, 2]
    assert not analysis.is_quick


def test_teammates_have_the_chances_of_their_side():
    game = Game.from_position("M1(R1)/E1(S1)/S1(R1)/C1U3(R1S1) 4p - - - - - 1 standard,teams", moves="R .")
    (first, *_, last) = [
        item for item in analyze(game, iterations=4, network=SMALL) if isinstance(item, Chances)
    ]
    assert first.open[0] == first.open[2]
    assert first.open[0] + first.open[1] == pytest.approx(1, abs=0.001)
    assert last.open in ((0.0, 1.0, 0.0, 1.0), (1.0, 0.0, 1.0, 0.0), (0.5,) * 4)


@pytest.mark.parametrize("iterations", [0, 3])
def test_a_draft_is_analyzed(iterations):
    game = Game(2, "draft", seed=1)
    for _ in range(9):
        game.play(game.choices[0])
    assert game.position.round
    for ply in (1, 2, 5):
        assert analyze_decision(game, ply, iterations=iterations, network=SMALL).seat == game.movers[ply - 1]

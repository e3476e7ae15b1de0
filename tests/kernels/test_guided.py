"""Search guided by a network."""

import numpy as np
import pytest

from hegemon.bots import LearnedSearch
from hegemon.kernels.guided import Guide, GuidedSettings, GuidedTree, select_action, set_network_values
from hegemon.kernels.network import NUM_ACTIONS, Network
from hegemon.kernels.tree import ROOT
from hegemon.play.determinization import unseen_cards
from hegemon.play.game import Game
from hegemon.rules.actions import END
from hegemon.rules.position import Position

NETWORK = Network.random(1, (16, 16, 16))
SETTINGS = GuidedSettings(1.0, 0.0)


def grown(grow, iterations, capacity=400, game=None):
    game = game or Game(3, seed=2)
    seat = game.seat
    certain, unseen = unseen_cards(game.view(seat), game.memory(seat))
    tree = GuidedTree.of(capacity)
    grow(certain, tree, unseen.arrays(), ROOT, SETTINGS, iterations, 7)
    return tree


def test_compiled_and_interpreted_trees_are_the_same(untraced):
    guide = Guide(NETWORK)
    one, other = grown(guide.grow_compiled, 40), grown(guide.grow_interpreted, 40)
    assert one.size[0] == other.size[0]
    assert (one.children == other.children).all()
    assert (one.visits == other.visits).all()
    assert one.value_sum == pytest.approx(other.value_sum, abs=1e-5)


def test_every_iteration_visits_the_root_and_adds_what_it_found():
    tree = grown(Guide(NETWORK).grow_interpreted, 12)
    children = tree.children[ROOT][tree.children[ROOT] > 0]
    assert tree.visits[ROOT] == 12
    assert tree.visits[children].sum() == 12
    means = tree.value_sum[children] / tree.visits[children]
    assert ((means > 0) & (means < 1)).all()


def test_one_iteration_is_enough_for_a_choice():
    tree = grown(Guide(NETWORK).grow_interpreted, 1)
    (child,) = tree.children[ROOT][tree.children[ROOT] > 0]
    assert tree.visits[child] == 1
    game = Game(2, seed=1)
    search = LearnedSearch(network=NETWORK, iterations=1)
    assert search.choose(game.view(0), game.memory(0), game.choices_of(0)) in game.choices_of(0)


def test_a_full_tree_continues_with_its_nodes():
    tree = grown(Guide(NETWORK).grow_interpreted, 12, capacity=6)
    assert tree.size[0] == 6
    assert tree.visits[ROOT] == 12


def test_a_finished_game_counts_as_it_ended():
    game = Game(2, seed=1)
    while not game.over:
        seat = game.seat
        game.play(
            game.choices_of(seat)[-1] if "." in game.choices_of(seat) else game.choices_of(seat)[0], seat
        )
    assert game.moves[-1] == "."
    tree = grown(Guide(NETWORK).grow_interpreted, 8, game=game.at(len(game.moves) - 1))
    end, won = tree.children[ROOT, END], game.result.winners
    assert tree.visits[end] > 0
    assert tree.value_sum[end] / tree.visits[end] == (game.movers[-1] in won) / len(won)


def test_network_values_start_with_the_seat_to_move():
    position = Position(players=3, seat=2)
    tree = GuidedTree.of(2)
    outputs = np.zeros(NUM_ACTIONS + 4)
    outputs[NUM_ACTIONS:] = 0.5, 0.3, 0.2, 0
    set_network_values(position, tree, outputs)
    assert tree.values[:3] == pytest.approx([0.3, 0.2, 0.5])


def test_teammates_expect_the_same():
    position = Position(players=4, seat=1, teams=1)
    tree = GuidedTree.of(2)
    outputs = np.zeros(NUM_ACTIONS + 4)
    outputs[NUM_ACTIONS:] = 0.4, 0.1, 0.3, 0.2
    set_network_values(position, tree, outputs)
    assert tree.values == pytest.approx([0.3, 0.7, 0.3, 0.7])


def test_high_priors_are_tried_first_and_high_values_again():
    tree = GuidedTree.of(8)
    tree.network_value[ROOT] = 0.5
    tree.priors[ROOT, [3, 5]] = 0.2, 0.8
    assert select_action(tree, ROOT, 1 << 3 | 1 << 5, GuidedSettings(1.0, 0.0)) == 5
    tree.children[ROOT, 5], tree.visits[1], tree.value_sum[1] = 1, 9, 0.9
    tree.children[ROOT, 3], tree.visits[2], tree.value_sum[2] = 2, 9, 8.1
    assert select_action(tree, ROOT, 1 << 3 | 1 << 5, GuidedSettings(0.1, 0.0)) == 3


def test_a_cautious_search_expects_less_of_untried_actions():
    tree = GuidedTree.of(4)
    tree.network_value[ROOT] = 0.5
    tree.priors[ROOT, 3], tree.priors[ROOT, 5] = 0.81, 0.19
    tree.children[ROOT, 3], tree.visits[1], tree.value_sum[1] = 1, 1, 0.4
    choices = 1 << 3 | 1 << 5
    assert select_action(tree, ROOT, choices, GuidedSettings(0.0, 0.0)) == 5  # 0.45 is more than 0.4
    assert select_action(tree, ROOT, choices, GuidedSettings(0.0, 0.05)) == 5  # 0.45 - 0.05 * 0.9
    assert select_action(tree, ROOT, choices, GuidedSettings(0.0, 0.06)) == 3


def test_an_action_without_a_prior_has_a_fair_chance():
    tree = GuidedTree.of(8)
    tree.network_value[ROOT] = 0.5
    tree.priors[ROOT, 3] = 0.1
    assert select_action(tree, ROOT, 1 << 3 | 1 << 5, GuidedSettings(1.0, 0.0)) == 5

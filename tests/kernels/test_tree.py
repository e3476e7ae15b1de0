"""The arithmetic of the search, computed by hand: selection, expansion, and the credit of every node's chooser.

The positions are the last moves of a game: the deck is out and nothing is hidden. Culture has no discard effect, and
that of Science is used up where one is played, so each turn is one card and the end of the turn.
"""

import pytest

from hegemon import CHOICES, read_position
from hegemon.kernels.determinization import Unseen
from hegemon.kernels.policy import heuristic_action
from hegemon.kernels.tree import (
    ROOT,
    SearchSettings,
    Tree,
    backpropagate,
    first_play_value,
    grow_compiled,
    grow_interpreted,
    select_action,
    win_share,
)
from hegemon.rules.engine import legal
from hegemon.rules.position import MAJORITY, OVER
from hegemon.rules.shuffle import next_state

both_speeds = pytest.mark.parametrize("grow", [grow_interpreted, grow_compiled])

M, R, E, S, C = range(5)

#: No prior: the policy has no influence, so every selection follows from the visits and values alone.
UNIFORM_PRIOR = SearchSettings(exploration=1.0, policy_prior=0.0)


def grown(grow, line, iterations, nodes=64):
    tree = Tree.of(nodes)
    grow(read_position(line), tree, Unseen.empty().arrays(), ROOT, UNIFORM_PRIOR, iterations, 1)
    return tree


def finished(line):
    """A finished game, won by Majority."""
    position = read_position(line)
    position.question, position.ending = OVER, MAJORITY
    return position


def only_line(tree):
    """The choices, visits and values along the only line of a tree."""
    line, node = [], ROOT
    while True:
        children = [(action, int(child)) for action, child in enumerate(tree.children[node]) if child]
        if not children:
            return line
        ((action, node),) = children
        line.append((CHOICES[action], int(tree.visits[node]), float(tree.value_sum[node])))


def tree_of(*children):
    """A tree whose root has a child for each (action, visits, value)."""
    tree = Tree.of(8)
    for node, (action, visits, value) in enumerate(children, 1):
        tree.children[ROOT, action] = node
        tree.visits[node], tree.value_sum[node] = visits, value
        tree.visits[ROOT] += visits
    return tree


def test_a_new_tree_has_only_its_root():
    tree = Tree.of(8)
    assert {name: (array.dtype.name, array.shape) for name, array in tree._asdict().items()} == {
        "children": ("int32", (8, len(CHOICES))),
        "visits": ("int32", (8,)),
        "value_sum": ("float64", (8,)),
        "size": ("int64", (1,)),
        "path": ("int32", (512,)),
        "choosers": ("int8", (512,)),
    }
    assert tree.size.tolist() == [1]
    assert not any(array.any() for name, array in tree._asdict().items() if name != "size")


# ------------------------------------------------------------------ what a seat gets out of a game


@pytest.mark.parametrize(
    ("line", "shares"),
    [
        ("C1()/S1()/R1() 3e", (1, 0, 0)),  # a point each; Culture breaks the tie
        ("S1()/R1()/C1() 3e", (0, 0, 1)),
        ("S1()/C1()/C1() 3e", (0, 1 / 2, 1 / 2)),
        ("C1()/S1()/C1() 3e", (1 / 2, 0, 1 / 2)),
        ("C1()/C1()/C1() 3e", (1 / 3, 1 / 3, 1 / 3)),
        ("C1()/S1() 2e", (1, 0)),
        ("S1()/S1() 2e", (1 / 2, 1 / 2)),
        ("S1()/C1()/C1()/C1() 4e", (0, 1 / 3, 1 / 3, 1 / 3)),
        ("C1()/S1()/S1()/S1() 4e - - - - - 5 standard,teams", (1, 0, 1, 0)),
        ("S1()/C1()/S1()/S1() 4e - - - - - 5 standard,teams", (0, 1, 0, 1)),
        ("C1()/S1()/S1()/C1() 4e - - - - - 5 standard,teams", (1 / 2, 1 / 2, 1 / 2, 1 / 2)),
    ],
)
def test_share_of_win(line, shares):
    position = finished(line)
    won = sum(1 << seat for seat, share in enumerate(shares) if share)
    assert tuple(win_share(position, won, seat) for seat in range(position.players)) == shares


def test_every_node_is_credited_with_what_its_own_chooser_got():
    # Seats 1 and 2 of three share the win. The path is that of a round and the first move of the next.
    tree = Tree.of(8)
    for depth, (node, seat) in enumerate([(3, 0), (5, 1), (6, 2), (7, 0)]):
        tree.path[depth], tree.choosers[depth] = node, seat
    tree.visits[5], tree.value_sum[5] = 4, 2.5
    backpropagate(tree, 4, finished("S1()/C1()/C1() 3e"))
    assert tree.visits.tolist() == [0, 0, 0, 1, 0, 5, 1, 1]
    assert tree.value_sum.tolist() == [0, 0, 0, 0, 0, 3, 1 / 2, 0]


# ------------------------------------------------------------------ which action is tried next


def test_an_untried_action_is_expected_to_do_as_the_others_did():
    everything = 1 << M | 1 << R | 1 << E
    assert first_play_value(Tree.of(8), ROOT, everything) == 0.5
    assert first_play_value(tree_of((M, 1, 1.0)), ROOT, everything) == 1
    tree = tree_of((M, 3, 1.0), (R, 1, 1.0))
    assert first_play_value(tree, ROOT, everything) == 2 / 4
    assert first_play_value(tree, ROOT, 1 << M | 1 << E) == 1 / 3  # what is not on offer does not count


def test_the_action_with_the_highest_score_is_tried():
    # Scores: mean + sqrt(8 + 1) * prior / (1 + visits); the untried E is expected to give 4.2 of 8.
    choices = 1 << M | 1 << R | 1 << E
    tree = tree_of((M, 5, 3.0), (R, 3, 1.2))
    # M: 0.6 + 3/3/6 = 0.767, R: 0.4 + 3/3/4 = 0.65, E: 0.525 + 3/3/1 = 1.525
    assert select_action(tree, ROOT, choices, M, SearchSettings(1.0, 0.0)) == E
    # M: 0.6 + 0.1/6 = 0.617, R: 0.4 + 0.1/4 = 0.425, E: 0.525 + 0.1 = 0.625
    assert select_action(tree, ROOT, choices, M, SearchSettings(0.1, 0.0)) == E
    # M: 0.6 + 0.05/6 = 0.608, R: 0.4 + 0.05/4 = 0.413, E: 0.525 + 0.05 = 0.575
    assert select_action(tree, ROOT, choices, R, SearchSettings(0.05, 0.0)) == M
    # The policy's R: prior 0.9 + 0.1/3. M: 0.6 + 0.1/6 = 0.617, R: 0.4 + 2.8/4 = 1.1, E: 0.525 + 0.1 = 0.625
    assert select_action(tree, ROOT, choices, R, SearchSettings(1.0, 0.9)) == R


def test_exploration_grows_with_the_root_of_the_visits_and_one():
    # M: 0.675 + sqrt(4)/2/3 = 1.008, R: 0.5 + sqrt(4)/2/2 = 1; with sqrt(5) it would be R, with sqrt(3) M by more.
    tree = tree_of((M, 2, 1.35), (R, 1, 0.5))
    assert select_action(tree, ROOT, 1 << M | 1 << R, R, UNIFORM_PRIOR) == M
    # M: 0.65 + 1/3 = 0.983, R: 1; with sqrt(3) it would be M.
    tree = tree_of((M, 2, 1.3), (R, 1, 0.5))
    assert select_action(tree, ROOT, 1 << M | 1 << R, R, UNIFORM_PRIOR) == R


def test_a_tie_goes_to_the_lower_action():
    assert select_action(Tree.of(8), ROOT, 1 << R | 1 << S, S, UNIFORM_PRIOR) == R


# ------------------------------------------------------------------ whole iterations


@both_speeds
def test_a_forced_line_gains_a_node_each_iteration(grow):
    # Seats 1 and 2 end with two Culture cards each and share the win.
    tree = grown(grow, "(C1)/C1(C1)/C1(C1) 1p", 4)
    assert tree.visits[ROOT] == 4
    assert only_line(tree) == [("C", 4, 0), (".", 3, 0), ("C", 2, 1), (".", 1, 1 / 2)]
    tree = grown(grow, "(C1)/C1(C1)/C1(C1) 1p", 8)
    assert [visits for _, visits, _ in only_line(tree)] == [8, 7, 6, 5, 4, 3]
    assert [value for _, _, value in only_line(tree)] == [0, 0, 3, 5 / 2, 2, 3 / 2]


@both_speeds
def test_a_full_tree_continues_counting(grow):
    tree = grown(grow, "(C1)/C1(C1)/C1(C1) 1p", 8, nodes=3)
    assert tree.size.tolist() == [3]
    assert tree.visits.tolist() == [8, 8, 7]


@both_speeds
def test_nodes_are_numbered_without_gaps(grow):
    tree = grown(grow, "(C1)/C1(C1)/C1(C1) 1p", 4)
    assert tree.size.tolist() == [5]
    assert tree.visits[:6].tolist() == [4, 4, 3, 2, 1, 0]


@both_speeds
def test_a_forced_action_draws_one_random_number(grow):
    state = 1
    for _ in range(6):
        state = next_state(state)
    nothing = Unseen.empty().arrays()
    position = read_position("(C1)/C1(C1)/C1(C1) 1p")
    assert grow(position, Tree.of(8), nothing, ROOT, UNIFORM_PRIOR, 1, 1) == state


@both_speeds
def test_the_action_of_the_policy_is_tried_first(grow):
    position = read_position("C111111(S1C1)/S1()/R1() 1p")  # Culture wins by Hegemony
    tree = Tree.of(8)
    grow(position, tree, Unseen.empty().arrays(), ROOT, SearchSettings(1.0, 0.9), 1, 1)
    preferred = heuristic_action(position, legal(position), next_state(1))
    assert preferred != S  # which would be tried first without a policy
    assert tree.children[ROOT].nonzero()[0].tolist() == [preferred]


@both_speeds
def test_three_winners_get_a_third_each(grow):
    line = [(visits, value) for _, visits, value in only_line(grown(grow, "(C1)/(C1)/(C1) 1p", 6))]
    assert line == [(visits, pytest.approx(visits / 3)) for visits in (6, 5, 4, 3, 2, 1)]


@both_speeds
def test_teammates_win_together(grow):
    # Seat 3 has the most Culture cards: a whole win for seats 1 and 3, nothing for seats 0 and 2.
    tree = grown(grow, "(C1)/(C1)/(C1)/C1(C1) 1p - - - - - 5 standard,teams", 8)
    values = [value for _, _, value in only_line(tree)]
    assert values == [0, 0, 6, 5, 0, 0, 2, 1]


@both_speeds
def test_teams_that_tie_get_half_a_win_each(grow):
    tree = grown(grow, "C1(C1)/(C1)/(C1)/C1(C1) 1p - - - - - 5 standard,teams", 8)
    values = [value for _, _, value in only_line(tree)]
    assert values == [4, 7 / 2, 3, 5 / 2, 2, 3 / 2, 1, 1 / 2]


@both_speeds
def test_the_third_seat_chooses_for_itself(grow):
    # With Culture seat 2 shares the win with seat 0 (1/2); with Science seat 0 wins alone (0). The score of each is
    # its mean + sqrt(visits of the root + 1) / 2 / (1 + its visits), and an untried one has the mean of the other:
    #   1  S 1.000  C 1.000 -> S    5  S 0.559  C 0.780 -> C
    #   2  S 0.354  C 0.707 -> C    6  S 0.612  C 0.745 -> C
    #   3  S 0.433  C 0.933 -> C    7  S 0.661  C 0.720 -> C
    #   4  S 0.500  C 0.833 -> C    8  S 0.707  C 0.702 -> S
    for iterations, science, culture in ((2, 1, 1), (3, 1, 2), (7, 1, 6), (8, 2, 6)):
        tree = grown(grow, "C1()/S1()/(S1C1) 3e s p1", iterations)
        chosen = tree.children[ROOT, [S, C]]
        assert tree.visits[chosen].tolist() == [science, culture]
        assert tree.value_sum[chosen].tolist() == [0, culture / 2]


@both_speeds
def test_the_second_seat_expects_the_third_to_choose_for_itself(grow):
    # Seat 2 always does best with Culture: it wins alone if seat 1 played Science, and shares the win if seat 1 played
    # Culture too. So seat 1 gets 0 by Science and 1/2 by Culture.
    tree = grown(grow, "S1()/(S1C1)/(R1C1) 2e s p1", 400, nodes=1024)
    science, culture = tree.children[ROOT, [S, C]]
    assert tree.visits[culture] > 6 * tree.visits[science]
    assert tree.value_sum[culture] / tree.visits[culture] == pytest.approx(1 / 2, abs=0.05)
    for node, share in ((science, 1), (culture, 1 / 2)):
        (end,) = (child for child in tree.children[node] if child)
        taken = tree.children[end, C]
        assert tree.visits[taken] > 0
        assert tree.value_sum[taken] == share * tree.visits[taken]

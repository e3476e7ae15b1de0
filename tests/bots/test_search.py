"""The search: always legal, the same interpreted and compiled, in time, and able to explain its choice."""

import threading
import time
from collections import Counter
from random import Random

import numpy as np
import pytest
from waiting import WAIT_TIMEOUT, block_until

from hegemon import CHOICES, Game, Memory, read_position
from hegemon.bots import (
    BOTS,
    LEVELS,
    Evaluation,
    LearnedSearch,
    Search,
    SearchResult,
    make_bot,
    seconds_per_turn,
    warm_up,
)
from hegemon.bots.search import CHECK_INTERVAL, ITERATIONS_PER_CHECK
from hegemon.bots.search_kernel import SearchKernel
from hegemon.kernels.determinization import deal_unseen
from hegemon.kernels.tree import ROOT, SearchSettings, Tree, grow_compiled, grow_interpreted
from hegemon.notation.choices import choices_in
from hegemon.play.determinization import unseen_cards
from hegemon.play.memory import Place
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position, Question
from hegemon.rules.view import view
from random_games import new_game, random_choice, seat_to_move

SETTINGS = SearchSettings(1.0, 0.3)


@pytest.fixture(scope="module", autouse=True)
def warm():
    warm_up(["search"])


def middle_of(number, moves):
    """A random game of any kind after a number of moves; or before its last one, if it is shorter."""
    game, chance = new_game(number), Random(number)
    for _ in range(moves):
        before = game.record()
        seat = seat_to_move(game, chance)
        game.play(random_choice(game, seat, chance, calm=False), seat)
        if game.over:
            return Game.from_record(before)
    return game


def unseen_by(view, memory):
    """The input of a search: what is certain, with the viewer to move, and the rest as arrays."""
    certain, unseen = unseen_cards(view, memory)
    certain.seat = view.viewer
    return certain, unseen.arrays()


def study(line):
    """The same for a position without a history."""
    position = read_position(line)
    seen = view(position, position.seat)
    return seen, Memory(seen.viewer, seen.players), choices_in(legal(position))


def choice_of(bot, line):
    return bot.choose(*study(line))


#: An undecided position with many choices.
RICH = "M112R112E112S112U3(M1R1S2)/S2222C1(R1E2M2)/C222(S1E1M1) 1e - - - M2222R2222S3333C333U333"


# ------------------------------------------------------------------ determinizations


@pytest.mark.parametrize("number", range(0, 96, 5))
def test_every_determinization_fits_the_view(number):
    game = middle_of(number, 7 * number % 90)
    seat = seat_to_move(game, Random(number))
    seen, memory = game.view(seat), game.memory(seat)
    base, unseen = unseen_by(seen, memory)
    state = 1 + number
    for _ in range(10):
        position = base.copy()
        state = deal_unseen(position, unseen, state)
        assert position.seat == seat
        position.seat = seen.seat
        assert view(position, seat) == seen
        for other in range(seen.players):
            held = [sum(piles) for piles in zip(position.hands[other], position.kept[other], strict=True)]
            known = memory.known(other).piles
            assert all((pile & 31) >= (card & 31) for pile, card in zip(held, known, strict=True))


# ------------------------------------------------------------------ one search at two speeds


@pytest.mark.parametrize("number", range(0, 96, 7))
def test_compiled_and_interpreted_grow_the_same_tree(number):
    game = middle_of(number, 5 * number % 80)
    seat = seat_to_move(game, Random(number))
    trees, states = [Tree.of(64), Tree.of(64)], []
    for tree, grow in zip(trees, (grow_compiled, grow_interpreted), strict=True):
        base, unseen = unseen_by(game.view(seat), game.memory(seat))
        states.append(grow(base, tree, unseen, ROOT, SETTINGS, 12, 99 + number))
    assert states[0] == states[1]
    assert all(map(np.array_equal, *trees))
    assert trees[0].visits[ROOT] == 12


def test_a_full_tree_continues_counting():
    base, unseen = unseen_by(*study(RICH)[:2])
    tree = Tree.of(3)
    grow_compiled(base, tree, unseen, ROOT, SETTINGS, 500, 1)
    assert tree.size[0] == 3
    assert tree.visits[ROOT] == 500


# ------------------------------------------------------------------ time


def test_a_search_by_iterations_does_not_depend_on_the_clock():
    slow = Search(4, iterations=200, seconds=60)
    slow._next_chunk = lambda iterations, seconds: 1  # a machine on which every iteration takes long
    assert (
        Search(4, iterations=200).analyze(*study(RICH)).evaluations == slow.analyze(*study(RICH)).evaluations
    )


@pytest.mark.parametrize("cost", [0.00002, 0.001, 0.03], ids=["quick", "slow", "interpreted"])
@pytest.mark.parametrize("seconds", [0.001, 0.05, 0.9])
def test_it_answers_in_time(seconds, cost):
    # On this clock every iteration has the same cost and nothing else takes any time, however busy the machine is.
    now, portions = [100.0], []

    class Kernel(SearchKernel):
        def grow(self, *, wait):
            def grow(base, tree, unseen, root, settings, iterations, state):
                now[0] += cost * iterations
                portions.append(iterations)
                return grow_compiled(base, tree, unseen, root, SearchSettings(*settings), iterations, state)

            return grow

    Search(1, seconds=seconds, clock=lambda: now[0], kernel=Kernel()).choose(*study(RICH))
    # It may overrun by one portion, which is short, or by one iteration, if that is long.
    assert now[0] - 100 <= seconds + max(CHECK_INTERVAL, cost)
    assert portions[0] == 1
    assert max(portions) <= ITERATIONS_PER_CHECK


class CostlyKernel(SearchKernel):
    """A kernel with its own clock, on which an iteration has a cost and nothing else takes any time."""

    def __init__(self, cost):
        super().__init__()
        self.now, self._cost = 100.0, cost

    def clock(self):
        return self.now

    def is_compiled(self):
        return True

    def grow(self, *, wait):
        def grow(base, tree, unseen, root, settings, iterations, state):
            self.now += self._cost * iterations
            return grow_compiled(base, tree, unseen, root, SearchSettings(*settings), iterations, state)

        return grow


def by(name, cost, seed=1):
    """A level on such a clock."""
    bot, kernel = make_bot(name, seed), CostlyKernel(cost)
    bot.clock, bot.kernel = kernel.clock, kernel
    return bot, kernel


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["basic", "draft"])
def test_three_champions_answer_a_round_within_nine_seconds(variant):
    """On a machine so slow that they use up all their time; they may exceed it by one iteration."""
    cost, game = 0.004, Game(4, variant, seed=3)
    bots, spent = [by("champion", cost, seat) for seat in range(4)], Counter()
    while game.position.round < 6:
        seat = next(seat for seat in range(4) if game.choices_of(seat))
        (bot, kernel), before = bots[seat], bots[seat][1].now
        turn = (game.position.round, seat) if game.position.round else len(game.moves)
        game.play(bot.choose(game.view(seat), game.memory(seat), game.choices_of(seat)), seat)
        spent[turn] += kernel.now - before
    assert max(spent.values()) > 2, "there was something to think about"
    assert 3 * max(spent.values()) < 9


def test_a_choice_leaves_time_for_the_rest_of_the_turn():
    bot, kernel = by("champion", 0.001)
    took = []
    for _ in range(4):  # the same turn each time
        before = kernel.now
        bot.analyze(*study(RICH))
        took.append(kernel.now - before)
    assert took == sorted(took, reverse=True)
    assert took[0] > 1
    assert sum(took) < bot.turn_seconds


def test_time_that_others_have_used_for_a_turn_is_not_available_again():
    alone, other = by("champion", 0.001)[0], by("champion", 0.001)[0]
    for _ in range(2):
        alone.analyze(*study(RICH))
    other.continue_turn(study(RICH)[0], alone.turn_seconds - alone._seconds_left)
    seconds = [bot.analyze(*study(RICH)).seconds for bot in (alone, other)]
    assert seconds[0] == pytest.approx(seconds[1], abs=0.1)
    assert seconds[1] < alone.turn_seconds / 4


def test_it_stops_at_once():
    bot = Search(1, seconds=3600)
    answers = []
    thread = threading.Thread(target=lambda: answers.append(bot.choose(*study(RICH))), daemon=True)
    thread.start()
    block_until(lambda: bot._tree is not None)
    bot.stop()
    thread.join(WAIT_TIMEOUT)  # less than its hour
    assert answers[0] in study(RICH)[2]


def test_it_stops_thinking_when_the_choice_is_decided():
    bot = Search(1, iterations=100_000)
    assert choice_of(bot, "M111111R11(M1R1S1)/C1(S1E1M1)/C1(S1E1M1) 1p") == "M"
    assert bot.result.iterations < 100_000


def test_it_releases_the_interpreter_lock():
    """Another thread sees the tree grow while it is grown by a single call."""
    base, unseen = unseen_by(*study(RICH)[:2])
    tree, iterations, visits = Tree.of(1000), 50_000, set()
    thread = threading.Thread(target=grow_compiled, args=(base, tree, unseen, ROOT, SETTINGS, iterations, 1))
    thread.start()
    while thread.is_alive():
        visits.add(int(tree.visits[ROOT]))
        time.sleep(0.001)
    assert tree.visits[ROOT] == iterations
    assert visits - {0, iterations}


@pytest.mark.parametrize(
    "wrong", [{"iterations": 0}, {"seconds": 0}, {"seconds": float("nan")}, {"turn_seconds": 0}]
)
def test_a_search_takes_some_time(wrong):
    with pytest.raises(ValueError, match="a search takes"):
        Search(1, **wrong)


# ------------------------------------------------------------------ the tree within a turn


def test_it_reuses_the_tree_from_earlier_in_the_turn():
    position = read_position(RICH)
    bot = Search(2, iterations=400)
    bot.choose(view(position, 0), Memory(0, 3), ("S+",))  # nothing to think about, so there is no tree
    assert bot._tree is None
    position = read_position(RICH.replace(" 1e - - ", " 1e S t1p1 "))
    bot.choose(view(position, 0), Memory(0, 3), choices_in(legal(position)))
    first = bot._tree
    choice = bot.result.choice
    known = next(evaluation.visits for evaluation in bot.result.evaluations if evaluation.choice == choice)
    apply(position, CHOICES.index(choice))
    result = bot.analyze(view(position, 0), Memory(0, 3), choices_in(legal(position)))
    assert bot._tree is first
    assert sum(evaluation.visits for evaluation in result.evaluations) == known - 1 + result.iterations


def test_a_tree_is_discarded_when_cards_are_shown_or_moves_undone():
    bot = Search(2, iterations=50)
    seen, memory, choices = study(RICH)
    bot.choose(seen, memory, choices)
    first = bot._tree
    bot.choose(seen, memory, choices)  # the same question again, after an undo
    assert bot._tree is not first
    assert sum(evaluation.visits for evaluation in bot.result.evaluations) == bot.result.iterations


def test_the_tree_is_discarded_at_the_end_of_the_turn():
    bot = Search(2, iterations=20)
    assert choice_of(bot, "M1111111R11E111(R1S1)/C1(S1E1M1)/C1(S1E1M1) 1e - - - S1") == "."
    assert bot._tree is None


# ------------------------------------------------------------------ why


def test_it_explains_its_choice():
    bot = Search(1, iterations=500)
    result = bot.analyze(*study(RICH))
    assert result is bot.result
    assert result.choice == result.evaluations[0].choice == result.line[0]
    visits = [evaluation.visits for evaluation in result.evaluations]
    assert visits == sorted(visits, reverse=True)
    assert sum(visits) == result.iterations <= 500
    assert all(0 <= evaluation.value <= 1 for evaluation in result.evaluations)
    assert {evaluation.choice for evaluation in result.evaluations} <= set(study(RICH)[2])


def test_it_finds_the_winning_choice():
    bot = Search(1, iterations=300)
    assert choice_of(bot, "M111111R11(M1R1S1)/C1(S1E1M1)/C1(S1E1M1) 1p") == "M"
    assert bot.result.evaluations[0].value > 0.9


def test_it_stops_an_opponent_about_to_win():
    seen, memory, choices = study("E1M111222(M1)/S112222(R1S2M1)/C1(R1E1M1) 1e - - - R111M11M2222R2222")
    memory.certain = {Place(1): Counter(["S2"])}
    bot = Search(1, iterations=1000)
    assert bot.choose(seen, memory, choices) == "e+1"
    assert bot.result.line[:2] == ("e+1", "S")


def test_it_plays_for_the_team():
    # Seat 3, the partner, is about to win; only seat 2 can prevent that.
    bot = Search(1, iterations=300)
    line = "E1(R1M1)/C1(R1E1M1)/S112222(R1E1M1)/C1(R1E1M1) 1e - - - R111M1111 - 5 standard,teams"
    assert choice_of(bot, line) != "e+2"
    assert bot.result.evaluations[0].value > 0.5


def test_it_can_choose_in_a_study_that_the_cards_of_the_game_could_not_form():
    bot = Search(1, iterations=10)
    line = "S1R1M1(S1)/E3333333333333(M3)/C1(S1E1M1) 1e - - - S11111111111"
    assert choice_of(bot, line) in study(line)[2]
    assert bot.result.iterations == 0


# ------------------------------------------------------------------ the engine


def test_a_search_by_seconds_does_not_wait_for_the_compiler():
    hold = threading.Event()
    slow = SearchKernel(can_compile=lambda: hold.wait() and False)
    bot = Search(1, seconds=0.2, kernel=slow)
    assert bot.choose(*study(RICH)) in study(RICH)[2]
    assert not slow.wait(0)
    hold.set()


def test_a_search_by_iterations_waits_for_the_compiler():
    fresh = SearchKernel()
    Search(1, iterations=40, kernel=fresh).choose(*study(RICH))
    assert fresh.grow(wait=False) is grow_compiled


def test_without_numba_it_thinks_in_the_interpreter():
    plain = SearchKernel(can_compile=lambda: False)
    here = Search(3, iterations=12, kernel=plain).analyze(*study(RICH)).evaluations
    assert plain.grow(wait=True) is grow_interpreted
    assert Search(3, iterations=12).analyze(*study(RICH)).evaluations == here


def test_warming_up_may_continue_in_the_background(monkeypatch):
    fresh = SearchKernel()
    monkeypatch.setitem(BOTS, "fresh", lambda seed: Search(seed, kernel=fresh))
    warm_up(["chance", "fresh"], wait=False)
    assert fresh.wait(120)
    assert fresh.is_compiled()


# ------------------------------------------------------------------ levels and names


def test_levels_answer_within_three_seconds_a_turn():
    assert {name: seconds_per_turn(name) for name in (*LEVELS, "chance", "unknown")} == {
        **dict.fromkeys(LEVELS), "expert": 0.9, "champion": 2.8, "chance": None, "unknown": None,
    }  # fmt: skip


def test_a_search_is_named_by_its_iterations_or_seconds():
    assert make_bot("search:500", 1).iterations == 500
    bot = make_bot("search:0.25s", 1)
    assert (bot.iterations, bot.seconds) == (None, 0.25)
    assert not isinstance(bot, LearnedSearch)
    bot = make_bot("learned:0.25s", 1)
    assert (type(bot), bot.iterations, bot.seconds) == (LearnedSearch, None, 0.25)


# ------------------------------------------------------------------ never an illegal choice


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("name", ["search:0.001s", "search:3"])
def test_it_chooses_legally_everywhere(name):
    positions, questions = 0, set()
    for number in range(0, 192, 4):
        game, chance = new_game(number), Random(number)
        bot = make_bot(name, number)
        while not game.over:
            seat = seat_to_move(game, chance)
            if chance.random() < 0.1 or game.position.question not in questions:
                choice = bot.choose(game.view(seat), game.memory(seat), game.choices_of(seat))
                assert choice in game.choices_of(seat)
                questions.add(game.position.question)
                positions += 1
            game.play(random_choice(game, seat, chance, calm=False), seat)
    assert positions > 700
    assert questions == set(Question) - {Question.OVER}


def test_two_searches_do_not_share_anything():
    first, second = Search(1, iterations=60), Search(1, iterations=60)
    here = first.analyze(*study(RICH)).evaluations
    choice_of(Search(5, iterations=60), RICH)
    assert second.analyze(*study(RICH)).evaluations == here


def test_positions_contain_no_numpy_numbers():
    base, unseen = unseen_by(*study(RICH)[:2])
    assert type(base.hands[0][0]) is int
    assert isinstance(base, Position)
    assert unseen.pool.dtype == np.int64


def test_thoughts_are_drawn_in_a_notebook():
    evaluations = Evaluation("mE", 7, 0.5), Evaluation(".", 1, 0.25)
    drawing = SearchResult(evaluations, ("mE", "M"), 8, 0.1)._repr_html_()
    assert drawing.startswith("<svg ")
    for text in ("mE", "50 %  7 visits", "8 iterations. Expected: mE M"):
        assert f">{text}<" in drawing

"""The OpenSpiel game: OpenSpiel's generic tests, exact chance nodes, and information states that leak nothing."""

import platform
import sys
from collections import Counter
from random import Random

import numpy as np
import pytest

if not (sys.platform == "linux" or platform.machine() == "arm64"):
    pytest.skip("OpenSpiel has no wheels for this machine", allow_module_level=True)

import pyspiel
from open_spiel.python.algorithms.cfr import CFRPlusSolver
from open_spiel.python.algorithms.exploitability import exploitability
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator
from open_spiel.python.observation import make_observation
from open_spiel.python.policy import UniformRandomPolicy
from open_spiel.python.rl_environment import Environment

from hegemon import CHOICES, Cards, read_position
from hegemon.env import open_spiel
from hegemon.kernels.observation import OBSERVATION
from hegemon.notation.setup import SetupError
from hegemon.play.observation import observation
from hegemon.rules.cards import ALL_CARDS, KINDS, NUMBER_OF_CARDS, age_of, domain_of
from hegemon.rules.setup import cards_of_age

GAMES = [
    "hegemon",
    "hegemon(players=3,variant=draft,rulings=pl)",
    "hegemon(players=4,variant=draft,teams=True)",
    "hegemon(players=4,rulings=standard+embargo-self!show-backs)",
]

load = pyspiel.load_game


def dealt(game, chance):
    """A state after the last chance node."""
    state = game.new_initial_state()
    while state.is_chance_node():
        outcomes, odds = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(chance.choices(outcomes, odds)[0])
    return state


def played(state, actions):
    for action in actions:
        state.apply_action(action)
    return state


# ------------------------------------------------------------------ OpenSpiel's own tests


@pytest.mark.slow
@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("name", GAMES)
def test_openspiel_accepts_the_game(name):
    pyspiel.random_sim_test(load(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("name", GAMES)
def test_openspiel_plays_the_game_as_it_plays_its_own(name):
    from open_spiel.python.tests.games_sim_test import GamesSimTest

    GamesSimTest().sim_game(load(name))


@pytest.mark.slow
def test_openspiel_agents_can_play():
    environment = Environment(load("hegemon"), observation_type=None)
    environment.seed(1)
    step = environment.reset()
    for _ in range(30):
        player = step.observations["current_player"]
        assert len(step.observations["info_state"][player]) == sum(piece.length for piece in OBSERVATION)
        step = environment.step([step.observations["legal_actions"][player][0]])


# ------------------------------------------------------------------ chance


def test_the_deck_is_drawn_from_the_top_with_exact_probabilities():
    game = load("hegemon")
    state = game.new_initial_state()
    chance = Random(1)
    deck = []
    while state.is_chance_node():
        outcomes = dict(state.chance_outcomes())
        age = age_of(KINDS[next(iter(outcomes))])
        left = {
            number: NUMBER_OF_CARDS[domain_of(kind)][age - 1] - deck.count(kind)
            for number, kind in enumerate(KINDS)
            if age_of(kind) == age
        }
        total = sum(left.values())
        assert outcomes == {number: copies / total for number, copies in left.items() if copies}
        assert sum(outcomes.values()) == pytest.approx(1)
        number = chance.choice(list(outcomes))
        assert state.action_to_string(pyspiel.PlayerId.CHANCE, number)[1] == str(age)
        deck.append(KINDS[number])
        state.apply_action(number)
    assert Counter(map(age_of, deck)) == {age: cards_of_age(2, age) for age in (1, 2, 3)}
    assert len(deck) == ALL_CARDS - 9
    assert tuple(deck) == state.game_played.record().deck
    assert state.current_player() == 0


def test_nothing_is_seen_before_the_deal():
    state = load("hegemon").new_initial_state()
    observer = make_observation(load("hegemon"))
    observer.set_from(state, 0)
    assert not observer.tensor.any()
    assert observer.string_from(state, 0) == observer.string_from(state, 1) == "the deck is being shuffled"
    assert state.returns() == [0, 0]
    assert str(state) == "-"


# ------------------------------------------------------------------ what it plays


@pytest.mark.parametrize("name", GAMES)
def test_a_state_is_a_game(name):
    chance = Random(name)
    state = dealt(load(name), chance)
    game = state.game_played
    players = game.players
    while not state.is_terminal():
        assert state.current_player() == game.seat
        assert tuple(CHOICES[action] for action in state.legal_actions()) == game.choices
        assert state.returns() == [0] * players
        action = chance.choice(state.legal_actions())
        assert state.action_to_string(state.current_player(), action) == CHOICES[action]
        state.apply_action(action)
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    won = game.result.winners
    share = players / len(won) - 1
    assert state.returns() == [share if seat in won else -1 for seat in range(players)]


def test_a_clone_is_independent():
    state = dealt(load("hegemon"), Random(4))
    clone = state.clone()
    before = str(state)
    clone.apply_action(clone.legal_actions()[0])
    assert str(state) == before != str(clone)


def test_the_tensor_is_the_observation_in_its_pieces():
    game = load("hegemon(players=3)")
    chance = Random(5)
    state = dealt(game, chance)
    observer = make_observation(game)
    for _ in range(40):
        state.apply_action(chance.choice(state.legal_actions()))
        for player in range(3):
            observer.set_from(state, player)
            row = observation(state.game_played.view(player), state.game_played.memory(player))
            assert np.array_equal(observer.tensor, row)
            for piece in OBSERVATION:
                part = row[piece.offset : piece.offset + piece.length].reshape(piece.shape)
                assert np.array_equal(observer.dict[piece.name], part)


# ------------------------------------------------------------------ information states


def with_other_cards_below(deck, drawn, chance):
    """A deck whose first cards are the same, and whose others have changed places within their Age."""
    below = deck[drawn:]
    for age in (1, 2, 3):
        places = [place for place, number in enumerate(below) if age_of(KINDS[number]) == age]
        numbers = [below[place] for place in places]
        chance.shuffle(numbers)
        for place, number in zip(places, numbers, strict=True):
            below[place] = number
    return deck[:drawn] + below


@pytest.mark.parametrize("name", GAMES)
def test_unseen_cards_change_no_information_state(name):
    game = load(name)
    for seed in range(4):
        chance = Random(seed)
        state = dealt(game, chance)
        deck = state.history()
        for _ in range(chance.randrange(60)):
            if not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
        actions = state.history()[len(deck) :]
        drawn = len(deck) - state.game_played.position.deck_size
        other = played(game.new_initial_state(), with_other_cards_below(deck, drawn, chance) + actions)
        assert str(other) != str(state)
        for player in range(game.num_players()):
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_string(player) == state.observation_string(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)


def test_changing_a_hand_changes_only_the_information_state_of_its_player():
    game = load("hegemon")
    chance = Random(8)
    state = dealt(game, chance)
    deck = state.history()
    second = range(3, 6)
    place, below = next(
        (place, below)
        for place in second
        for below in range(6, 20)
        if deck[place] != deck[below] and age_of(KINDS[deck[place]]) == age_of(KINDS[deck[below]])
    )
    deck[place], deck[below] = deck[below], deck[place]
    other = played(game.new_initial_state(), deck)
    assert other.information_state_string(0) == state.information_state_string(0)
    assert other.information_state_string(1) != state.information_state_string(1)


def test_information_states_remember_the_history():
    """Two histories with the same view are two information states."""
    game = load("hegemon")
    state = dealt(game, Random(9))
    seen = set()
    while not state.is_terminal():
        remembered = state.information_state_string()
        assert remembered not in seen
        seen.add(remembered)
        state.apply_action(state.legal_actions()[-1])


def test_with_perfect_recall_there_is_no_tensor():
    """A row could not hold a whole game, and one that forgets would not be an information state."""
    game = load("hegemon")
    assert not game.get_type().provides_information_state_tensor
    recalling = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    recalling.set_from(dealt(game, Random(1)), 0)
    assert recalling.tensor is None
    assert recalling.dict == {}


# ------------------------------------------------------------------ resampling


def some_way_into(game, chance, moves):
    state = dealt(game, chance)
    for _ in range(moves):
        if not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("name", [*GAMES, "hegemon_mini"])
def test_a_resampled_state_looks_like_the_true_one(name):
    game = load(name)
    for seed, moves in enumerate((0, 1, 3, 7, 30, 60)):
        chance = Random(seed)
        state = some_way_into(game, chance, moves)
        for player in range(game.num_players()):
            other = state.resample_from_infostate(player, chance.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_string(player) == state.observation_string(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            again = other.resample_from_infostate(player, chance.random)
            assert again.observation_tensor(player) == state.observation_tensor(player)
            assert other.current_player() == state.current_player()
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()


@pytest.mark.parametrize("name", [*GAMES, "hegemon_mini"])
def test_a_resampled_state_can_be_played_to_its_end(name):
    game, chance = load(name), Random(3)
    state = some_way_into(game, chance, 4).resample_from_infostate(0, chance.random)
    clone = state.clone()
    while not clone.is_terminal():
        seen = clone.information_state_string()
        clone.apply_action(chance.choice(clone.legal_actions()))
        assert not clone.is_terminal() or len(seen) > 0
    assert sum(clone.returns()) == 0
    assert not state.is_terminal()


@pytest.mark.parametrize(("name", "moves", "worlds"), [("hegemon(players=3)", 3, 30), ("hegemon_mini", 0, 2)])
def test_resampling_depends_only_on_what_the_player_knows(name, moves, worlds):
    """States that a player cannot distinguish are resampled identically."""
    state = some_way_into(load(name), Random(5), moves)
    player = state.current_player()

    def samples(state):
        return [
            state.resample_from_infostate(player, lambda number=number: number / 30) for number in range(30)
        ]

    found = samples(state)
    assert len(set(map(str, found))) >= worlds
    other = next(sample for sample in found if str(sample) != str(state))
    assert list(map(str, samples(other))) == list(map(str, found))


def test_before_the_deal_there_is_nothing_to_resample():
    state = load("hegemon").new_initial_state()
    assert state.resample_from_infostate(0, lambda: 0.5).is_chance_node()


@pytest.mark.parametrize(("name", "moves"), [("hegemon_mini", 100), ("hegemon(players=3,variant=draft)", 8)])
def test_openspiels_search_plays(name, moves):
    game, chance = load(name), np.random.RandomState(1)
    bot = ISMCTSBot(game, RandomRolloutEvaluator(1, chance), 1.5, 6, random_state=chance)
    state = dealt(game, Random(2))
    for _ in range(moves):
        if not state.is_terminal():
            action = bot.step(state)
            assert action in state.legal_actions()
            state.apply_action(int(action))


# ------------------------------------------------------------------ the small game


def all_deals(state, odds=1.0):
    """Every way to deal, with its probability."""
    if not state.is_chance_node():
        yield state, odds
        return
    for action, share in state.chance_outcomes():
        yield from all_deals(state.child(action), odds * share)


def test_the_small_game_deals_its_hidden_cards_in_every_way():
    deals = list(all_deals(load("hegemon_mini").new_initial_state()))
    assert [odds for _, odds in deals] == pytest.approx([1 / 30] * 30)  # five cards, two pairs of them alike
    start = read_position(open_spiel.MINI)
    hidden = Counter((*start.hand(0), *start.hand(1), *Cards("U3")))
    for state, _ in deals:
        position = state.game_played.position
        assert position.areas == start.areas
        assert Counter((*position.hand(0), *position.hand(1))) <= hidden
        assert (len(position.hand(0)), len(position.hand(1)), position.deck_size) == (2, 2, 1)
    hands = {str(state.game_played.position.hand(0)) for state, _ in deals}
    assert hands == {str(state.game_played.position.hand(1)) for state, _ in deals}


def test_openspiel_accepts_the_small_game():
    game = load("hegemon_mini")
    assert str(load(str(game))) == str(game)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


@pytest.mark.usefixtures("untraced")
def test_the_small_game_is_small_enough_for_exact_methods():
    """OpenSpiel's best response exploits random choices, and regret minimization approaches an equilibrium."""
    game = load("hegemon_mini")
    assert exploitability(game, UniformRandomPolicy(game)) == pytest.approx(2 / 3)
    solver = CFRPlusSolver(game)
    for _ in range(4):
        solver.evaluate_and_update_policy()
    assert exploitability(game, solver.average_policy()) < 0.1


def test_other_positions_can_be_played_out():
    game = load("hegemon_mini", {"position": "M1R12(E3)/M1(C3)/C1(U3) 1p - - - S3 - 9 standard"})
    assert game.num_players() == 3
    state = some_way_into(game, Random(1), 50)
    assert state.is_terminal()
    for player in range(3):
        state.resample_from_infostate(player, Random(1).random)


@pytest.mark.parametrize(
    "position", ["C3(M3)/C3(U3) 1e - - - U3 - 9 standard", "C3e3(M3)/C3(U3) 1p - - - U3 - 9 standard"]
)
def test_positions_within_a_turn_are_rejected(position):
    with pytest.raises(ValueError, match="begins with a turn"):
        open_spiel.MiniGame({"position": position})


# ------------------------------------------------------------------ what it rejects


def test_impossible_tables_are_rejected():
    for parameters in ({"players": 3, "teams": True}, {"variant": "quick"}):
        with pytest.raises(SetupError):
            open_spiel.HegemonGame(parameters)
    with pytest.raises(ValueError, match="takes no parameters"):
        open_spiel.HegemonGame().make_py_observer(None, {"color": True})

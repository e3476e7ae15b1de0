"""The OpenSpiel game: OpenSpiel's generic tests, honest chance, and information states that leak nothing."""

import platform
import sys
from collections import Counter
from random import Random

import numpy as np
import pytest

if not (sys.platform == "linux" or platform.machine() == "arm64"):
    pytest.skip("OpenSpiel has no wheels for this machine", allow_module_level=True)

import pyspiel
from open_spiel.python.observation import make_observation
from open_spiel.python.rl_environment import Environment

from hegemon import CHOICES
from hegemon.env import open_spiel
from hegemon.kernels.observation import OBSERVATION, observation
from hegemon.notation.setup import SetupError
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
    """A state after the last card of chance."""
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
def test_openspiel_learners_can_sit_down():
    environment = Environment(load("hegemon"), observation_type=None)
    environment.seed(1)
    step = environment.reset()
    for _ in range(30):
        player = step.observations["current_player"]
        assert len(step.observations["info_state"][player]) == sum(piece.length for piece in OBSERVATION)
        step = environment.step([step.observations["legal_actions"][player][0]])


# ------------------------------------------------------------------ chance


def test_the_deck_is_drawn_from_the_top_with_honest_odds():
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


def test_a_clone_goes_its_own_way():
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
            row = observation(state.game_played.position, player)
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


def test_another_hand_elsewhere_changes_no_information_state_but_its_own():
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


def test_information_states_remember():
    """Two ways to the same view are two information states."""
    game = load("hegemon")
    state = dealt(game, Random(9))
    seen = set()
    while not state.is_terminal():
        remembered = state.information_state_string()
        assert remembered not in seen
        seen.add(remembered)
        state.apply_action(state.legal_actions()[-1])


# ------------------------------------------------------------------ what it refuses


def test_tables_that_cannot_be_are_refused():
    for parameters in ({"players": 3, "teams": True}, {"variant": "quick"}):
        with pytest.raises(SetupError):
            open_spiel.HegemonGame(parameters)
    with pytest.raises(ValueError, match="takes no parameters"):
        open_spiel.HegemonGame().make_py_observer(None, {"color": True})

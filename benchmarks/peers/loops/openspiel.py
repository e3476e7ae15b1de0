"""OpenSpiel: its Python loop, its C++ rollouts, its C++ bots.

`pyspiel` has no function that plays random games and counts. Its C++ random rollouts can be reached through `MCTSBot`:
with two simulations, the search is two evaluations of `RandomRolloutEvaluator`, each of them a few hundred random games
from one dealt position to the end. They report no lengths, so the mean length comes from other random games, played
before the clock starts. `evaluate_bots` plays one game of C++ bots; the final state contains the number of moves, and
only the share of chance moves is taken from those other games.
"""

import random
from collections.abc import Callable
from importlib.metadata import version
from typing import NamedTuple

import pyspiel
from stopwatch import Tally, main

GAMES = {
    "crazy_eights": "crazy_eights(players=4)",
    "hearts": "hearts",
    "gin_rummy": "gin_rummy",
    "hanabi": "hanabi(players=4)",
}

ROLLOUTS = 200

SAMPLED_MOVES = 200_000

CHANCE = pyspiel.PlayerId.CHANCE


class Table:
    """A game and its first state: copying a state is much faster than creating one."""

    def __init__(self, name: str):
        self.game = pyspiel.load_game(GAMES[name])
        self.begin = self.game.new_initial_state().clone


def draw(state: pyspiel.State) -> int:
    """One outcome of chance, by its weight."""
    left = random.random()
    outcomes = state.chance_outcomes()
    for outcome, weight in outcomes:
        left -= weight
        if left < 0:
            return outcome
    return outcomes[-1][0]


def dealt(table: Table) -> pyspiel.State:
    """A game after its deal."""
    state = table.begin()
    while state.current_player() == CHANCE:
        state.apply_action(draw(state))
    return state


def has_uniform_chance(table: Table) -> bool:
    """Whether the outcomes of each chance node are equally likely, judged by one random game."""
    state = table.begin()
    while not state.is_terminal():
        if state.is_chance_node():
            weights = [weight for _, weight in state.chance_outcomes()]
            if max(weights) - min(weights) > 1e-9:
                return False
        state.apply_action(random.choice(state.legal_actions()))
    return True


class Lengths(NamedTuple):
    """The mean numbers of moves in a random game."""

    decisions: float
    chance: float
    deal: float
    """The number of chance moves before the first decision."""


def sample_lengths(table: Table) -> Lengths:
    """Random games, counted move by move."""
    games = moves = decisions = deal = 0
    while moves < SAMPLED_MOVES and games < 2_000:
        players = [
            move.player for move in one_game_of_bots(table, games * table.game.num_players()).full_history()
        ]
        games += 1
        moves += len(players)
        decisions += sum(player >= 0 for player in players)
        deal += next(index for index, player in enumerate(players) if player >= 0)
    return Lengths(decisions / games, (moves - decisions) / games, deal / games)


def one_game_of_bots(table: Table, seed: int) -> pyspiel.State:
    """A game of C++ uniform random bots in the C++ loop, to its end."""
    state = table.begin()
    players = range(state.num_players())
    bots = [pyspiel.make_uniform_random_bot(player, seed + player) for player in players]
    pyspiel.evaluate_bots(state, bots, seed)
    return state


def python_loop(name: str) -> Callable[[], Tally]:
    """Ask for the legal actions, pick one, apply it; chance likewise."""
    table = Table(name)
    even = has_uniform_chance(table)  # then outcomes can be sampled without weights, which is much faster
    chance_player = int(CHANCE)
    begin, uniform = table.begin, random.random

    def one_game() -> Tally:
        decisions = chance = 0
        state = begin()
        while True:
            player = state.current_player()
            if player >= 0:
                decisions += 1
            elif player == chance_player:
                chance += 1
                if not even:
                    state.apply_action(draw(state))
                    continue
            else:
                return Tally(decisions, 1, chance)
            actions = state.legal_actions()
            state.apply_action(actions[int(uniform() * len(actions))])

    return one_game


def rollouts(name: str) -> Callable[[], Tally]:
    """Random rollouts in C++, each from a newly dealt position."""
    table = Table(name)
    lengths = sample_lengths(table)
    evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 1)
    search = pyspiel.MCTSBot(table.game, evaluator, 1.0, 2, 1, False, 1, False)
    games = 2 * ROLLOUTS
    # The second simulation begins one decision later than the first.
    tally = Tally(games * (lengths.decisions - 0.5), games, games * (lengths.chance - lengths.deal))

    def two_simulations() -> Tally:
        search.step(dealt(table))
        return tally

    return two_simulations


def bots(name: str) -> Callable[[], Tally]:
    """C++ bots that choose uniformly at random, in the C++ loop."""
    table = Table(name)
    lengths = sample_lengths(table)
    share = lengths.decisions / (lengths.decisions + lengths.chance)
    seed = 0

    def one_game() -> Tally:
        nonlocal seed
        seed += table.game.num_players()
        moves = one_game_of_bots(table, seed).move_number()
        return Tally(moves * share, 1, moves * (1 - share))

    return one_game


LOOPS = {"python": python_loop, "rollouts": rollouts, "bots": bots}

if __name__ == "__main__":
    main(
        version("open_spiel"),
        {
            f"{game}-{loop}": lambda game=game, play=play: play(game)
            for game in GAMES
            for loop, play in LOOPS.items()
        },
    )

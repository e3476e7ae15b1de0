"""Win rates of one network against another, or against the heuristic policy, in batches of games.

    python benchmarks/networks.py shipped heuristic --players 2 --games 1000
    python benchmarks/networks.py runs/response/weights.npz shipped@0.5 --players 2 --games 1000

A network is a file of weights, or `shipped`; `@T` sets its sampling temperature, which is 0 by default. The first
network plays one seat, or one side of a team game, a different one in each game; the second plays all others.
"""

import argparse
import os
from collections.abc import Callable
from math import sqrt
from typing import Any

# One core: the libraries behind NumPy read this when they are imported.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

import numpy as np

from hegemon import Batch
from hegemon.bots.learned import load_network, shipped_network
from hegemon.kernels.network import Network, inputs_of
from hegemon.learn.ppo import sample_actions

#: Returns the actions of a policy in some of the games of a batch.
Policy = Callable[[Batch, Any], Any]


def heuristic(batch: Batch, games: Any) -> Any:
    return batch.heuristic_actions(games)[games]


def policy_of(network: Network, temperature: float, seed: int) -> Policy:
    random = np.random.default_rng(seed)

    def act(batch: Batch, games: Any) -> Any:
        values = inputs_of(batch.observations[games])
        *hidden, weights, biases = network
        for layer in range(0, len(hidden), 2):
            values = np.maximum(values @ hidden[layer] + hidden[layer + 1], 0)
        noise = random.random(len(games), np.float32)
        return sample_actions(values @ weights + biases, batch.masks[games], noise, temperature)[0]

    return act


def read_policy(text: str, seed: int) -> Policy:
    if text == "heuristic":
        return heuristic
    name, _, temperature = text.partition("@")
    network = shipped_network() if name == "shipped" else load_network(name)
    return policy_of(network, float(temperature or 0), seed)


def match(first: Policy, second: Policy, batch: Batch, *, teams: bool = False) -> Any:
    """The share of the win of the first policy in each game of a new batch."""
    games = np.arange(len(batch))
    seats = games % batch.players
    shares = np.full(len(batch), np.nan)
    while (open_games := np.flatnonzero(np.isnan(shares))).size:
        to_move = batch.seats.astype(int)
        is_first = to_move == seats
        if teams:
            is_first |= to_move == (seats + 2) % batch.players
        # A game that has ended is followed by another one, which does not count: any legal action will do.
        actions = batch.masks.argmax(axis=1)
        for policy, is_own in ((first, is_first), (second, ~is_first)):
            if (own := open_games[is_own[open_games]]).size:
                actions[own] = policy(batch, own)
        batch.step(actions)
        ended = open_games[batch.dones[open_games].astype(bool)]
        wins = (batch.rewards[ended, seats[ended]] + 1) / batch.players
        shares[ended] = wins * 2 if teams else wins
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--variant", choices=("basic", "draft"), default="basic")
    parser.add_argument("--teams", action="store_true")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=77)
    given = parser.parse_args()
    batch = Batch(given.games, given.players, given.variant, teams=given.teams, seed=given.seed)
    first, second = read_policy(given.first, 0), read_policy(given.second, 1)
    shares = match(first, second, batch, teams=given.teams)
    half = 1.96 * shares.std() / sqrt(given.games)
    print(
        f"{given.first} won {shares.mean():.1%} ± {half:.1%} of {given.games:,} games against {given.second}"
    )


if __name__ == "__main__":
    main()

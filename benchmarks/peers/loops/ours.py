"""Hegemon: the same loop at each of its speeds.

Every loop has its own imports, so that a missing dependency affects only the loop that needs it.
"""

import random
from collections.abc import Callable
from importlib.metadata import version

from stopwatch import Tally, main

uniform = random.random


def game(players: int) -> Callable[[], Tally]:
    """A Python loop over one game through the public API: read the choices, pick one, play it. Compiled."""
    from hegemon import Game

    seed = 0

    def one_game() -> Tally:
        nonlocal seed
        seed += 1
        decisions = 0
        game = Game(players, seed=seed, speed="compiled")
        while choices := game.choices:
            game.play(choices[int(uniform() * len(choices))])
            decisions += 1
        return Tally(decisions, 1)

    return one_game


def interpreted(players: int) -> Callable[[], Tally]:
    """Random play of whole games with the interpreted rules."""
    from hegemon.kernels import Series, play_interpreted

    return series_after_series(lambda first: play_interpreted(Series(1, players, first=first)))


def compiled(players: int) -> Callable[[], Tally]:
    """Random play of whole games, compiled, on one core."""
    from hegemon.kernels import Series, play_compiled

    return series_after_series(lambda first: play_compiled(Series(500, players, first=first)))


def batch(players: int) -> Callable[[], Tally]:
    """Thousands of games in parallel, with masks and observations: pick an action for each game, then step all."""
    from hegemon import Batch

    games = Batch(4096, players)

    def step() -> Tally:
        games.step(games.random_actions())
        return Tally(len(games), int(games.dones.sum()))

    for _ in range(1000):  # the games begin together; later they are at every stage
        step()
    return step


def zoo(players: int) -> Callable[[], Tally]:
    """The PettingZoo environment with its guard: `last`, pick among the actions of the mask, `step`."""
    from hegemon.env import hegemon_v0

    env = hegemon_v0.env(players=players)

    def one_game() -> Tally:
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, _, _ = env.last()
            if terminated:
                env.step(None)
                continue
            actions = observation["action_mask"].nonzero()[0]
            env.step(int(actions[int(uniform() * len(actions))]))
            decisions += 1
        return Tally(decisions, 1)

    return one_game


def series_after_series(play) -> Callable[[], Tally]:
    """Random play, every time with games that were not played before."""
    first = 0

    def one_series() -> Tally:
        nonlocal first
        results = play(first)
        first += len(results)
        return Tally(int(results.decisions.sum()), len(results))

    return one_series


if __name__ == "__main__":
    main(
        version("hegemon"),
        {
            f"{loop.__name__}-{players}": lambda loop=loop, players=players: loop(players)
            for loop in (game, interpreted, zoo, compiled, batch)
            for players in (2, 4)
        },
    )

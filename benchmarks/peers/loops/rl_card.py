"""RLCard: its environment, and the game inside it without the features for learners."""

import random
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import rlcard
from stopwatch import Tally, main

uniform = random.random


def environment(name: str) -> Callable[[], Tally]:
    """Pick among the legal actions of the state and step the environment."""
    env = rlcard.make(name)

    def one_game() -> Tally:
        decisions = 0
        state, _ = env.reset()
        while not env.is_over():
            actions = list(state["legal_actions"])
            state, _ = env.step(actions[int(uniform() * len(actions))])
            decisions += 1
        return Tally(decisions, 1)

    return one_game


def game_inside(name: str, legal_actions: Callable[[Any], list[Any]]) -> Callable[[], Tally]:
    """The same on the game object that the environment wraps."""
    game = rlcard.make(name).game

    def one_game() -> Tally:
        decisions = 0
        game.init_game()
        while not game.is_over():
            actions = legal_actions(game)
            game.step(actions[int(uniform() * len(actions))])
            decisions += 1
        return Tally(decisions, 1)

    return one_game


if __name__ == "__main__":
    main(
        version("rlcard"),
        {
            "uno-environment": lambda: environment("uno"),
            "uno-game": lambda: game_inside("uno", lambda game: game.get_legal_actions()),
            "gin-rummy-environment": lambda: environment("gin-rummy"),
            "gin-rummy-game": lambda: game_inside("gin-rummy", lambda game: game.judge.get_legal_actions()),
        },
    )

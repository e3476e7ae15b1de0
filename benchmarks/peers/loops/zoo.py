"""PettingZoo's classic games through the AEC interface."""

import random
from collections.abc import Callable
from importlib.metadata import version

from pettingzoo.classic import connect_four_v3, hanabi_v5
from stopwatch import Tally, main

uniform = random.random


def agents_in_turn(env) -> Callable[[], Tally]:
    """`last`, pick among the actions of the mask, `step`."""

    def one_game() -> Tally:
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            mask = info["action_mask"] if "action_mask" in info else observation["action_mask"]
            actions = mask.nonzero()[0]
            env.step(int(actions[int(uniform() * len(actions))]))
            decisions += 1
        return Tally(decisions, 1)

    return one_game


if __name__ == "__main__":
    main(
        version("pettingzoo"),
        {
            "connect_four-env": lambda: agents_in_turn(connect_four_v3.env()),
            "connect_four-raw": lambda: agents_in_turn(connect_four_v3.raw_env()),
            "hanabi-env": lambda: agents_in_turn(hanabi_v5.env(players=4)),
        },
    )

"""Reinforcement learning environments: PettingZoo, Gymnasium and OpenSpiel interfaces of the same games, without rules.

Importing this package registers `hegemon/Duel-v0` with Gymnasium, if it is installed.
"""

from importlib.util import find_spec

if find_spec("gymnasium") is not None:
    from gymnasium import register

    register(
        "hegemon/Duel-v0",
        entry_point="hegemon.env.duel:Duel",
        vector_entry_point="hegemon.env.vector:VectorDuel",
    )

"""Pgx: a batch of games in one compiled JAX loop, picks included, finished games restarted."""

from collections.abc import Callable
from importlib.metadata import version

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset
from stopwatch import Tally, main


def batch(name: str, games: int, steps: int) -> Callable[[], Tally]:
    """A batch of games, and a number of steps in one call."""
    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def play(states, key):
        def one_step(carried, _):
            states, key, finished = carried
            key, picks, deals = jax.random.split(key, 3)
            actions = jax.random.categorical(picks, jnp.where(states.legal_action_mask, 0.0, -jnp.inf))
            states = step(states, actions, jax.random.split(deals, games))
            return (states, key, finished + states.terminated.sum()), None

        return jax.lax.scan(one_step, (states, key, jnp.int32(0)), None, length=steps)[0]

    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games))
    key = jax.random.key(1)

    def portion() -> Tally:
        nonlocal states, key
        states, key, finished = play(states, key)
        return Tally(games * steps, int(finished))

    return portion


if __name__ == "__main__":
    main(
        version("pgx"),
        {
            "connect_four": lambda: batch("connect_four", 4096, 16),
            "leduc_holdem": lambda: batch("leduc_holdem", 4096, 16),
            "sparrow_mahjong": lambda: batch("sparrow_mahjong", 512, 16),
        },
    )

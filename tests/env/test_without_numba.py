"""Without Numba, batches, games and environments work interpreted."""

import subprocess
import sys

WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None  # as if they were not installed

from hegemon import Batch, Game
from hegemon.env import hegemon_v0
from hegemon.env.duel import Duel
from hegemon.env.vector import SelfPlay

batch = Batch(3, players=4, variant="draft", cores=2)
envs = SelfPlay(2)
envs.reset(seed=1)
game = Game(2, seed=1, speed="compiled")
env = hegemon_v0.env()
env.reset(seed=1)
duel = Duel(opponent="heuristic")
alone, _ = duel.reset(seed=1)
together = hegemon_v0.parallel_env()
all_seen, _ = together.reset(seed=1)
for _ in range(20):
    batch.step(batch.random_actions())
    envs.step(envs.batch.random_actions())
    env.step(int(env.last()[0]["action_mask"].argmax()))
    game.play(game.choices[0])
    alone, *_ = duel.step(int(alone["action_mask"].argmax()))
    all_seen, *_ = together.step(
        {agent: int(seen["action_mask"].argmax()) for agent, seen in all_seen.items()}
    )
    batch.states()
print(*game.moves)
"""


def test_everything_works_without_numba():
    done = subprocess.run([sys.executable, "-c", WITHOUT_NUMBA], capture_output=True, check=True, text=True)
    assert len(done.stdout.split()) == 20
    assert done.stderr == ""

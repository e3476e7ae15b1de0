"""The environment's share of training time on one core, with proximal policy optimization.

    python benchmarks/learning.py --iterations 8

It trains with `hegemon.learn` on the CPU, with the options of `hegemon train --device cpu`, and measures the CPU time
spent in the games: steps with observations and masks, rewards, and the observations of all seats. The heuristic
opponents are listed separately, because they are part of the training method.
"""

import argparse
import os
from collections import Counter
from collections.abc import Callable
from time import process_time
from typing import Any, ClassVar, Final

# One core: the libraries behind NumPy read this when it is imported.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

from hegemon.kernels import ALL_SETUPS
from hegemon.learn import trainer
from hegemon.learn.games import CpuGames

#: The parts of the games that take time, by the names of the members of `CpuGames`.
PARTS: Final = {
    "step": "steps: rules, masks, observations",
    "rewards": "rewards",
    "observe_seats": "observations of all seats",
    "heuristic_actions": "heuristic opponents",
}
OPPONENTS: Final = PARTS["heuristic_actions"]

#: Iterations before measuring, in which code is compiled.
WARM_UP: Final = 2


class TimedGames(CpuGames):
    """Games that measure the CPU time spent in them."""

    seconds: ClassVar[Counter[str]] = Counter()


def _timed(name: str) -> Callable[..., Any]:
    member = getattr(CpuGames, name)
    call = member.fget if isinstance(member, property) else member

    def timed(self: TimedGames, *arguments: Any) -> Any:
        began = process_time()
        result = call(self, *arguments)
        TimedGames.seconds[PARTS[name]] += process_time() - began
        return result

    return property(timed) if isinstance(member, property) else timed  # type: ignore[return-value]  # used as a member


for _name in PARTS:
    setattr(TimedGames, _name, _timed(_name))


def measure(iterations: int, options: dict[str, Any]) -> tuple[float, Counter[str]]:
    """The CPU seconds of some iterations of training, and those of every part of the games in them."""
    trainer.CpuGames = TimedGames  # type: ignore[misc]  # to measure what the trainer uses
    try:
        run = trainer.Trainer(
            trainer.TrainingOptions(**{**trainer.CPU_OPTIONS, **options, "iterations": iterations + WARM_UP})
        ).run()
        for _ in range(WARM_UP):
            next(run)
        TimedGames.seconds.clear()
        began = process_time()
        for _ in run:
            pass
        return process_time() - began, TimedGames.seconds.copy()
    finally:
        trainer.CpuGames = CpuGames  # type: ignore[misc]


def report(seconds: float, parts: Counter[str], decisions: int) -> str:
    games = sum(time for part, time in parts.items() if part != OPPONENTS)
    rows = [("the games", games), *parts.most_common(), ("whole iteration", seconds)]
    lines = [
        f"{part:36}{time / decisions * 1e6:9.2f} µs a decision{time / seconds:9.2%}" for part, time in rows
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--players", type=int, choices=(2, 3, 4), help="only these setups; by default all")
    parser.add_argument("--games", type=int, default=trainer.CPU_OPTIONS["games"])
    parser.add_argument("--widths", default="64,64,64", help="the widths of the hidden layers")
    given = parser.parse_args()
    setups = tuple(setup for setup in ALL_SETUPS if given.players in (None, setup.players))
    options = {"setups": setups, "games": given.games, "widths": tuple(map(int, given.widths.split(",")))}
    seconds, parts = measure(given.iterations, options)
    steps = trainer.TrainingOptions().rollout_steps
    print(report(seconds, parts, given.iterations * given.games * steps))


if __name__ == "__main__":
    main()

"""All peers, and the loops that are measured for each.

A loop's `name` is the argument of its script in `loops/`.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """The kind of a loop."""

    PYTHON = "a Python loop"
    OWN = "its own compiled loop, or the closest equivalent"


@dataclass(frozen=True)
class Loop:
    """One loop: a game, and how it is played."""

    name: str
    game: str
    how: str
    kind: Kind


@dataclass(frozen=True)
class Peer:
    """One peer: a script in `loops/`, and a virtual environment created from `requirements/`."""

    name: str
    script: str
    loops: tuple[Loop, ...]
    build: tuple[str, ...] = ()
    """A script, with its arguments, that finishes the environment."""
    ours: bool = False
    """Whether it is Hegemon, which runs in the environment of the benchmark."""


def _openspiel(name: str, game: str, *, rollouts: bool) -> list[Loop]:
    loops = [Loop(f"{name}-python", game, "Python loop", Kind.PYTHON)]
    if rollouts:  # the search that runs them rejects games with intermediate rewards
        loops.append(Loop(f"{name}-rollouts", game, "C++ rollouts", Kind.OWN))
    return [*loops, Loop(f"{name}-bots", game, "C++ bots", Kind.OWN)]


OURS: Final = Peer(
    "Hegemon",
    "ours",
    (
        *(
            loop
            for players in (2, 4)
            for loop in (
                Loop(f"game-{players}", f"{players} players", "Python loop over Game", Kind.PYTHON),
                Loop(f"interpreted-{players}", f"{players} players", "interpreted rules", Kind.PYTHON),
                Loop(f"zoo-{players}", f"{players} players", "PettingZoo environment", Kind.PYTHON),
                Loop(f"compiled-{players}", f"{players} players", "compiled random play", Kind.OWN),
                Loop(f"batch-{players}", f"{players} players", "Batch of 4096", Kind.OWN),
            )
        ),
    ),
    ours=True,
)

PEERS: Final = (
    OURS,
    Peer(
        "OpenSpiel",
        "openspiel",
        (
            *_openspiel("crazy_eights", "crazy_eights, 4 players", rollouts=True),
            *_openspiel("hearts", "hearts", rollouts=True),
            *_openspiel("gin_rummy", "gin_rummy", rollouts=True),
            *_openspiel("hanabi", "hanabi, 4 players", rollouts=False),
        ),
    ),
    Peer(
        "PufferLib",
        "puffer",
        (Loop("tripletriad", "tripletriad", "C, batch of 4096, legal actions", Kind.OWN),),
        build=("build_tripletriad.py", "3.0.0"),
    ),
    Peer(
        "Pgx",
        "pgx_games",
        (
            Loop("connect_four", "connect_four", "JAX, batch of 4096", Kind.OWN),
            Loop("leduc_holdem", "leduc_holdem", "JAX, batch of 4096", Kind.OWN),
            Loop("sparrow_mahjong", "sparrow_mahjong, 3 players", "JAX, batch of 512", Kind.OWN),
        ),
    ),
    Peer(
        "RLCard",
        "rl_card",
        (
            Loop("uno-environment", "uno", "environment", Kind.PYTHON),
            Loop("uno-game", "uno", "the game inside", Kind.OWN),
            Loop("gin-rummy-environment", "gin-rummy", "environment", Kind.PYTHON),
            Loop("gin-rummy-game", "gin-rummy", "the game inside", Kind.OWN),
        ),
    ),
    Peer(
        "PettingZoo",
        "zoo",
        (
            Loop("connect_four-env", "connect_four_v3", "environment", Kind.PYTHON),
            Loop("connect_four-raw", "connect_four_v3", "raw_env", Kind.OWN),
            Loop("hanabi-env", "hanabi_v5, 4 players", "environment", Kind.PYTHON),
        ),
    ),
    Peer("Catanatron", "catan", (Loop("random", "4 players", "Game.play, RandomPlayer", Kind.PYTHON),)),
    Peer("python-chess", "python_chess", (Loop("random", "chess", "Python loop", Kind.PYTHON),)),
)

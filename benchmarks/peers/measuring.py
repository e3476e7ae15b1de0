"""Runs: every loop in a separate process on one core, round after round."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

from environments import HERE, CannotRunError, python_of, reason
from field import Loop, Peer

#: The time limit for setting up and compiling, before a loop's clock starts.
SETUP_TIMEOUT: Final = 300

#: A run that got less than this share of its core was disturbed by other processes.
MIN_CORE_SHARE: Final = 0.95

ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
}


@dataclass(frozen=True)
class Run:
    """The output of a loop's script for one run."""

    decisions: float
    games: float
    chance: float
    seconds: float
    cpu: float
    version: str

    @classmethod
    def of(cls, line: str) -> "Run":
        """Read the one line of JSON."""
        try:
            data = json.loads(line)
            numbers = {name: float(data[name]) for name in ("decisions", "games", "chance", "seconds", "cpu")}
            run = cls(**numbers, version=str(data["version"]))
        except (ValueError, KeyError, TypeError) as error:
            raise CannotRunError(f"printed {line[:80]!r}, which is not a result: {error!r}") from error
        if run.decisions <= 0 or run.cpu <= 0:
            raise CannotRunError("played nothing")
        return run

    @property
    def rate(self) -> float:
        """Decisions per second of CPU time, so that time taken by other processes does not count."""
        return self.decisions / self.cpu

    @property
    def undisturbed(self) -> bool:
        """Whether the process had its core to itself."""
        return self.cpu >= MIN_CORE_SHARE * self.seconds


@dataclass
class Result:
    """All runs of one loop, or why there are none."""

    peer: Peer
    loop: Loop
    runs: list[Run] = field(default_factory=list)
    failure: str = ""

    @property
    def rate(self) -> float:
        """Decisions per second: the median of the runs."""
        return median(run.rate for run in self.runs)

    @property
    def rates(self) -> tuple[float, float]:
        """The slowest and the fastest run."""
        return min(run.rate for run in self.runs), max(run.rate for run in self.runs)

    @property
    def length(self) -> float | None:
        """Decisions per game."""
        games = sum(run.games for run in self.runs)
        return sum(run.decisions for run in self.runs) / games if games else None

    @property
    def rate_with_chance(self) -> float:
        """Decisions and chance moves per second."""
        return median((run.decisions + run.chance) / run.cpu for run in self.runs)

    @property
    def version(self) -> str:
        """The version of the peer that ran."""
        return self.runs[-1].version

    def as_data(self) -> dict[str, Any]:
        """For a JSON file."""
        data: dict[str, Any] = {
            "peer": self.peer.name,
            "loop": self.loop.name,
            "game": self.loop.game,
            "how": self.loop.how,
            "kind": self.loop.kind.name.lower(),
            "decisions_per_second": round(self.rate) if self.runs else None,
            "runs": [asdict(run) for run in self.runs],
        }
        return data | ({"failure": self.failure} if self.failure else {})


def results_of(data: Sequence[Mapping[str, Any]], peers: Sequence[Peer]) -> list[Result]:
    """Results read from a JSON file."""
    known = {(peer.name, loop.name): (peer, loop) for peer in peers for loop in peer.loops}
    return [
        Result(
            *known[entry["peer"], entry["loop"]],
            [Run(**run) for run in entry["runs"]],
            entry.get("failure", ""),
        )
        for entry in data
    ]


def pin(core: int | None) -> Callable[[], None] | None:
    """Pin a child process to one core."""
    return None if core is None else lambda: os.sched_setaffinity(0, {core})


def run_once(python: Path, peer: Peer, loop: Loop, seconds: float, core: int | None, cache: Path) -> Run:
    """One run of one loop."""
    folder = cache / "runs"  # some peers leave files in the working directory
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, **ONE_THREAD, "JAX_COMPILATION_CACHE_DIR": str(cache / "jax")}
    environment.pop("PYTHONPATH", None)
    try:
        done = subprocess.run(
            [python, HERE / "loops" / f"{peer.script}.py", loop.name, str(seconds)],
            capture_output=True,
            cwd=folder,
            env=environment,
            preexec_fn=pin(core),
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=seconds + SETUP_TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        raise CannotRunError(f"no result after {seconds + SETUP_TIMEOUT:.0f} s") from None
    if done.returncode:
        raise CannotRunError(reason(done.stderr))
    lines = done.stdout.splitlines()
    return Run.of(lines[-1] if lines else "")


def run_all(
    peers: Sequence[Peer],
    seconds: float,
    rounds: int,
    core: int | None,
    cache: Path,
    report_progress: Callable[[str], None],
) -> list[Result]:
    """Every loop of these peers, once per round, so that a slow minute does not affect only one peer."""
    results = []
    pythons = {}
    for peer in peers:
        loops = [Result(peer, loop) for loop in peer.loops]
        results += loops
        try:
            report_progress(f"{peer.name}: environment")
            pythons[peer.name] = python_of(peer, cache)
        except CannotRunError as why:
            report_progress(f"{peer.name}: {why}")
            for result in loops:
                result.failure = str(why)
    for number in range(1, rounds + 1):
        for result in results:
            if result.failure:
                continue
            label = f"{number}/{rounds} {result.peer.name}, {result.loop.game}, {result.loop.how}"
            try:
                run = run_once(pythons[result.peer.name], result.peer, result.loop, seconds, core, cache)
            except CannotRunError as why:
                result.failure = str(why)
                report_progress(f"{label}: {why}")
            else:
                result.runs.append(run)
                report_progress(f"{label}: {run.rate:,.0f}" + ("" if run.undisturbed else " (disturbed)"))
    return results

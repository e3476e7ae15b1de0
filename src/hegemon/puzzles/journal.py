"""The journal of a mining run: one line per batch, so that an interrupted run can be resumed."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

from hegemon.puzzles.mining import MinedPuzzle

MineBatch = Callable[[int, int], list[MinedPuzzle]]


def read_journal(path: Path, seed: int, theme: str = "") -> dict[int, list[MinedPuzzle]]:
    """The results of the finished batches of a seed and a theme; an incomplete line is skipped."""
    found: dict[int, list[MinedPuzzle]] = {}
    if not path.exists():
        return found
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            fields = json.loads(line)
            if (fields["seed"], fields.get("theme", "")) == (seed, theme):
                found[fields["batch"]] = [mined_puzzle_of(one) for one in fields["found"]]
        except (KeyError, TypeError, ValueError):
            continue
    return found


def mined_puzzle_of(fields: dict[str, Any]) -> MinedPuzzle:
    return MinedPuzzle(**{**fields, "solution": tuple(fields["solution"])})


def mine(
    path: Path, mine_batch: MineBatch, *, seed: int, batches: int, jobs: int, theme: str = ""
) -> Iterator[int]:
    """Mine the batches that are not in the journal; yield the number of finished batches."""
    done = read_journal(path, seed, theme)
    missing = [number for number in range(batches) if number not in done]
    yield batches - len(missing)
    with path.open("a", encoding="utf-8") as journal:
        for number, found in zip(missing, _results(mine_batch, seed, missing, jobs), strict=True):
            line = {"seed": seed, "theme": theme, "batch": number, "found": [asdict(one) for one in found]}
            # Starts a new line even after an incomplete one.
            journal.write(("" if path.stat().st_size == 0 else "\n") + json.dumps(line))
            journal.flush()
            yield batches - len(missing) + missing.index(number) + 1


def _results(mine_batch: MineBatch, seed: int, numbers: list[int], jobs: int) -> Iterator[list[MinedPuzzle]]:
    if jobs == 1:
        yield from map(mine_batch, repeat(seed), numbers)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(partial(mine_batch, seed), numbers)

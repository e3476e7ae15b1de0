"""The journal of a run: what every batch found, one line each, so that an interrupted run can go on."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

from hegemon.puzzles.mining import Found

Batches = Callable[[int, int], list[Found]]


def read_journal(path: Path, seed: int, theme: str = "") -> dict[int, list[Found]]:
    """What the batches of a seed and a theme found so far; a line that was not finished is left out."""
    found: dict[int, list[Found]] = {}
    if not path.exists():
        return found
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            fields = json.loads(line)
            if (fields["seed"], fields.get("theme", "")) == (seed, theme):
                found[fields["batch"]] = [found_of(one) for one in fields["found"]]
        except (KeyError, TypeError, ValueError):
            continue
    return found


def found_of(fields: dict[str, Any]) -> Found:
    return Found(**{**fields, "solution": tuple(fields["solution"])})


def mine(
    path: Path, mine_batch: Batches, *, seed: int, batches: int, jobs: int, theme: str = ""
) -> Iterator[int]:
    """Mine the batches that the journal does not have; yield the number of those that are done."""
    done = read_journal(path, seed, theme)
    missing = [number for number in range(batches) if number not in done]
    yield batches - len(missing)
    with path.open("a", encoding="utf-8") as journal:
        for number, found in zip(missing, _results(mine_batch, seed, missing, jobs), strict=True):
            line = {"seed": seed, "theme": theme, "batch": number, "found": [asdict(one) for one in found]}
            # A line that an interruption cut off is ended here.
            journal.write(("" if path.stat().st_size == 0 else "\n") + json.dumps(line))
            journal.flush()
            yield batches - len(missing) + missing.index(number) + 1


def _results(mine_batch: Batches, seed: int, numbers: list[int], jobs: int) -> Iterator[list[Found]]:
    if jobs == 1:
        yield from map(mine_batch, repeat(seed), numbers)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(partial(mine_batch, seed), numbers)

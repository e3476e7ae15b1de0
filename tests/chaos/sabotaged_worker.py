"""A worker that forgets to save some of the moves that it acknowledges, to show that the checker finds out."""

import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from chaos import worker

from hegemon.server.db.moves import Moves

#: One move in this many is not saved.
INTERVAL = 15

numbers = itertools.count(1)
append = Moves.append


async def append_most(self, game_id, move, **options):
    if next(numbers) % INTERVAL:
        await append(self, game_id, move, **options)


if __name__ == "__main__":
    Moves.append = append_most  # in this process alone, which exists for that
    worker.main()

"""The English sentences of puzzles, and the handmade puzzles, which can be won for certain."""

from typing import Final, NamedTuple

from hegemon.prose.data import read_data


class HandmadePuzzle(NamedTuple):
    """A position whose player can win this turn with the visible cards."""

    game: str
    """The name of the game's record and the number of moves before the position."""
    players: int
    seat: int
    position: str
    first: tuple[str, ...]
    """The cards that can be played first to win, regardless of hidden cards."""
    solution: tuple[str, ...]
    """A shortest way to win."""
    difficulty: int
    why: str


_DATA: Final = read_data("puzzles")

PUZZLES: Final = tuple(
    HandmadePuzzle(**{**puzzle, "first": tuple(puzzle["first"]), "solution": tuple(puzzle["solution"])})
    for puzzle in _DATA["puzzles"]
)

MAX_DIFFICULTY: Final = 5

SENTENCES: Final[dict[str, str]] = {
    **{
        f"{part}.{key}": text
        for part in ("page", "theme", "why", "wrong")
        for key, text in _DATA[part].items()
    },
    **{puzzle.game: puzzle.why for puzzle in PUZZLES},
}

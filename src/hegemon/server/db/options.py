"""The terms of a table: what its host has agreed with those who sit down, kept with the game as JSON."""

import msgspec


class TableOptions(msgspec.Struct, frozen=True, omit_defaults=True):
    """What holds for one table besides the rules of the game; whatever is not said is as usual."""

    language: str = ""
    """The language in which the table was laid: those who look for a table in the lobby can go by it."""
    rated: bool = False
    """Whether the ratings of those who have one change when the game is over."""
    clock: str = ""
    """How long each seat may think, as `clocks` reads it; nothing is as long as it likes."""
    spectator_delay: int = 0
    """After how many rounds those who look on see all hands; 0 is not before the game is over."""
    before: int = 0
    """How many games of the series were played before this one."""
    score: tuple[int, ...] = ()
    """How many of them each seat has won, where it sits now."""

    def write(self) -> str:
        """The terms as they are kept."""
        return msgspec.json.encode(self).decode()


def read_options(text: str) -> TableOptions:
    """The terms of a table; what a later version has added is left aside."""
    return msgspec.json.decode(text, type=TableOptions)

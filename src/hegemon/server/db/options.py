"""The options of a table, stored with the game as JSON."""

from typing import Final

import msgspec


class TableOptions(msgspec.Struct, frozen=True, omit_defaults=True):
    language: str = ""
    """The language of the host, which the lobby shows."""
    rated: bool = False
    clock: str = ""
    """The time control, as `read_time_control` reads it; empty for none."""
    spectator_delay: int = 0
    """The number of rounds after which spectators see all hands; 0 if only after the game."""
    before: int = 0
    """The number of earlier games in the series of rematches."""
    score: tuple[int, ...] = ()
    """The number of earlier games that each seat has won, in the order of this game's seats."""
    daily: str = ""
    """The date, if this is the deal of the day; empty for any other game."""
    bot_seed: int = 0
    """If not 0, bots always make the same choice in the same situation."""
    origin: str = ""
    """The game that this one was continued from."""
    origin_daily: str = ""
    """The date, if the original game was a deal of the day; empty for any other."""

    tournament: str = ""
    """The tournament that this game belongs to; empty for any other game."""
    round: int = 0
    """The round of the tournament."""

    def write(self) -> str:
        return msgspec.json.encode(self).decode()


DEFAULT_OPTIONS: Final = TableOptions()


def read_options(text: str) -> TableOptions:
    """Read options; unknown fields of a later version are ignored."""
    return msgspec.json.decode(text, type=TableOptions)

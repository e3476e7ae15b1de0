"""The options of a table, stored with the game as JSON."""

import msgspec


class TableOptions(msgspec.Struct, frozen=True, omit_defaults=True):
    language: str = ""
    """The language of the host, which the lobby shows."""
    rated: bool = False
    clock: str = ""
    """The time control, as `read_time_control` reads it; empty for none."""
    spectator_delay: int = 0
    """Spectators see all hands this many rounds later; 0 for not before the game is over."""
    before: int = 0
    """The number of earlier games in the series of rematches."""
    score: tuple[int, ...] = ()
    """How many of them each seat has won, in the order of this game's seats."""
    daily: str = ""
    """The date of the deal of the day that this is; empty for any other game."""
    bot_seed: int = 0
    """With another number, the bots choose the same in the same situation, however often it is played."""
    origin: str = ""
    """The game from a moment of which this one is played on."""
    origin_daily: str = ""
    """The date of the deal of the day that game was; empty for any other."""

    tournament: str = ""
    """The tournament that this game belongs to; empty for any other game."""
    round: int = 0
    """The round of the tournament."""

    def write(self) -> str:
        return msgspec.json.encode(self).decode()


def read_options(text: str) -> TableOptions:
    """Read options; unknown fields of a later version are ignored."""
    return msgspec.json.decode(text, type=TableOptions)

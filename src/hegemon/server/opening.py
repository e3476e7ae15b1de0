"""From the form of the start page to a table: who sits where, and by which rulings."""

from collections.abc import Mapping
from typing import Final

from hegemon.bots import BOTS
from hegemon.notation.table import TableError
from hegemon.play.game import Game
from hegemon.server.store import SeatRow

#: What may sit on a seat besides a bot: the one who opens the table, another person at this device, or nobody.
ME: Final = "me"
PERSON: Final = "person"
NOBODY: Final = "nobody"

_LONGEST_NAME: Final = 24


def open_table(form: Mapping[str, str], holder: str | None) -> tuple[Game, list[SeatRow]]:
    """The game that a form asks for, and who holds its seats.

    The fields are `seat1` to `seat4` (me, person, nobody or the name of a bot), `name1` to `name4`, `variant`, `teams`
    and `rulings`; whatever is left out is as in a quick game of three.
    """
    sitting = [form.get(f"seat{number}", NOBODY) for number in range(1, 5)]
    if all(who == NOBODY for who in sitting):
        sitting = [ME, "greedy", "greedy", NOBODY]
    seats, names = [], []
    for number, who in enumerate(sitting, 1):
        if who == NOBODY:
            continue
        if who not in (ME, PERSON) and who not in BOTS:
            raise TableError(f'Nobody called "{who[:40]}" can sit down; bots are {", ".join(BOTS)}.')
        is_bot = who in BOTS
        seats.append(SeatRow(bot=who if is_bot else None, holder=None if is_bot else holder))
        names.append(clean_name(form.get(f"name{number}", "")) or f"Player {number}")
    if all(seat.bot for seat in seats):
        raise TableError("At least one person sits at the table.")
    game = Game(
        len(seats),
        form.get("variant", "basic"),
        teams=form.get("teams") == "on",
        rulings=form.get("rulings", "standard"),
        names=names,
    )
    return game, seats


def clean_name(name: str) -> str:
    """A name as it is shown: one line, not too long."""
    return " ".join("".join(letter for letter in name if letter.isprintable()).split())[:_LONGEST_NAME]

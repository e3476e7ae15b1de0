"""Checks of the setup of a new table."""

from collections.abc import Sequence

from hegemon.notation.errors import NotationError
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import VARIANTS
from hegemon.server.db.rows import SeatRow


class SetupRejected(Exception):
    """A table that cannot be created, or a file that cannot be read; has the key of a sentence, and its fields."""

    def __init__(self, key: str, detail: str = "", **facts: object) -> None:
        self.key = key
        self.facts = facts
        self.detail = detail
        """What exactly is wrong, in English."""
        super().__init__(key, detail, facts)


def check_setup(seats: Sequence[SeatRow], teams: bool, variant: str, rulings: str) -> None:
    if len(seats) < 2:
        raise SetupRejected("alone")
    if all(seat.bot for seat in seats):
        raise SetupRejected("no-person")
    if teams and len(seats) != 4:
        raise SetupRejected("teams")
    if variant not in VARIANTS:
        raise SetupRejected("variant")
    try:
        read_rulings(rulings)
    except NotationError as error:
        raise SetupRejected("rulings", str(error)) from None

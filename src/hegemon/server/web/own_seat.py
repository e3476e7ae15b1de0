"""The seat for which a visitor acts at a table."""

from litestar.exceptions import HTTPException

from hegemon.rules.view import SPECTATOR
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.forms import SeatForm, read_number
from hegemon.server.web.session import Visitor


def check_own_seat(table: Table, visitor: Visitor, seat: int) -> None:
    """Reject a visitor who does not hold a seat; no one holds SPECTATOR."""
    if seat not in visitor.seats_at(table):
        raise HTTPException(REJECTIONS["seat"], status_code=403)


def seat_in(form: SeatForm, table: Table, visitor: Visitor) -> int:
    """The seat in a form, which must be the visitor's; by default the first one, or SPECTATOR without seats."""
    own = visitor.seats_at(table)
    if not own:
        return SPECTATOR
    number = read_number(form.seat)
    seat = number - 1 if number is not None else own[0]
    check_own_seat(table, visitor, seat)
    return seat


def own_seat_in(form: SeatForm, table: Table, visitor: Visitor) -> int:
    """The seat in a form, for players only."""
    seat = seat_in(form, table, visitor)
    check_own_seat(table, visitor, seat)
    return seat


def path_at(table: Table, seat: int, fragment: str) -> str:
    """The path of a table's page as a seat sees it, with the id of an element to scroll to."""
    query = f"?seat={seat + 1}" if seat != SPECTATOR else ""
    return f"/games/{table.id}{query}#{fragment}"

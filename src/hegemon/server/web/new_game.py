"""New games: from the form of the home page, or from a record file."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hegemon.notation.errors import NotationError, RecordSyntaxError
from hegemon.notation.record import Record, RecordError, read_record
from hegemon.notation.rulings import read_rulings, write_rulings
from hegemon.play.game import Game
from hegemon.prose.english import BOT_NAMES, PERSON_NAMES
from hegemon.prose.translator import Translator
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.tables.clock import read_time_control
from hegemon.server.tables.seats import clean_name, open_seat_row
from hegemon.server.tables.setup import SetupRejected, check_setup
from hegemon.server.tables.spectate import DELAYS
from hegemon.server.web.forms import NewGameForm
from hegemon.server.web.session import ANONYMOUS, Visitor

#: The occupants of a seat other than bots: the visitor, another person at this device, an invited friend, or no one.
ME: Final = "me"
PERSON: Final = "person"
FRIEND: Final = "friend"
EMPTY: Final = "nobody"
OCCUPANTS: Final = (ME, PERSON, FRIEND, EMPTY)

#: The maximum length of a salt. Ours have 32 characters; that of a record is kept unchanged, for the digest.
MAX_SALT_LENGTH: Final = 100

#: The seats of a quick game.
DEFAULT_SEATS: Final = (ME, "normal", "normal", EMPTY)


def read_new_game(
    form: NewGameForm,
    owner: str | None,
    tr: Translator,
    bots: Sequence[str],
    seed: int | None = None,
    visitor: Visitor = ANONYMOUS,
) -> tuple[Game, list[SeatRow]]:
    """The game and the seats of a form, with bots of these names; the visitor gets their remembered name."""
    seats, names = [], []
    for number, (occupant, name) in enumerate(zip(occupants_in(form), form.names, strict=True), 1):
        if occupant == EMPTY:
            continue
        if occupant not in (ME, PERSON, FRIEND) and occupant not in bots:
            raise SetupRejected("occupant", who=clean_name(occupant))
        is_bot = occupant in bots
        if occupant == FRIEND:
            seats.append(open_seat_row())
        else:
            seats.append(SeatRow(bot=occupant if is_bot else None, owner=None if is_bot else owner))
        if occupant == ME:
            default_name = visitor.name or tr.person_name(number - 1)
        else:
            default_name = tr.person_name(number - 1) if not is_bot else BOT_NAMES[number - 1]
            # The form suggests the visitor's name on the first seat, even if another player gets that seat.
            if name == visitor.name:
                name = ""
        names.append(clean_name(name) or default_name)
    if visitor.color is not None and ME in (
        seated := [occupant for occupant in occupants_in(form) if occupant != EMPTY]
    ):
        seats = with_color(seats, seated.index(ME), visitor.color)
    teams, rulings = form.teams == "on", form.rulings or "standard"
    check_setup(seats, teams, form.variant, rulings)
    return Game(len(seats), form.variant, teams=teams, rulings=rulings, seed=seed, names=names), seats


def occupants_in(form: NewGameForm) -> Sequence[str]:
    """Who has each of the four seats."""
    return [occupant or EMPTY for occupant in form.seats] if any(form.seats) else DEFAULT_SEATS


def own_name(form: NewGameForm) -> str:
    """The name that the visitor has entered for their own seat; empty for none."""
    occupants = occupants_in(form)
    return form.names[occupants.index(ME)] if ME in occupants else ""


def with_color(seats: Sequence[SeatRow], seat: int, color: int) -> list[SeatRow]:
    """The seats of a new table, with a color for one of them; another seat that has that color gets a different one."""
    rows = [replace(row, color=color if number == seat else None) for number, row in enumerate(seats)]
    if color < len(rows) and color != seat:
        rows[color] = replace(rows[color], color=seat)
    return rows


def options_in(form: NewGameForm, language: str, *, lobby: bool = False) -> TableOptions:
    """The options of a form: clocks only with friends, rated games only with a lobby."""
    try:
        read_time_control(form.clock)
    except NotationError:
        raise SetupRejected("clock") from None
    delay = form.hands or "0"
    if delay not in map(str, (0, *DELAYS)):
        raise SetupRejected("hands")
    return TableOptions(
        language=language,
        rated=lobby and form.rated == "on",
        clock=form.clock if FRIEND in form.seats else "",
        spectator_delay=int(delay),
    )


def read_record_file(content: bytes) -> Record:
    try:
        record = read_record(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise SetupRejected("record-text") from None
    except RecordSyntaxError as error:
        raise SetupRejected("record-form", str(error)) from None
    except RecordError as error:
        raise SetupRejected("record-game", str(error)) from None
    if len(record.salt) > MAX_SALT_LENGTH:
        raise SetupRejected("record-game", f"A salt has at most {MAX_SALT_LENGTH} characters.")
    return record


def read_game(content: bytes) -> Game:
    """The game in a record file, with names and texts limited like those entered here."""
    record = read_record_file(content)
    if record.position:
        raise SetupRejected("record-study")
    return Game.from_record(
        replace(
            record,
            names=tuple(clean_name(name) or PERSON_NAMES[seat] for seat, name in enumerate(record.names)),
            rulings=write_rulings(read_rulings(record.rulings)),
            title="",
            comment="",
            comments={},
            variations=(),
        )
    )

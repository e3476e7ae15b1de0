"""From the form of the start page to a table: who sits where, and by which rulings; or from a file to a game."""

from collections.abc import Mapping
from typing import Final

from hegemon.bots import BOTS
from hegemon.notation.errors import NotationError
from hegemon.notation.record import RecordError, read_record
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import VARIANTS
from hegemon.notation.toml import read_toml
from hegemon.play.game import Game
from hegemon.prose.translator import Translator
from hegemon.server.db.options import TableOptions
from hegemon.server.db.schema import SeatRow
from hegemon.server.tables.clock import read_time_control
from hegemon.server.tables.seats import BOT_NAMES, clean_name, open_seat_row
from hegemon.server.tables.spectate import DELAYS

#: What may sit on a seat besides a bot: the one who opens the table, another person at this device, whoever comes by
#: a link, or nobody.
ME: Final = "me"
PERSON: Final = "person"
FRIEND: Final = "friend"
NOBODY: Final = "nobody"

#: Who sits where if nothing else is said: one click, and the game begins.
USUAL: Final = (ME, "normal", "normal", NOBODY)


class SetupRejected(Exception):
    """A table that cannot be laid, or a file that is no game: which sentence says so, and what varies in it."""

    def __init__(self, key: str, detail: str = "", **facts: object) -> None:
        self.key = key
        self.facts = facts
        self.detail = detail
        """What exactly is wrong with a file, in the words of the notation."""
        super().__init__(key, detail, facts)


def open_table(
    form: Mapping[str, str], owner: str | None, language: Translator, seed: int | None = None
) -> tuple[Game, list[SeatRow]]:
    """The game that a form asks for, and who holds its seats.

    The fields are `seat1` to `seat4` (me, person, friend, nobody or the name of a bot), `name1` to `name4`, `variant`,
    `teams` and `rulings`; whatever is left out is as in a quick game of three.
    """
    sitting = [form.get(f"seat{number}", NOBODY) for number in range(1, 5)]
    if not any(f"seat{number}" in form for number in range(1, 5)):
        sitting = list(USUAL)
    seats, names = [], []
    for number, who in enumerate(sitting, 1):
        if who == NOBODY:
            continue
        if who not in (ME, PERSON, FRIEND) and who not in BOTS:
            raise SetupRejected("sitter", who=clean_name(who))
        is_bot = who in BOTS
        if who == FRIEND:
            seats.append(open_seat_row())
        else:
            seats.append(SeatRow(bot=who if is_bot else None, owner=None if is_bot else owner))
        unnamed = BOT_NAMES[number - 1] if is_bot else language.text("Player {number}", number=number)
        names.append(clean_name(form.get(f"name{number}", "")) or unnamed)
    teams, variant, rulings = form.get("teams") == "on", form.get("variant", "basic"), form.get("rulings", "")
    check_table(seats, teams, variant, rulings)
    return Game(
        len(seats), variant, teams=teams, rulings=rulings or "standard", seed=seed, names=names
    ), seats


def options_in(form: Mapping[str, str], language: str, *, lobby: bool = False) -> TableOptions:
    """The terms that a form asks for: `clock`, after how many rounds those who look on see all `hands`, and `rated`.

    There is a clock only where somebody comes by a link, and games are rated only where there is a lobby.
    """
    clock = form.get("clock", "")
    try:
        read_time_control(clock)
    except NotationError:
        raise SetupRejected("clock") from None
    hands = form.get("hands") or "0"
    if hands not in map(str, (0, *DELAYS)):
        raise SetupRejected("hands")
    friends = any(form.get(f"seat{number}") == FRIEND for number in range(1, 5))
    return TableOptions(
        language=language,
        rated=lobby and form.get("rated") == "on",
        clock=clock if friends else "",
        spectator_delay=int(hands),
    )


def check_table(seats: list[SeatRow], teams: bool, variant: str, rulings: str) -> None:
    """Say what is wrong with a table before it is laid."""
    if len(seats) < 2:
        raise SetupRejected("alone")
    if all(seat.bot for seat in seats):
        raise SetupRejected("no-person")
    if teams and len(seats) != 4:
        raise SetupRejected("teams")
    if variant not in VARIANTS:
        raise SetupRejected("variant")
    try:
        read_rulings(rulings or "standard")
    except NotationError:
        raise SetupRejected("rulings") from None


def read_game(content: bytes) -> Game:
    """The game that a file holds."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SetupRejected("record-text") from None
    key = "record-form"
    try:
        read_toml(text)
        key = "record-game"
        return Game.from_record(read_record(text))
    except RecordError as error:
        raise SetupRejected(key, str(error)) from None

"""A game of a person in a list: whose turn it is, or the result; opponents, level, and when."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from babel.dates import format_timedelta

from hegemon.bots import BOTS
from hegemon.notation.errors import NotationError
from hegemon.prose.translator import Translator
from hegemon.server.db.own_games import OwnGame
from hegemon.server.db.rows import SeatRow, Summary
from hegemon.server.tables.clock import merged_pauses, read_time_control, running_time
from hegemon.server.tables.seats import shown_name
from hegemon.server.web.views.durations import remaining_time_text

_HOUR: Final = timedelta(hours=1)

#: After two days, minutes no longer matter, and the texts for whole hours are cached.
_EXACT_HOURS: Final = 48


def ago(moment: datetime, language: str, now: datetime | None = None) -> str:
    # SQLite does not store the time zone, which is UTC.
    since = (now or datetime.now(UTC)) - moment.replace(tzinfo=UTC)
    hours = since // _HOUR
    return _ago(_HOUR * hours if hours >= _EXACT_HOURS else since, language)


@lru_cache(4096)
def _ago(since: timedelta, language: str) -> str:
    return format_timedelta(-since, add_direction=True, locale=language)


def describe(own: OwnGame, tr: Translator, now: datetime) -> dict[str, Any]:
    game = own.game
    names = [shown_name(row, name, tr) for row, name in zip(game.seats, game.names, strict=True)]
    opponents = [name for seat, name in enumerate(names) if seat not in own.own] or names
    level = own.level if own.level is not None else strongest_bot(game.seats)
    waits = not game.finished and any(row.is_open for row in game.seats)
    alone = all(row.bot is not None for seat, row in enumerate(game.seats) if seat not in own.own)
    playing = {seat for seat in own.own if game.seats[seat].substitute is None}
    return {
        "id": game.id,
        "opponents": tr.listing(opponents),
        "mine": not game.finished and not playing.isdisjoint(own.to_move),
        "state": state_of(own, playing, names, tr, now, waits=waits),
        "level": tr.bots.get(level, level),
        "finished": game.finished,
        "closed": own.closed,
        "won": own.won,
        "ago": ago(game.updated_at, tr.code, now),
        "at": game.updated_at.isoformat(timespec="minutes"),
        "next_game": own.next_game,
        "may_resign": not (game.finished or waits or alone or game.options.daily or game.options.tournament)
        and bool(playing),
        "may_hide": game.finished or waits or alone or not own.to_move,
    }


def state_of(
    own: OwnGame, playing: set[int], names: Sequence[str], tr: Translator, now: datetime, *, waits: bool
) -> str:
    """Whose turn it is, with the time left, or how the game ended."""
    if own.closed:
        return tr.text("closed")
    if own.game.finished:
        if own.won is None:
            return tr.text("finished")
        return tr.text("won") if own.won else tr.text("lost")
    if waits:
        return tr.text("waiting for players")
    if not playing:
        return tr.text("a bot is playing")
    moving = playing & own.to_move.keys()
    if not own.to_move:
        return tr.text("in progress")
    if not moving:
        return tr.text("Waiting for {name}…", name=tr.listing([names[seat] for seat in own.to_move]))
    deadlines = [deadline for seat in moving if (deadline := own.to_move[seat]) is not None]
    if not deadlines:
        return tr.text("Your turn")
    pauses = (
        merged_pauses([vacation.pause for vacation in own.vacations]) if is_correspondence(own.game) else ()
    )
    left = max(running_time(now, min(deadlines), pauses), timedelta(0))
    return tr.text("Your turn, {time} left", time=remaining_time_text(left, tr))


def is_correspondence(game: Summary) -> bool:
    """Whether a game is played by correspondence; False if its options are damaged, as lists show such games, too."""
    try:
        return read_time_control(game.options.clock).is_correspondence
    except NotationError:
        return False


def strongest_bot(seats: Sequence[SeatRow]) -> str:
    """The level of the strongest bot; empty without bots."""
    order = list(BOTS)
    bots = [row.bot for row in seats if row.bot is not None]
    return max(bots, key=lambda bot: order.index(bot) if bot in order else len(order), default="")

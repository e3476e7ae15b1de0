"""Actions of hosts and players: open a tournament, enter, withdraw, start it."""

import contextlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hegemon.bots import BOTS
from hegemon.notation.errors import NotationError
from hegemon.notation.setup import VARIANTS
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.tournament_rows import OPEN, Entry, TournamentRow, TournamentSnapshot
from hegemon.server.tables.clock import read_time_control
from hegemon.server.tables.names import check_names
from hegemon.server.tables.seats import clean_name
from hegemon.server.tables.setup import SetupRejected
from hegemon.server.tournaments.director import Director
from hegemon.server.tournaments.errors import MAX_TOURNAMENTS, TournamentRejected
from hegemon.server.tournaments.formats import FORMATS, MAX_ENTRIES, MAX_PAUSE, MAX_ROUNDS

MAX_TITLE_LENGTH: Final = 60


@dataclass(frozen=True)
class TournamentSettings:
    """The settings that a host chooses for a new tournament."""

    title: str
    format: str
    players: int
    rounds: int
    clock: str
    variant: str = "basic"
    pause: int = 60
    bot: str = "normal"
    """The level of the bots that fill the remaining places."""
    bots: tuple[str, ...] = ()
    """The levels of bots that are entered from the start."""
    public: bool = False
    starts_at: datetime | None = None


async def open_tournament(
    director: Director,
    settings: TournamentSettings,
    host: str,
    *,
    language: str = "",
    tournament_id: str = "",
) -> str:
    """Save a new tournament, unless one with that id already exists; return its id."""
    if tournament_id and await director.snapshot(tournament_id) is not None:
        return tournament_id
    tournament = _new_tournament(
        director, settings, host, language, tournament_id or secrets.token_urlsafe(12)
    )
    await check_names(director.tables.store, tournament.title)
    entries = [Entry(number, f"Bot {number}", bot=level) for number, level in enumerate(settings.bots, 1)]
    with contextlib.suppress(ConflictError):  # the same request was sent concurrently
        if not await director.store.create(tournament, entries, MAX_TOURNAMENTS):
            raise TournamentRejected("many")
    director.changed(tournament.id)
    return tournament.id


def _new_tournament(
    director: Director, settings: TournamentSettings, host: str, language: str, tournament_id: str
) -> TournamentRow:
    title = clean_name(settings.title, MAX_TITLE_LENGTH)
    if not title:
        raise TournamentRejected("no-title")
    if settings.players not in FORMATS.get(settings.format, ()):
        raise TournamentRejected("format")
    if not 1 <= settings.rounds <= MAX_ROUNDS:
        raise TournamentRejected("rounds")
    if not 0 <= settings.pause <= MAX_PAUSE:
        raise TournamentRejected("pause")
    if settings.variant not in VARIANTS:
        raise SetupRejected("variant")
    _check_bots((settings.bot, *settings.bots))
    if len(settings.bots) > MAX_ENTRIES:
        raise TournamentRejected("full")
    return TournamentRow(
        tournament_id,
        host,
        title,
        settings.format,
        settings.players,
        settings.variant,
        settings.rounds,
        _read_clock(settings.clock),
        settings.pause,
        settings.bot,
        secrets.randbits(62),
        director.tables.now(),
        public=settings.public,
        language=language,
        starts_at=settings.starts_at,
    )


def _check_bots(levels: Sequence[str]) -> None:
    if not set(levels) <= set(BOTS):
        raise TournamentRejected("bot")


def _read_clock(text: str) -> str:
    """Check a time control, which is required because an absent player would hold up everyone else."""
    try:
        control = read_time_control(text)
    except NotationError as error:
        raise SetupRejected("clock", str(error)) from None
    if not control:
        raise TournamentRejected("clock")
    return control.text


async def find(director: Director, tournament_id: str) -> TournamentSnapshot:
    snapshot = await director.snapshot(tournament_id)
    if snapshot is None:
        raise TournamentRejected("unknown")
    return snapshot


async def _find_open(director: Director, tournament_id: str, host: str | None = None) -> TournamentSnapshot:
    """A tournament that has not started; if `host` is given, only for that host."""
    snapshot = await find(director, tournament_id)
    if host is not None and snapshot.tournament.host != host:
        raise TournamentRejected("host")
    if snapshot.tournament.state != OPEN:
        raise TournamentRejected("started")
    return snapshot


async def join(director: Director, tournament_id: str, owner: str, name: str) -> Entry:
    """Enter a person; has no effect if they are already entered."""
    if (existing := (await find(director, tournament_id)).entry_of(owner)) is not None:
        return existing
    if not (name := clean_name(name)):
        raise TournamentRejected("no-name")
    await check_names(director.tables.store, name)
    return await _enter(director, tournament_id, Entry(0, name, owner))


async def add_bot(director: Director, tournament_id: str, level: str, host: str) -> Entry:
    await _find_open(director, tournament_id, host)
    _check_bots([level])
    return await _enter(director, tournament_id, Entry(0, "", bot=level))


async def _enter(director: Director, tournament_id: str, entry: Entry) -> Entry:
    await _find_open(director, tournament_id)
    try:
        entered = await director.store.enter(tournament_id, entry, MAX_ENTRIES)
    except ConflictError:
        existing = (await find(director, tournament_id)).entry_of(entry.owner)
        if existing is None:
            raise TournamentRejected("taken") from None
        return existing
    if entered is None:
        await _find_open(director, tournament_id)  # it may have started in the meantime
        raise TournamentRejected("full")
    director.changed(tournament_id)
    return entered


async def withdraw(director: Director, tournament_id: str, number: int, caller: str) -> None:
    """Withdraw an entry: before the start it disappears, later a bot plays on. The host may withdraw any entry."""
    snapshot = await find(director, tournament_id)
    entry = next((entry for entry in snapshot.entries if entry.number == number), None)
    if entry is None:
        raise TournamentRejected("entry")
    if caller not in (entry.owner, snapshot.tournament.host):
        raise TournamentRejected("host")
    await director.store.withdraw(tournament_id, number)
    director.changed(tournament_id)


async def start(director: Director, tournament_id: str, host: str) -> None:
    await _find_open(director, tournament_id, host)
    await director.begin(tournament_id)
    director.changed(tournament_id)


async def delete(director: Director, tournament_id: str, host: str) -> None:
    """Cancel a tournament that has not started."""
    await _find_open(director, tournament_id, host)
    await director.store.delete(tournament_id)
    director.changed(tournament_id)

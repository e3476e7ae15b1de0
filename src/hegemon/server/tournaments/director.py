"""The director of all tournaments: reads from the database which steps are due, and carries them out.

A server that was killed therefore continues where it stopped. Rounds, tables and results have unique keys, so each is
created only once.
"""

import asyncio
import contextlib
import secrets
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Final

import msgspec

from hegemon.notation.record import read_record, write_record
from hegemon.play.game import Game
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.tournament_rows import OPEN, OVER, Entry, Outcome, Pairing, Round, TournamentSnapshot
from hegemon.server.db.tournaments import bot_name
from hegemon.server.tables.errors import BrokenGame, TableNotFound
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.results import score_of
from hegemon.server.tables.scheduler import Scheduler
from hegemon.server.tables.substitutes import substitute
from hegemon.server.tables.table import WITHDRAWN, Table
from hegemon.server.tournaments import league, pairing
from hegemon.server.tournaments.formats import (
    DUPLICATE,
    GROUPS,
    ROUND_ROBIN,
    missing_bots,
    rounds_of,
)

#: The name of the background task.
TOURNAMENTS: Final = "tournaments"

#: The key under which upkeep is scheduled: opening the week of the league, and expiry.
_UPKEEP: Final = ""
_UPKEEP_INTERVAL: Final = timedelta(hours=1)

#: A tournament that its host has not started is deleted after this time.
_MAX_OPEN_TIME: Final = timedelta(days=60)

#: The maximum number of tournaments in the cache for readers.
_MAX_CACHED: Final = 100


class Follower:
    """A stream that follows a tournament, woken when the tournament changes or the server stops."""

    def __init__(self) -> None:
        self.news = asyncio.Event()
        self.closed = False

    def notify(self) -> None:
        self.news.set()

    def close(self) -> None:
        self.closed = True
        self.news.set()


class Director:
    def __init__(self, tables: TableRegistry) -> None:
        self.tables = tables
        self.store = tables.store.tournaments
        self._scheduler = Scheduler(lambda: tables.now())
        self._changed: set[str] = set()
        """Tournaments in which something has changed since they were last advanced."""
        self._snapshots: OrderedDict[str, TournamentSnapshot] = OrderedDict()
        self._followers: dict[str, set[Follower]] = {}

    def start(self) -> None:
        self.tables.cluster.subscribe(
            TOURNAMENTS, lambda _, tournament_id: self._changed_by_other_worker(tournament_id)
        )
        self.tables.start_owned_task(TOURNAMENTS, self._run)

    async def _run(self) -> None:
        for tournament_id in (_UPKEEP, *await self.store.active()):
            self._scheduler.schedule(tournament_id, self.tables.now())
        self.tables.background.report_success(TOURNAMENTS)
        await self._scheduler.run(self._check)

    async def _check(self, tournament_id: str) -> None:
        self._changed.discard(tournament_id)
        due = await (self.advance(tournament_id) if tournament_id else self.do_upkeep())
        if tournament_id in self._changed:  # a game has ended in the meantime
            due = self.tables.now()
        self._scheduler.schedule(tournament_id, due)

    def _schedule_now(self, tournament_id: str) -> None:
        self._changed.add(tournament_id)
        self._scheduler.schedule(tournament_id, self.tables.now())

    # ---------------------------------------------------------------- changes

    def changed(self, tournament_id: str) -> None:
        """Schedule a tournament to be advanced, and notify its followers."""
        self._schedule_now(tournament_id)
        self._notify(tournament_id)

    def _changed_by_other_worker(self, tournament_id: str) -> None:
        """Note that another worker has changed a tournament, or that one of its games is over."""
        self._schedule_now(tournament_id)
        self._notify_followers(tournament_id)

    async def game_over(self, table: Table) -> None:
        if table.options.tournament:
            self._schedule_now(table.options.tournament)
            self._publish(table.options.tournament)

    def _notify(self, tournament_id: str) -> None:
        """Notify the followers in all workers."""
        self._notify_followers(tournament_id)
        self._publish(tournament_id)

    def _publish(self, tournament_id: str) -> None:
        self.tables.cluster.publish(TOURNAMENTS, tournament_id, tournament_id)

    def _notify_followers(self, tournament_id: str) -> None:
        for follower in self._followers.get(tournament_id, ()):
            follower.notify()

    @contextmanager
    def following(self, tournament_id: str) -> Iterator[Follower]:
        """Follow a tournament within a `with` block."""
        follower = Follower()
        followers = self._followers.setdefault(tournament_id, set())
        followers.add(follower)
        self.tables.followers.add(follower)
        try:
            yield follower
        finally:
            self.tables.followers.discard(follower)
            followers.discard(follower)
            if not followers:
                self._followers.pop(tournament_id, None)

    async def snapshot(self, tournament_id: str) -> TournamentSnapshot | None:
        """The public state of a tournament, loaded once after each change for all readers."""
        cached = self._snapshots.get(tournament_id)
        if cached is not None and await self.store.revision(tournament_id) == cached.tournament.revision:
            return cached
        snapshot = await self.store.load(tournament_id)
        if snapshot is not None:
            snapshot = self._snapshots[tournament_id] = snapshot.public_view()
            if len(self._snapshots) > _MAX_CACHED:
                self._snapshots.popitem(last=False)
        return snapshot

    # ---------------------------------------------------------------- due steps

    async def do_upkeep(self) -> datetime:
        """Open the week of the league, and delete expired tournaments; return when this is due again."""
        now, config = self.tables.now(), self.tables.config
        await self.store.expire_open(now - _MAX_OPEN_TIME)
        if config.expire_after is not None:
            await self.store.expire_over(now - config.expire_after)
        if not config.league:
            return now + _UPKEEP_INTERVAL
        week = league.new_week(now, self.tables.config.substitute_bot)
        if week is not None:
            with contextlib.suppress(ConflictError):  # it is open already
                await self.store.create(week, [], 1)
                self.changed(week.id)
        return min(now + _UPKEEP_INTERVAL, league.next_monday(now))

    async def advance(self, tournament_id: str) -> datetime | None:
        """Carry out all due steps of a tournament; return when the next one is due, if that is known."""
        while (snapshot := await self.store.load(tournament_id)) is not None:
            tournament, now = snapshot.tournament, self.tables.now()
            if tournament.state == OVER:
                break
            if tournament.state == OPEN:
                if tournament.starts_at is None or tournament.starts_at > now:
                    return tournament.starts_at
                await self._begin(snapshot)
            elif (due := next_round_at(snapshot)) is None:
                if not await self._play_round(snapshot):
                    break
            elif due > now:
                return due
            else:
                await self._start_round(snapshot)
            self._notify(tournament_id)
        return None

    async def begin(self, tournament_id: str) -> None:
        """Start an open tournament with all its entries; if it changes at the same time, it is read again."""
        while (
            snapshot := await self.store.load(tournament_id)
        ) is not None and snapshot.tournament.state == OPEN:
            await self._begin(snapshot)

    async def _begin(self, snapshot: TournamentSnapshot) -> None:
        """Start a tournament, with bots in the remaining places; a week of the league needs at least one person.

        Does nothing if the tournament has changed since it was read.
        """
        tournament, number = snapshot.tournament, len(snapshot.entries)
        if tournament.league is not None and not snapshot.entries:
            await self.store.end(tournament)
            return
        bots = missing_bots(tournament.format, tournament.players, number)
        first = max((entry.number for entry in snapshot.entries), default=0) + 1
        names = [entry.name for entry in snapshot.entries]
        for _ in range(bots):
            names.append(bot_name(names))
        bot_entries = [
            Entry(entry_number, name, bot=tournament.bot)
            for entry_number, name in enumerate(names[number:], first)
        ]
        rounds = rounds_of(tournament.format, tournament.rounds, number + bots)
        await self.store.start(tournament, rounds, bot_entries)

    async def _start_round(self, snapshot: TournamentSnapshot) -> None:
        tournament = snapshot.tournament
        number = len(snapshot.rounds) + 1
        seatings = await self._seatings(snapshot, number)
        deal = ""
        if tournament.format == DUPLICATE:
            seed = self.tables.config.new_seed()
            deal = write_record(Game(tournament.players, tournament.variant, seed=seed).record())
        pairings = [
            Pairing(number, board, seating, secrets.token_urlsafe(12) if len(seating) > 1 else None)
            for board, seating in enumerate(seatings, 1)
        ]
        with contextlib.suppress(ConflictError):  # another worker was first
            await self.store.start_round(tournament.id, Round(number, self.tables.now(), deal=deal), pairings)

    async def _seatings(self, snapshot: TournamentSnapshot, number: int) -> Sequence[pairing.Seating]:
        """The tables of the next round."""
        tournament, entries = snapshot.tournament, snapshot.entries
        if tournament.format == GROUPS:
            return pairing.groups(await league.load_groups(self.store, snapshot))
        if tournament.format == DUPLICATE:
            return pairing.duplicate(entries, snapshot.pairings, number, tournament.players, tournament.seed)
        # A Swiss tournament in which everyone meets everyone else is a round robin.
        if tournament.rounds == rounds_of(ROUND_ROBIN, tournament.rounds, len(entries)):
            tables = pairing.round_robin(pairing.draw_order(entries, tournament.seed), number)
            return pairing.without_withdrawn(tables, [entry.number for entry in entries if entry.withdrawn])
        swiss = pairing.Swiss(entries, snapshot.pairings, tournament.seed, tournament.rounds)
        return await asyncio.to_thread(swiss.tables)

    async def _play_round(self, snapshot: TournamentSnapshot) -> bool:
        """Create the tables of the round, and save the results of finished games; return whether all are finished."""
        current = snapshot.current
        assert current is not None, "a round is being played"
        unfinished, has_new_tables = 0, False
        for played in snapshot.pairings_of(current.number):
            if played.is_open:
                has_new_tables = has_new_tables or not played.has_table
                outcome = await self._outcome(snapshot, current, played)
                if outcome is None:
                    unfinished += 1
                else:
                    await self.store.save_outcome(snapshot.tournament.id, played, outcome)
                    self._notify(snapshot.tournament.id)
        if has_new_tables:
            await self.store.note_tables_created(snapshot.tournament.id)
            self._notify(snapshot.tournament.id)
        if unfinished:
            return False
        is_last = current.number >= snapshot.tournament.rounds
        await self.store.end_round(snapshot.tournament.id, current.number, self.tables.now(), last=is_last)
        return True

    async def _outcome(self, snapshot: TournamentSnapshot, current: Round, played: Pairing) -> Outcome | None:
        """The result of a game; None if it is not over. The points of a damaged game are shared by all."""
        try:
            table = await self._table(snapshot, current, played)
        except BrokenGame:
            return Outcome(tuple(range(len(played.entries))), (0,) * len(played.entries))
        if table.game.result is None:
            await self._substitute_withdrawn(snapshot, table)
            return None
        scores = tuple(score_of(table.game, seat) for seat in range(table.game.players))
        return Outcome(tuple(table.game.result.winners), scores)

    async def _table(self, snapshot: TournamentSnapshot, current: Round, played: Pairing) -> Table:
        """The table of a pairing, which the first call creates."""
        assert played.game is not None, "a bye has no table"
        with contextlib.suppress(TableNotFound):
            return await self.tables.load(played.game, requested=False)
        entries = {entry.number: entry for entry in snapshot.entries}
        seated = [entries[number] for number in played.entries]
        options, game = self._game(snapshot, current, [entry.name for entry in seated])
        seats = [seat_of(entry, snapshot.tournament.bot) for entry in seated]
        with contextlib.suppress(ConflictError):  # another worker was first
            await self.tables.create(game, seats, options=options, game_id=played.game)
        return await self.tables.load(played.game, requested=False)

    def _game(
        self, snapshot: TournamentSnapshot, current: Round, names: list[str]
    ) -> tuple[TableOptions, Game]:
        tournament = snapshot.tournament
        options = TableOptions(
            language=tournament.language,
            clock=tournament.clock,
            tournament=tournament.id,
            round=current.number,
        )
        if not current.deal:
            seed = self.tables.config.new_seed()
            return options, Game(tournament.players, tournament.variant, seed=seed, names=names)
        deal = read_record(current.deal)
        # The seed makes bots choose the same in the same situation at all tables; the salt is secret until a game ends.
        options = msgspec.structs.replace(options, bot_seed=1 + Random(deal.salt).getrandbits(62))
        return options, Game.from_record(replace(deal, names=tuple(names)))

    async def _substitute_withdrawn(self, snapshot: TournamentSnapshot, table: Table) -> None:
        """Let bots play on for players who have withdrawn."""
        owners = {entry.owner for entry in snapshot.entries if entry.withdrawn and entry.owner is not None}
        async with table.lock:
            for seat, row in enumerate(table.seats):
                if row.owner in owners and seat not in table.withdrawn:
                    await substitute(self.tables, table, seat, WITHDRAWN, self.tables.now())
        self.tables.changed(table)


def next_round_at(snapshot: TournamentSnapshot) -> datetime | None:
    """When the next round of a running tournament is due; None while a round is in progress."""
    current = snapshot.current
    if current is None:
        return snapshot.tournament.created_at  # immediately, even if the host started it earlier than planned
    if current.ended_at is None:
        return None
    return current.ended_at + timedelta(seconds=snapshot.tournament.pause)


def seat_of(entry: Entry, bot: str) -> SeatRow:
    """The seat of an entry; a bot takes that of a player who has withdrawn."""
    if entry.bot is not None or entry.withdrawn or entry.owner is None:
        return SeatRow(entry.bot or bot, None)
    return SeatRow(None, entry.owner)

"""Everything that a server stores, by kind."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from hegemon.server.db.analyses import Analyses
from hegemon.server.db.archives import Archives
from hegemon.server.db.calendars import Calendars
from hegemon.server.db.changes import Changes
from hegemon.server.db.daily import Daily
from hegemon.server.db.database import Database
from hegemon.server.db.devices import Devices
from hegemon.server.db.games import Games
from hegemon.server.db.leases import Leases
from hegemon.server.db.messages import Messages
from hegemon.server.db.migrate import migrate
from hegemon.server.db.moderation import Moderation
from hegemon.server.db.moves import Moves
from hegemon.server.db.outbox import Outbox
from hegemon.server.db.own_games import OwnGames
from hegemon.server.db.people import People
from hegemon.server.db.plans import Plans
from hegemon.server.db.players import Players
from hegemon.server.db.profiles import Profiles
from hegemon.server.db.puzzles import Puzzles
from hegemon.server.db.results import Results
from hegemon.server.db.seats import Seats
from hegemon.server.db.sqlite_files import check_file, file_of, lock_file
from hegemon.server.db.studies import Studies
from hegemon.server.db.subscriptions import Subscriptions
from hegemon.server.db.thinking import ThinkingJobs
from hegemon.server.db.tournaments import Tournaments
from hegemon.server.db.turns import Turns
from hegemon.server.db.vacations import Vacations

Result = TypeVar("Result")


class Store:
    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self.games = Games(self.database)
        self.own_games = OwnGames(self.database)
        self.turns = Turns(self.database)
        self.moves = Moves(self.database)
        self.seats = Seats(self.database)
        self.moderation = Moderation(self.database)
        self.messages = Messages(self.database)
        self.profiles = Profiles(self.database)
        self.players = Players(self.database)
        self.people = People(self.database, self.profiles)
        self.puzzles = Puzzles(self.database)
        self.outbox = Outbox(self.database)
        self.analyses = Analyses(self.database)
        self.archives = Archives(self.database)
        self.daily = Daily(self.database)
        self.devices = Devices(self.database)
        self.results = Results(self.database)
        self.studies = Studies(self.database)
        self.plans = Plans(self.database)
        self.subscriptions = Subscriptions(self.database)
        self.vacations = Vacations(self.database)
        self.calendars = Calendars(self.database)
        self.tournaments = Tournaments(self.database)
        self.leases = Leases(self.database)
        self.changes = Changes(self.database)
        self.thinking = ThinkingJobs(self.database)

    async def migrate(self, *, exclusive: bool = False) -> None:
        await migrate(self.database, exclusive=exclusive)

    async def close(self) -> None:
        await self.moves.close()
        await self.database.close()


def run_exclusively(url: str, work: Callable[[Store], Awaitable[Result]]) -> Result:
    """Run `work` on a store with exclusive access, after checking the file and migrating the schema."""
    return _run(url, work, exclusive=True)


def run_alongside_servers(url: str, work: Callable[[Store], Awaitable[Result]]) -> Result:
    """Run `work` on a store; servers may be using a PostgreSQL database, but not a SQLite file, at the same time."""
    return _run(url, work, exclusive=False)


def _run(url: str, work: Callable[[Store], Awaitable[Result]], *, exclusive: bool) -> Result:
    async def run() -> Result:
        store = Store(url)
        try:
            await store.migrate(exclusive=exclusive)
            return await work(store)
        finally:
            await store.close()

    with lock_file(url):
        if (path := file_of(url)) is not None:
            check_file(path)
        return asyncio.run(run())

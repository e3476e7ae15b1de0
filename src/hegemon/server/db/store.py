"""Everything that a server stores, by kind."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from hegemon.server.db.analyses import Analyses
from hegemon.server.db.daily import Daily
from hegemon.server.db.database import Database
from hegemon.server.db.files import check_file, exclusive, file_of
from hegemon.server.db.games import Games
from hegemon.server.db.messages import Messages
from hegemon.server.db.moves import Moves
from hegemon.server.db.outbox import Outbox
from hegemon.server.db.players import Players
from hegemon.server.db.puzzles import Puzzles
from hegemon.server.db.results import Results
from hegemon.server.db.seats import Seats
from hegemon.server.db.studies import Studies

Result = TypeVar("Result")


class Store:
    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self.games = Games(self.database)
        self.moves = Moves(self.database)
        self.seats = Seats(self.database)
        self.messages = Messages(self.database)
        self.players = Players(self.database)
        self.puzzles = Puzzles(self.database)
        self.outbox = Outbox(self.database)
        self.analyses = Analyses(self.database)
        self.daily = Daily(self.database)
        self.results = Results(self.database)
        self.studies = Studies(self.database)

    async def migrate(self) -> None:
        await self.database.migrate()

    async def close(self) -> None:
        await self.moves.close()
        await self.database.close()


def use_alone(url: str, work: Callable[[Store], Awaitable[Result]]) -> Result:
    """Do something with a store that no other process uses, after its file was checked and migrated."""

    async def run() -> Result:
        store = Store(url)
        try:
            await store.migrate()
            return await work(store)
        finally:
            await store.close()

    with exclusive(url):
        if (path := file_of(url)) is not None:
            check_file(path)
        return asyncio.run(run())

"""Everything that a server stores, by kind."""

from hegemon.server.db.database import Database
from hegemon.server.db.games import Games
from hegemon.server.db.messages import Messages
from hegemon.server.db.moves import Moves
from hegemon.server.db.outbox import Outbox
from hegemon.server.db.players import Players
from hegemon.server.db.seats import Seats


class Store:
    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self.games = Games(self.database)
        self.moves = Moves(self.database)
        self.seats = Seats(self.database)
        self.messages = Messages(self.database)
        self.players = Players(self.database)
        self.outbox = Outbox(self.database)

    async def migrate(self) -> None:
        await self.database.migrate()

    async def close(self) -> None:
        await self.moves.close()
        await self.database.close()

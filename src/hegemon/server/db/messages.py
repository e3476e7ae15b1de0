"""Chat messages."""

import dataclasses
from typing import Any, Final

from sqlalchemy import Row, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.rows import MessageRow, in_utc
from hegemon.server.db.schema import messages

#: The maximum number of messages that readers see, of players and of spectators each; older ones stay in the database.
MAX_MESSAGES: Final = 100


async def latest_messages(connection: AsyncConnection, game_id: str) -> tuple[MessageRow, ...]:
    rows: list[Row[Any]] = []
    for of_players in (messages.c.seat.is_not(None), messages.c.seat.is_(None)):
        rows += await connection.execute(
            select(messages)
            .where(messages.c.game == game_id, of_players)
            .order_by(messages.c.number.desc())
            .limit(MAX_MESSAGES)
        )
    return tuple(_message(row) for row in sorted(rows, key=lambda row: row.number))


def _message(row: Row[Any]) -> MessageRow:
    facts = {name: value for name, value in row._mapping.items() if name != "game"}
    return MessageRow(**facts | {"created_at": in_utc(row.created_at)})


class Messages:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, game_id: str, author: str, idempotency_key: str) -> MessageRow | None:
        """The message of an author with that key."""
        found = select(messages).where(
            messages.c.game == game_id,
            messages.c.author == author,
            messages.c.idempotency_key == idempotency_key,
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(found)).one_or_none()
            return _message(row) if row is not None else None

    async def add(self, game_id: str, message: MessageRow) -> None:
        async with self._database.writing() as connection:
            await connection.execute(insert(messages).values(game=game_id, **dataclasses.asdict(message)))

    async def delete_text(self, game_id: str, number: int, author: str) -> None:
        """Delete the text of a message of an author; the row remains, so that its number is never reused."""
        async with self._database.writing() as connection:
            of_author = messages.c.number == number, messages.c.author == author
            await connection.execute(
                update(messages).where(messages.c.game == game_id, *of_author).values(text="")
            )

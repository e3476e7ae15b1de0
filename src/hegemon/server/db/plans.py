"""Plans: turns that a waiting player has prepared, each with its condition."""

from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Integer,
    Row,
    String,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    update,
)

from hegemon.server.db.database import Database
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.schema import metadata

plans: Final = Table(
    "plans",
    metadata,
    Column("id", String(22), primary_key=True),
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("seat", Integer, nullable=False),
    Column("owner", String(64), nullable=False, index=True),
    Column("turn", Integer, nullable=False),
    Column("line", String(255), nullable=False),
    Column("unchanged", Boolean, nullable=False),
    Column("cards", Text, nullable=False),
    Column("other", Integer, nullable=True),
    Column("domain", String(1), nullable=False),
    Column("number", Integer, nullable=False),
    Column("started", Integer, nullable=True),
)


@dataclass(frozen=True)
class Plan:
    id: str
    game: str
    seat: int
    owner: str
    turn: int
    """The turn of the seat that the plan is for, counted from 1."""
    line: str
    """The choices of the turn, with spaces between them."""
    unchanged: bool
    """Whether the plan holds only if the player's own cards have not changed."""
    cards: str
    """The player's own cards when the plan was made."""
    other: int | None
    """The seat that must have played a card of the Domain; None if it does not matter."""
    domain: str
    number: int = 0
    """The place in the order of the seat's plans."""
    started: int | None = None
    """The version at which the plan started to be played."""

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(self.line.split())


class Plans:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, plan: Plan, limit: int) -> None:
        """Insert a plan; raise ConflictError if the seat already has `limit` plans."""
        async with self._database.writing() as connection:
            of_seat = plans.c.game == plan.game, plans.c.seat == plan.seat
            last = select(func.coalesce(func.max(plans.c.number), 0)).where(*of_seat).scalar_subquery()
            await connection.execute(insert(plans).values(**asdict(plan) | {"number": last + 1}))
            if (
                await connection.scalar(select(func.count()).select_from(plans).where(*of_seat)) or 0
            ) > limit:
                raise ConflictError

    async def of(self, game_id: str, seat: int) -> list[Plan]:
        """The plans of a seat, in order."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(plans).where(plans.c.game == game_id, plans.c.seat == seat).order_by(plans.c.number)
            )
            return [_plan(row) for row in found]

    async def delete(self, plan_id: str, owner: str) -> None:
        """Delete a plan of an owner, unless it is being played."""
        async with self._database.writing() as connection:
            await connection.execute(
                delete(plans).where(plans.c.id == plan_id, plans.c.owner == owner, plans.c.started.is_(None))
            )

    async def start(self, plan: Plan, version: int) -> bool:
        """Start playing a plan, and drop the seat's other plans; return False if it is gone or already started."""
        async with self._database.writing() as connection:
            done = await connection.execute(
                update(plans).where(plans.c.id == plan.id, plans.c.started.is_(None)).values(started=version)
            )
            await connection.execute(
                delete(plans).where(
                    plans.c.game == plan.game, plans.c.seat == plan.seat, plans.c.started.is_(None)
                )
            )
            return done.rowcount == 1

    async def clear(self, game_id: str, seat: int) -> None:
        """Drop all plans of a seat."""
        async with self._database.writing() as connection:
            await connection.execute(delete(plans).where(plans.c.game == game_id, plans.c.seat == seat))


def _plan(row: Row[Any]) -> Plan:
    return Plan(**row._mapping)

"""What is kept: games, their seats, and every entry that was made. SQLite by default, behind SQLAlchemy.

The entries of a game are the truth about it. They are only ever appended, under a unique number, and an entry is
acknowledged only after it is on disk. A word that was taken back stays in the list; the taking back is an entry too.
"""

import asyncio
import contextlib
import dataclasses
import threading
import tomllib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

import aiosqlite
from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    DateTime,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    Row,
    String,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    delete,
    event,
    false,
    func,
    insert,
    inspect,
    literal_column,
    select,
    table,
    update,
)
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hegemon.server.db.options import TableOptions, read_options

if TYPE_CHECKING:
    from alembic.config import Config

#: The form of the database: the name of the last migration.
SCHEMA_REVISION: Final = "0006"

#: The entry by which a seat takes its last word back.
UNDO: Final = "undo"

#: What holds at a table where nothing was agreed.
DEFAULT_OPTIONS: Final = TableOptions()

metadata: Final = MetaData()

games: Final = Table(
    "games",
    metadata,
    Column("id", String(22), primary_key=True),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("updated_at", DateTime(timezone=True), nullable=False),
    Column("record", Text, nullable=False),
    Column("finished", Boolean, nullable=False),
    Column("started_at", DateTime(timezone=True), nullable=True),
    Column("host", String(64), nullable=True),
    Column("options", Text, nullable=False, server_default="{}"),
    Column("public", Boolean, nullable=False, server_default=false()),
    Column("rated", Boolean, nullable=False, server_default=false()),
    Column("previous", String(22), nullable=True, unique=True),
)

seats: Final = Table(
    "seats",
    metadata,
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("bot", String(40), nullable=True),
    Column("owner", String(64), nullable=True, index=True),
    Column("name", String(24), nullable=True),
    Column("color", Integer, nullable=True),
    Column("invite", String(22), nullable=True, unique=True),
    Column("substitute", String(40), nullable=True),
)

moves: Final = Table(
    "moves",
    metadata,
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("choice", String(8), nullable=False),
    Column("idempotency_key", String(64), nullable=True),
    Column("created_at", DateTime(timezone=True), nullable=False),
    UniqueConstraint("game", "idempotency_key"),
)

chat: Final = Table(
    "messages",
    metadata,
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("seat", Integer, nullable=True),
    Column("speaker", String(64), nullable=False),
    Column("name", String(24), nullable=False),
    Column("phrase", String(16), nullable=False),
    Column("about", Integer, nullable=True),
    Column("domain", String(1), nullable=False),
    Column("text", Text, nullable=False),
)

substitutions: Final = Table(
    "substitutions",
    metadata,
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("after", Integer, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("what", String(8), nullable=False),
)


@dataclass(frozen=True)
class Substitution:
    """That a bot stands in for somebody who is away, or that somebody is back."""

    number: int
    at: datetime
    after: int
    """The number of the last entry before it."""
    seat: int
    what: str
    """`clock`: the time was up; `vote`: the others wanted it so; `back`: the seat is its player's again."""


@dataclass(frozen=True)
class Message:
    """Something that was said at a table besides the game: a phrase with what it names, or a text."""

    number: int
    at: datetime
    seat: int | None
    """The seat that said it; None is somebody who looks on, and only those hear it while the game goes on."""
    speaker: str
    """The digest of whoever said it."""
    name: str = ""
    """What an onlooker wants to be called; a seat has the name of its player."""
    phrase: str = ""
    about: int | None = None
    """The seat that a phrase names."""
    domain: str = ""
    """The Domain that a phrase names, by its letter."""
    text: str = ""


people: Final = Table(
    "players",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("name", String(24), nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
)


@dataclass(frozen=True)
class Person:
    """Somebody who wants a rating: what is believed of their play, how surely, and after how many games."""

    owner: str
    name: str
    mu: float
    sigma: float
    games: int


@dataclass(frozen=True)
class SeatRow:
    """Who sits on a seat: a bot of a level, or whoever holds the token with that digest; or nobody yet."""

    bot: str | None
    owner: str | None
    name: str | None = None
    """The name of who sits here now; None where it is still the one in the record."""
    color: int | None = None
    """By its number; None is that of the seat's own number."""
    invite: str | None = None
    """The secret that opens the seat while nobody has it. It is kept, so that whoever sat down by it is led back."""
    substitute: str | None = None
    """The bot that answers for an absent person."""

    @property
    def is_open(self) -> bool:
        """Whether somebody may still sit down here."""
        return self.bot is None and self.owner is None and self.invite is not None

    @property
    def player(self) -> str | None:
        """The bot that answers for this seat, if one does."""
        return self.bot or self.substitute

    def same_occupant(self, other: "SeatRow") -> bool:
        """Whether the same somebody answers, whatever the name and the color are."""
        return (self.bot, self.owner, self.substitute) == (other.bot, other.owner, other.substitute)


@dataclass(frozen=True)
class MoveRow:
    """Something that a seat said: a word of the game, or that it takes its last word back."""

    version: int
    seat: int
    choice: str
    idempotency_key: str | None = None
    created_at: datetime | None = field(default=None, compare=False)
    """When it was made; now, if nothing else is said."""


@dataclass(frozen=True)
class GameRow:
    """A game as it is kept."""

    id: str
    record: str
    """The record of the game without its words."""
    seats: tuple[SeatRow, ...]
    moves: tuple[MoveRow, ...]
    updated_at: datetime
    finished: bool
    chat: tuple[Message, ...] = ()
    """The last lines that were said besides the game."""
    started_at: datetime | None = None
    """When the clocks began to run."""
    substitutions: tuple[Substitution, ...] = ()
    host: str | None = None
    """The digest of whoever laid the table."""
    options: TableOptions = DEFAULT_OPTIONS
    public: bool = False
    rated: bool = False
    """Whether the ratings have been changed by it."""
    previous: str | None = None
    """The game before it in its series."""
    next_game: str | None = None
    """The game after it in its series."""


@dataclass(frozen=True)
class Summary:
    """What a list of games tells of one."""

    id: str
    record: str
    """The record of the game without its words."""
    updated_at: datetime
    finished: bool
    options: TableOptions
    seats: tuple[SeatRow, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Who plays."""
        recorded = tomllib.loads(self.record)["players"]
        return tuple(seat.name or name for seat, name in zip(self.seats, recorded, strict=True))


#: The tables that every form of the database has.
_FIRST_TABLES: Final = {"alembic_version", "games", "seats"}

#: So many of the last lines of talk are shown; the others are kept.
MAX_CHAT_LINES: Final = 100

_SQLITE_HEAD: Final = b"SQLite format 3\0"

#: A connection that is let go has so long to finish what it does.
_PARTING_SECONDS: Final = 5


class ConflictError(Exception):
    """What was to be kept is there already, under that number or command, or after that game: somebody was quicker."""


class StoreError(Exception):
    """The database cannot be used; the sentence says why and what to do."""


@dataclass(frozen=True)
class PendingMove:
    """An entry that waits to be kept, and who waits for it."""

    game: str
    move: MoveRow
    finished: bool
    kept: asyncio.Future[None]

    @property
    def created_at(self) -> datetime:
        """When it was made."""
        return self.move.created_at or datetime.now(UTC)

    @property
    def row(self) -> dict[str, Any]:
        """As it is written."""
        return dataclasses.asdict(self.move) | {"game": self.game, "created_at": self.created_at}


class Store:
    """The database of a server."""

    def __init__(self, url: str) -> None:
        sqlite = url.startswith("sqlite")
        self._threads: WeakSet[threading.Thread] = WeakSet()
        self._engine: AsyncEngine = create_async_engine(
            url, hide_parameters=True, **{"async_creator": self._connect_to_sqlite} if sqlite else {}
        )
        # SQLite has one writer at a time, and those who wait for it are not served in turn: some wait for ever.
        self._turn_to_write = asyncio.Lock() if sqlite else contextlib.nullcontext()
        self._waiting: list[PendingMove] = []
        self._keeper: asyncio.Task[None] | None = None
        if sqlite:
            event.listen(self._engine.sync_engine, "connect", _set_up_sqlite)

    @property
    def place(self) -> str:
        """Where the database is, without a password."""
        url = self._engine.url
        in_file = url.drivername.startswith("sqlite") and url.database
        return in_file or url.render_as_string(hide_password=True)

    async def _connect_to_sqlite(self) -> aiosqlite.Connection:
        """A connection whose thread is remembered: aiosqlite forgets it where connecting fails or is cut short."""
        arguments, options = self._engine.dialect.create_connect_args(self._engine.url)
        connection = aiosqlite.connect(*arguments, **options)
        connection._thread.daemon = True
        self._threads.add(connection._thread)
        return await connection

    async def close(self) -> None:
        """Let go of the database; no thread of ours speaks to this loop afterwards."""
        if self._keeper is not None:
            await self._keeper
        await self._engine.dispose()
        for thread in list(self._threads):
            await asyncio.to_thread(thread.join, _PARTING_SECONDS)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A connection on which something is kept, as a whole or not at all."""
        try:
            async with self._turn_to_write, self._engine.begin() as connection:
                yield connection
        except IntegrityError as error:
            raise ConflictError from error

    def reading(self) -> AsyncConnection:
        """A connection on which something is read, to be entered."""
        return self._engine.connect()

    async def is_well(self) -> bool:
        """Whether the database answers."""
        try:
            async with self._engine.connect() as connection:
                await connection.execute(select(func.count()).select_from(games))
        except Exception:
            return False
        return True

    async def add_game(
        self,
        game_id: str,
        record: str,
        owners: list[SeatRow],
        made: Sequence[MoveRow] = (),
        *,
        finished: bool = False,
        host: str | None = None,
        options: TableOptions = DEFAULT_OPTIONS,
        public: bool = False,
        previous: str | None = None,
        at: datetime | None = None,
    ) -> None:
        """Keep a new game, perhaps with what has been said in it; only one follows another in its series."""
        now = at or datetime.now(UTC)
        async with self.writing() as connection:
            await connection.execute(
                insert(games).values(
                    id=game_id,
                    created_at=now,
                    updated_at=now,
                    record=record,
                    finished=finished,
                    started_at=None if any(row.is_open for row in owners) else now,
                    host=host,
                    options=options.write(),
                    public=public,
                    previous=previous,
                )
            )
            await connection.execute(
                insert(seats),
                [
                    {"game": game_id, "seat": seat} | dataclasses.asdict(row)
                    for seat, row in enumerate(owners)
                ],
            )
            if made:
                await connection.execute(
                    insert(moves),
                    [
                        {
                            "game": game_id,
                            "version": e.version,
                            "seat": e.seat,
                            "choice": e.choice,
                            "created_at": now,
                        }
                        for e in made
                    ],
                )

    async def add_move(self, game_id: str, move: MoveRow, *, finished: bool) -> None:
        """Keep an entry; it is on disk when this returns. What comes while the disk is busy is kept together."""
        new = PendingMove(game_id, move, finished, asyncio.get_running_loop().create_future())
        self._waiting.append(new)
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.create_task(self._keep_waiting())
        await new.kept

    async def _keep_waiting(self) -> None:
        while self._waiting:
            together, self._waiting = self._waiting, []
            try:
                await self._keep(together)
            except Exception:
                for new in together:  # whichever could not be kept is told so when each is kept alone
                    await self._keep_alone(new)

    async def _keep_alone(self, new: PendingMove) -> None:
        try:
            await self._keep([new])
        except Exception as error:
            if not new.kept.cancelled():
                new.kept.set_exception(error)

    async def _keep(self, together: list[PendingMove]) -> None:
        async with self.writing() as connection:
            await connection.execute(insert(moves), [new.row for new in together])
            await connection.execute(
                update(games)
                .where(games.c.id == bindparam("of"))
                .values(updated_at=bindparam("now"), finished=bindparam("over")),
                [{"of": new.game, "now": new.created_at, "over": new.finished} for new in together],
            )
        for new in together:
            if not new.kept.cancelled():
                new.kept.set_result(None)

    async def game(self, game_id: str) -> GameRow | None:
        """A game with everything that is known about it."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(select(games).where(games.c.id == game_id))).one_or_none()
            if row is None:
                return None
            seat_rows = await connection.execute(
                select(seats).where(seats.c.game == game_id).order_by(seats.c.seat)
            )
            entry_rows = await connection.execute(
                select(moves).where(moves.c.game == game_id).order_by(moves.c.version)
            )
            return GameRow(
                id=row.id,
                record=row.record,
                seats=tuple(_seat(seat) for seat in seat_rows),
                moves=tuple(
                    MoveRow(e.version, e.seat, e.choice, e.idempotency_key, in_utc(e.created_at))
                    for e in entry_rows
                ),
                updated_at=row.updated_at,
                finished=row.finished,
                chat=await self._last_lines(connection, game_id),
                started_at=in_utc(row.started_at) if row.started_at is not None else None,
                substitutions=tuple(
                    [
                        Substitution(n.number, in_utc(n.at), n.after, n.seat, n.what)
                        for n in await connection.execute(
                            select(substitutions)
                            .where(substitutions.c.game == game_id)
                            .order_by(substitutions.c.number)
                        )
                    ]
                ),
                host=row.host,
                options=read_options(row.options),
                public=row.public,
                rated=row.rated,
                previous=row.previous,
                next_game=await connection.scalar(select(games.c.id).where(games.c.previous == game_id)),
            )

    async def _last_lines(self, connection: AsyncConnection, game_id: str) -> tuple[Message, ...]:
        found = await connection.execute(
            select(chat).where(chat.c.game == game_id).order_by(chat.c.number.desc()).limit(MAX_CHAT_LINES)
        )
        lines = (dict(row._mapping) for row in found)
        return tuple(
            Message(
                **{name: value for name, value in line.items() if name != "game"} | {"at": in_utc(line["at"])}
            )
            for line in lines
        )[::-1]

    async def add_line(self, game_id: str, line: Message) -> None:
        """Keep something that was said besides the game."""
        async with self.writing() as connection:
            await connection.execute(insert(chat).values(game=game_id, **dataclasses.asdict(line)))

    async def begin(self, game_id: str, at: datetime) -> datetime:
        """Keep when the clocks of a game began to run; says when that was, if they run already."""
        async with self.writing() as connection:
            await connection.execute(
                update(games).where(games.c.id == game_id, games.c.started_at.is_(None)).values(started_at=at)
            )
            started_at = await connection.scalar(select(games.c.started_at).where(games.c.id == game_id))
            return in_utc(started_at) if started_at is not None else at

    async def change_substitute(
        self, game_id: str, note: Substitution, before: SeatRow, substitute: str | None
    ) -> None:
        """Let a bot stand in for whoever holds a seat, or no longer; somebody may have been quicker."""
        async with self.writing() as connection:
            done = await connection.execute(
                update(seats)
                .where(
                    seats.c.game == game_id,
                    seats.c.seat == note.seat,
                    seats.c.bot.is_(None),
                    seats.c.owner.is_not_distinct_from(before.owner),
                    seats.c.substitute.is_not_distinct_from(before.substitute),
                )
                .values(substitute=substitute)
            )
            if done.rowcount != 1:
                raise ConflictError
            await connection.execute(insert(substitutions).values(game=game_id, **dataclasses.asdict(note)))

    async def games_with_clocks(self) -> list[str]:
        """The games that go on and have a clock."""
        async with self._engine.connect() as connection:
            found = await connection.execute(select(games.c.id, games.c.options).where(~games.c.finished))
            return [row.id for row in found if read_options(row.options).clock]

    async def games_of(self, owner: str, most: int = 20) -> list[Summary]:
        """The games in which somebody holds a seat, the latest first; what was said in them is not read."""
        return await self._summaries(games.c.id.in_(select(seats.c.game).where(seats.c.owner == owner)), most)

    async def public_games(self, most: int = 100) -> list[Summary]:
        """The games of the lobby that have an open seat, the latest first."""
        is_open = seats.c.bot.is_(None) & seats.c.owner.is_(None) & seats.c.invite.is_not(None)
        return await self._summaries(
            games.c.public & ~games.c.finished & games.c.id.in_(select(seats.c.game).where(is_open)), most
        )

    async def _summaries(self, which: ColumnElement[bool], most: int) -> list[Summary]:
        async with self._engine.connect() as connection:
            found = (
                await connection.execute(
                    select(games.c.id, games.c.record, games.c.updated_at, games.c.finished, games.c.options)
                    .where(which)
                    .order_by(games.c.updated_at.desc())
                    .limit(most)
                )
            ).all()
            sitting: dict[str, list[SeatRow]] = {row.id: [] for row in found}
            seat_rows = await connection.execute(
                select(seats).where(seats.c.game.in_(sitting)).order_by(seats.c.game, seats.c.seat)
            )
            for seat in seat_rows:
                sitting[seat.game].append(_seat(seat))
            return [
                Summary(
                    row.id,
                    row.record,
                    row.updated_at,
                    row.finished,
                    read_options(row.options),
                    tuple(sitting[row.id]),
                )
                for row in found
            ]

    # ---------------------------------------------------------------- people

    async def people(self, owners: Sequence[str]) -> dict[str, Person]:
        """Those of them who have a rating."""
        async with self._engine.connect() as connection:
            return await self._people(connection, owners)

    async def _people(self, connection: AsyncConnection, owners: Sequence[str]) -> dict[str, Person]:
        found = await connection.execute(select(people).where(people.c.owner.in_(owners)))
        return {row.owner: Person(*row) for row in found}

    async def keep_person(self, person: Person) -> None:
        """Somebody wants a rating; whoever has one keeps it, and takes the new name."""
        async with self.writing() as connection:
            known = await connection.execute(
                update(people).where(people.c.owner == person.owner).values(name=person.name)
            )
            if known.rowcount == 0:
                await connection.execute(insert(people).values(**dataclasses.asdict(person)))

    async def forget_person(self, owner: str) -> None:
        """Somebody no longer wants a rating."""
        async with self.writing() as connection:
            await connection.execute(delete(people).where(people.c.owner == owner))

    async def settle(
        self,
        game_id: str,
        owners: Sequence[str],
        rated: Callable[[Mapping[str, Person]], Sequence[Person]],
    ) -> None:
        """Change the ratings by a game, once: whoever comes second finds it done."""
        async with self.writing() as connection:
            first = await connection.execute(
                update(games).where(games.c.id == game_id, ~games.c.rated).values(rated=True)
            )
            if first.rowcount == 0:
                return
            for person in rated(await self._people(connection, owners)):
                await connection.execute(
                    update(people)
                    .where(people.c.owner == person.owner)
                    .values(mu=person.mu, sigma=person.sigma, games=person.games)
                )

    # ---------------------------------------------------------------- seats

    async def seat_of_invite(self, invite: str) -> tuple[str, int] | None:
        """The game and the seat that an invitation is, or was, for."""
        async with self._engine.connect() as connection:
            row = (
                await connection.execute(select(seats.c.game, seats.c.seat).where(seats.c.invite == invite))
            ).one_or_none()
            return (row.game, row.seat) if row is not None else None

    async def claim(self, game_id: str, seat: int, invite: str, occupant: SeatRow) -> bool:
        """Somebody sits down; of several who try at once exactly one does."""
        async with self.writing() as connection:
            done = await connection.execute(
                update(seats)
                .where(
                    seats.c.game == game_id,
                    seats.c.seat == seat,
                    seats.c.invite == invite,
                    seats.c.owner.is_(None),
                    seats.c.bot.is_(None),
                )
                .values(owner=occupant.owner, name=occupant.name, color=occupant.color)
            )
            return bool(done.rowcount == 1)

    async def set_seat(self, game_id: str, seat: int, row: SeatRow) -> None:
        """Give a seat to somebody else, or nobody, or another name."""
        async with self.writing() as connection:
            await connection.execute(
                update(seats)
                .where(seats.c.game == game_id, seats.c.seat == seat)
                .values(**dataclasses.asdict(row))
            )

    async def seats_at(self, game_id: str) -> tuple[SeatRow, ...]:
        """Who sits at a table now."""
        async with self._engine.connect() as connection:
            found = await connection.execute(
                select(seats).where(seats.c.game == game_id).order_by(seats.c.seat)
            )
            return tuple(_seat(seat) for seat in found)

    def _look_at_file(self) -> None:
        """Refuse a file that SQLite would refuse, before a connection is made that could not be closed properly."""
        url = self._engine.url
        if not (url.drivername.startswith("sqlite") and url.database):
            return
        path = Path(url.database)
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent}")
        if path.is_dir():
            raise OSError("it is a folder")
        if path.exists():
            with path.open("rb") as file:
                head = file.read(len(_SQLITE_HEAD))
            if head and head != _SQLITE_HEAD:
                raise OSError("it is a file of another kind")

    async def migrate(self) -> None:
        """Bring the database to the form that this version needs; says so where it is not one of ours."""
        try:
            self._look_at_file()
            async with self._engine.begin() as connection:
                names = set(await connection.run_sync(lambda sync: inspect(sync).get_table_names()))
                if names and not names >= _FIRST_TABLES:
                    raise StoreError(
                        f"{self.place} holds tables that are not ours. Name another place with --database."
                    )
                form = (
                    await connection.scalar(
                        select(literal_column("version_num")).select_from(table("alembic_version"))
                    )
                    if names
                    else None
                )
                if form != SCHEMA_REVISION:
                    await self._upgrade(connection)
        except (DBAPIError, OSError) as error:
            raise StoreError(
                f"The database {self.place} cannot be opened: {getattr(error, 'orig', error)}. "
                "Name another place with --database."
            ) from error

    async def _upgrade(self, connection: AsyncConnection) -> None:
        from alembic import command
        from alembic.util import CommandError

        def upgrade(sync: Any) -> None:
            config = migrations()
            config.attributes["connection"] = sync
            command.upgrade(config, "head")

        try:
            await connection.run_sync(upgrade)
        except CommandError as error:
            raise StoreError(
                f"The database {self.place} belongs to another version: {error}. Update hegemon, or name another place."
            ) from error


def migrations() -> "Config":
    """How Alembic finds the migrations; it is loaded only where there is something to migrate."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def _seat(row: Row[Any]) -> SeatRow:
    return SeatRow(row.bot, row.owner, row.name, row.color, row.invite, row.substitute)


def in_utc(moment: datetime) -> datetime:
    """A time as it was kept; SQLite forgets the zone."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _set_up_sqlite(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()

"""Tournaments and the weekly league: open one, enter, follow the standings."""

from datetime import datetime, timedelta
from typing import Annotated, Final

import msgspec
from litestar import Response, delete, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, JSONBody, PathParameter
from msgspec import Meta, Struct

from hegemon.server.api.auth import TOKEN_OPTIONAL, TOKEN_REQUIRED
from hegemon.server.api.errors import errors
from hegemon.server.api.schemas import ApiRequest
from hegemon.server.config import ServerConfig
from hegemon.server.db.tournament_rows import OPEN, RUNNING, TournamentSnapshot
from hegemon.server.security import tokens
from hegemon.server.tables.daily import day_of, first_day_of, week_of
from hegemon.server.tournaments import league, organizing
from hegemon.server.tournaments.director import Director, next_round_at
from hegemon.server.tournaments.formats import MAX_ENTRIES, MAX_PAUSE, MAX_ROUNDS
from hegemon.server.tournaments.organizing import MAX_TITLE_LENGTH, TournamentSettings
from hegemon.server.tournaments.report import decimal, results_csv
from hegemon.server.tournaments.standings import UNITS, WIN, points_of, standings

_TAGS: Final = ["tournaments"]

#: Minutes until a tournament starts, at most: 60 days.
_MAX_START_DELAY: Final = 60 * 24 * 60

CSV: Final = "text/csv"


class CreateTournamentRequest(ApiRequest):
    """The format and the options of a new tournament; the caller's token is its host's."""

    title: Annotated[str, Meta(min_length=1, max_length=MAX_TITLE_LENGTH)]
    format: Annotated[str, Meta(max_length=12)] = "swiss"
    """`swiss` or `round-robin` with two players at a table, `duplicate` with three or four."""
    players: Annotated[int, Meta(ge=2, le=4)] = 2
    """The number of players at a table."""
    rounds: Annotated[int, Meta(ge=1, le=MAX_ROUNDS)] = 5
    """The number of rounds; at most one per opponent in a Swiss tournament, ignored in a round robin."""
    clock: Annotated[str, Meta(max_length=30)] = "5m a game + 10s"
    """The time control, which a tournament needs."""
    variant: Annotated[str, Meta(max_length=8)] = "basic"
    pause: Annotated[int, Meta(ge=0, le=MAX_PAUSE)] = 60
    """Seconds between two rounds."""
    bot: Annotated[str, Meta(max_length=40)] = "normal"
    """The level of the bots that fill the remaining places."""
    bots: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(max_length=MAX_ENTRIES)] = msgspec.field(
        default_factory=list
    )
    """The levels of bots that take part."""
    starts_in: Annotated[int, Meta(ge=0, le=_MAX_START_DELAY)] | None = None
    """Minutes until it starts automatically; null if the host starts it."""
    idempotency_key: Annotated[str, Meta(min_length=32, max_length=64)] | None = None
    """A random key: a request that is repeated with it returns the same tournament."""


class NewTournament(Struct):
    """A new tournament, with the address at which people enter."""

    tournament: str
    address: str


class EntryRequest(ApiRequest):
    """The caller, under a name, or a bot that the host enters."""

    name: Annotated[str, Meta(max_length=100)] = ""
    bot: Annotated[str, Meta(max_length=40)] | None = None


class EntryInfo(Struct):
    """An entrant, by number."""

    number: int
    name: str
    bot: str | None
    withdrawn: bool


class StandingInfo(Struct):
    """A line of the standings; entries with equal values share a rank."""

    rank: int
    entry: int
    name: str
    values: dict[str, float]
    """Points and tie-breaks, in the order in which they decide."""
    games: int
    wins: int


class PairingInfo(Struct):
    """A table of a round; an entry alone has a bye."""

    round: int
    table: int
    entries: list[int]
    """By seat."""
    game: str | None
    """Null for a bye, and until the table is ready."""
    is_over: bool
    points: list[float] | None
    """By seat; null until the game is over, or in duplicate until the round is over."""
    scores: list[int] | None


class TournamentInfo(Struct):
    """A tournament with its standings, the best first."""

    tournament: str
    title: str
    league: str | None
    """The week of the league, such as `2030-W01`; null for any other tournament."""
    format: str
    players: int
    variant: str
    clock: str
    pause: int
    rounds: int
    state: str
    """`open`, `running` or `over`."""
    round: int
    """The number of the last round that has begun; 0 before the first."""
    next_at: datetime | None
    """When the tournament or its next round starts, if that is scheduled."""
    entries: list[EntryInfo]
    standings: list[StandingInfo]
    pairings: list[PairingInfo]
    you: int | None
    """The entry of the caller."""
    your_games: list[str]
    """The games that the caller has to play now."""


class LeagueLine(Struct):
    """The points of a person over the last weeks."""

    rank: int
    name: str
    points: float
    wins: int
    weeks: int


class LeagueInfo(Struct):
    """The league up to a week: its tournament, if there is one, and the standings of the last twelve weeks."""

    week: str
    tournament: str | None
    standings: list[LeagueLine]


def tournament_info(snapshot: TournamentSnapshot, owner: str | None) -> TournamentInfo:
    tournament, you = snapshot.tournament, snapshot.entry_of(owner)
    return TournamentInfo(
        tournament.id,
        tournament.title,
        tournament.league,
        tournament.format,
        tournament.players,
        tournament.variant,
        tournament.clock,
        tournament.pause,
        tournament.rounds,
        tournament.state,
        len(snapshot.rounds),
        {OPEN: tournament.starts_at, RUNNING: next_round_at(snapshot)}.get(tournament.state),
        [EntryInfo(entry.number, entry.name, entry.bot, entry.withdrawn) for entry in snapshot.entries],
        [
            StandingInfo(
                line.rank,
                line.entry.number,
                line.entry.name,
                {key: decimal(value, UNITS[key]) for key, value in line.values.items()},
                line.games,
                line.wins,
            )
            for line in standings(snapshot)
        ],
        [
            PairingInfo(
                pairing.round,
                pairing.number,
                list(pairing.entries),
                pairing.table,
                not pairing.is_open,
                [decimal(points_of(pairing, seat) or 0, WIN) for seat in range(len(pairing.entries))]
                if pairing.is_bye or pairing.outcome is not None
                else None,
                list(pairing.outcome.scores) if pairing.outcome is not None else None,
            )
            for pairing in snapshot.pairings
        ],
        you.number if you is not None else None,
        [pairing.game for pairing in snapshot.games_of(owner) if pairing.game is not None],
    )


@post("/tournaments", responses=errors(401, 409, 413, 422), security=TOKEN_REQUIRED, tags=_TAGS)
async def create_tournament(
    data: JSONBody[CreateTournamentRequest],
    director: NamedDependency[Director],
    owner: NamedDependency[str],
    base_url: NamedDependency[str],
) -> NewTournament:
    """Open a tournament, whose host is the owner of the token."""
    fields = msgspec.structs.asdict(data)
    wait, key = fields.pop("starts_in"), fields.pop("idempotency_key")
    starts_at = director.tables.now() + timedelta(minutes=wait) if wait is not None else None
    settings = TournamentSettings(**fields | {"bots": tuple(data.bots)}, starts_at=starts_at)
    derived_id = tokens.derived_token(key, f"tournament {owner}")[:16] if key else ""
    tournament_id = await organizing.open_tournament(director, settings, owner, tournament_id=derived_id)
    return NewTournament(tournament_id, f"{base_url}/tournaments/{tournament_id}")


@get("/tournaments/{tournament_id:str}", responses=errors(401, 404), security=TOKEN_OPTIONAL, tags=_TAGS)
async def get_tournament(
    tournament_id: FromPath[str], director: NamedDependency[Director], token: NamedDependency[str | None]
) -> TournamentInfo:
    """A tournament with its entries, tables and standings, and what the caller has to play."""
    return tournament_info(await organizing.find(director, tournament_id), tokens.owner_of(token))


@get("/tournaments/{tournament_id:str}/results.csv", media_type=CSV, responses=errors(404), tags=_TAGS)
async def get_results(tournament_id: FromPath[str], director: NamedDependency[Director]) -> Response[str]:
    """The standings and all results as CSV, for spreadsheets."""
    snapshot = await organizing.find(director, tournament_id)
    headers = {"Content-Disposition": f'attachment; filename="tournament-{snapshot.tournament.id}.csv"'}
    return Response(results_csv(snapshot), media_type=CSV, headers=headers)


@post(
    "/tournaments/{tournament_id:str}/entries",
    responses=errors(401, 403, 404, 409, 413, 422),
    security=TOKEN_REQUIRED,
    tags=_TAGS,
)
async def enter(
    tournament_id: FromPath[str],
    data: JSONBody[EntryRequest],
    director: NamedDependency[Director],
    owner: NamedDependency[str],
) -> EntryInfo:
    """Enter the owner of the token, or as the host, a bot; entering a person twice has no further effect."""
    if data.bot is not None:
        entry = await organizing.add_bot(director, tournament_id, data.bot, owner)
    else:
        entry = await organizing.join(director, tournament_id, owner, data.name)
    return EntryInfo(entry.number, entry.name, entry.bot, entry.withdrawn)


@delete(
    "/tournaments/{tournament_id:str}/entries/{number:int}",
    responses=errors(401, 403, 404),
    security=TOKEN_REQUIRED,
    tags=_TAGS,
)
async def withdraw(
    tournament_id: FromPath[str],
    number: Annotated[int, PathParameter(ge=1, le=1_000_000)],
    director: NamedDependency[Director],
    owner: NamedDependency[str],
) -> None:
    """Withdraw: before the start the entry disappears, later a bot plays on. The host may withdraw anyone."""
    await organizing.withdraw(director, tournament_id, number, owner)


@post(
    "/tournaments/{tournament_id:str}/start",
    status_code=200,
    responses=errors(401, 403, 404, 409),
    security=TOKEN_REQUIRED,
    tags=_TAGS,
)
async def start(
    tournament_id: FromPath[str], director: NamedDependency[Director], owner: NamedDependency[str]
) -> TournamentInfo:
    """Start a tournament, as its host; bots fill the remaining places."""
    await organizing.start(director, tournament_id, owner)
    return tournament_info(await organizing.find(director, tournament_id), owner)


@get("/league", responses=errors(404), tags=_TAGS)
async def get_league(
    director: NamedDependency[Director], config: NamedDependency[ServerConfig]
) -> LeagueInfo:
    """The league of this week, if the server has a league."""
    return await _league(director, config, week_of(day_of(director.tables.now())))


@get("/league/{week:str}", responses=errors(404), tags=_TAGS)
async def get_league_week(
    week: FromPath[str], director: NamedDependency[Director], config: NamedDependency[ServerConfig]
) -> LeagueInfo:
    """The league up to an earlier week, such as `2030-W01`."""
    return await _league(director, config, week)


async def _league(director: Director, config: ServerConfig, week: str) -> LeagueInfo:
    if not config.league or first_day_of(week) is None:
        raise NotFoundException
    weeks = await league.load_weeks(director.store, week)
    return LeagueInfo(
        week,
        next((snapshot.tournament.id for snapshot in weeks if snapshot.tournament.league == week), None),
        [
            LeagueLine(line.rank, line.name, decimal(line.points, WIN), line.wins, line.weeks)
            for line in league.league_standings(weeks)
        ],
    )


ROUTES: Final = (
    create_tournament,
    get_tournament,
    get_results,
    enter,
    withdraw,
    start,
    get_league,
    get_league_week,
)

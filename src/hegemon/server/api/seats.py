"""Seats: invitations, the host's changes, votes about absent players, and the rematch."""

from typing import Annotated, Final

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import FromPath, JSONBody, PathParameter

from hegemon.prose.english import BOT_NAMES, PERSON_NAMES
from hegemon.prose.translator import Translator
from hegemon.server.api.auth import TOKEN_OPTIONAL, TOKEN_REQUIRED, unauthorized
from hegemon.server.api.errors import RequestRejected, errors
from hegemon.server.api.schemas import (
    HostSeatInfo,
    JoinRequest,
    JoinResponse,
    ReassignSeatRequest,
    RematchResponse,
    ReplaceTokenRequest,
    SeatInfo,
    VoteRequest,
)
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import SeatRow
from hegemon.server.errors import vote_rejection_text
from hegemon.server.security import tokens
from hegemon.server.tables import seats, substitutes
from hegemon.server.tables.errors import SeatRejected, VoteRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.rematch import create_rematch
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS

_TAGS: Final = ["seats"]


def seat_infos(table: Table) -> list[SeatInfo]:
    return [
        SeatInfo(seat, name, row.bot, row.is_open, row.substitute is not None, table.clock.deadline(seat - 1))
        for seat, (name, row) in enumerate(zip(table.game.names, table.seats, strict=True), 1)
    ]


def host_seat_infos(table: Table) -> list[HostSeatInfo]:
    return [
        HostSeatInfo(**msgspec.structs.asdict(info), invite=row.invite if row.is_open else None)
        for info, row in zip(seat_infos(table), table.seats, strict=True)
    ]


@post(
    "/invitations/{invite:str}",
    responses=errors(401, 403, 404, 409, 410, 413),
    security=TOKEN_OPTIONAL,
    tags=_TAGS,
)
async def join(
    invite: FromPath[str],
    data: JSONBody[JoinRequest],
    tables: NamedDependency[TableRegistry],
    token: NamedDependency[str | None],
) -> JoinResponse:
    """Take the seat of an invitation, with the caller's own token or a new one."""
    token = token or tokens.new_token()
    table, seat = await seats.find_invited_seat(tables, invite)
    await seats.take_seat(tables, table, seat, invite, tokens.owner_of(token) or "", data.name, data.color)
    return JoinResponse(table.id, seat + 1, token)


@get("/games/{game_id:str}/seats", responses=errors(401, 403, 404), security=TOKEN_REQUIRED, tags=_TAGS)
async def get_seats(table: NamedDependency[Table], owner: NamedDependency[str]) -> list[HostSeatInfo]:
    """The seats with their invitations, for the host."""
    if not seats.is_host(table, owner):
        raise SeatRejected("host")
    return host_seat_infos(table)


@post(
    "/games/{game_id:str}/seats/{seat:int}",
    status_code=200,
    responses=errors(401, 403, 404, 409, 413, 422),
    security=TOKEN_REQUIRED,
    tags=_TAGS,
)
async def reassign_seat(
    seat: Annotated[int, PathParameter(ge=1, le=4)],
    data: JSONBody[ReassignSeatRequest],
    tables: NamedDependency[TableRegistry],
    table: NamedDependency[Table],
    owner: NamedDependency[str],
) -> HostSeatInfo:
    """Give a seat to a bot, or open it. The host may change any seat, players only their own.

    Its former player no longer sees its cards.
    """
    if seat > table.game.players:
        raise NotFoundException
    if data.bot is not None and data.bot not in tables.config.bots:
        raise SeatRejected("bot")
    row = (
        SeatRow(data.bot, None, BOT_NAMES[seat - 1])
        if data.bot
        else seats.open_seat_row(PERSON_NAMES[seat - 1])
    )
    await seats.reassign_seat(tables, table, seat - 1, row, owner)
    info = host_seat_infos(table)[seat - 1]
    if not seats.is_host(table, owner):
        info.invite = None
    return info


@post(
    "/games/{game_id:str}/vote",
    status_code=200,
    responses=errors(401, 403, 404, 409, 413, 422),
    security=TOKEN_REQUIRED,
    tags=_TAGS,
)
async def vote(
    data: JSONBody[VoteRequest],
    tables: NamedDependency[TableRegistry],
    table: NamedDependency[Table],
    own_seat: NamedDependency[int],
    tr: NamedDependency[Translator],
) -> SeatInfo:
    """Vote for a bot to substitute an absent player; it takes more than half of the other players' votes.

    Programs that do not vote are not counted.
    """
    about = data.about - 1
    if about >= table.game.players:
        raise HTTPException(REJECTIONS["nobody"], status_code=422)
    try:
        await substitutes.vote(tables, table, [own_seat], about)
    except VoteRejected as error:
        raise RequestRejected(409, vote_rejection_text(error, table.game.names[about], tr)) from None
    return seat_infos(table)[about]


@post(
    "/games/{game_id:str}/return",
    status_code=200,
    responses=errors(401, 403, 404, 409),
    security=TOKEN_REQUIRED,
    tags=_TAGS,
)
async def return_to_seat(
    tables: NamedDependency[TableRegistry],
    table: NamedDependency[Table],
    own_seat: NamedDependency[int],
    owner: NamedDependency[str],
) -> SeatInfo:
    """Take the caller's seat back from a substitute bot; does nothing if there is none.

    If the player's time ran out in the current turn, the bot first finishes that turn.
    """
    await substitutes.return_to_seat(tables, table, own_seat, owner)
    return seat_infos(table)[own_seat]


@post(
    "/games/{game_id:str}/rematch",
    status_code=200,
    responses=errors(401, 403, 404, 409),
    security=TOKEN_REQUIRED,
    tags=_TAGS,
)
async def rematch(
    tables: NamedDependency[TableRegistry], table: NamedDependency[Table], owner: NamedDependency[str]
) -> RematchResponse:
    """Create the next game of the series, with every player moved up one seat; repeated calls return it."""
    if not (table.seats_of(owner) or seats.is_host(table, owner)):
        raise unauthorized()
    return RematchResponse(await create_rematch(tables, table, owner))


@post(
    "/token",
    status_code=204,
    responses=errors(401, 403, 409, 413),
    security=TOKEN_REQUIRED,
    tags=_TAGS,
)
async def replace_token(
    data: JSONBody[ReplaceTokenRequest], tables: NamedDependency[TableRegistry], owner: NamedDependency[str]
) -> None:
    """Replace the caller's token: all seats and tables move to the new one. The request can be repeated."""
    try:
        await tables.people.change_owner(owner, tokens.owner_of(data.token) or "")
    except ConflictError:
        raise HTTPException(REJECTIONS["token-in-use"], status_code=409) from None


ROUTES: Final = (replace_token, join, get_seats, reassign_seat, vote, return_to_seat, rematch)

"""The chat of a table."""

from dataclasses import replace
from typing import Any, Final

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.config import ServerConfig
from hegemon.server.security import tokens
from hegemon.server.tables import chat as table_chat
from hegemon.server.tables.chat import MessageRequest
from hegemon.server.tables.errors import ChatRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import clean_name
from hegemon.server.tables.table import Table
from hegemon.server.web.forms import MessageForm, MuteForm, read_number
from hegemon.server.web.me.profile import remember_name
from hegemon.server.web.own_seat import path_at, seat_in
from hegemon.server.web.responses import page, redirect, script_response
from hegemon.server.web.session import MAX_MUTED, MUTED, Visitor, cookie
from hegemon.server.web.views.table import TablePages


@post("/games/{game_id:str}/chat")
async def post_message(
    data: URLEncodedBody[MessageForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    table_pages: NamedDependency[TablePages],
    wants_json: NamedDependency[bool],
    network: NamedDependency[str],
) -> Response[Any] | Redirect:
    """Post a message to the chat: a phrase, or a text."""
    seat, about = seat_in(data, table, visitor), read_number(data.about)
    message = MessageRequest(
        phrase=data.phrase,
        target=about - 1 if about is not None else None,
        domain=data.domain,
        text=data.text,
        name=clean_name(data.name),
    )
    try:
        own_seat = seat if seat != SPECTATOR else None
        await table_chat.post_message(tables, table, own_seat, owner, message, network)
        await remember_name(tables.store, owner, visitor, data.name)
    except ChatRejected as error:
        why = error.sentence(tr)
        if wants_json:
            return script_response({"why": why}, 422)
        return page(table_pages.table(table, visitor, seat, why), 422)
    response = script_response({}, 201) if wants_json else redirect(path_at(table, seat, "chat"))
    if visitor.owner is None:
        response.cookies.append(cookie(tokens.COOKIE, token, secure=config.secure))
    return response


@post("/games/{game_id:str}/mute")
async def mute(
    data: URLEncodedBody[MuteForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    """Mute an author at this table, or unmute; a cookie of this browser stores it."""
    is_voice = data.voice.isascii() and data.voice.isalnum()
    muted = sorted(visitor.muted ^ {data.voice} if is_voice else visitor.muted)
    response = redirect(path_at(table, seat_in(data, table, visitor), "chat"))
    muting = cookie(MUTED, "-".join(muted[:MAX_MUTED]), secure=config.secure)
    response.cookies.append(replace(muting, path=f"/games/{table.id}"))
    return response


ROUTES: Final = (post_message, mute)

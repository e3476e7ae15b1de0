"""Chat: read and post messages."""

from collections.abc import Sequence
from typing import Final

from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from hegemon.prose.translator import Translator
from hegemon.server.api.auth import TOKEN_OPTIONAL, TOKEN_REQUIRED
from hegemon.server.api.errors import RequestRejected, errors
from hegemon.server.api.schemas import ChatMessage, ChatRequest
from hegemon.server.db.rows import MessageRow
from hegemon.server.tables import chat as table_chat
from hegemon.server.tables.chat import MessageRequest, author_name, message_text
from hegemon.server.tables.errors import ChatRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table

_TAGS: Final = ["chat"]


def describe_message(message: MessageRow, names: Sequence[str], tr: Translator) -> ChatMessage:
    return ChatMessage(
        number=message.number,
        at=message.created_at,
        seat=message.seat + 1 if message.seat is not None else None,
        name=author_name(message, names, tr),
        sentence=message_text(message, names, tr),
        phrase=message.phrase,
        about=message.target + 1 if message.target is not None else None,
        domain=message.domain,
    )


@get("/games/{game_id:str}/chat", responses=errors(401, 403, 404), security=TOKEN_OPTIONAL, tags=_TAGS)
async def get_messages(
    table: NamedDependency[Table], viewer: NamedDependency[int], tr: NamedDependency[Translator]
) -> list[ChatMessage]:
    """The latest messages; players do not see those of spectators until the game is over."""
    return [
        describe_message(message, table.game.names, tr)
        for message in table.chat.visible_to(viewer, table.game.over)
    ]


@post(
    "/games/{game_id:str}/chat",
    status_code=200,
    responses=errors(401, 403, 404, 413, 422),
    security=TOKEN_REQUIRED,
    tags=_TAGS,
)
async def post_message(
    data: JSONBody[ChatRequest],
    tables: NamedDependency[TableRegistry],
    table: NamedDependency[Table],
    own_seat: NamedDependency[int],
    owner: NamedDependency[str],
    tr: NamedDependency[Translator],
) -> ChatMessage:
    """Post a phrase or a text to the table; the same idempotency key posts it only once."""
    about = data.about - 1 if data.about is not None else None
    message = MessageRequest(data.phrase, about, data.domain, data.text, idempotency_key=data.idempotency_key)
    try:
        posted = await table_chat.post_message(tables, table, own_seat, owner, message)
    except ChatRejected as error:
        raise RequestRejected(422, error.sentence(tr)) from None
    return describe_message(posted, table.game.names, tr)


ROUTES: Final = (get_messages, post_message)

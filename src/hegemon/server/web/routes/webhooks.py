"""The webhook of a correspondence game, which its host sets."""

from typing import Final

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.tables import seats
from hegemon.server.tables.errors import SeatRejected
from hegemon.server.tables.table import Table
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.forms import WebhookForm
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.seating import SeatPages
from hegemon.server.webhooks.dispatcher import WebhookDispatcher
from hegemon.server.webhooks.sender import WEBHOOK_REJECTIONS, WebhookRejected, parse_url


@post("/games/{game_id:str}/webhook")
async def set_webhook(
    data: URLEncodedBody[WebhookForm],
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tr: NamedDependency[Translator],
    config: NamedDependency[ServerConfig],
    dispatcher: NamedDependency[WebhookDispatcher],
    seat_pages: NamedDependency[SeatPages],
    base_url: NamedDependency[str],
) -> Response[str] | Redirect:
    """Set the webhook, or remove it if the URL is empty. Its secret is shown only in this response."""
    if not seats.is_host(table, visitor.owner):
        raise SeatRejected("host")
    if table.game.over:
        raise SeatRejected("over")
    if not table.clock.control.is_correspondence:
        raise HTTPException(REJECTIONS["webhook"], status_code=409)
    url = data.url.strip()
    if not url:
        await dispatcher.delete_webhook(table)
        return redirect(f"/games/{table.id}/seats")
    try:
        parse_url(url, allow_private=config.private_webhooks)
    except WebhookRejected as error:
        why = tr.text(WEBHOOK_REJECTIONS[error.key])
        return page(seat_pages.seats(table, visitor, base_url, problem=why, url=url), 422)
    secret = await dispatcher.set_webhook(table, url, base_url)
    return page(seat_pages.seats(table, visitor, base_url, secret=secret))


ROUTES: Final = (set_webhook,)

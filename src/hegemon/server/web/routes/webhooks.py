"""The route by which a host has it told elsewhere that somebody is asked, in a game of days."""

from typing import Any, Final

from litestar import Request, Response, Router, post
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.params import FromPath
from litestar.response import Redirect

from hegemon.prose.translator import get_translator
from hegemon.server.tables import seats
from hegemon.server.tables.seats import SeatRejected
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.responses import page
from hegemon.server.web.routes.seating import Form, base_of
from hegemon.server.web.session import visitor_of
from hegemon.server.webhooks.sender import WEBHOOK_REJECTIONS, WebhookRejected, read_address


@post("/games/{game_id:str}/webhook")
async def set_webhook(
    request: Request[Any, Any, State], game_id: FromPath[str], data: Form, state: State
) -> Response[str] | Redirect:
    """Tell that address from now on whose turn it is; an empty one, nobody. The answer has the secret, this once."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    if not seats.is_host(table, visitor.owner):
        raise SeatRejected("host")
    if table.game.over:
        raise SeatRejected("over")
    if not table.clock.pace.is_correspondence:
        raise HTTPException(REJECTIONS["webhook"], status_code=409)
    url, base = data.get("url", "").strip(), base_of(request, state)
    if not url:
        await state.dispatcher.forget_webhook(table)
        return Redirect(f"/games/{game_id}/seats", status_code=303)
    try:
        read_address(url, private=state.config.private_webhooks)
    except WebhookRejected as error:
        why = get_translator(visitor.language).text(WEBHOOK_REJECTIONS[error.key])
        return page(state.company.seats(table, visitor, base, problem=why, url=url), 422)
    secret = await state.dispatcher.set_webhook(table, url, base)
    return page(state.company.seats(table, visitor, base, secret=secret))


ROUTES: Final = Router("/", route_handlers=[set_webhook], include_in_schema=False)

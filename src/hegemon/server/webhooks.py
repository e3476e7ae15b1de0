"""The route by which a host has it told elsewhere that somebody is asked, in a game of days."""

from typing import Any, Final

from litestar import Request, Response, Router, post
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.params import FromPath
from litestar.response import Redirect

from hegemon.prose.translator import get_translator
from hegemon.server import seats
from hegemon.server.answering import page
from hegemon.server.posting import CANNOT_POST, CannotPost, read_address
from hegemon.server.seats import CannotSit
from hegemon.server.texts import REFUSED
from hegemon.server.together import Form, base_of
from hegemon.server.visitor import visitor_of


@post("/games/{game_id:str}/webhook")
async def set_webhook(
    request: Request[Any, Any, State], game_id: FromPath[str], data: Form, state: State
) -> Response[str] | Redirect:
    """Tell that address from now on whose turn it is; an empty one, nobody. The answer has the secret, this once."""
    table, visitor = await state.tables.table(game_id), visitor_of(request)
    if not seats.is_host(table, visitor.holder):
        raise CannotSit("host")
    if table.game.over:
        raise CannotSit("over")
    if not table.clock.pace.by_days:
        raise HTTPException(REFUSED["webhook"], status_code=409)
    url, base = data.get("url", "").strip(), base_of(request, state)
    if not url:
        await state.postman.forget_webhook(table)
        return Redirect(f"/games/{game_id}/seats", status_code=303)
    try:
        read_address(url, private=state.settings.private_webhooks)
    except CannotPost as error:
        why = get_translator(visitor.language).text(CANNOT_POST[error.key])
        return page(state.company.seats(table, visitor, base, problem=why, url=url), 422)
    secret = await state.postman.set_webhook(table, url, base)
    return page(state.company.seats(table, visitor, base, secret=secret))


ROUTES: Final = Router("/", route_handlers=[set_webhook], include_in_schema=False)

"""The profile of a person."""

from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.own_games import GameFilter
from hegemon.server.tables.errors import NameRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import clean_name
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.forms import ProfileForm
from hegemon.server.web.me.page import my_page
from hegemon.server.web.me.profile import load_statistics, remember_name
from hegemon.server.web.responses import page, redirect_with_token
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.statistics import PublicGames, StatisticsPages

_BLOCKED: Final = REJECTIONS["name"]
_NO_NAME: Final = REJECTIONS["no-name"]


@post("/me/profile")
async def save_profile(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[ProfileForm],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    tr: NamedDependency[Translator],
) -> Response[str] | Redirect:
    if not clean_name(data.name):
        return await my_page(request, visitor, 422, profile={"problem": tr.text(_NO_NAME)})
    try:
        await remember_name(tables.store, owner, visitor, data.name)
    except NameRejected:
        problem = {"problem": tr.text(_BLOCKED), "name": data.name}
        return await my_page(request, visitor, 422, profile=problem)
    await tables.store.profiles.save(owner, color=data.color_number, public=data.public == "on")
    return redirect_with_token("/me?saved", token, config)


@get("/players/{public_id:str}")
async def player(
    public_id: FromPath[str],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    statistics_pages: NamedDependency[StatisticsPages],
    name: Annotated[str, QueryParameter(max_length=40)] = "",
    number: Annotated[int, QueryParameter(ge=1, le=100_000)] = 1,
) -> Response[str]:
    """A profile that its person has made public, with the games that everyone could find in the lobby."""
    store, game_filter = tables.store, GameFilter(name.strip(), public_only=True)
    profile = await store.profiles.find(public_id)
    if profile is None:
        raise NotFoundException
    owner = profile.owner
    games = PublicGames(
        await store.own_games.finished(owner, game_filter, number),
        (await store.own_games.counts(owner, game_filter))[1],
        number,
        game_filter.name,
    )
    statistics = await load_statistics(store, owner, public_only=True)
    return page(statistics_pages.player(visitor, profile, statistics, games))


ROUTES: Final = (save_profile, player)

"""The home page with the form of a new game, the rules and rulings, and a reader's settings."""

from typing import Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator, languages
from hegemon.server import language
from hegemon.server.config import ServerConfig
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.setup import SetupRejected
from hegemon.server.web.forms import NewGameForm, SettingsForm
from hegemon.server.web.new_game import options_in, read_new_game
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.session import SETTINGS, Visitor, cookie
from hegemon.server.web.views.pages import Pages


@get("/")
async def home(
    visitor: NamedDependency[Visitor], tables: NamedDependency[TableRegistry], pages: NamedDependency[Pages]
) -> Response[str]:
    return page(pages.home(visitor, await tables.store.games.owned_by(visitor.owner)))


@post("/games")
async def create_game(
    data: URLEncodedBody[NewGameForm],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    pages: NamedDependency[Pages],
) -> Response[str] | Redirect:
    """Create a game in which the visitor has a seat."""
    owner = tokens.owner_of(token)
    try:
        game, seats = read_new_game(data, owner, tr, config.bots, config.new_seed())
        options = options_in(data, visitor.language, lobby=config.lobby)
    except SetupRejected as error:
        return page(pages.home(visitor, await tables.store.games.owned_by(visitor.owner), error, data), 422)
    public = config.lobby and data.public == "on"
    game_id = await tables.create(game, seats, host=owner, options=options, public=public)
    return redirect_with_token(f"/games/{game_id}", token, config)


@get("/rules")
async def rules(visitor: NamedDependency[Visitor], pages: NamedDependency[Pages]) -> Response[str]:
    return page(pages.rules(visitor))


@get("/rulings")
async def rulings(visitor: NamedDependency[Visitor], pages: NamedDependency[Pages]) -> Response[str]:
    return page(pages.rulings(visitor))


@post("/settings")
async def save_settings(
    data: URLEncodedBody[SettingsForm], config: NamedDependency[ServerConfig]
) -> Redirect:
    is_local = data.back.startswith("/") and not data.back.startswith("//")
    response = redirect(data.back if is_local else "/")
    for name, values in {language.COOKIE: tuple(languages()), **SETTINGS}.items():
        if (value := getattr(data, name)) in values:
            response.cookies.append(cookie(name, value, secure=config.secure))
    return response


ROUTES: Final = (home, create_game, rules, rulings, save_settings)

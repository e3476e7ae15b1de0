"""The home page with the form of a new game, the rules and rulings, and a reader's settings."""

from typing import Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator, languages
from hegemon.server import language
from hegemon.server.config import ServerConfig
from hegemon.server.tables.names import is_blocked
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import clean_name
from hegemon.server.tables.setup import SetupRejected
from hegemon.server.web.forms import NewGameForm, SettingsForm
from hegemon.server.web.me.games import latest_games
from hegemon.server.web.me.profile import chosen_settings, remember_name
from hegemon.server.web.new_game import options_in, own_name, read_new_game
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.session import SETTINGS, Visitor, cookie
from hegemon.server.web.views.home import HomePages
from hegemon.server.web.views.pages import Pages


@get("/")
async def home(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    home_pages: NamedDependency[HomePages],
) -> Response[str]:
    return page(home_pages.home(visitor, await latest_games(tables, visitor.owner)))


@post("/games")
async def create_game(
    data: URLEncodedBody[NewGameForm],
    visitor: NamedDependency[Visitor],
    token: NamedDependency[str],
    owner: NamedDependency[str],
    tr: NamedDependency[Translator],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    home_pages: NamedDependency[HomePages],
) -> Response[str] | Redirect:
    """Create a game in which the visitor has a seat."""
    try:
        if await is_blocked(tables.store, *map(clean_name, data.names)):
            raise SetupRejected("name")
        game, seats = read_new_game(data, owner, tr, config.bots, config.new_seed(), visitor)
        options = options_in(data, visitor.language, lobby=config.lobby)
    except SetupRejected as error:
        return page(home_pages.home(visitor, await latest_games(tables, visitor.owner), error, data), 422)
    public = config.lobby and data.public == "on"
    game_id = await tables.create(game, seats, host=owner, options=options, public=public)
    await remember_name(tables.store, owner or "", visitor, own_name(data))
    return redirect_with_token(f"/games/{game_id}", token, config)


@get("/rules")
async def rules(visitor: NamedDependency[Visitor], pages: NamedDependency[Pages]) -> Response[str]:
    return page(pages.rules(visitor))


@get("/rulings")
async def rulings(visitor: NamedDependency[Visitor], pages: NamedDependency[Pages]) -> Response[str]:
    return page(pages.rulings(visitor))


@post("/settings")
async def save_settings(
    data: URLEncodedBody[SettingsForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
) -> Redirect:
    """Save settings in cookies of this browser, and in the profile for the visitor's other devices."""
    is_local = data.back.startswith("/") and not data.back.startswith("//")
    response = redirect(data.back if is_local else "/")
    known = {language.COOKIE: tuple(languages()), **SETTINGS}
    chosen = {name: value for name, values in known.items() if (value := getattr(data, name)) in values}
    response.cookies += [cookie(name, value, secure=config.secure) for name, value in chosen.items()]
    if visitor.owner is not None and chosen:
        chosen_language = chosen.pop(language.COOKIE, visitor.language)
        settings = chosen_settings(visitor) | chosen
        await tables.store.profiles.save(visitor.owner, language=chosen_language, settings=settings)
    return response


ROUTES: Final = (home, create_game, rules, rulings, save_settings)

"""The games of a person: the list with its filter, resigning, taking a game out of the list, and the export."""

from typing import Annotated, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect, Stream

from hegemon.prose.translator import Translator
from hegemon.server.db.own_games import GameFilter
from hegemon.server.tables.errors import SeatRejected, TableNotFound
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.substitutes import resign
from hegemon.server.tables.table import Table
from hegemon.server.web.me.export import export_zip
from hegemon.server.web.me.games import running_games
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.me import PersonPages

Filter = Annotated[str, QueryParameter(max_length=40)]
PageNumber = Annotated[int, QueryParameter(ge=1, le=100_000)]

#: The value of the filter by level for games against people, which have no level.
PEOPLE: Final = "people"


def read_filter(name: str, players: str, level: str, result: str) -> GameFilter:
    """The filter in a query; values that our form does not offer are ignored."""
    return GameFilter(
        name.strip(),
        int(players) if players in ("2", "3", "4") else None,
        {"": None, PEOPLE: ""}.get(level, level),
        {"won": True, "lost": False}.get(result),
    )


@get("/me/games")
async def own_games(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    person_pages: NamedDependency[PersonPages],
    name: Filter = "",
    players: Filter = "",
    level: Filter = "",
    result: Filter = "",
    running: PageNumber = 1,
    number: PageNumber = 1,
) -> Response[str]:
    """The lists of unfinished and finished games, each with its own pages; the filter applies to finished games."""
    game_filter = read_filter(name, players, level, result)
    fields = {"name": name, "players": players, "level": level, "result": result}
    return page(
        person_pages.games(
            visitor,
            await running_games(tables, visitor.owner, running),
            await tables.store.own_games.finished(visitor.owner, game_filter, number),
            await tables.store.own_games.counts(visitor.owner, game_filter),
            {name: value for name, value in fields.items() if value},
            (running, number),
        )
    )


@post("/games/{game_id:str}/resign")
async def resign_game(
    table: NamedDependency[Table],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    own = visitor.seats_at(table)
    if not own or visitor.owner is None:
        raise SeatRejected("lost")
    for seat in own:
        await resign(tables, table, seat, visitor.owner)
    return redirect("/me/games")


@post("/me/games/{game_id:str}/hide")
async def hide_game(
    game_id: FromPath[str],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    """Hide a game from the visitor's lists; the game itself does not change, and its link still works."""
    if not await tables.store.own_games.hide(visitor.owner, game_id):
        raise TableNotFound
    return redirect("/me/games")


@post("/me/export", status_code=200)
async def export(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    tr: NamedDependency[Translator],
) -> Stream:
    """Everything that the server stores about the visitor, as one file."""
    headers = {"Content-Disposition": 'attachment; filename="hegemon.zip"'}
    return Stream(export_zip(tables, visitor.owner, tr), media_type="application/zip", headers=headers)


ROUTES: Final = (own_games, resign_game, hide_game, export)

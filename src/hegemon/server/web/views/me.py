"""The pages of a person's games and profile."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from hegemon.prose.translator import get_translator
from hegemon.server.db.own_games import PAGE_SIZE, OwnGame
from hegemon.server.texts import LEVELS, OTHER_BOTS
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.own_games import describe
from hegemon.server.web.views.pages import Pages


class PersonPages(Pages):
    def games(
        self,
        visitor: Visitor,
        running: Sequence[OwnGame],
        finished: Sequence[OwnGame],
        numbers: tuple[int, int],
        fields: Mapping[str, str],
        at: tuple[int, int],
    ) -> str:
        """A page of the unfinished games, and one of the finished games that a search has found."""
        tr, now = get_translator(visitor.language), self._now()
        lists = [("running", running), ("finished", finished)]
        return self._render(
            "own_games.html",
            visitor,
            lists=[
                {
                    "id": name,
                    "games": [describe(game, tr, now) for game in games],
                    "number": number,
                    **pagination({"running": at[0], "number": at[1]}, parameter, number, fields),
                }
                for (name, games), number, parameter in zip(
                    lists, numbers, ("running", "number"), strict=True
                )
            ],
            fields=fields,
            levels=[(bot, tr.bots.get(bot, bot)) for bot in LEVELS + OTHER_BOTS + self._allowed_bots],
        )


def pagination(
    at: Mapping[str, int], parameter: str, number: int, fields: Mapping[str, str]
) -> dict[str, object]:
    """The number of a page, of all pages, and the queries that lead to the previous and the next one."""
    page, pages = at[parameter], max(1, -(-number // PAGE_SIZE))

    def query(other: int) -> str:
        return urlencode({**fields, **at, parameter: other}) if 1 <= other <= pages else ""

    return {"page": page, "pages": pages, "previous": query(page - 1), "next": query(page + 1)}

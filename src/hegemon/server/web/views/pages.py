"""The pages of the server as HTML, in the visitor's language: the base class, the rules, and error pages."""

from typing import Any

from litestar import MediaType, Request, Response

from hegemon.prose.choices import explain_effect
from hegemon.prose.rulings import load_rulings
from hegemon.prose.translator import get_translator
from hegemon.rules.actions import Effect
from hegemon.rules.cards import NUMBER_OF_CARDS, Domain
from hegemon.rules.position import Position
from hegemon.rules.rulings import PRESETS, SWITCHES
from hegemon.rules.turn import threshold
from hegemon.rules.victory import hegemony_threshold
from hegemon.server import traces
from hegemon.server.config import ServerConfig
from hegemon.server.errors import describe_error, error_headers
from hegemon.server.tables.errors import TableClosed
from hegemon.server.texts import PRESET_NAMES, RULING_SWITCHES
from hegemon.server.web.render import Renderer
from hegemon.server.web.session import Visitor, visitor_of, with_profile
from hegemon.server.web.views.columns import need_of


class Pages:
    def __init__(self, config: ServerConfig) -> None:
        self._new_idempotency_key = config.new_idempotency_key
        self._now = config.now
        self._allowed_bots = tuple(config.allowed_bots)
        self._renderer = Renderer(lobby=config.lobby)

    def _render(self, template: str, visitor: Visitor, **facts: Any) -> str:
        return self._renderer.page(template, visitor, **facts)

    def start(self, visitor: Visitor) -> str:
        """The start page of the installed app, which also works offline."""
        return self._render("start.html", visitor)

    def rules(self, visitor: Visitor) -> str:
        tr = get_translator(visitor.language)
        tables = [Position(players=players) for players in (2, 3, 4)]
        return self._render(
            "rules.html",
            visitor,
            numbers={domain: NUMBER_OF_CARDS[domain] for domain in Domain},
            thresholds=[
                {
                    "players": table.players,
                    "first": threshold(table, 1),
                    "second": threshold(table, 2),
                    "hegemony": hegemony_threshold(table, 0, 0),
                }
                for table in tables
            ],
            effects=[
                (
                    domain,
                    [
                        {
                            "name": tr.effects[effect],
                            "need": need_of(effect, tables[1], tr),
                            "text": explain_effect(effect, tables[1], tr),
                        }
                        for effect in Effect
                        if effect.domain is domain
                    ],
                )
                for domain in Domain
            ],
        )

    def rulings(self, visitor: Visitor) -> str:
        tr = get_translator(visitor.language)
        _ = tr.text
        return self._render(
            "rulings.html",
            visitor,
            words=tr.rulings,
            principles=load_rulings().principles,
            chapters=load_rulings().chapters,
            presets=[_(PRESET_NAMES[name]) for name in PRESETS],
            switches=[
                {"text": _(RULING_SWITCHES[name]), "on": [bool(preset & bit) for preset in PRESETS.values()]}
                for name, bit in SWITCHES.items()
            ],
        )

    def error(self, request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
        """The exception handler of the pages: a page, or JSON for a page's script."""
        visitor = visitor_of(request)
        visitor = with_profile(visitor, request.app.state.tables.store.profiles.cached(visitor.owner))
        status, sentence = describe_error(error, get_translator(visitor.language))
        headers = error_headers(error)
        if request.headers.get("accept", "").startswith("application/json"):
            return Response({"why": sentence}, status_code=status, media_type=MediaType.JSON, headers=headers)
        record = ""
        if isinstance(error, TableClosed) and visitor.owner in {row.owner for row in error.seats} - {None}:
            record = f"/games/{error.game_id}/record"
        request_id = traces.current_trace_id() if status >= 500 else ""
        html = self._render(
            "failure.html", visitor, status=status, sentence=sentence, record=record, request_id=request_id
        )
        return Response(html, status_code=status, media_type=MediaType.HTML, headers=headers)

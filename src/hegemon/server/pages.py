"""The pages: what a visitor may see of a table, in the visitor's language, as HTML."""

import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from litestar import MediaType, Request, Response
from markupsafe import Markup

from hegemon.bots import BOTS
from hegemon.notation.cards import write_cards
from hegemon.notation.record import Record
from hegemon.play.events import Event, GameEnded
from hegemon.play.game import Game
from hegemon.play.refusal import Refusal
from hegemon.prose.meanings import Meanings, explain_effect
from hegemon.prose.rulings import CHAPTERS, PRINCIPLES
from hegemon.prose.speech import Speech, languages, speech
from hegemon.prose.telling import Teller
from hegemon.rules.cards import NUMBER_OF_CARDS, Domain
from hegemon.rules.effects.board import Effect
from hegemon.rules.position import Position
from hegemon.rules.rulings import PRESETS, SWITCHES
from hegemon.rules.turn import threshold
from hegemon.rules.victory import hegemony_threshold
from hegemon.rules.view import SPECTATOR
from hegemon.rules.words import END, WORDS
from hegemon.server.failures import what_went_wrong
from hegemon.server.guards import HEADERS
from hegemon.server.model import BOARD, Seating, TableModel, majority_rows, table_model
from hegemon.server.moments import Moment
from hegemon.server.streams import Regions
from hegemon.server.tables import Stale, Table
from hegemon.server.texts import BOT_NAMES, PRESET_NAMES, RULING_SWITCHES
from hegemon.server.visitor import SETTINGS, Visitor, visitor_of

_TEMPLATES: Final = Path(__file__).parent / "templates"
_END: Final = WORDS[END]

#: So many turns of the log are sent with every change; the whole log is on a page of its own.
_LOG_TURNS: Final = 12


def new_command() -> str:
    """A name for a command, which no other command has."""
    return secrets.token_urlsafe(12)


class Pages:
    """Draws every page of the server."""

    def __init__(self, command: Callable[[], str] = new_command) -> None:
        self._new_command = command
        self._jinja = Environment(
            loader=FileSystemLoader(_TEMPLATES),
            autoescape=select_autoescape(),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def _draw(self, template: str, visitor: Visitor, **facts: Any) -> str:
        said = speech(visitor.language)
        return self._jinja.get_template(template).render(
            visitor=visitor,
            languages=languages(),
            _=said.text,
            numbered=said.numbered,
            domain_names=said.domains,
            **facts,
        )

    # ---------------------------------------------------------------- the start

    def start(
        self,
        visitor: Visitor,
        tables: list[Table],
        problem: Exception | None = None,
        form: dict[str, str] | None = None,
    ) -> str:
        """The start page: a new table, and the games of this browser."""
        _ = speech(visitor.language).text
        sitters = [
            ("me", _("Me")),
            *((name, _("Bot: {level}", level=_(BOT_NAMES.get(name, name)))) for name in BOTS),
            ("person", _("Somebody else at this device")),
            ("nobody", _("Nobody")),
        ]
        return self._draw(
            "start.html",
            visitor,
            games=[
                {"id": table.id, "names": table.game.names, "state": self._state(table, visitor)}
                for table in tables
            ],
            problem=_(str(problem)) if problem is not None else None,
            form=form or {},
            sitters=sitters,
            defaults=("me", "greedy", "greedy", "nobody"),
            presets=[(name, _(PRESET_NAMES[name])) for name in PRESETS],
            switches=[_(RULING_SWITCHES[name]) for name in SWITCHES],
        )

    def _state(self, table: Table, visitor: Visitor) -> str:
        said = speech(visitor.language)
        if table.game.over:
            return said.text("finished")
        number = table.game.view(SPECTATOR).round
        return said.text("round {number}", number=number) if number else said.text("draft")

    # ---------------------------------------------------------------- a table

    def table(self, table: Table, visitor: Visitor, viewer: int, notice: str = "") -> str:
        """The whole page of a table."""
        model = self._model(table, visitor, viewer)
        regions = {name: Markup(html) for name, html in self._regions(table.game, model, visitor).items()}
        return self._draw("table.html", visitor, t=model, regions=regions, notice=notice, settings=SETTINGS)

    def regions(self, table: Table, visitor: Visitor, viewer: int) -> Regions:
        """The regions of a table's page, each by its name."""
        return self._regions(table.game, self._model(table, visitor, viewer), visitor)

    def _model(self, table: Table, visitor: Visitor, viewer: int) -> TableModel:
        memory = table.memory(viewer) if viewer != SPECTATOR and visitor.settings["memory"] == "on" else None
        return table_model(
            table.game, Seating(table.id, table.number, tuple(row.bot for row in table.seats)), viewer, memory
        )

    def _regions(self, game: Game, model: TableModel, visitor: Visitor) -> Regions:
        said = speech(visitor.language)

        def draw(name: str, **facts: Any) -> str:
            return self._draw(f"regions/{name}.html", visitor, t=model, **facts)

        regions = {
            "status": draw("status", command=self._new_command(), where=self._where(model, said)),
            "question": draw("question", **self._question(game, model, said)),
        }
        for number, panel in enumerate(model.others, 1):
            regions[f"other{number}"] = draw("panel", p=panel, known=model.known.get(panel.seat, ()))
        if model.me is not None:
            regions["me"] = draw("panel", p=model.me, known=())
            regions["hand"] = draw("hand")
        else:
            regions["hand"] = draw("centre")
        regions["pile"] = draw("pile")
        regions["majority"] = draw("majority", **majority_rows(model))
        regions["board"] = draw("board", rows=self._board(game.position, model, said))
        regions["log"] = draw(
            "log", turns=self._turns(game.events_seen_by(model.viewer), model, said)[-_LOG_TURNS:][::-1]
        )
        return regions

    def _where(self, model: TableModel, said: Speech) -> str:
        return (
            said.text("Round {number}", number=model.view.round) if model.view.round else said.text("Draft")
        )

    def _question(self, game: Game, model: TableModel, said: Speech) -> dict[str, Any]:
        meanings = Meanings(model.view, model.names, said)
        result = game.result
        ending = self._teller(model, said).ending(GameEnded(result)) if result is not None else ""
        return {
            "question": ending or meanings.question(),
            "over": result is not None,
            "answers": [
                {
                    "word": word,
                    "text": meanings.meaning(word),
                    "end": word == _END,
                    "unused": word == _END and model.unused > 0,
                }
                for word in model.choices
            ],
        }

    def _teller(self, model: TableModel, said: Speech) -> Teller:
        reader = model.viewer if model.viewer != SPECTATOR else None
        return Teller(model.names, reader, teams=bool(model.view.teams), language=said)

    def _turns(self, events: tuple[Event, ...], model: TableModel, said: Speech) -> list[list[str]]:
        return self._teller(model, said).tell_by_turns(events)

    def _board(self, position: Position, model: TableModel, said: Speech) -> list[dict[str, Any]]:
        """The reference board, with what each effect would need, and why it cannot be used now."""
        open_now = {row.effect: row for row in model.effects}
        rows = []
        for effect, domain, level in BOARD:
            row = open_now.get(effect)
            rows.append(
                {
                    "domain": domain,
                    "name": said.effects[effect],
                    "need": self._need(effect, level, position, said),
                    "text": explain_effect(effect, position, said),
                    "open": bool(row and row.words),
                    "why": said.refusal(row.why_not) if row and row.why_not else "",
                }
            )
        return rows

    def _need(self, effect: Effect, level: int, position: Position, said: Speech) -> str:
        if effect is Effect.INSPIRATION:
            return said.text("the most Culture")
        number = threshold(position, level) if level else 1
        return said.numbered("{number} card", "{number} cards", number)

    def curtain(self, table: Table, visitor: Visitor) -> str:
        """The curtain between people who share a device."""
        own = table.seats_of(visitor.holder or "")
        asked = [seat for seat in table.asked if seat in own] or list(own)
        return self._draw("curtain.html", visitor, table=table, seats=asked[:1], names=table.game.names)

    # ---------------------------------------------------------------- afterwards

    def shuffle(self, table: Table, visitor: Visitor) -> str:
        """What commits the shuffle, and after the game what it can be checked by."""
        record = table.game.record()
        return self._draw(
            "shuffle.html",
            visitor,
            id=table.id,
            digest=table.game.commitment,
            over=table.game.over,
            salt=record.salt if table.game.over else "",
            deck=write_cards(list(record.deck)) if table.game.over else "",
        )

    def replay(self, record: Record, visitor: Visitor, path: str, at: int, seat: int) -> str:
        """One moment of a finished game, seen by a player (1 to 4), by a spectator (0), or with open cards (5)."""
        said = speech(visitor.language)
        moment = Moment(record, min(at, len(record.said)))
        viewer = seat - 1 if 1 <= seat <= record.players else SPECTATOR
        seating = Seating("", moment.at, (None,) * record.players)
        model = table_model(
            moment.game, seating, viewer, moment.game.memory(viewer) if viewer != SPECTATOR else None
        )
        model = replace(model, choices=(), can_undo=False)
        regions = self._regions(moment.game, model, visitor)
        shown = {
            name: Markup(html)
            for name, html in regions.items()
            if name not in ("status", "question", "board")
        }
        perspectives = [(0, said.text("a spectator")), *enumerate(record.names, 1)]
        return self._draw(
            "replay.html",
            visitor,
            t=model,
            regions=shown,
            path=path,
            seat=seat if seat <= record.players else 0,
            at=moment.at,
            last=len(record.said),
            previous_turn=moment.previous_turn,
            next_turn=moment.next_turn,
            where=self._where(model, said),
            sentences=self._teller(model, said).tell(moment.events_seen_by(viewer)),
            perspectives=perspectives,
        )

    # ---------------------------------------------------------------- reading

    def rules(self, visitor: Visitor) -> str:
        """The rules in our words."""
        said = speech(visitor.language)
        tables = [Position(players=players) for players in (2, 3, 4)]
        return self._draw(
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
                            "name": said.effects[effect],
                            "need": self._need(effect, level, tables[1], said),
                            "text": explain_effect(effect, tables[1], said),
                        }
                        for effect, of, level in BOARD
                        if of is domain
                    ],
                )
                for domain in Domain
            ],
        )

    def rulings(self, visitor: Visitor) -> str:
        """How it is played where the rulebooks differ or are silent."""
        said = speech(visitor.language)
        _ = said.text
        return self._draw(
            "rulings.html",
            visitor,
            words=said.rulings,
            principles=PRINCIPLES,
            chapters=CHAPTERS,
            presets=[_(PRESET_NAMES[name]) for name in PRESETS],
            switches=[
                {"text": _(RULING_SWITCHES[name]), "on": [bool(preset & bit) for preset in PRESETS.values()]}
                for name, bit in SWITCHES.items()
            ],
        )

    # ---------------------------------------------------------------- what went wrong

    def why(self, visitor: Visitor, reason: Exception) -> str:
        """Why nothing has changed."""
        said = speech(visitor.language)
        if isinstance(reason, Stale):
            return said.text("Meanwhile something else has happened. This is the table as it is now.")
        if isinstance(reason, Refusal):
            return said.refusal(reason.reason)
        return said.text("That is no word of the game.")

    def failure(self, request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
        """A page, or a few words for a program, that says what went wrong and what to do."""
        visitor = visitor_of(request)
        status, sentence = what_went_wrong(error, speech(visitor.language))
        if request.headers.get("accept", "").startswith("application/json"):
            return Response({"why": sentence}, status_code=status, media_type=MediaType.JSON, headers=HEADERS)
        html = self._draw("failure.html", visitor, status=status, sentence=sentence)
        return Response(html, status_code=status, media_type=MediaType.HTML, headers=HEADERS)

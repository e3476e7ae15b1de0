"""The page of a table, its regions and its chat."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from hegemon.notation.cards import write_cards
from hegemon.play.game import Game
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.db.rows import MessageRow
from hegemon.server.tables.chat import author_name, is_visible, message_text, mute_key_of, phrases_for
from hegemon.server.tables.errors import MAX_MESSAGE_LENGTH
from hegemon.server.tables.page_moves import forced_choice
from hegemon.server.tables.rematch import score_after
from hegemon.server.tables.seats import color_of, shown_names
from hegemon.server.tables.substitutes import NOTES, NOTES_TO_PLAYER
from hegemon.server.tables.table import Table
from hegemon.server.web.render import RendersRegions, TableRenderer
from hegemon.server.web.session import SETTINGS, Visitor
from hegemon.server.web.sse import Regions
from hegemon.server.web.views.hints import Hint
from hegemon.server.web.views.pages import Pages
from hegemon.server.web.views.pictures import HEIGHT, WIDTH
from hegemon.server.web.views.presence import PlayerStatus, Reader, options_of, player_statuses
from hegemon.server.web.views.previews import table_preview
from hegemon.server.web.views.regions import NO_RECAP, RegionRenderer, turn_log
from hegemon.server.web.views.story import StoryRenderer, TurnLog
from hegemon.views import TableInfo, TableView
from hegemon.views.drawing import draw_preview
from hegemon.views.marks import with_marks
from hegemon.views.story import Recap


def info_of(table: Table) -> TableInfo:
    return TableInfo(
        table.id,
        table.version,
        tuple(row.bot for row in table.seats),
        tuple(color_of(table.seats, seat) for seat in range(table.game.players)),
        tuple(seat for seat, row in enumerate(table.seats) if row.is_open),
        score_after(table) if table.options.before or table.game.over else (),
        table.options.before,
        table.next_game,
        table.presence.present_seats,
        tuple(seat for seat, row in enumerate(table.seats) if row.substitute is not None),
        table.options.daily,
        table.options.tournament,
        tuple(sorted(table.resigned)),
        tuple(sorted(table.withdrawn)),
    )


def moments_of(table: Table, viewer: int) -> str:
    """How the address of a moment begins: in the replay of a finished game, or as the viewer saw it."""
    page = "replay" if table.game.over else "moment"
    return f"/games/{table.id}/{page}?seat={viewer + 1}&at="


def has_company(table: Table, visitor: Visitor) -> bool:
    """Whether the chat has other readers: another person plays, or the visitor is a spectator."""
    if not visitor.seats_at(table):
        return any(row.owner is not None for row in table.seats)
    return any(row.bot is None and row.owner != visitor.owner for row in table.seats)


class TablePages(Pages):
    def table(
        self,
        table: Table,
        visitor: Visitor,
        viewer: int,
        notice: str = "",
        hint: Hint | None = None,
        marked: Sequence[str] = (),
    ) -> str:
        """The page of a table, perhaps with cards marked that could not be chosen together."""
        model = self._model(table, visitor, viewer)
        if marked:
            model = with_marks(model, marked)
        drawn = self._regions_of(table, model, visitor, hint, live=False)
        regions = {name: Markup(html) for name, html in drawn.items()}
        return self._render(
            "table.html",
            visitor,
            t=model,
            regions=regions,
            notice=notice,
            settings=SETTINGS,
            chat=self._chat(table, visitor, model),
            waiting=not model.choices and not table.game.over,
            preview=table_preview(
                table, self._model(table, visitor, SPECTATOR), get_translator(visitor.language)
            ),
        )

    def picture(self, table: Table, visitor: Visitor) -> str:
        """The table as a spectator sees it, as an SVG."""
        spectated, tr = self._model(table, visitor, SPECTATOR), get_translator(visitor.language)
        return draw_preview(spectated, [table_preview(table, spectated, tr).description], WIDTH, HEIGHT)

    def regions(self, table: Table, visitor: Visitor, viewer: int) -> Regions:
        """The regions for a stream, which readers who see the same share."""
        settings = visitor.settings
        chosen = tuple(settings[name] for name in ("confirm", "memory", "passing"))
        audience = viewer, visitor.seats_at(table), visitor.language, chosen

        def model() -> TableView:
            return table.cached(("model", *audience), lambda: self._model(table, visitor, viewer))

        regions = table.cached(audience, lambda: self._regions_of(table, model(), visitor, live=True))
        if not has_company(table, visitor):
            return regions
        authors, mute_keys = table.cached("mute keys", lambda: table.chat.authors_and_mute_keys(table.id))
        own = visitor.owner if visitor.owner in authors else None
        chat_key = "chat", *audience, own, visitor.muted & mute_keys
        return table.cached(chat_key, lambda: regions | {"chat": self._chat_region(table, visitor, model())})

    def _regions_of(
        self, table: Table, model: TableView, visitor: Visitor, hint: Hint | None = None, *, live: bool
    ) -> Regions:
        """The regions of a table, with the presence of its players and the notes about substitutes."""
        tr = get_translator(visitor.language)
        notes = [
            (at, tr.text(texts[note.reason], name=model.names[note.seat]))
            for at, note in table.substitutions
            for texts in [NOTES_TO_PLAYER if note.seat == model.viewer else NOTES]
        ]
        reader = Reader(model.viewer, visitor.seats_at(table), self._now(), live)
        people = player_statuses(table, reader, tr)
        playing = visitor.settings["passing"] == "on" and bool(model.choices)
        forced = forced_choice(table, model.viewer) if playing else None
        story = StoryRenderer(table.game, model, visitor.language)
        moments = moments_of(table, model.viewer)
        log = table.cached_across_versions(
            ("log", model.viewer, visitor.language, model.names, moments),
            lambda: turn_log(self._renderer, visitor.language, moments),
        )
        renderer = self._table_renderer(table)
        regions = self._regions(
            table.game, model, visitor, hint, notes, people, forced, story.recap, moments, log, renderer
        )
        return {
            **regions,
            **story.regions(renderer, moments),
            "options": renderer.region("options", visitor.language, **options_of(table, reader, tr)),
        }

    def _table_renderer(self, table: Table) -> TableRenderer:
        renderer = table.cached_across_versions("regions", lambda: TableRenderer(self._renderer))
        renderer.start_version(table.version)
        return renderer

    def _chat(self, table: Table, visitor: Visitor, model: TableView) -> dict[str, Any] | None:
        """The chat box; None where it has no other readers."""
        if not has_company(table, visitor):
            return None
        tr = get_translator(visitor.language)
        own = [line.name for line in table.chat.messages if line.author == visitor.owner and line.name]
        return {
            "region": Markup(self._chat_region(table, visitor, model)),
            "phrases": phrases_for(model.viewer, tr),
            "longest": MAX_MESSAGE_LENGTH,
            "name": own[-1] if own else visitor.name,
        }

    def _chat_region(self, table: Table, visitor: Visitor, model: TableView) -> str:
        """The messages and the mute buttons for a visitor, each drawn once for all readers of a language."""
        language, names = visitor.language, model.names
        lines, buttons = table.cached(
            ("lines", language), lambda: self._chat_parts(table, names, get_translator(language))
        )
        visible = [part for part in lines if is_visible(part[0], model.viewer, over=table.game.over)]
        owners = enumerate((row.owner for row in table.seats), 1)
        voices = [f"seat{seat}" for seat, owner in owners if owner not in (None, visitor.owner)]
        voices += [voice for line, voice, _ in visible if line.author != visitor.owner]
        return self._table_renderer(table).region(
            "chat",
            language,
            id=table.id,
            lines=Markup("".join(html for _, voice, html in reversed(visible) if voice not in visitor.muted)),
            voices=Markup(
                " ".join(buttons[voice][voice in visitor.muted] for voice in dict.fromkeys(voices))
            ),
        )

    def _chat_parts(
        self, table: Table, names: Sequence[str], tr: Translator
    ) -> tuple[list[tuple[MessageRow, str, Markup]], dict[str, tuple[Markup, Markup]]]:
        """The messages with their authors and HTML, and the buttons that mute and unmute each author."""
        lines, speakers = [], {f"seat{seat}": name for seat, name in enumerate(names, 1)}
        region = self._renderer.region
        for line in table.chat.messages:
            voice, name = mute_key_of(line, table.id), author_name(line, names, tr)
            speakers.setdefault(voice, name)
            html = region(
                "line",
                tr.code,
                number=line.number,
                speaker=name,
                spectator=line.seat is None,
                sentence=message_text(line, names, tr),
            )
            lines.append((line, voice, html))
        buttons = {
            voice: (
                region("voice", tr.code, voice=voice, speaker=name, muted=False),
                region("voice", tr.code, voice=voice, speaker=name, muted=True),
            )
            for voice, name in speakers.items()
        }
        return lines, buttons

    def hint(self, table: Table, visitor: Visitor, hint: Hint) -> str:
        return self._render("regions/hint.html", visitor, id=table.id, hint=hint)

    def _model(self, table: Table, visitor: Visitor, viewer: int) -> TableView:
        if table.is_waiting:
            viewer = SPECTATOR  # no hand is shown before the game starts
        with_memory = viewer != SPECTATOR and visitor.settings["memory"] == "on"
        names = shown_names(table, get_translator(visitor.language))
        return table.snapshot.table_view(viewer, info_of(table), with_memory=with_memory, names=names)

    def _regions(
        self,
        game: Game,
        model: TableView,
        visitor: Visitor,
        hint: Hint | None = None,
        notes: Sequence[tuple[int, str]] = (),
        people: Mapping[int, PlayerStatus] = MappingProxyType({}),
        forced: str | None = None,
        recap: Recap = NO_RECAP,
        moments: str = "",
        log: TurnLog | None = None,
        renderer: RendersRegions | None = None,
    ) -> Regions:
        idempotency_key = self._new_idempotency_key() if model.viewer != SPECTATOR else ""
        regions = RegionRenderer(game, model, visitor, notes, people, forced, recap, moments, log)
        return regions.regions(renderer or self._renderer, idempotency_key, hint)

    def curtain(self, table: Table, visitor: Visitor) -> str:
        """The page between the turns of players who share a device."""
        own = visitor.seats_at(table)
        to_move = [seat for seat in table.to_move if seat in own] or list(own)
        return self._render("curtain.html", visitor, table=table, seats=to_move[:1], names=table.game.names)

    def shuffle(self, table: Table, visitor: Visitor) -> str:
        """The commitment to the shuffle, and after the game the deck and salt to verify it."""
        record = table.game.record()
        return self._render(
            "shuffle.html",
            visitor,
            id=table.id,
            digest=table.game.commitment,
            over=table.game.over,
            salt=record.salt if table.game.over else "",
            deck=write_cards(list(record.deck)) if table.game.over else "",
        )

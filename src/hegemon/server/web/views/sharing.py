"""Pages for other sites: a finished game to step through in a frame, and the feed of results."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hegemon.prose.translator import get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.tables.seats import shown_names
from hegemon.server.tables.table import Table
from hegemon.server.web.session import SETTINGS, Visitor
from hegemon.server.web.views.previews import FRAME_HEIGHT, FRAME_WIDTH, embed_path, snippet, table_preview
from hegemon.server.web.views.replay import Replay, ReplayPages


@dataclass(frozen=True)
class FeedEntry:
    game: str
    names: tuple[str, ...]
    result: str
    finished_at: datetime


class SharingPages(ReplayPages):
    def embed(self, replay: Replay, at: int, theme: str) -> str:
        """One ply of a finished game for a frame of another site: without forms, scripts and cookies."""
        return self.step(replay, at).embedded(theme if theme in SETTINGS["theme"] else "auto")

    def oembed(self, table: Table, visitor: Visitor, width: int, height: int) -> dict[str, object]:
        """The oEmbed response (https://oembed.com) for a finished game."""
        tr = get_translator(visitor.language)
        preview = table_preview(table, self._model(table, visitor, SPECTATOR), tr)
        width, height = min(width or FRAME_WIDTH, FRAME_WIDTH), min(height or FRAME_HEIGHT, FRAME_HEIGHT)
        address = f"{visitor.base}{embed_path(table.id, 0, 0, tr.code)}"
        return {
            "type": "rich",
            "version": "1.0",
            "title": preview.title,
            "provider_name": "Hegemon",
            "provider_url": visitor.base,
            "thumbnail_url": f"{visitor.base}{preview.picture}",
            "thumbnail_width": preview.size[0],
            "thumbnail_height": preview.size[1],
            "width": width,
            "height": height,
            "html": snippet(address, preview.title, width, height),
        }

    def entry(self, table: Table, visitor: Visitor, finished_at: datetime) -> FeedEntry:
        tr = get_translator(visitor.language)
        preview = table_preview(table, self._model(table, visitor, SPECTATOR), tr)
        return FeedEntry(table.id, shown_names(table, tr), preview.description, finished_at)

    def feed(self, entries: Sequence[FeedEntry], visitor: Visitor, now: datetime) -> str:
        """The results of public games, as Atom."""
        updated = max((entry.finished_at for entry in entries), default=now)
        return self._render("feed.xml", visitor, entries=entries, updated=updated)

"""Previews of links: what other sites show for a page, which anyone may see."""

from html import escape
from typing import Final

from hegemon.play.events import GameEnded
from hegemon.prose.translator import Translator
from hegemon.server.tables.seats import shown_names
from hegemon.server.tables.table import Table
from hegemon.server.texts import PRESET_NAMES, TEAMS, VARIANT_NAMES
from hegemon.server.web.render import Preview
from hegemon.server.web.views.durations import time_control_text
from hegemon.server.web.views.regions import round_label
from hegemon.server.web.views.story import narrator_for
from hegemon.views import TableView

#: The size of a frame, unless the other site wants a smaller one.
FRAME_WIDTH: Final = 720
FRAME_HEIGHT: Final = 640


def kind_of(table: Table, tr: Translator) -> str:
    """The variant, teams, rulings and time control in one line."""
    record = table.game.record()
    sentences = [VARIANT_NAMES[record.variant], *([TEAMS] if record.teams else [])]
    rulings = PRESET_NAMES.get(record.rulings)
    texts = [tr.text(text) for text in (*sentences, *([rulings] if rulings else []))]
    return " · ".join([*texts, time_control_text(table.clock.control, tr)])


def picture_of(table: Table, language: str) -> str:
    """The path of a table's picture, which differs for each version."""
    return f"/games/{table.id}/picture.png?lang={language}&version={table.version}"


def embed_path(game_id: str, seat: int, at: int, language: str) -> str:
    """The path of a moment of a finished game for a frame of another site."""
    return f"/games/{game_id}/embed?lang={language}&seat={seat}&at={at}"


def snippet(address: str, title: str, width: int = FRAME_WIDTH, height: int = FRAME_HEIGHT) -> str:
    """The HTML that shows an embed on another site."""
    return (
        f'<iframe src="{escape(address)}" title="{escape(title)}" width="{width}" height="{height}" '
        'loading="lazy" style="border:0;max-width:100%"></iframe>'
    )


def table_preview(table: Table, spectated: TableView, tr: Translator) -> Preview:
    """The preview of a table in progress, or of one whose game is over, as a spectator sees it."""
    return Preview(
        " · ".join(spectated.names),
        f"{round_label(spectated, tr)} · {kind_of(table, tr)}"
        if spectated.result is None
        else narrator_for(spectated, tr).ending(GameEnded(spectated.result)),
        f"/games/{table.id}",
        picture_of(table, tr.code),
    )


def gathering_preview(table: Table, title: str, tr: Translator) -> Preview:
    """The preview of a table that waits for players."""
    return Preview(title, f"{' · '.join(shown_names(table, tr))} · {kind_of(table, tr)}")

"""The pages of the host, and the page of a table on which something is reported to the host."""

from collections.abc import Sequence
from typing import Any, Final

from hegemon.prose.translator import Translator, get_translator
from hegemon.server.db.moderation import MAX_PATTERN_LENGTH, PAGE_SIZE
from hegemon.server.db.store import Store
from hegemon.server.tables.moderation import MAX_COMMENT_LENGTH, Reportable
from hegemon.server.tables.seats import shown_name
from hegemon.server.tables.table import Table
from hegemon.server.texts import translatable
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.own_games import ago
from hegemon.server.web.views.pages import Pages

#: The sections of the page, with their titles.
SECTIONS: Final = {
    "reports": translatable("Reports"),
    "tables": translatable("Tables"),
    "people": translatable("Players"),
    "names": translatable("Blocked names"),
}

#: Descriptions of reports, by kind.
KINDS: Final = {
    "player": translatable("{name}’s behavior"),
    "name": translatable("The name {name}"),
    "message": translatable("A message from {name}"),
}

#: Confirmations, by action.
DONE: Final = {
    "mute": translatable("This person can no longer write in chats."),
    "unmute": translatable("This person can write in chats again."),
    "remove": translatable("This person no longer plays in that seat."),
    "close": translatable("The table is closed."),
    "delete": translatable("The message is deleted."),
    "block": translatable("The name is blocked."),
    "unblock": translatable("The name is allowed again."),
    "dismiss": translatable("The report is dismissed."),
}


def subject_text(kind: str, name: str, tr: Translator) -> str:
    return tr.text(KINDS[kind], name=tr.player_name(name) if name else tr.text("A spectator"))


def _player_name(name: str, tr: Translator) -> str:
    return tr.player_name(name) if name else tr.text("Someone")


class AdminPages(Pages):
    def report(self, table: Table, visitor: Visitor, items: Sequence[Reportable], *, sent: bool) -> str:
        tr = get_translator(visitor.language)
        return self._render(
            "report.html",
            visitor,
            id=table.id,
            items=[
                {"key": item.key, "about": subject_text(item.kind, item.name, tr), "text": item.text}
                for item in items
            ],
            longest=MAX_COMMENT_LENGTH,
            sent=sent,
        )

    def login(self, visitor: Visitor, *, exists: bool, wrong: bool = False) -> str:
        return self._render("admin_login.html", visitor, exists=exists, wrong=wrong)

    async def section(self, visitor: Visitor, store: Store, section: str, number: int, done: str) -> str:
        """A page of a list with actions for its rows, and a confirmation of the last action."""
        tr = get_translator(visitor.language)
        rows = await getattr(self, f"_{section}")(store, number, tr)
        muted = await store.moderation.muted() if section == "people" else []
        return self._render(
            "admin.html",
            visitor,
            section=section,
            sections=[(name, tr.text(title)) for name, title in SECTIONS.items()],
            rows=rows,
            muted=[{"id": mute.id, "name": _player_name(mute.name, tr)} for mute in muted],
            done=tr.text(DONE[done]) if done in DONE else "",
            number=number,
            more=section != "names" and len(rows) == PAGE_SIZE,
            longest=MAX_PATTERN_LENGTH,
        )

    async def _reports(self, store: Store, number: int, tr: Translator) -> list[dict[str, Any]]:
        reports = await store.moderation.open_reports(number)
        finished = await store.games.finished([report.game for report in reports])
        return [
            {
                "id": report.id,
                "game": report.game,
                "about": subject_text(report.kind, report.name, tr),
                "name": report.name,
                "kind": report.kind,
                "person": report.subject is not None,
                "seat": report.seat,
                "finished": report.game in finished,
                "text": report.text,
                "comment": report.comment,
                "ago": ago(report.created_at, tr.code),
            }
            for report in reports
        ]

    async def _tables(self, store: Store, number: int, tr: Translator) -> list[dict[str, Any]]:
        games = await store.games.latest(number)
        closed = await store.games.closed([game.id for game in games])
        return [
            {
                "id": game.id,
                "seats": [
                    {"number": seat, "name": shown_name(row, name, tr), "person": row.owner is not None}
                    for seat, (row, name) in enumerate(zip(game.seats, game.names, strict=True), 1)
                ],
                "finished": game.finished,
                "closed": game.id in closed,
                "ago": ago(game.updated_at, tr.code),
            }
            for game in games
        ]

    async def _people(self, store: Store, number: int, tr: Translator) -> list[dict[str, Any]]:
        return [
            {
                "game": person.game,
                "seat": person.seat + 1,
                "name": _player_name(person.name, tr),
                "games": person.games,
                "ago": ago(person.seen_at, tr.code),
                "muted": person.muted,
            }
            for person in await store.moderation.people(number)
        ]

    async def _names(self, store: Store, _number: int, _tr: Translator) -> list[str]:
        return await store.moderation.patterns()

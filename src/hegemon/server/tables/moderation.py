"""Reports about people at a table, and the actions of the host of the server.

Every action is logged with its table and seat, but without names or messages.
"""

import secrets
from dataclasses import dataclass
from typing import Final

from hegemon.server.db.errors import ConflictError
from hegemon.server.db.moderation import MAX_PATTERN_LENGTH, Report
from hegemon.server.logging import log_event
from hegemon.server.tables import seats
from hegemon.server.tables.chat import clean_text
from hegemon.server.tables.errors import ReportRejected, TableNotFound
from hegemon.server.tables.names import literal, matches, pattern_parts
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table

MAX_REPORTS_A_DAY: Final = 10
MAX_COMMENT_LENGTH: Final = 240

#: The number of messages, the latest ones, that can be reported.
_MAX_MESSAGES: Final = 20


@dataclass(frozen=True)
class Reportable:
    """Something at a table that a person may report."""

    key: str
    kind: str
    """`message`, `name` or `player`."""
    seat: int | None
    owner: str
    name: str
    text: str = ""


def reportable_items(table: Table, owner: str | None, viewer: int) -> list[Reportable]:
    """The other players, their names, and the messages of others that the viewer sees."""
    others = [(seat, row.owner) for seat, row in enumerate(table.seats) if row.owner not in (None, owner)]
    found = [
        Reportable(f"{kind}-{seat + 1}", kind, seat, other or "", table.game.names[seat])
        for seat, other in others
        for kind in ("player", "name")
    ]
    texts = [
        message
        for message in table.chat.visible_to(viewer, table.game.over)
        if message.text and message.author != owner
    ]
    return found + [
        Reportable(
            f"message-{message.number}",
            "message",
            message.seat,
            message.author,
            message.name if message.seat is None else table.game.names[message.seat],
            message.text,
        )
        for message in texts[-_MAX_MESSAGES:]
    ]


async def report(
    tables: TableRegistry, table: Table, reporter: str, viewer: int, key: str, comment: str
) -> None:
    """Report something; raises ReportRejected for an unknown item, and beyond MAX_REPORTS_A_DAY."""
    chosen = next((item for item in reportable_items(table, reporter, viewer) if item.key == key), None)
    if chosen is None:
        raise ReportRejected("nothing")
    new_report = Report(
        secrets.token_urlsafe(12),
        tables.now(),
        reporter,
        table.id,
        chosen.kind,
        chosen.key,
        chosen.seat,
        chosen.owner,
        chosen.name,
        chosen.text,
        clean_text(comment)[:MAX_COMMENT_LENGTH],
    )
    try:
        await tables.store.moderation.add_report(new_report, MAX_REPORTS_A_DAY)
    except ConflictError:
        raise ReportRejected("many") from None
    log_event("reported", kind=chosen.kind, game=table.id, seat=_seat_number(chosen.seat))


def _seat_number(seat: int | None) -> int | None:
    return seat + 1 if seat is not None else None


# ------------------------------------------------------------------ actions of the host


@dataclass(frozen=True)
class ModerationTarget:
    """The person or table that an action of the host is about."""

    game: str = ""
    seat: int | None = None
    owner: str | None = None
    name: str = ""
    report: Report | None = None


async def target_of(tables: TableRegistry, report_id: str, game: str, seat: int | None) -> ModerationTarget:
    """The target of an action, given by a report, or by a table and perhaps a seat."""
    if report_id:
        found = await tables.store.moderation.report(report_id)
        if found is None:
            raise TableNotFound
        name = found.name if found.subject is not None else ""  # a former player has no name to act on
        return ModerationTarget(found.game, found.seat, found.subject, name, found)
    if seat is None:
        return ModerationTarget(game)
    table = await tables.load(game, requested=False)
    if seat not in range(table.game.players):
        raise TableNotFound
    return ModerationTarget(game, seat, table.seats[seat].owner, table.game.names[seat])


async def mute(tables: TableRegistry, target: ModerationTarget) -> None:
    """Mute a person in all chats."""
    if target.owner is None:
        raise TableNotFound
    await tables.store.moderation.mute(target.owner, target.name, tables.now())
    _log("mute", target)


async def unmute(tables: TableRegistry, mute_id: str) -> None:
    await tables.store.moderation.unmute(mute_id)
    _log("unmute", ModerationTarget())


async def remove(tables: TableRegistry, target: ModerationTarget) -> None:
    """Give the seat of a person to a bot; does nothing if the person has left it."""
    table, seat = await _table_of(tables, target), target.seat
    if table is not None and seat is not None and _holds_seat(table, seat, target):
        await seats.remove_player(tables, table, seat)
    _log("remove", target)


async def close(tables: TableRegistry, target: ModerationTarget) -> None:
    """Close a table permanently; tournament tables cannot be closed, because the tournament needs their results."""
    table = await _table_of(tables, target)
    if table is not None:
        if table.options.tournament:
            raise ReportRejected("tournament")
        async with table.lock:
            await tables.store.moderation.close_table(table.id, tables.now())
            table.close()
        tables.changed(table)
    _log("close", target)


async def delete(tables: TableRegistry, target: ModerationTarget) -> None:
    """Delete the message of a report; readers see that it was deleted."""
    if target.report is None or target.report.kind != "message" or target.owner is None:
        raise TableNotFound
    number = int(target.report.item.rpartition("-")[2])
    await tables.store.messages.delete_text(target.game, number, target.owner)
    if (table := tables.get(target.game)) is not None:
        table.chat.delete_text(number, target.owner)
        table.notify()
        tables.announce(table)
    _log("delete", target)


async def block(tables: TableRegistry, pattern: str, target: ModerationTarget) -> None:
    """Block a pattern of names, or the name of a person, who loses it."""
    typed = clean_text(pattern)[:MAX_PATTERN_LENGTH]
    wanted = typed or literal(target.name)
    if not "".join(pattern_parts(wanted)).strip():
        raise ReportRejected("pattern")
    try:
        await tables.store.moderation.block_name(wanted, tables.now())
    except ConflictError:
        raise ReportRejected("patterns") from None
    if not typed and target.owner is not None:
        await tables.store.people.remove_blocked_names(target.owner, lambda name: matches(wanted, name))
        table, seat = await _table_of(tables, target), target.seat
        if table is not None and seat is not None and _holds_seat(table, seat, target) and not table.closed:
            await seats.reset_name(tables, table, seat)
    _log("block", target)


async def _table_of(tables: TableRegistry, target: ModerationTarget) -> Table | None:
    """The table of a target; None if it has expired since it was reported."""
    try:
        return await tables.load(target.game, requested=False)
    except TableNotFound:
        if target.report is None:
            raise
        return None


def _holds_seat(table: Table, seat: int, target: ModerationTarget) -> bool:
    return target.owner is not None and table.seats[seat].owner == target.owner


async def unblock(tables: TableRegistry, pattern: str) -> None:
    await tables.store.moderation.unblock_name(pattern)
    _log("unblock", ModerationTarget())


def _log(action: str, target: ModerationTarget) -> None:
    log_event("moderation", action=action, game=target.game or None, seat=_seat_number(target.seat))

"""Studies on a server: permissions, limits, and the cleaning of their texts."""

import asyncio
import secrets
import unicodedata
from dataclasses import replace
from typing import Final

from hegemon.notation.record import Record, read_record, write_record
from hegemon.play.study import Study, StudyFull
from hegemon.prose.english import PERSON_NAMES
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import StudyRow
from hegemon.server.tables.chat import clean_text, legible
from hegemon.server.tables.names import blocked_among
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import clean_name
from hegemon.server.texts import translatable

MAX_STUDIES: Final = 100
MAX_TITLE_LENGTH: Final = 80
MAX_COMMENT_LENGTH: Final = 1_000

#: The maximum length of the record of a study; that of a long game has about 10,000 characters.
MAX_STUDY_LENGTH: Final = 100_000

#: The maximum number of nodes in a study; a page lists all of them.
MAX_NODES: Final = 800

STUDY_REJECTIONS: Final = {
    "many": (409, translatable("You have {most} studies. Delete one of them first.")),
    "full": (422, translatable("This study is full: nothing more fits into it.")),
    "stale": (409, translatable("The study has changed in the meantime. This is how it stands now.")),
    "owner": (403, translatable("This study belongs to someone else. Make a copy to change it.")),
    "unknown": (404, translatable("There is no such study here. It may have expired or been deleted.")),
}


class StudyRejected(Exception):
    """A study that does not exist, or cannot be created or changed."""

    def __init__(self, key: str) -> None:
        self.status, self.sentence = STUDY_REJECTIONS[key]
        super().__init__(key)


def clean_title(text: str) -> str:
    return clean_text(text)[:MAX_TITLE_LENGTH].strip()


def clean_comment(text: str) -> str:
    """A comment as it may be shown, with its line breaks."""
    plain = legible(unicodedata.normalize("NFC", text.replace("\r\n", "\n")))
    shown = "".join(char if char.isprintable() or char == "\n" else " " for char in plain)
    return shown.strip()[:MAX_COMMENT_LENGTH]


def clean_record(record: Record) -> Record:
    """An uploaded record, with its texts cleaned like those written here."""
    names = (clean_name(name) or PERSON_NAMES[seat] for seat, name in enumerate(record.names))
    return replace(
        record,
        names=tuple(names),
        title=clean_title(record.title),
        comment=clean_comment(record.comment),
        comments={number: clean_comment(text) for number, text in record.comments.items()},
        variations=tuple(
            replace(
                variation,
                comments={number: clean_comment(text) for number, text in variation.comments.items()},
            )
            for variation in record.variations
        ),
    )


def study_text(study: Study) -> str:
    """The record of a study; raises StudyRejected if it is too large."""
    text = write_record(study.record())
    if len(text) > MAX_STUDY_LENGTH or len(study.nodes) > MAX_NODES:
        raise StudyRejected("full")
    return text


def study_from_record(record: Record) -> Study:
    try:
        return Study(record)
    except StudyFull:
        raise StudyRejected("full") from None


def read_study(row: StudyRow) -> Study:
    return Study(read_record(row.record))


async def create_study(tables: TableRegistry, owner: str, record: Record) -> str:
    """Save a study of a record, without blocked names; return its id."""
    blocked = await blocked_among(tables.store, record.names)
    names = (PERSON_NAMES[seat] if name in blocked else name for seat, name in enumerate(record.names))
    record = replace(record, names=tuple(names))
    text = await asyncio.to_thread(lambda: study_text(study_from_record(record)))
    row = StudyRow(secrets.token_urlsafe(12), owner, record.title, text, 1, tables.now())
    try:
        await tables.store.studies.create(row, MAX_STUDIES)
    except ConflictError:
        raise StudyRejected("many") from None
    return row.id


async def load_study(tables: TableRegistry, study_id: str) -> StudyRow:
    row = await tables.store.studies.load(study_id)
    if row is None:
        raise StudyRejected("unknown")
    return row


async def save_study(tables: TableRegistry, row: StudyRow, study: Study) -> StudyRow:
    """Save a changed study, given the row from which it was loaded."""
    text = await asyncio.to_thread(study_text, study)
    changed = replace(row, record=text, title=study.title, version=row.version + 1, updated_at=tables.now())
    try:
        await tables.store.studies.save(changed)
    except ConflictError:
        raise StudyRejected("stale") from None
    return changed

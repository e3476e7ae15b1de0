"""Errors as HTTP statuses, and sentences that say what to do."""

import logging
from typing import Final

from litestar.exceptions import HTTPException

from hegemon.play.legality import IllegalMoveError
from hegemon.prose.translator import Translator
from hegemon.server.db.errors import StorageError
from hegemon.server.studies import MAX_STUDIES, StudyRejected
from hegemon.server.tables.errors import (
    VOTE_REJECTIONS,
    BrokenGame,
    DealClosed,
    GameNotStarted,
    NameRejected,
    ReportRejected,
    SeatLost,
    SeatRejected,
    SeatSubstituted,
    StaleVersionError,
    TableClosed,
    TableNotFound,
    VoteRejected,
)
from hegemon.server.texts import FAILURES, REJECTIONS, REPORT_REJECTIONS, SEAT_REJECTIONS
from hegemon.server.tournaments.errors import RoundClosed, TournamentRejected

#: The status of errors with one sentence each, and the key of that sentence.
_REJECTED: Final[dict[type[Exception], tuple[int, str]]] = {
    SeatLost: (403, "seat"),
    DealClosed: (403, "daily"),
    RoundClosed: (403, "round"),
    TableClosed: (403, "closed"),
    NameRejected: (422, "name"),
    BrokenGame: (500, "broken"),  # the registry has logged it
}

_LOG: Final = logging.getLogger("hegemon.server")


def describe_error(error: Exception, tr: Translator) -> tuple[int, str]:
    """The status and the sentence for an error; errors of the server itself are logged."""
    if isinstance(error, TableNotFound):
        return 404, tr.text("There is no such game here. Part of the address may be missing.")
    if isinstance(error, SeatRejected):
        status, sentence = SEAT_REJECTIONS[error.key]
        return status, tr.text(sentence)
    if type(error) in _REJECTED:
        status, key = _REJECTED[type(error)]
        return status, tr.text(REJECTIONS[key])
    if isinstance(error, TournamentRejected):
        return error.status, tr.text(error.sentence, **error.facts)
    if isinstance(error, ReportRejected):
        status, sentence = REPORT_REJECTIONS[error.key]
        return status, tr.text(sentence)
    if isinstance(error, StudyRejected):
        return error.status, tr.text(error.sentence, most=MAX_STUDIES)
    if isinstance(error, StorageError):  # the store has logged it
        return 503, tr.text(FAILURES[503])
    if not isinstance(error, HTTPException):
        _LOG.error("a request failed", exc_info=error)
        return 500, tr.text(FAILURES[500])
    if error.detail in REJECTIONS.values():
        return error.status_code, tr.text(error.detail)
    general = FAILURES[400 if error.status_code < 500 else 500]
    return error.status_code, tr.text(FAILURES.get(error.status_code, general))


def error_headers(error: Exception) -> dict[str, str]:
    """The HTTP headers of an error, such as `Retry-After` or `WWW-Authenticate`."""
    return getattr(error, "headers", None) or {}


def move_rejection_text(error: Exception, tr: Translator) -> str:
    """The sentence that says why a move was rejected."""
    if isinstance(error, GameNotStarted):
        return tr.text("The game begins when every seat is taken.")
    if isinstance(error, SeatSubstituted):
        return tr.text("A bot is playing for you. Take your seat back first.")
    if isinstance(error, StaleVersionError):
        return tr.text("The table has changed in the meantime. This is how it stands now.")
    if isinstance(error, IllegalMoveError):
        return tr.reason(error.reason)
    return tr.text("That is not a valid move.")


def vote_rejection_text(error: VoteRejected, name: str, tr: Translator) -> str:
    """The sentence that says why a vote about the player with that name was rejected."""
    return tr.text(VOTE_REJECTIONS[error.key], name=name)

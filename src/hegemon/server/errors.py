"""What went wrong: the status of the answer, and the sentence that says what to do."""

import logging
from typing import Final

from litestar.exceptions import HTTPException

from hegemon.prose.translator import Translator
from hegemon.server.tables.registry import SeatLost, TableNotFound
from hegemon.server.tables.seats import SeatRejected
from hegemon.server.texts import FAILURES, REJECTIONS, SEAT_REJECTIONS

_NOT_YOURS: Final = REJECTIONS["seat"]

_LOG: Final = logging.getLogger("hegemon.server")


def what_went_wrong(error: Exception, tr: Translator) -> tuple[int, str]:
    """The status and the sentence for an error; one that is ours goes into the log."""
    if isinstance(error, TableNotFound):
        return 404, tr.text("There is no such game here. Perhaps a part of the address is missing.")
    if isinstance(error, SeatRejected):
        status, sentence = SEAT_REJECTIONS[error.key]
        return status, tr.text(sentence)
    if isinstance(error, SeatLost):
        return 403, tr.text(_NOT_YOURS)
    if not isinstance(error, HTTPException):
        _LOG.error("a request failed", exc_info=error)
        return 500, tr.text(FAILURES[500])
    if error.detail in REJECTIONS.values():
        return error.status_code, tr.text(error.detail)
    unknown = FAILURES[400 if error.status_code < 500 else 500]
    return error.status_code, tr.text(FAILURES.get(error.status_code, unknown))

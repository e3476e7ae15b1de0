"""Errors as JSON: the exception handler of the API, and how its responses are described."""

from typing import Any, Final

from litestar import Request, Response
from litestar.enums import MediaType
from litestar.exceptions import NotAuthorizedException, ValidationException
from litestar.openapi.datastructures import ResponseSpec

from hegemon.prose.translator import get_translator
from hegemon.server import traces
from hegemon.server.api.schemas import ErrorResponse
from hegemon.server.errors import describe_error, error_headers
from hegemon.server.language import preferred_language
from hegemon.server.tables.setup import SetupRejected
from hegemon.server.texts import REJECTIONS, SETUP_REJECTIONS

_NO_TOKEN: Final = REJECTIONS["no-token"]

_DESCRIPTIONS: Final = {
    400: "The request cannot be understood.",
    401: "The token has no seat at this table.",
    403: "Not permitted to this caller, or not yet.",
    404: "There is no such game, seat or invitation.",
    409: "The table has changed; `version` is the current one.",
    410: "Another player has used the invitation.",
    413: "The request is too large.",
    422: "The rules do not allow it; `choices` are the legal choices.",
    429: "Too many requests; `Retry-After` is the time to wait, in seconds.",
    503: "The server cannot save anything at the moment; `Retry-After` is the time to wait, in seconds.",
}


class RequestRejected(Exception):
    """A rejected request, with the response that says why."""

    def __init__(
        self, status: int, why: str, version: int | None = None, choices: list[str] | None = None
    ) -> None:
        self.status = status
        self.response = ErrorResponse(why, version, choices)
        super().__init__(why)


def errors(*statuses: int) -> dict[int, ResponseSpec]:
    """The descriptions of these error responses, and of 400, 429 and 503, which any request can get."""
    return {
        status: ResponseSpec(ErrorResponse, description=_DESCRIPTIONS[status])
        for status in (400, *statuses, 429, 503)
    }


def error_response(request: Request[Any, Any, Any], error: Exception) -> Response[ErrorResponse]:
    """The error as JSON, with the sentence that a page would show."""
    tr = get_translator(preferred_language(request))
    if isinstance(error, RequestRejected):
        status, body = error.status, error.response
    elif isinstance(error, SetupRejected):
        why = tr.text(SETUP_REJECTIONS[error.key], **error.facts)
        status, body = 422, ErrorResponse(why, detail=error.detail or None)
    elif isinstance(error, NotAuthorizedException):
        status, body = 401, ErrorResponse(tr.text(_NO_TOKEN))
    else:
        status, why = describe_error(error, tr)
        request_id = traces.current_trace_id() if status >= 500 else None
        body = ErrorResponse(why, detail=_detail(error), request_id=request_id)
    return Response(body, status_code=status, media_type=MediaType.JSON, headers=error_headers(error))


def _detail(error: Exception) -> str | None:
    """The fields that failed validation, with the reasons."""
    if not isinstance(error, ValidationException):
        return None
    items = [item for item in error.extra or () if isinstance(item, dict)]
    return "; ".join(
        f"{item['key']}: {item['message']}" if item.get("key") else str(item.get("message", ""))
        for item in items
    )

"""The errors of the client; the message is that of the server if it sent one."""

from typing import Any, Final

from hegemon.notation.messages import MessageError


class ClientError(MessageError):
    """Base class of all errors of the client."""


class InvalidLink(ClientError):
    """The link does not lead to a table."""


class Unreachable(ClientError):
    """The server does not answer."""


class NotFound(ClientError):
    """There is no such game, seat or invitation."""


class SeatTaken(ClientError):
    """Another player has used the invitation."""


class SeatLost(ClientError):
    """The token does not own a seat at this table."""


class Forbidden(ClientError):
    """Not permitted with this token, or not yet."""


class StaleVersion(ClientError):
    """The table has changed since the version that the move was submitted for."""

    version: int | None = None
    """The current version."""


class IllegalMove(ClientError):
    """The rules do not allow the move."""

    choices: tuple[str, ...] = ()
    """The legal choices."""


_ERRORS: Final[dict[int, type[ClientError]]] = {
    401: SeatLost,
    403: Forbidden,
    404: NotFound,
    409: StaleVersion,
    410: SeatTaken,
    422: IllegalMove,
}


def error_from_response(status: int, body: dict[str, Any]) -> ClientError:
    error = _ERRORS.get(status, ClientError)(" ".join(filter(None, (body["why"], body.get("detail")))))
    if isinstance(error, StaleVersion):
        error.version = body.get("version")
    if isinstance(error, IllegalMove):
        error.choices = tuple(body.get("choices") or ())
    return error

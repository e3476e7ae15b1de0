"""What can go wrong at a table far away; each error is a sentence, and where the server said one it is that."""

from typing import Any, Final


class ClientError(Exception):
    """Something went wrong between a program and a server."""


class BadLink(ClientError):
    """A link that leads to no table."""


class Unreachable(ClientError):
    """The server does not answer."""


class NotThere(ClientError):
    """There is no such game, seat or invitation."""


class SeatTaken(ClientError):
    """Somebody else has sat down by that invitation."""


class SeatLost(ClientError):
    """The token holds no seat at that table, or no longer."""


class NotForYou(ClientError):
    """Only somebody else may do that, or not yet."""


class TooLate(ClientError):
    """Meanwhile something else has happened."""

    number: int | None = None
    """The number of the question that is open now."""


class NotAllowed(ClientError):
    """The rules do not allow it."""

    choices: tuple[str, ...] = ()
    """The words that they allow."""


_ERRORS: Final[dict[int, type[ClientError]]] = {
    401: SeatLost,
    403: NotForYou,
    404: NotThere,
    409: TooLate,
    410: SeatTaken,
    422: NotAllowed,
}


def error_of(status: int, answer: dict[str, Any]) -> ClientError:
    """The error that an answer of the server means."""
    error = _ERRORS.get(status, ClientError)(answer["why"])
    if isinstance(error, TooLate):
        error.number = answer.get("version")
    if isinstance(error, NotAllowed):
        error.choices = tuple(answer.get("choices") or ())
    return error

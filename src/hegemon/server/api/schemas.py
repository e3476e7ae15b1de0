"""What all of the API has in common: messages that are read exactly, who calls, and what went wrong."""

import json
import re
from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec
from litestar import Request, Response
from litestar._openapi.schema_generation.plugins.struct import StructSchemaPlugin
from litestar.datastructures import State
from litestar.enums import MediaType
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Components, Schema, SecurityScheme
from litestar.typing import FieldDefinition
from msgspec import Struct

from hegemon.notation.errors import NotationError
from hegemon.notation.setup import SetupError
from hegemon.prose.translator import get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.errors import error_headers, what_went_wrong
from hegemon.server.language import preferred_language
from hegemon.server.security import tokens as identity
from hegemon.server.tables.table import Table

#: Where the API is.
API: Final = "/api"

NO_SEAT: Final = "A seat is needed for this: send its token as `Authorization: Bearer TOKEN`."

_BEARER: Final = re.compile(r"Bearer +(\S+) *", re.IGNORECASE)


# ------------------------------------------------------------------ what is sent


class Sent(Struct, forbid_unknown_fields=True):
    """What programs send: exactly what is described, so that a misspelt wish is not a wish forgotten."""


Wish = TypeVar("Wish", bound=Sent)


async def as_sent(request: Request[Any, Any, State], kind: type[Wish]) -> Wish:
    """The body exactly as it was sent: the framework would read "1" as 1 and 0 as false, which nobody described."""
    sent = json.loads(
        await request.body(), parse_float=_whole_where_possible
    )  # in JSON, 1.0 is the integer 1
    try:
        return msgspec.convert(sent, type=kind)
    except msgspec.ValidationError as error:
        raise ValidationException(extra=[{"message": str(error)}]) from None


def _whole_where_possible(number: str) -> int | float:
    value = float(number)
    return int(value) if value.is_integer() else value


class ExactSchemas(StructSchemaPlugin):
    """Describes what is sent as exactly as it is read."""

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        """Whether it is something that programs send."""
        return not field_definition.is_union and field_definition.is_subclass_of(Sent)

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:
        """Its schema, closed."""
        schema = super().to_openapi_schema(field_definition, schema_creator)
        schema.additional_properties = False
        return schema


# ------------------------------------------------------------------ what comes back


class SeatInfo(Struct):
    """Who sits on a seat; seats count from 1."""

    seat: int
    name: str
    bot: str | None
    open: bool
    """Whether nobody sits there yet, or any more."""
    substitute: bool
    """Whether a bot answers for whoever holds the seat, and is away."""
    deadline: datetime | None
    """When the time of the seat is up, while it is asked and there is a clock."""


class Failure(Struct, omit_defaults=True):
    """Why nothing has changed, in a sentence."""

    why: str
    version: int | None = None
    """The number of the question that is open now, where the answer was to an older one."""
    choices: list[str] | None = None
    """What may be chosen instead, where the rules refused a word."""


def failing(*statuses: int) -> dict[int, ResponseSpec]:
    """How those refusals are described."""
    return {status: ResponseSpec(Failure, description=_REFUSALS[status]) for status in statuses}


_REFUSALS: Final = {
    400: "The request cannot be understood.",
    401: "The token holds no seat at this table.",
    403: "Not for this caller, or not yet.",
    404: "There is no such game, seat or invitation.",
    409: "Meanwhile something else has happened; `version` is that of the question that is open now.",
    410: "Somebody else has used the invitation.",
    413: "The request is too large.",
    422: "The rules do not allow it; `choices` are what they allow.",
    429: "Too many requests; `Retry-After` says when to come again.",
}

#: A token is asked for, or may be left out by somebody who only watches.
OWN_SEAT: Final[list[dict[str, list[str]]]] = [{"seat": []}]
ANY_VIEWER: Final[list[dict[str, list[str]]]] = [{"seat": []}, {}]

COMPONENTS: Final = Components(
    security_schemes={
        "seat": SecurityScheme(
            type="http", scheme="bearer", description="The token of a seat, from whoever laid the table."
        )
    }
)


# ------------------------------------------------------------------ who calls


def seat_of(request: Request[Any, Any, State], table: Table) -> int:
    """The seat that the caller's token holds; a caller without a token watches, and so does a host without a seat."""
    owner = owner_of(request)
    if owner is None:
        return SPECTATOR
    own = table.seats_of(owner)
    if not own and owner != table.host:
        raise no_seat()
    return own[0] if own else SPECTATOR


def own_seat(request: Request[Any, Any, State], table: Table) -> int:
    """The seat for which the caller acts; whoever only watches is refused."""
    seat = seat_of(request, table)
    if seat == SPECTATOR:
        raise no_seat()
    return seat


def token_in(request: Request[Any, Any, State]) -> str | None:
    """The token that the caller sends; None where there is none, and what is no token of ours is refused."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    bearer = _BEARER.fullmatch(header)
    if bearer is None or identity.owner_of(bearer[1]) is None:
        raise no_seat()
    return bearer[1]


def owner_of(request: Request[Any, Any, State]) -> str | None:
    """Who calls, by the digest of the token; None for a caller without one."""
    return identity.owner_of(token_in(request))


def no_seat() -> HTTPException:
    """The refusal of a caller whose token holds no seat here."""
    return HTTPException(NO_SEAT, status_code=401, headers={"WWW-Authenticate": "Bearer"})


def occupants(table: Table) -> list[SeatInfo]:
    """Who sits where."""
    return [
        SeatInfo(seat, name, row.bot, row.is_open, row.substitute is not None, table.clock.deadline(seat - 1))
        for seat, (name, row) in enumerate(zip(table.game.names, table.seats, strict=True), 1)
    ]


# ------------------------------------------------------------------ what went wrong


def failure(request: Request[Any, Any, Any], error: Exception) -> Response[Failure]:
    """What went wrong, for a program: the same sentence that a page would say, and what a program can mend."""
    if isinstance(error, (SetupError, NotationError)):
        status, sentence = 422, str(error)
    elif isinstance(error, HTTPException) and error.status_code == 401:
        status, sentence = 401, NO_SEAT
    else:
        status, sentence = what_went_wrong(error, get_translator(preferred_language(request)))
    if isinstance(error, ValidationException):
        sentence = f"{sentence} {_details(error)}".strip()
    return Response(
        Failure(sentence), status_code=status, media_type=MediaType.JSON, headers=error_headers(error)
    )


def _details(error: ValidationException) -> str:
    """What a validator complains about, by field."""
    found = [item for item in error.extra or () if isinstance(item, dict)]
    return "; ".join(
        f"{item['key']}: {item['message']}" if item.get("key") else str(item.get("message", ""))
        for item in found
    )

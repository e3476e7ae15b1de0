"""Strict request bodies: read exactly as the OpenAPI schema describes them."""

import json
from typing import Any, Final

import msgspec
from litestar import Request
from litestar._openapi.schema_generation.plugins.struct import StructSchemaPlugin
from litestar.datastructures import State
from litestar.exceptions import ValidationException
from litestar.openapi.spec import OpenAPIType, Reference, Schema
from litestar.typing import FieldDefinition

from hegemon.server.api.schemas import ApiRequest

#: The pattern of texts in the OpenAPI schema.
_NO_NUL: Final = r"^[^\u0000]*$"


class StrictRequest(Request[Any, Any, State]):
    """A request whose body is converted strictly; by default, Litestar reads "1" as 1 and 0 as false."""

    async def json(self) -> Any:
        field = self.route_handler.parsed_data_field
        assert field is not None, "only handlers with a body read JSON"
        try:
            text = await self.body()
            body = json.loads(text, parse_float=_integer_if_possible)
            if b"\\" in text or not text.isascii():
                # Half of a surrogate pair is valid JSON, but can be neither stored nor sent back.
                json.dumps(body, ensure_ascii=False).encode()
                if has_nul(body):
                    raise ValueError(
                        "a text contains the character NUL, which cannot be stored: leave it out"
                    )
            return msgspec.convert(body, type=field.annotation)
        except (ValueError, RecursionError, msgspec.ValidationError) as error:
            raise ValidationException(extra=[{"message": str(error)}]) from None


def has_nul(value: Any) -> bool:
    """Whether a text in a JSON value contains the character NUL."""
    if isinstance(value, dict):
        return any(has_nul(item) for entry in value.items() for item in entry)
    if isinstance(value, list):
        return any(map(has_nul, value))
    return isinstance(value, str) and "\0" in value


def _integer_if_possible(number: str) -> int | float:
    """An integer for a number without a fraction: in JSON Schema, 1.0 is an integer."""
    value = float(number)
    return int(value) if value.is_integer() else value


class ClosedSchemas(StructSchemaPlugin):
    """Describe request bodies with `additionalProperties: false`, and texts without NUL."""

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        return not field_definition.is_union and field_definition.is_subclass_of(ApiRequest)

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:
        schema = super().to_openapi_schema(field_definition, schema_creator)
        schema.additional_properties = False
        for field_schema in (schema.properties or {}).values():
            _exclude_nul(field_schema)
        return schema


def _exclude_nul(field_schema: Schema | Reference) -> None:
    """Exclude NUL from the texts of a schema."""
    if isinstance(field_schema, Reference):  # to another request, which has been described itself
        return
    if field_schema.type == OpenAPIType.STRING and field_schema.enum is None and field_schema.pattern is None:
        field_schema.pattern = _NO_NUL
    for part in (
        *(field_schema.one_of or ()),
        *([field_schema.items] if field_schema.items is not None else ()),
    ):
        _exclude_nul(part)

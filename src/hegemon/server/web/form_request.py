"""Requests with forms: no field contains the character NUL, which PostgreSQL does not store."""

from typing import Any

from litestar import Request
from litestar.datastructures import State
from litestar.exceptions import ValidationException


class FormRequest(Request[Any, Any, State]):
    async def body(self) -> bytes:
        body = await super().body()
        if b"%00" in body or b"\0" in body:
            raise ValidationException
        return body

"""The link to a person's deadlines and vacations."""

from typing import Any

from litestar import Request

from hegemon.server.web.session import Visitor


async def days_section(request: Request[Any, Any, Any], visitor: Visitor) -> dict[str, Any]:
    return {}

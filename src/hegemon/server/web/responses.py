"""How routes answer people: with a page, or in a few words of JSON where a script asked."""

from typing import Any

from litestar import Request, Response
from litestar.enums import MediaType


def page(html: str, status: int = 200) -> Response[str]:
    """A page of ours."""
    return Response(
        html, status_code=status, media_type=MediaType.HTML, headers={"Cache-Control": "no-store"}
    )


def asked_by_script(request: Request[Any, Any, Any]) -> bool:
    """Whether a page's script asks, which stays where it is and wants a few words only."""
    return request.headers.get("accept", "").startswith("application/json")

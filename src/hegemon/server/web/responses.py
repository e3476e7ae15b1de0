"""The responses to browsers: a page, JSON for a page's script, a redirect."""

from typing import Any

from litestar import Response
from litestar.enums import MediaType
from litestar.response import Redirect

from hegemon.server.config import ServerConfig
from hegemon.server.security import tokens
from hegemon.server.web.session import cookie


def page(html: str, status: int = 200) -> Response[str]:
    return Response(html, status_code=status, media_type=MediaType.HTML)


def script_response(content: dict[str, Any], status: int = 200) -> Response[Any]:
    return Response(content, status_code=status, media_type=MediaType.JSON)


def redirect(path: str) -> Redirect:
    """Redirect after a form was posted."""
    return Redirect(path, status_code=303)


def redirect_with_token(path: str, token: str, config: ServerConfig) -> Redirect:
    response = redirect(path)
    response.cookies.append(cookie(tokens.COOKIE, token, secure=config.secure))
    return response

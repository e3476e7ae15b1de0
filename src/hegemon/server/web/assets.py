"""Style sheets, scripts and images, whose URLs contain a digest of all of them so that browsers can cache them."""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from jinja2.ext import Extension
from litestar import get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import File

_FILES: Final = {file.name: file for file in sorted((Path(__file__).parent / "static").iterdir())}

_STATIC_PATH: Final = "/static/"

_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_REVALIDATE: Final = "no-cache"


@cache
def static_digest() -> str:
    digest = sha256()
    for name, file in _FILES.items():
        digest.update(name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def static_url(name: str) -> str:
    return f"{_STATIC_PATH}{static_digest()}/{name}"


def static_urls() -> list[str]:
    """The URLs of all files except the service worker, which has its own route."""
    return [static_url(name) for name in _FILES if name != "service-worker.js"]


def static_text(name: str) -> str:
    return _FILES[name].read_text(encoding="utf-8")


class StaticUrls(Extension):
    """Replaces "/static/table.js" in templates with the URL that has the digest."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return source.replace(f'"{_STATIC_PATH}', f'"{_STATIC_PATH}{static_digest()}/')


@get([f"{_STATIC_PATH}{{name:str}}", f"{_STATIC_PATH}{{digest:str}}/{{name:str}}"], include_in_schema=False)
async def static_file(name: FromPath[str], digest: FromPath[str] = "") -> File:
    """The current version of a file, even for a page of a previous version."""
    if name not in _FILES:
        raise NotFoundException
    headers = {"Cache-Control": _IMMUTABLE if digest == static_digest() else _REVALIDATE}
    return File(_FILES[name], filename=name, content_disposition_type="inline", headers=headers)

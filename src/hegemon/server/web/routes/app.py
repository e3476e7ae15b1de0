"""The installable app: its manifest, its service worker, and its start page."""

import asyncio
from typing import Annotated, Any, Final

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from hegemon.prose.translator import Translator, get_translator, languages
from hegemon.server.web import offline
from hegemon.server.web.assets import static_url
from hegemon.server.web.async_cache import AsyncCache
from hegemon.server.web.responses import page
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.pages import Pages
from hegemon.server.web.views.puzzles import PuzzlePages

LanguageQuery = Annotated[str, QueryParameter(max_length=8)]

_BACKGROUND: Final = "#f6f0e4"
_THEME: Final = "#7a2e1d"


def icon(name: str, size: int, **fields: str) -> dict[str, str]:
    return {"src": static_url(name), "sizes": f"{size}x{size}", "type": "image/png", **fields}


@get("/manifest.webmanifest", media_type="application/manifest+json")
async def manifest(tr: NamedDependency[Translator], language: LanguageQuery = "") -> dict[str, Any]:
    """The manifest in the language of the page: browsers fetch it without cookies."""
    if language in languages():
        tr = get_translator(language)
    shortcuts = {
        "/#games": tr.text("My games"),
        "/puzzles": tr.learning["puzzle.page.title"],
        "/learn": tr.learning["lesson.page.lessons"],
        "/rules": tr.text("Rules"),
    }
    return {
        "id": "/",
        "name": "Hegemon",
        "short_name": "Hegemon",
        "description": tr.text("Carta Impera Victoria, a card game for two to four players"),
        "lang": tr.code,
        "start_url": offline.START_PATH,
        "scope": "/",
        "display": "standalone",
        "background_color": _BACKGROUND,
        "theme_color": _THEME,
        "categories": ["games"],
        "icons": [
            icon("icon-192.png", 192),
            icon("icon-512.png", 512),
            icon("icon-maskable.png", 512, purpose="maskable"),
            {"src": static_url("icon.svg"), "sizes": "any", "type": "image/svg+xml"},
        ],
        "shortcuts": [
            {"name": name, "url": url, "icons": [icon("icon-192.png", 192)]}
            for url, name in shortcuts.items()
        ],
    }


@get(
    f"/{offline.SERVICE_WORKER}",
    media_type="text/javascript",
    response_headers={"Service-Worker-Allowed": "/"},
)
async def service_worker(
    tr: NamedDependency[Translator],
    puzzle_pages: NamedDependency[PuzzlePages],
    service_workers: NamedDependency[AsyncCache[str]],
    language: LanguageQuery = "",
) -> str:
    """The service worker for readers of a language, built only once because this renders all offline pages."""
    code = language if language in languages() else tr.code
    return await service_workers.get(
        code, lambda: asyncio.to_thread(offline.service_worker_script, puzzle_pages, code)
    )


@get(offline.START_PATH)
async def start(visitor: NamedDependency[Visitor], pages: NamedDependency[Pages]) -> Response[str]:
    return page(pages.start(visitor))


ROUTES: Final = (manifest, service_worker, start)

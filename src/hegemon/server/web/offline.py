"""The contents of the service worker's cache: the static files, and the offline pages in one language.

The manifest contains a digest of each, so a device downloads only what has changed.
"""

import json
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from typing import Any, Final

from hegemon.prose.puzzles import PUZZLES as HANDMADE_PUZZLES
from hegemon.puzzles.collection import all_puzzles
from hegemon.server.web.assets import static_text, static_urls
from hegemon.server.web.session import anonymous_visitor
from hegemon.server.web.views.learn import STOPS
from hegemon.server.web.views.puzzles import Filter, PuzzleExtras, PuzzlePages, PuzzleProgress

SERVICE_WORKER: Final = "service-worker.js"

#: The path of the start page of the installed app.
START_PATH: Final = "/start"

#: The maximum size of the cached pages in one language; further pages are not cached.
MAX_BYTES: Final = 6_000_000

#: A fixed date, so that the puzzle of the day does not change the cached page every day.
_ANY_DAY: Final = date(2026, 1, 1)


def offline_pages(pages: PuzzlePages, language: str) -> Iterator[tuple[str, str]]:
    """The pages that are cached, each with its path, the most useful first."""
    visitor = anonymous_visitor(language)
    yield START_PATH, pages.start(visitor)
    yield "/rules", pages.rules(visitor)
    yield "/rulings", pages.rulings(visitor)
    yield "/puzzles", pages.puzzles(visitor, PuzzleProgress(), Filter(), _ANY_DAY)
    for at in range(1, len(STOPS) + 1):
        html = pages.lesson(visitor, at)
        if at == 1:
            yield "/learn", html
        yield f"/learn/{at}", html
    for puzzle in all_puzzles()[: len(HANDMADE_PUZZLES)]:
        for query, extras in (("", PuzzleExtras()), ("?show=true", PuzzleExtras(solution=True, judged=True))):
            html = pages.puzzle(visitor, puzzle, (), PuzzleProgress(), None, extras)
            yield f"/puzzles/{puzzle.number}{query}", html


def cache_manifest(pages: PuzzlePages, language: str) -> dict[str, Any]:
    """The URLs of files, which contain a digest, and the paths and digests of pages, up to MAX_BYTES."""
    digests, total = {}, 0
    for path, html in offline_pages(pages, language):
        text = html.encode()
        total += len(text)
        if total > MAX_BYTES:
            break
        digests[path] = sha256(text).hexdigest()[:16]
    return {"language": language, "files": static_urls(), "pages": digests}


def service_worker_script(pages: PuzzlePages, language: str) -> str:
    """The script of the service worker, which changes whenever anything in its cache changes."""
    return f"const MANIFEST = {json.dumps(cache_manifest(pages, language))};\n{static_text(SERVICE_WORKER)}"

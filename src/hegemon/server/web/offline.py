"""The contents of the service worker's cache: the static files, and the pages for reading in one language.

The list contains a digest of each, so a device downloads only what has changed.
"""

import json
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from typing import Any, Final

from hegemon.prose.puzzles import PUZZLES as MADE_BY_HAND
from hegemon.puzzles.collection import all_puzzles
from hegemon.server.web.assets import static_text, static_urls
from hegemon.server.web.session import SETTINGS, Visitor
from hegemon.server.web.views.learn import STOPS
from hegemon.server.web.views.puzzles import Filter, Progress, PuzzlePages, Shown

WORKER: Final = "service-worker.js"

#: The path of the start page of the installed app.
START: Final = "/start"

#: The maximum size of the pages in one language; pages beyond it are not kept.
MAX_BYTES: Final = 6_000_000

#: A fixed date: the puzzle of the day changes daily, but hardly matters on a page that is kept.
_ANY_DAY: Final = date(2026, 1, 1)


def anonymous(language: str) -> Visitor:
    """A visitor without a token, with the default settings."""
    return Visitor(None, language, {name: values[0] for name, values in SETTINGS.items()})


def reading_pages(pages: PuzzlePages, language: str) -> Iterator[tuple[str, str]]:
    """The pages that are kept, by path, the most useful first."""
    visitor = anonymous(language)
    yield START, pages.start(visitor)
    yield "/rules", pages.rules(visitor)
    yield "/rulings", pages.rulings(visitor)
    yield "/puzzles", pages.puzzles(visitor, Progress(), Filter(), _ANY_DAY)
    for at in range(1, len(STOPS) + 1):
        html = pages.lesson(visitor, at)
        if at == 1:
            yield "/learn", html
        yield f"/learn/{at}", html
    for puzzle in all_puzzles()[: len(MADE_BY_HAND)]:
        for query, shown in (("", Shown()), ("?show=true", Shown(solution=True, judged=True))):
            html = pages.puzzle(visitor, puzzle, (), Progress(), None, shown)
            yield f"/puzzles/{puzzle.number}{query}", html


def kept(pages: PuzzlePages, language: str) -> dict[str, Any]:
    """The list: the URLs of files, which contain a digest, and the digests of pages, up to MAX_BYTES."""
    digests, total = {}, 0
    for path, html in reading_pages(pages, language):
        text = html.encode()
        total += len(text)
        if total > MAX_BYTES:
            break
        digests[path] = sha256(text).hexdigest()[:16]
    return {"language": language, "files": static_urls(), "pages": digests}


def worker(pages: PuzzlePages, language: str) -> str:
    """The script of the service worker, which changes whenever anything that it keeps changes."""
    return f"const KEPT = {json.dumps(kept(pages, language))};\n{static_text(WORKER)}"

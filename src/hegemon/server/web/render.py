"""Render templates, in the reader's language."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, Final, Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape
from markupsafe import Markup

from hegemon.prose.translator import get_translator, languages
from hegemon.server.web.assets import StaticUrls
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.pictures import HEIGHT, WIDTH

_TEMPLATES: Final = Path(__file__).parent / "templates"

#: The size of the cache of rendered regions; some 4,000 fit.
MAX_CACHED_BYTES: Final = 16 * 2**20

#: The macros that all templates can use, by file. The results of those named here are cached, because they depend only
#: on their arguments and are often called with the same ones; the maximum is per macro.
_MACROS: Final = {
    "parts": ("emblem", "card", "face", "stack", "backs", "reverse", "delta"),
    "actions": ("powers", "sheet"),
}
_MAX_CACHED_CALLS: Final = 2048

#: The maximum number of regions and parts of one version of a table: readers can set arbitrary cookies.
MAX_CACHED_REGIONS: Final = 2000

#: The name of a region, the language, and the names and values of the facts.
Key = tuple[Any, ...]

#: The approximate size of the data that a region is made of.
_KEY_BYTES: Final = 1024


@cache
def _templates() -> Environment:
    """All templates, each compiled once per process, so that the first request does not have to wait."""
    templates = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        extensions=[StaticUrls],
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # templates do not change while they are served, and checking for that takes time
    )
    for name, cacheable in _MACROS.items():
        macros = templates.globals[name] = templates.get_template(f"{name}.html").module
        for macro in cacheable:
            setattr(macros, macro, lru_cache(_MAX_CACHED_CALLS)(getattr(macros, macro)))
    for name in templates.list_templates():
        templates.get_template(name)
    return templates


@cache
def _template(name: str) -> Template:
    template = _templates().get_template(name)
    template.globals = dict(template.globals)  # copied at every rendering, which takes long for a ChainMap
    return template


@dataclass(frozen=True)
class Preview:
    """What other sites show for a link; by default the title of the page, and a picture without a position."""

    title: str = ""
    description: str = ""
    path: str = ""
    picture: str = "/preview.png"
    size: tuple[int, int] = (WIDTH, HEIGHT)


class RendersRegions(Protocol):
    """Renders pages, and regions, which it caches."""

    def page(self, template: str, visitor: Visitor, **facts: Any) -> str: ...

    def region(self, name: str, language: str, **facts: Any) -> Markup: ...


class Renderer:
    def __init__(self, *, lobby: bool = False) -> None:
        self._lobby = lobby
        # Loaded now, so that the first visitor need not wait.
        _templates()
        languages()
        self._context = cache(self._new_context)
        self._regions: OrderedDict[Key, Markup] = OrderedDict()
        self.cached_bytes = 0

    def page(self, template: str, visitor: Visitor, **facts: Any) -> str:
        facts = {"visitor": visitor, "languages": languages(), "preview": Preview()} | facts
        return self._render(template, visitor.language, **facts)

    def region(self, name: str, language: str, **facts: Any) -> Markup:
        """A region, or a part of one, that depends only on these facts: rendered once for all who see the same.

        Templates call this as `part`, for what changes less often than the region as a whole.
        """
        key = (name, language, *facts, *facts.values())
        html = self._regions.get(key)
        if html is None:
            html = self._regions[key] = self.render_region(name, language, facts)
            self.cached_bytes += _size(html)
            while self.cached_bytes > MAX_CACHED_BYTES:
                self.cached_bytes -= _size(self._regions.popitem(last=False)[1])
        else:
            self._regions.move_to_end(key)
        return html

    def render_region(
        self, name: str, language: str, facts: Mapping[str, Any], part: Callable[..., Markup] | None = None
    ) -> Markup:
        """Render a region without the cache; `part` renders the parts of it."""
        if part is not None:
            facts = {**facts, "part": partial(part, language=language)}
        return Markup(self._render(f"regions/{name}.html", language, **facts))

    def _render(self, template: str, language: str, **facts: Any) -> str:
        return _template(template).render({**self._context(language), **facts})

    def _new_context(self, language: str) -> dict[str, Any]:
        """The variables and functions that every template can use."""
        tr = get_translator(language)
        return {
            "lobby": self._lobby,
            "_": tr.text,
            "numbered": tr.numbered,
            "domain_names": tr.domains,
            "learning": tr.learning,
            "part": partial(self.region, language=language),
        }


class _CachedRegion:
    """A rendered region, its parts, and the generation in which it was last used."""

    __slots__ = ("html", "last_used", "parts")

    def __init__(self, html: Markup, parts: list["_CachedRegion"], last_used: int) -> None:
        self.html = html
        self.parts = parts
        self.last_used = last_used


class TableRenderer:
    """Renders the regions of one table, and keeps those of its last two versions, with their parts.

    What the readers of a version share, and what stays the same from version to version, is rendered once, however many
    tables there are.
    """

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._version = -1
        self._generation = 0
        """The number of versions that have been rendered."""
        self._cache: dict[Key, _CachedRegion] = {}
        self._parts: list[_CachedRegion] | None = None
        """The parts of the region that is being rendered."""

    def start_version(self, version: int) -> None:
        """Evict the regions that were not used in the last two versions."""
        if version == self._version and len(self._cache) <= MAX_CACHED_REGIONS:
            return
        self._version, self._generation = version, self._generation + 1
        for key in [key for key, cached in self._cache.items() if cached.last_used < self._generation - 1]:
            del self._cache[key]

    def page(self, template: str, visitor: Visitor, **facts: Any) -> str:
        return self._renderer.page(template, visitor, **facts)

    def region(self, name: str, language: str, **facts: Any) -> Markup:
        """A region, or a part of one, that depends only on these facts."""
        key = (name, language, *facts, *facts.values())
        cached = self._cache.get(key)
        if cached is None:
            cached = self._cache[key] = self._new(name, language, facts)
        elif cached.last_used != self._generation:
            cached.last_used = self._generation
            for part in cached.parts:  # which have no parts of their own
                part.last_used = self._generation
        if self._parts is not None:
            self._parts.append(cached)
        return cached.html

    def _new(self, name: str, language: str, facts: dict[str, Any]) -> _CachedRegion:
        parts: list[_CachedRegion] = []
        outer, self._parts = self._parts, parts
        try:
            return _CachedRegion(
                self._renderer.render_region(name, language, facts, self.region), parts, self._generation
            )
        finally:
            self._parts = outer


def _size(html: str) -> int:
    return sys.getsizeof(html) + _KEY_BYTES

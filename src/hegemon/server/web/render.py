"""Render templates, in the reader's language."""

import sys
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from hegemon.prose.translator import get_translator, languages
from hegemon.server.web.assets import StaticUrls
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.pictures import HEIGHT, WIDTH

_TEMPLATES: Final = Path(__file__).parent / "templates"

#: The size of the cache of rendered regions; some 4,000 fit.
MAX_CACHED_BYTES: Final = 16 * 2**20

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
    for name in templates.list_templates():
        templates.get_template(name)
    return templates


@dataclass(frozen=True)
class Preview:
    """What other sites show for a link; by default the title of the page, and a picture without a position."""

    title: str = ""
    description: str = ""
    path: str = ""
    picture: str = "/preview.png"
    size: tuple[int, int] = (WIDTH, HEIGHT)


class Renderer:
    def __init__(self, *, lobby: bool = False) -> None:
        self._lobby = lobby
        # Loaded now, so that the first visitor need not wait.
        _templates()
        languages()
        self._regions: OrderedDict[tuple[Any, ...], Markup] = OrderedDict()
        self.cached_bytes = 0

    def page(self, template: str, visitor: Visitor, **facts: Any) -> str:
        facts = {"visitor": visitor, "languages": languages(), "preview": Preview()} | facts
        return self._render(template, visitor.language, **facts)

    def region(self, name: str, language: str, **facts: Any) -> Markup:
        """A region, or a part of one, that depends only on these facts: rendered once for all who see the same.

        Templates call this as `part`, for what changes less often than the region as a whole.
        """
        key = (name, language, *facts.items())
        html = self._regions.get(key)
        if html is None:
            html = self._regions[key] = Markup(self._render(f"regions/{name}.html", language, **facts))
            self.cached_bytes += _size(html)
            while self.cached_bytes > MAX_CACHED_BYTES:
                self.cached_bytes -= _size(self._regions.popitem(last=False)[1])
        else:
            self._regions.move_to_end(key)
        return html

    def _render(self, template: str, language: str, **facts: Any) -> str:
        tr = get_translator(language)
        return (
            _templates()
            .get_template(template)
            .render(
                lobby=self._lobby,
                _=tr.text,
                numbered=tr.numbered,
                domain_names=tr.domains,
                learning=tr.learning,
                part=partial(self.region, language=language),
                **facts,
            )
        )


def _size(html: str) -> int:
    return sys.getsizeof(html) + _KEY_BYTES

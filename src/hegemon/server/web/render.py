"""Render templates, in the reader's language."""

from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from hegemon.prose.translator import get_translator, languages
from hegemon.server.web.session import Visitor

_TEMPLATES: Final = Path(__file__).parent / "templates"

_MAX_CACHED_REGIONS: Final = 4096


@cache
def _templates() -> Environment:
    """All templates, each compiled once in a process."""
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # templates do not change while they are served, and checking for that takes time
    )


class Renderer:
    def __init__(self, *, lobby: bool = False) -> None:
        self._lobby = lobby
        self.region = lru_cache(_MAX_CACHED_REGIONS)(self._region)

    def page(self, template: str, visitor: Visitor, **facts: Any) -> str:
        return self._render(template, visitor.language, visitor=visitor, languages=languages(), **facts)

    def _region(self, name: str, language: str, **facts: Any) -> str:
        """A region that depends on these facts alone: rendered once for all readers who see the same."""
        return self._render(f"regions/{name}.html", language, **facts)

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
                **facts,
            )
        )

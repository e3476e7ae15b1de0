"""Templates become HTML here, in the reader's language."""

from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from hegemon.prose.translator import get_translator, languages
from hegemon.server.visitor import Visitor

_TEMPLATES: Final = Path(__file__).parent / "templates"

#: So many regions are remembered, those that were shown last.
_REMEMBERED: Final = 4096


class Drawing:
    """Draws pages and their regions."""

    def __init__(self, *, lobby: bool = False) -> None:
        self._jinja = Environment(
            loader=FileSystemLoader(_TEMPLATES),
            autoescape=select_autoescape(),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,  # nobody edits templates while they are served, and looking for that takes time
        )
        self._jinja.globals["lobby"] = lobby
        self.region = lru_cache(_REMEMBERED)(self._region)

    def page(self, template: str, visitor: Visitor, **facts: Any) -> str:
        """Something that is drawn for one visitor."""
        return self._render(template, visitor.language, visitor=visitor, languages=languages(), **facts)

    def _region(self, name: str, language: str, **facts: Any) -> str:
        """A region that depends on nothing but these facts: it is drawn once for all who see the same."""
        return self._render(f"regions/{name}.html", language, **facts)

    def _render(self, template: str, language: str, **facts: Any) -> str:
        tr = get_translator(language)
        return self._jinja.get_template(template).render(
            _=tr.text,
            numbered=tr.numbered,
            domain_names=tr.domains,
            learning=tr.learning,
            **facts,
        )

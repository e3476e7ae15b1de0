"""Build hooks of the package: compile the catalogs of all languages, and make the links of the README absolute."""

import re
import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

#: A relative link: in Markdown, or of an image or a link in HTML.
LINK = re.compile(r'(\]\(|(?:href|src)=")(?![a-z]+:|#)([^)"\s]+)')
PICTURES = (".webp", ".png", ".svg")


class CatalogBuildHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        package = Path(self.root, "src", "hegemon")
        catalogs = runpy.run_path(str(package / "prose" / "catalogs.py"))
        catalogs["write_compiled"](package / "locale")


class ReadmeMetadataHook(MetadataHookInterface):
    """The README for a package index, which has no other file of the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_absolute_links(text, metadata["urls"]["Source"]),
        }


def with_absolute_links(text: str, source: str) -> str:
    """A page whose links to files of the repository lead to its host."""

    def absolute(link: re.Match[str]) -> str:
        view = "raw" if link[2].endswith(PICTURES) else "blob"
        return f"{link[1]}{source}/{view}/main/{link[2]}"

    return LINK.sub(absolute, text)

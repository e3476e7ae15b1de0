"""Build hook of the package: compile the catalogs of all languages."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogBuildHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        package = Path(self.root, "src", "hegemon")
        catalogs = runpy.run_path(str(package / "prose" / "catalogs.py"))
        catalogs["write_compiled"](package / "locale")

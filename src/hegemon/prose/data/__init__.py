"""Tables of English sentences, one TOML file each."""

import tomllib
from importlib.resources import files
from typing import Any


def read_data(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__name__) / f"{name}.toml").read_text(encoding="utf-8"))

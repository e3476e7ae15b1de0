"""The sentences of the terminal, from `texts.toml`."""

import tomllib
from importlib.resources import files
from typing import Any, Final

from hegemon.prose.english import EFFECT_NAMES
from hegemon.prose.translator import get_translator
from hegemon.rules.actions import PERMANENT_EFFECTS
from hegemon.rules.cards import Domain

ENGLISH: Final = get_translator("en")

_TEXTS: Final[dict[str, Any]] = tomllib.loads((files("hegemon.cli") / "texts.toml").read_text("utf-8"))

ONE_ORDER: Final[str] = _TEXTS["one_order"]
HELP: Final[list[str]] = _TEXTS["overview"]
DOMAINS_EXPLAINED: Final[dict[Domain, str]] = {
    domain: _TEXTS["domain"][domain.name.lower()] for domain in Domain
}
SHORT_CHOICE_TEXTS: Final[dict[str, str]] = {
    **_TEXTS["choice"],
    **{f"{effect.name.lower()}.copied": f"{EFFECT_NAMES[effect]} (copied)" for effect in PERMANENT_EFFECTS},
}
EXPLAINING: Final[dict[str, str]] = _TEXTS["help"]
COMMANDS: Final[dict[str, str]] = _TEXTS["keys"]
BOARD: Final[dict[str, str]] = _TEXTS["board"]
SCREEN: Final[dict[str, str]] = _TEXTS["screen"]
RULINGS: Final[dict[str, str]] = _TEXTS["rulings"]
MESSAGES: Final[dict[str, str]] = _TEXTS["message"]
ERRORS: Final[dict[str, str]] = _TEXTS["error"]
JOINING: Final[dict[str, str]] = _TEXTS["join"]
ARENA: Final[dict[str, str]] = _TEXTS["arena"]
HOSTING: Final[dict[str, str]] = _TEXTS["hosting"]
STUDY: Final[dict[str, str]] = _TEXTS["study"]


def domain_name(domain: int) -> str:
    return ENGLISH.domains[Domain(domain)]

"""Rulings as text: a preset, and the switches that differ from it."""

import re
from difflib import get_close_matches
from typing import Final

from hegemon.notation.errors import NotationError
from hegemon.notation.messages import message
from hegemon.rules.rulings import PRESETS, STANDARD, SWITCHES

_RULINGS: Final = message("rulings")

_CHANGE: Final = re.compile(r"([+!])([a-z-]*)")


def read_rulings(text: str) -> int:
    """The switches of a text such as `standard`, `pl` or `standard+embargo-self!coin-tie`."""
    name = re.match(r"[a-z]*", text)
    end = name.end() if name else 0
    if text[:end] not in PRESETS:
        problem = message("expected one of the presets {presets}", presets=", ".join(PRESETS))
        raise NotationError(_RULINGS, text, 0, problem)
    rulings = PRESETS[text[:end]]
    while end < len(text):
        change = _CHANGE.match(text, end)
        if change is None:
            problem = message("expected + and a switch to turn on, or ! and a switch to turn off")
            raise NotationError(_RULINGS, text, end, problem)
        sign, switch = change.groups()
        if switch not in SWITCHES:
            near = get_close_matches(switch, SWITCHES, n=1)
            problem = message("expected a switch; the switches are {switches}", switches=", ".join(SWITCHES))
            if near:
                problem = message("expected a switch; did you mean {switch}?", switch=near[0])
            raise NotationError(_RULINGS, text, end + 1, problem)
        rulings = rulings | SWITCHES[switch] if sign == "+" else rulings & ~SWITCHES[switch]
        end = change.end()
    return rulings


def write_rulings(rulings: int) -> str:
    """The shortest name: the first matching preset, or the standard with its differences."""
    for name, preset in PRESETS.items():
        if preset == rulings:
            return name
    changes = [
        ("+" if rulings & switch else "!") + name
        for name, switch in SWITCHES.items()
        if (rulings ^ STANDARD) & switch
    ]
    return "standard" + "".join(changes)

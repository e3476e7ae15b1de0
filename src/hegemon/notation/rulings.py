"""Rulings as text: a preset, and the switches that differ from it."""

import re
from difflib import get_close_matches
from typing import Final

from hegemon.notation.errors import NotationError
from hegemon.rules.rulings import PRESETS, STANDARD, SWITCHES

_CHANGE: Final = re.compile(r"([+!])([a-z-]*)")


def read_rulings(text: str) -> int:
    """The switches of a text such as `standard`, `pl` or `standard+embargo-self!coin-tie`."""
    name = re.match(r"[a-z]*", text)
    end = name.end() if name else 0
    if text[:end] not in PRESETS:
        raise NotationError("rulings", text, 0, f"expected one of the presets {', '.join(PRESETS)}")
    rulings = PRESETS[text[:end]]
    while end < len(text):
        change = _CHANGE.match(text, end)
        if change is None:
            problem = "expected + and a switch to turn on, or ! and a switch to turn off"
            raise NotationError("rulings", text, end, problem)
        sign, switch = change.groups()
        if switch not in SWITCHES:
            near = get_close_matches(switch, SWITCHES, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the switches are {', '.join(SWITCHES)}"
            raise NotationError("rulings", text, end + 1, f"expected a switch; {hint}")
        rulings = rulings | SWITCHES[switch] if sign == "+" else rulings & ~SWITCHES[switch]
        end = change.end()
    return rulings


def write_rulings(rulings: int) -> str:
    """The shortest name: the first preset that fits, or the standard with what differs."""
    for name, preset in PRESETS.items():
        if preset == rulings:
            return name
    changes = [
        ("+" if rulings & switch else "!") + name
        for name, switch in SWITCHES.items()
        if (rulings ^ STANDARD) & switch
    ]
    return "standard" + "".join(changes)

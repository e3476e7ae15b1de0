"""How a table plays where the rulebooks differ: switches, and the presets that name a set of them.

Rulings are data: a position carries its own as one integer with one bit per switch.
"""

from typing import Final

EMBARGO_SELF: Final = 1
DEMOCRACY_SELF: Final = 2
DEMOCRACY_TEAMMATE: Final = 4
BREAKTHROUGH_ANY: Final = 8
COIN_TIE: Final = 16
PASSIVE_RELIGION: Final = 32
SHOW_BACKS: Final = 64

#: Every switch by name, with what it allows when it is on.
SWITCHES: Final = {
    "embargo-self": EMBARGO_SELF,
    "democracy-self": DEMOCRACY_SELF,
    "democracy-teammate": DEMOCRACY_TEAMMATE,
    "breakthrough-any": BREAKTHROUGH_ANY,
    "coin-tie": COIN_TIE,
    "passive-religion": PASSIVE_RELIGION,
    "show-backs": SHOW_BACKS,
}

EXPLANATIONS: Final = {
    "embargo-self": "An Embargo may be put on oneself (D01).",
    "democracy-self": "A Democracy may be put on oneself (D02).",
    "democracy-teammate": "A Democracy may be put on a teammate (D02, A75).",
    "breakthrough-any": "A Breakthrough may be paid with a face-up card of any Domain but Culture (D12).",
    "coin-tie": "The coin leaves when another player has as many Culture cards; otherwise it takes more (D08).",
    "passive-religion": "Religion is counted when drawing and never applied in step 2 (A40).",
    "show-backs": "The Ages of hidden hand cards are shown, as the backs do (A04).",
}

STANDARD: Final = DEMOCRACY_TEAMMATE | COIN_TIE | SHOW_BACKS

#: The rulings of each edition, and the standard, which combines the best of them.
PRESETS: Final = {
    "standard": STANDARD,
    "en": STANDARD | EMBARGO_SELF | DEMOCRACY_SELF,
    "el": STANDARD | EMBARGO_SELF | DEMOCRACY_SELF,
    "de": STANDARD,
    "hu": STANDARD,
    "pl": EMBARGO_SELF | BREAKTHROUGH_ANY | SHOW_BACKS,
}

"""The sixty-four choices of the game: every answer a player can ever give is one of these words.

A word's number is its place in this list. A set of choices is an integer with one bit a word, so the legal choices of
any position fit in one machine word. The list is frozen: records, learners and the learning environment rely on it.
"""

from typing import Final

from hegemon.rules.cards import CULTURE, DOMAINS, KINDS, LETTERS, UTOPIA
from hegemon.rules.rule import rule

# The Domains that have permanent and discard effects of their own are five: all but Culture. Their effects stand in
# the list by *slot*: Military, Religion, Economy, Science, Utopia.
SLOTS: Final = 5

CARD: Final = 0
DRAFT: Final = CARD + DOMAINS
PERMANENT: Final = DRAFT + len(KINDS)
COPY: Final = PERMANENT + 2 * SLOTS
ATTACK: Final = COPY + 2 * SLOTS
INQUISITION: Final = ATTACK + DOMAINS
EMBARGO: Final = INQUISITION + 3
DEMOCRACY: Final = EMBARGO + 4
BREAKTHROUGH: Final = DEMOCRACY + 4
END: Final = BREAKTHROUGH + SLOTS

_SLOT_LETTERS: Final = LETTERS.replace("C", "")

#: Every word, in its frozen order.
CHOICES: Final = (
    *LETTERS,
    *(f"{LETTERS[kind >> 2]}{kind & 3}" for kind in KINDS),
    *(f"{letter}{level}" for letter in _SLOT_LETTERS for level in ("+", "++")),
    *(f"c{letter}{level}" for letter in _SLOT_LETTERS for level in ("+", "++")),
    *(f"m{letter}" for letter in LETTERS),
    *(f"r+{distance}" for distance in (1, 2, 3)),
    *(f"e+{distance}" for distance in (0, 1, 2, 3)),
    *(f"u+{distance}" for distance in (0, 1, 2, 3)),
    *(f"s{letter}" for letter in _SLOT_LETTERS),
    ".",
)

# Where each kind of card stands among the fifteen draft words; -1 for kinds that do not exist.
_PLACE_OF_KIND: Final = tuple(KINDS.index(kind) if kind in KINDS else -1 for kind in range(4 * DOMAINS))


@rule
def slots_of(domains: int) -> int:
    """The slots of a set of Domains, one bit each: Culture has none, and Utopia moves into its place."""
    return domains & ((1 << CULTURE) - 1) | domains >> 1 & 1 << (UTOPIA - 1)


@rule
def domain_of_slot(slot: int) -> int:
    """The Domain whose effects stand in a slot."""
    return slot if slot < SLOTS - 1 else SLOTS


@rule
def draft_action(kind: int) -> int:
    """The word that drafts a card of that kind."""
    return DRAFT + _PLACE_OF_KIND[kind]


@rule
def drafted_kind(word: int) -> int:
    """The kind of card that a draft word names."""
    return KINDS[word - DRAFT]

"""The 64 actions: every choice that a player makes in the game is one of them.

An action is its index in `ACTIONS`. A set of actions is an integer with one bit per action, so the legal actions of any
position fit in one machine word. The order is frozen: records, bots and the learning environment rely on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from functools import cached_property
from itertools import count
from typing import Final

from hegemon.rules.cards import CULTURE, DOMAINS, KINDS, UTOPIA, Domain, age_of, domain_of
from hegemon.rules.rule import rule

# All Domains except Culture have permanent and discard effects. They are ordered by *slot*: Military, Religion,
# Economy, Science, Utopia.
SLOTS: Final = 5
_DOMAIN_OF_SLOT: Final = tuple(domain for domain in Domain if domain is not Domain.CULTURE)


class Effect(IntEnum):
    """The sixteen effects: the ten permanent ones in the order of the board, five discard effects, Inspiration."""

    ASSASSINATION = 0
    PURGE = 1
    HOLY_BOOK = 2
    DIVINE_RIGHT = 3
    DEVELOPMENT = 4
    MONOPOLY = 5
    EXPERIMENT = 6
    RESEARCH = 7
    OLIGARCHY = 8
    REPUBLIC = 9
    ATTACK = 10
    INQUISITION = 11
    EMBARGO = 12
    BREAKTHROUGH = 13
    DEMOCRACY = 14
    INSPIRATION = 15

    __repr__ = Enum.__str__  # a repr that can be pasted back

    @cached_property
    def level(self) -> int:
        """The level of a permanent effect, 1 or 2; 0 for the other effects."""
        return self % 2 + 1 if self < Effect.ATTACK else 0

    @cached_property
    def domain(self) -> Domain:
        if self is Effect.INSPIRATION:
            return Domain.CULTURE
        return _DOMAIN_OF_SLOT[self // 2 if self < Effect.ATTACK else self - Effect.ATTACK]


PERMANENT_EFFECTS: Final = tuple(effect for effect in Effect if effect.level)
DISCARD_EFFECTS: Final = tuple(effect for effect in Effect if Effect.ATTACK <= effect < Effect.INSPIRATION)


class ActionKind(Enum):
    """What an action does, in the order of the list."""

    CARD = auto()
    """Pick a card of a Domain, or the Domain that a marker is put on."""
    DRAFT = auto()
    """Draft a card, named by Domain and Age."""
    PERMANENT = auto()
    COPY = auto()
    ATTACK = auto()
    INQUISITION = auto()
    EMBARGO = auto()
    DEMOCRACY = auto()
    BREAKTHROUGH = auto()
    END = auto()
    """End step 2, and the turn."""


@dataclass(frozen=True, slots=True)
class Action:
    """One of the 64 actions, decoded. Fields that do not apply to an action are None."""

    code: int
    text: str
    kind: ActionKind
    effect: Effect | None = None
    domain: Domain | None = None
    """The Domain it names: of the card, of the permanent effect, under Attack, or paid for a Breakthrough."""
    age: int | None = None
    """The Age of the card to draft."""
    distance: int | None = None
    """The player it is aimed at, in places to the left; 0 for oneself."""

    @property
    def level(self) -> int:
        """The level of the permanent effect that it applies, 1 or 2; 0 for any other action."""
        return self.effect.level if self.effect is not None else 0

    @property
    def copied(self) -> bool:
        """Whether the effect is another player's, by Inspiration."""
        return self.kind is ActionKind.COPY


def _actions() -> Iterator[Action]:
    code = count()
    for domain in Domain:
        yield Action(next(code), domain.letter, ActionKind.CARD, domain=domain)
    for card in KINDS:
        domain, age = Domain(domain_of(card)), age_of(card)
        yield Action(next(code), f"{domain.letter}{age}", ActionKind.DRAFT, domain=domain, age=age)
    for kind, prefix in (ActionKind.PERMANENT, ""), (ActionKind.COPY, "c"):
        for effect in PERMANENT_EFFECTS:
            text = prefix + effect.domain.letter + "+" * effect.level
            yield Action(next(code), text, kind, effect, effect.domain)
    for domain in Domain:
        yield Action(next(code), f"m{domain.letter}", ActionKind.ATTACK, Effect.ATTACK, domain)
    for kind, effect, nearest in (
        (ActionKind.INQUISITION, Effect.INQUISITION, 1),
        (ActionKind.EMBARGO, Effect.EMBARGO, 0),
        (ActionKind.DEMOCRACY, Effect.DEMOCRACY, 0),
    ):
        for distance in range(nearest, 4):
            text = f"{effect.domain.letter.lower()}+{distance}"
            yield Action(next(code), text, kind, effect, distance=distance)
    for domain in _DOMAIN_OF_SLOT:
        yield Action(next(code), f"s{domain.letter}", ActionKind.BREAKTHROUGH, Effect.BREAKTHROUGH, domain)
    yield Action(next(code), ".", ActionKind.END)


#: Every action, in the frozen order.
ACTIONS: Final = tuple(_actions())
#: Every action as text: what players choose from.
CHOICES: Final = tuple(action.text for action in ACTIONS)

# The rules and the compiled kernels count from the first action of each kind.
(
    FIRST_CARD, FIRST_DRAFT, FIRST_PERMANENT, FIRST_COPY, FIRST_ATTACK, FIRST_INQUISITION, FIRST_EMBARGO,
    FIRST_DEMOCRACY, FIRST_BREAKTHROUGH, END,
) = (next(action.code for action in ACTIONS if action.kind is kind) for kind in ActionKind)  # fmt: skip

# The index of each kind of card among the fifteen draft actions; -1 for kinds that do not exist.
_DRAFT_INDEX: Final = tuple(KINDS.index(kind) if kind in KINDS else -1 for kind in range(4 * DOMAINS))


@rule
def slots_of(domains: int) -> int:
    """The slots of a set of Domains, one bit each: Culture has none, and Utopia moves into its place."""
    return domains & ((1 << CULTURE) - 1) | domains >> 1 & 1 << (UTOPIA - 1)


@rule
def domain_of_slot(slot: int) -> int:
    """The Domain of a slot."""
    return slot if slot < SLOTS - 1 else SLOTS


@rule
def draft_action(kind: int) -> int:
    """The action that drafts a card of that kind."""
    return FIRST_DRAFT + _DRAFT_INDEX[kind]


@rule
def drafted_kind(action: int) -> int:
    """The kind of card that a draft action names."""
    return KINDS[action - FIRST_DRAFT]

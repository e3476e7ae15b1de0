"""All the luck of the game: the order of the Age deck. After the shuffle nothing is random.

The generator is a 63-bit multiply-with-carry in one integer. No product overflows, so it gives the same numbers when
interpreted, compiled for the CPU and compiled for CUDA.
"""

from collections.abc import Callable
from typing import Final

from hegemon.rules.cards import DOMAINS, NUMBER_OF_CARDS, kind_of
from hegemon.rules.position import Position
from hegemon.rules.rule import rule
from hegemon.rules.setup import cards_removed

# a * 2**32 - 1 and a * 2**31 - 1 are both prime, which gives the full period of about 2**62.
_MULTIPLIER: Final = 0x7A3C5599
_LOW: Final = 0xFFFFFFFF

#: Seeds are whole numbers from 0 to this one.
MAX_SEED: Final = (1 << 63) - 1


@rule
def mix(number: int) -> int:
    """Scramble the bits of a 32-bit number, so that neighboring seeds start in very different states."""
    number = ((number ^ (number >> 16)) * 0x7FEB352D) & _LOW
    number = ((number ^ (number >> 15)) * 0x846CA68B) & _LOW
    return number ^ (number >> 16)


@rule
def stream(seed: int, index: int) -> int:
    """The state of the generator for one game of a seeded series."""
    low = mix((seed & _LOW) ^ mix((index & _LOW) ^ 0x3C6EF372))
    high = mix((seed >> 32 & _LOW) ^ mix((index >> 32 & _LOW) ^ mix(low ^ 0x1B873593)))
    low = mix(low ^ high)
    # The carry stays below the multiplier and above zero, so the generator never gets stuck.
    state = ((high >> 2) + 1) << 32 | low
    return next_state(next_state(state))


@rule
def next_state(state: int) -> int:
    return _MULTIPLIER * (state & _LOW) + (state >> 32)


@rule
def below(state: int, bound: int) -> int:
    """The random number from 0 to bound - 1 of a state."""
    return (((state ^ (state >> 32)) & _LOW) * bound) >> 32


@rule
def shuffle(position: Position, state: int) -> int:
    """Build the Age deck: shuffle each Age, put the unseen cards away, III at the bottom; returns the next state."""
    size = 0
    top = 0
    for age in range(3, 0, -1):
        top = size
        for domain in range(DOMAINS):
            for _ in range(NUMBER_OF_CARDS[domain][age - 1]):
                # One pass deals and shuffles: the new card swaps places with any card of its Age so far.
                state = next_state(state)
                place = size + below(state, top - size + 1)
                position.deck[top] = position.deck[place]
                position.deck[place] = kind_of(domain, age)
                top += 1
        size = top - cards_removed(position.players)
    for place in range(size, top):
        position.deck[place] = 0
    position.deck_size = size
    return state


def deck_shuffled_by(shuffle_cards: Callable[[list[int]], object], players: int) -> tuple[int, ...]:
    """The kinds of an Age deck, from the top, each Age shuffled by the caller's source of randomness.

    A seed has 63 bits, of which the first cards of a game reveal most; a better source reveals nothing of the rest.
    """
    deck: list[int] = []
    for age in (1, 2, 3):
        cards = [
            kind_of(domain, age) for domain in range(DOMAINS) for _ in range(NUMBER_OF_CARDS[domain][age - 1])
        ]
        shuffle_cards(cards)
        deck += cards[cards_removed(players) :]
    return tuple(deck)

"""The shuffle of a game that no caller has seeded: the whole order comes from the system's random source."""

import math
import random

import pytest

from hegemon import Game, check_shuffle, write_record
from hegemon.rules.cards import DOMAINS, NUMBER_OF_CARDS
from hegemon.rules.setup import cards_of_age


class CountedSource:
    """The system's random source, with the number of bytes that were read; the first ones may be given."""

    def __init__(self, monkeypatch, given=b""):
        self.read = 0
        self._given = given
        self._system = random._urandom
        monkeypatch.setattr(random, "_urandom", self)

    def __call__(self, size):
        start, self.read = self.read, self.read + size
        return self._given[start : start + size].ljust(size, b"\0") if self._given else self._system(size)


def bits_of_all_orders():
    """The entropy of the order of 104 cards, each Age by itself; equal cards are interchangeable."""
    bits = 0.0
    for age in range(3):
        numbers = [NUMBER_OF_CARDS[domain][age] for domain in range(DOMAINS)]
        bits += math.log2(math.factorial(sum(numbers)))
        bits -= sum(math.log2(math.factorial(number)) for number in numbers)
    return bits


@pytest.mark.parametrize("speed", ["interpreted", "compiled"])
def test_the_system_gives_as_many_bits_as_the_order_has(monkeypatch, speed):
    Game(4, seed=1, speed=speed)  # compiling reads random bytes of its own
    source = CountedSource(monkeypatch)
    game = Game(4, speed=speed)
    assert 8 * (source.read - 16) > bits_of_all_orders() > 200  # 16 bytes are the salt's
    assert check_shuffle(game.record(), game.commitment)
    assert Game.from_record(write_record(game.record())).position == game.position


def test_the_first_cards_reveal_nothing_about_the_next(monkeypatch):
    """Two decks that agree in Age I agree in nothing else."""
    beginning = random.Random(1).randbytes(80)
    decks = []
    for seed in (2, 3):
        CountedSource(monkeypatch, beginning + random.Random(seed).randbytes(2_000))
        decks.append(Game(4).record().deck)
        monkeypatch.undo()
    first = cards_of_age(4, 1)
    assert decks[0][:first] == decks[1][:first]
    assert decks[0][first:] != decks[1][first:]


def test_a_seeded_game_reads_nothing_from_the_system(monkeypatch):
    source = CountedSource(monkeypatch)
    assert Game(3, seed=7).record() == Game(3, seed=7).record()
    assert source.read == 0

"""Rulings as text: presets and switches."""

import pytest

from hegemon.notation.errors import NotationError
from hegemon.notation.rulings import read_rulings, write_rulings
from hegemon.rules.rulings import (
    COIN_TIE,
    EMBARGO_SELF,
    EXPLANATIONS,
    PASSIVE_RELIGION,
    PRESETS,
    SHOW_BACKS,
    STANDARD,
    SWITCHES,
)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_can_be_named(preset):
    assert read_rulings(preset) == PRESETS[preset]


def test_every_switch_is_explained():
    assert list(EXPLANATIONS) == list(SWITCHES)
    assert sorted(SWITCHES.values()) == [1 << bit for bit in range(7)]


@pytest.mark.parametrize("rulings", range(128))
def test_all_switches_in_all_combinations_have_one_text(rulings):
    text = write_rulings(rulings)
    assert read_rulings(text) == rulings
    assert write_rulings(read_rulings(text)) == text


def test_switches_are_turned_on_and_off():
    assert read_rulings("standard+embargo-self") == STANDARD | EMBARGO_SELF
    assert read_rulings("standard!coin-tie!show-backs") == STANDARD & ~COIN_TIE & ~SHOW_BACKS
    assert read_rulings("pl+passive-religion") == PRESETS["pl"] | PASSIVE_RELIGION
    assert read_rulings("de+coin-tie") == STANDARD


def test_the_shortest_name_is_written():
    assert write_rulings(PRESETS["hu"]) == "standard"
    assert write_rulings(PRESETS["el"]) == "en"
    assert write_rulings(PRESETS["pl"]) == "pl"
    assert write_rulings(STANDARD | EMBARGO_SELF) == "standard+embargo-self"
    assert write_rulings(STANDARD & ~COIN_TIE | EMBARGO_SELF) == "standard+embargo-self!coin-tie"


COMPLAINTS = [
    (
        "",
        "^ expected one of the presets standard, en, el, de, hu, pl",
    ),
    (
        "Standard",
        "^ expected one of the presets standard, en, el, de, hu, pl",
    ),
    (
        "standardd",
        "^ expected one of the presets standard, en, el, de, hu, pl",
    ),
    (
        "pl coin-tie",
        "  ^ expected + and a switch to turn on, or ! and a switch to turn off",
    ),
    (
        "pl+coin-ti",
        "   ^ expected a switch; did you mean coin-tie?",
    ),
    (
        "pl+coin-tie!",
        "            ^ expected a switch; the switches are " + ", ".join(SWITCHES),
    ),
    (
        "pl+coin-tie\ud800",
        "           ^ expected + and a switch to turn on, or ! and a switch to turn off",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), COMPLAINTS, ids=range(len(COMPLAINTS)))
def test_an_error_in_rulings_names_the_switches(text, expected):
    with pytest.raises(NotationError) as caught:
        read_rulings(text)
    assert " " * caught.value.place + "^ " + caught.value.problem == expected
    str(caught.value).encode()

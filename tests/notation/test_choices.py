"""The 64 choices as text, their frozen order, and the error for any other text."""

from pathlib import Path

import pytest

from hegemon.notation.choices import choices_in, read_choice
from hegemon.notation.errors import NotationError
from hegemon.rules.actions import CHOICES

GOLDEN = Path(__file__).parents[1] / "golden" / "choices.txt"


def test_the_choices_are_in_their_frozen_order():
    frozen = [line.split() for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert [[str(action), choice] for action, choice in enumerate(CHOICES)] == frozen


def test_every_choice_has_its_action():
    assert len(CHOICES) == len(set(CHOICES)) == 64
    assert [read_choice(choice) for choice in CHOICES] == list(range(64))


def test_a_set_of_choices_is_written_in_the_frozen_order():
    assert choices_in(0) == ()
    assert choices_in(1 << 63 | 1 << 21 | 1) == ("M", "M+", ".")
    assert choices_in((1 << 64) - 1) == CHOICES


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("m2", "; did you mean M2?"),
        ("SS", "; did you mean sS?"),
        ("e+4", "; did you mean e+0 / e+1 / e+2 / e+3?"),
        ("r1", "; did you mean R1?"),
        ("r", "; did you mean R?"),
        ("r+", "; did you mean R+?"),
        ("r+0", "; did you mean r+1 / r+2 / r+3?"),
        ("M4", "; did you mean M / M1 / M2 / M3 / M+ / M++?"),
        ("attack", ", such as M, M+, mS or ."),
        ("", ", such as M, M+, mS or ."),
    ],
)
def test_an_unknown_choice_is_rejected_with_similar_choices(text, hint):
    with pytest.raises(NotationError) as caught:
        read_choice(text)
    sentence = f"choice, character 1: expected one of the 64 choices of the game{hint}"
    assert str(caught.value) == f"{sentence}\n  {text}\n  ^"


def test_a_choice_is_read_exactly():
    for text in (" M", "M ", "m", "M\n", "Ｍ"):
        with pytest.raises(NotationError):
            read_choice(text)

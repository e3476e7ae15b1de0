"""One thing, one word: no phrase is left that CONTRIBUTING.md replaces."""

import pytest

from vocabulary import PHRASES, findings, replaced_in

#: An example of each kind of phrase.
EXAMPLES = {
    "an unnamed person as subject": "Whoever plays first draws.",
    "a limit or interval in words": "So many cards fit.",
    "a person told or asked": "The player is told.",
    "X is no Y": "test_a_study_is_no_game",
    "an archaic adverb": "The page is loaded anew.",
    "a spectator": "Friends look on.",
    "creating a game": "Ada lays the table.",
    "saving": "It is kept in a file.",
    "the repository": "The laws of the house.",
    "a choice or move": "The words that are legal.",
    "webhooks": "The postman calls.",
}


@pytest.mark.parametrize("kind", PHRASES)
def test_each_kind_of_phrase_is_found(kind):
    assert replaced_in(EXAMPLES[kind])


@pytest.mark.parametrize("text", ["There is no card.", "a_seat_that_is_no_longer_free", "No one is here."])
def test_idiomatic_phrases_are_accepted(text):
    assert replaced_in(text) == ()


@pytest.mark.slow
def test_no_replaced_phrase_is_used():
    assert [f"{name}:{number}: {phrase}" for name, number, phrase, _ in findings()] == []

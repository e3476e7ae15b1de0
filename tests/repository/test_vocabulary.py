"""One thing, one word: no phrase is left that CONTRIBUTING.md replaces."""

import pytest

from vocabulary import findings


@pytest.mark.slow
def test_no_replaced_phrase_is_used():
    assert [f"{name}:{number}: {phrase}" for name, number, phrase, _ in findings()] == []

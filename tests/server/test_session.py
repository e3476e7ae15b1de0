"""The language of a visitor."""

import pytest

from hegemon.server import language as language_module
from hegemon.server.language import accepted_language


@pytest.fixture(autouse=True)
def _three_languages(monkeypatch):
    monkeypatch.setattr(
        language_module, "languages", lambda: {"en": "English", "de": "Deutsch", "pl": "Polski"}
    )


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr, pl;q=0.3, de;q=0.5", "de"),
        ("fr;q=nonsense, pl", "pl"),
        ("fr, de; q=0.5, en; q=0.9", "en"),
        ("pl ; q=0.5 , de\t;\tQ=0.9", "de"),
        ("de;q=0, pl;q=0.1", "pl"),
        ("deu, pl", "pl"),
        ("fr", "en"),
        ("*", "en"),
    ],
)
def test_the_language_is_the_first_supported_one(accepted, language):
    assert accepted_language(accepted) == language

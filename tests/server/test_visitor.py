"""What a browser brings along."""

import pytest

from hegemon.server.web import session as visitor
from hegemon.server.web.session import spoken


@pytest.fixture(autouse=True)
def _three_languages(monkeypatch):
    monkeypatch.setattr(visitor, "languages", lambda: {"en": "English", "de": "Deutsch", "pl": "Polski"})


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr, pl;q=0.3, de;q=0.5", "de"),
        ("fr;q=nonsense, pl", "pl"),
        ("fr", "en"),
        ("*", "en"),
    ],
)
def test_the_page_speaks_the_first_language_it_can(accepted, language):
    assert spoken(accepted) == language

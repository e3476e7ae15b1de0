"""Valid links, and the errors of invalid ones."""

import pytest

from hegemon.client import InvalidLink, Link, Server, join, read_link

TOKEN = "t" * 43


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("https://play.example.org/join/aB_-9", Link("https://play.example.org", invite="aB_-9")),
        (" http://localhost:8000/join/x/ \n", Link("http://localhost:8000", invite="x")),
        ("http://[::1]:8000/games/g", Link("http://[::1]:8000", game="g")),
        (f"https://a.b/games/g#{TOKEN}", Link("https://a.b", game="g", token=TOKEN)),
        (f"https://a.b/games/g/seats?x=1#{TOKEN}", Link("https://a.b", game="g", token=TOKEN)),
    ],
)
def test_a_link_leads_to_a_seat_or_a_game(text, link):
    assert read_link(text) == link
    assert read_link(str(link)) == link


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "begins with http"),
        ("localhost:8000/join/x", "begins with http"),
        ("ftp://a.b/join/x", "begins with http"),
        ("http://", "begins with http"),
        ("http://a.b:port/join/x", "is not an address"),
        ("http://[a/join/x", "is not an address"),
        ("http://a.b", "http://a.b/join/"),
        ("http://a.b/join/", "http://a.b/join/"),
        ("http://a.b/join/x/y", "http://a.b/join/"),
        ("http://a.b/join/x%20y", "http://a.b/join/"),
        ("http://a.b/games/g#short", "http://a.b/games/"),
        (f"http://a.b/me#{TOKEN}", "A personal link does not lead to a table"),
    ],
)
def test_the_error_of_an_invalid_link_describes_valid_ones(text, part):
    with pytest.raises(InvalidLink, match=part):
        read_link(text)


def test_a_page_without_a_token_cannot_be_joined():
    with pytest.raises(InvalidLink, match="is the page of a game"):
        join("http://a.b/games/g")


def test_the_server_is_the_part_before_its_pages():
    assert Server("https://play.example.org/join/x").address == "https://play.example.org"

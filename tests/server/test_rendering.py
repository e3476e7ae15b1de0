"""Regions are drawn from facts alone, and once for everyone who is shown the same."""

from hegemon.server.web.render import Renderer


def test_the_same_facts_are_drawn_once():
    drawing = Renderer()
    log = drawing.region("log", "en", turns=(("Ada draws.",),))
    assert drawing.region("log", "en", turns=(("Ada draws.",),)) is log
    assert drawing.region("log", "en", turns=(("Ben draws.",),)) != log
    assert drawing.region("log", "de", turns=(("Ada draws.",),)) != log


def test_what_people_wrote_is_no_html():
    assert "<b>" not in Renderer().region("log", "en", turns=(("<b>Ada</b> draws.",),))

"""Regions are drawn from facts alone, and once for everyone who is shown the same."""

from hegemon.server.web.render import Renderer
from hegemon.server.web.views.story import LogLine


def log_of(drawing, language, sentence):
    return drawing.region("log", language, turns=((LogLine(sentence, 1),),), moments="/games/a/moment?at=")


def test_the_same_facts_are_drawn_once():
    drawing = Renderer()
    log = log_of(drawing, "en", "Ada draws.")
    assert log_of(drawing, "en", "Ada draws.") is log
    assert log_of(drawing, "en", "Ben draws.") != log
    assert log_of(drawing, "de", "Ada draws.") != log


def test_what_people_wrote_is_no_html():
    assert "<b>" not in log_of(Renderer(), "en", "<b>Ada</b> draws.")

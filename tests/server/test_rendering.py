"""Regions are rendered from values only, and once for all readers who see the same."""

from dataclasses import replace

from hegemon.rules.cards import Domain
from hegemon.server.web.render import MAX_CACHED_REGIONS, Renderer, TableRenderer
from hegemon.server.web.views.columns import ColumnState
from hegemon.views import CardView, PlayerPanel
from hegemon.views.table import ColumnView


def log_of(drawing, language, sentence):
    return drawing.region("log", language, turns=(sentence,))


def test_the_same_facts_are_drawn_once():
    drawing = Renderer()
    log = log_of(drawing, "en", "Ada draws.")
    assert log_of(drawing, "en", "Ada draws.") is log
    assert log_of(drawing, "en", "Ben draws.") != log
    assert log_of(drawing, "de", "Ada draws.") != log


def test_text_written_by_people_is_escaped():
    assert "<b>" not in log_of(Renderer(), "en", "<b>Ada</b> draws.")


class CountingRenderer(Renderer):
    def __init__(self):
        super().__init__()
        self.rendered = []

    def render_region(self, name, language, facts, part=None):
        self.rendered.append(name)
        return super().render_region(name, language, facts, part)


def test_a_table_renders_once_what_two_versions_have_in_common():
    counting = CountingRenderer()
    drawing = TableRenderer(counting)
    for version in range(1, 4):
        drawing.start_version(version)
        assert "Ada draws." in log_of(drawing, "en", "Ada draws.")
        assert "Ben draws." in log_of(drawing, "en", f"Ben draws. {version}")
    assert counting.rendered == ["log"] * 4
    drawing.start_version(4)
    drawing.start_version(5)
    log_of(drawing, "en", "Ada draws.")
    assert counting.rendered == ["log"] * 5


def test_a_region_that_stays_keeps_its_parts():
    counting = CountingRenderer()
    drawing = TableRenderer(counting)
    column = ColumnView(Domain.MILITARY, (CardView(Domain.MILITARY, 1),), 7, (), 0, None, leads=False)
    panel = PlayerPanel(
        0, "Ada", None, 0, (column,), (1, 0, 0), (0, 0, 0), 0, to_move=False, own=False, won=False
    )

    def rendered(panel):
        facts = {"a": None, "known": (), "names": ("Ada",), "teams": False}
        return drawing.region("panel", "en", p=panel, columns=(ColumnState(0, "", ""),), **facts)

    for version in range(1, 6):
        drawing.start_version(version)
        rendered(panel)
    assert counting.rendered == ["panel", "column", "column_facts"]
    drawing.start_version(6)
    assert rendered(replace(panel, points=1)) != rendered(panel)
    assert counting.rendered == ["panel", "column", "column_facts", "panel"]


def test_a_table_does_not_keep_more_than_readers_can_see():
    drawing = TableRenderer(Renderer())
    for number in range(2 * MAX_CACHED_REGIONS + 10):
        drawing.start_version(1)
        log_of(drawing, "en", f"{number}")
    assert len(drawing._cache) <= MAX_CACHED_REGIONS + 2

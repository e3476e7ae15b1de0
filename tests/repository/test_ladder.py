"""scripts/ladder.py: bots play each other, and the page has their ladder."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from hegemon.bots import BOTS, make_bot

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "bots.md"


@pytest.fixture
def ladder(tmp_path, monkeypatch):
    """Run the script on a separate page."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    page = tmp_path / "bots.md"

    def run(text, *options):
        page.write_text(text, encoding="utf-8")
        monkeypatch.setattr(sys, "argv", ["scripts/ladder.py", *options, "--jobs", "1", "--page", str(page)])
        runpy.run_path(str(ROOT / "scripts" / "ladder.py"), run_name="__main__")
        return page.read_text(encoding="utf-8")

    return run


@pytest.mark.slow
def test_the_section_is_replaced_and_nothing_else(ladder):
    before, after = "# Bots\n\n<!-- ladder -->\n", "<!-- /ladder -->\n\nThe end.\n"
    text = ladder(f"{before}old\n{after}", "--bots", "chance,greedy,easy", "--games", "6", "--players", "2,3")
    assert text.startswith(before)
    assert text.endswith(after)
    assert "old" not in text
    assert "python scripts/ladder.py --bots chance,greedy,easy --games 6" in text
    assert re.findall(r"^### (\d) players$", text, re.MULTILINE) == ["2", "3"]
    rated = re.findall(r"^\| (\d) \| `(\w+)` \| ([+-]\d+) \| ", text, re.MULTILINE)
    assert [place for place, _, _ in rated] == ["1", "2", "3"] * 2
    assert sorted(name for _, name, _ in rated[:3]) == ["chance", "easy", "greedy"]
    points = [int(rating) for _, _, rating in rated[:3]]
    assert points == sorted(points, reverse=True)
    assert text.count("| beats | ") == 2


def test_a_page_without_the_section_is_not_changed(ladder):
    with pytest.raises(SystemExit, match="no place for the ladder"):
        ladder("# Bots\n")


def test_all_bots_can_be_on_it():
    read_bots = runpy.run_path(str(ROOT / "scripts" / "ladder.py"))["read_bots"]
    assert read_bots("all") == tuple(BOTS)
    assert {"chance", "greedy", "easy"} <= set(read_bots("quick")) < set(BOTS)
    assert read_bots("easy,hard") == ("easy", "hard")


def test_the_page_has_a_ladder_of_bots_that_exist():
    section = (
        PAGE.read_text(encoding="utf-8").partition("<!-- ladder -->")[2].partition("<!-- /ladder -->")[0]
    )
    names = re.findall(r"^\| \d+ \| `([^`]+)` \|", section, re.MULTILINE)
    assert len(names) >= 3
    for name in names:
        make_bot(name)

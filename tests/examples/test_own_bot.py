"""The example of a bot: installed by its entry point, it plays in the arena, and better than chance."""

import sys
import tomllib
from pathlib import Path

import pytest

from hegemon.arena import Journal, Run, Standings, Tournament, threads
from hegemon.bots import bot_names, make_bot
from hegemon.bots.registry import ENTRY_POINTS, entry_point_bots

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_bot"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The metadata that an installer would write: the entry points of the example's pyproject.toml."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [f"{name} = {place}" for name, place in project["entry-points"][ENTRY_POINTS].items()]
    (metadata / "entry_points.txt").write_text("\n".join([f"[{ENTRY_POINTS}]", *lines]) + "\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(EXAMPLE), *sys.path])
    entry_point_bots.cache_clear()
    yield
    entry_point_bots.cache_clear()
    sys.modules.pop("collector", None)


def test_it_is_found_by_its_name(installed):
    assert "collector" in bot_names()
    assert type(make_bot("collector", 1)).__name__ == "Collector"


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("table", [{}, {"variant": "draft"}, {"rulings": "pl"}])
def test_it_beats_chance_in_the_arena(installed, table):
    tournament = Tournament(("collector", "chance"), seed=1, **table)
    journal = Journal(tournament)
    Run(tournament, 40, threads(1), journal).play()
    assert Standings.of(tournament, journal.games).sides["collector"].win_rate > 0.6


def test_it_has_twenty_lines():
    source = (EXAMPLE / "collector.py").read_text(encoding="utf-8").splitlines()
    assert sum(1 for line in source if line.strip()) <= 20

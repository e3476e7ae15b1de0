"""The journal records which code played: a run is not resumed with different bots, rules or versions."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from hegemon import SetupError
from hegemon.arena import Deal, Journal, Run, Tournament, threads
from hegemon.arena.code import Code, packages_by_module, summarize_names
from hegemon.arena.journal import JournalError
from hegemon.arena.runner import play_with_code
from hegemon.bots import BOTS
from hegemon.bots.registry import ENTRY_POINTS, entry_point_bots

pytestmark = pytest.mark.slow  # each test starts a tournament

BOT = """
from random import Random
{imports}

class Wanderer:
    def __init__(self, seed=0):
        self.random = Random(seed)

    def choose(self, view, memory, choices):
        return self.random.choice(choices)


def make(seed):
    from hegemon.bots import Chance
    return Chance(seed)
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Write files of a package into a folder of the path, with the metadata that an installer would write."""
    site = tmp_path / "site"
    loaded = set(sys.modules)

    def written(files, target, version="1.0", requires=()):
        for name, text in files.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
        info = site / "wanderer_bot-0.dist-info"
        info.mkdir(exist_ok=True)
        lines = ["Metadata-Version: 2.1", "Name: wanderer-bot", f"Version: {version}"]
        (info / "METADATA").write_text(
            "\n".join([*lines, *(f"Requires-Dist: {need}" for need in requires), ""])
        )
        (info / "RECORD").write_text("".join(f"{name},,\n" for name in files))
        (info / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\nwanderer = {target}\n")
        reload()

    def reload():
        """As in a new process."""
        for name in set(sys.modules) - loaded:
            if name.partition(".")[0] in ("wanderer", "luck"):
                del sys.modules[name]
        entry_point_bots.cache_clear()
        packages_by_module.cache_clear()

    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield written
    reload()


TOURNAMENT = {"bots": ("wanderer", "chance"), "seed": 1}


def changes(path, tournament):
    """What has changed, according to the error of an attempt to resume."""
    with pytest.raises(JournalError) as wrong:
        Journal(tournament, path)
    return str(wrong.value).partition("What has changed: ")[2]


@pytest.mark.parametrize(
    ("files", "edited", "target"),
    [
        ({"wanderer.py": BOT.format(imports="")}, "wanderer.py", "wanderer:Wanderer"),
        ({"wanderer.py": BOT.format(imports="")}, "wanderer.py", "wanderer:make"),
        (
            {"wanderer.py": BOT.format(imports="import luck"), "luck.py": "NUMBER = 1"},
            "luck.py",
            "wanderer:Wanderer",
        ),
        (
            {
                "wanderer/__init__.py": "",
                "wanderer/bot.py": BOT.format(imports=""),
                "wanderer/weights.json": "1",
            },
            "wanderer/weights.json",
            "wanderer.bot:Wanderer",
        ),
    ],
)
def test_editing_a_bot_between_two_parts_of_a_run_is_noticed(tmp_path, install, files, edited, target):
    path = tmp_path / "results.jsonl"
    install(files, target)
    tournament = Tournament(**TOURNAMENT)
    journal = Journal(tournament, path)
    Run(tournament, 2, threads(1), journal).play()
    assert len(Journal(tournament, path).games) == 2

    install({**files, edited: files[edited] + "\n"}, target)
    assert changes(path, tournament) == edited


def test_a_module_that_is_not_installed_counts_along_with_its_imports_from_its_folder(tmp_path, monkeypatch):
    (tmp_path / "wanderer.py").write_text(BOT.format(imports="from luck import NUMBER"))
    (tmp_path / "luck.py").write_text("import json\nNUMBER = 1\n")
    (tmp_path / "other.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    tournament = Tournament(("wanderer:Wanderer", "chance"))
    try:
        journal = Journal(tournament, tmp_path / "results.jsonl")
        assert {"wanderer.py", "luck.py"} == {name for name in journal.code.files if "/" not in name}
        (tmp_path / "luck.py").write_text("NUMBER = 2\n")
        assert changes(tmp_path / "results.jsonl", tournament) == "luck.py"
    finally:
        for name in ("wanderer", "luck"):
            sys.modules.pop(name, None)


def test_the_versions_of_a_bot_and_its_requirements_count(tmp_path, install):
    path = tmp_path / "results.jsonl"
    files = {"wanderer.py": BOT.format(imports="")}
    needs = ["rich>=1", "hypothesis; extra == 'test'", "not-installed"]
    install(files, "wanderer:Wanderer", requires=needs)
    tournament = Tournament(**TOURNAMENT)
    journal = Journal(tournament, path)
    assert journal.code.versions["wanderer-bot"] == "1.0"
    assert "rich" in journal.code.versions
    assert "hypothesis" not in journal.code.versions
    install(files, "wanderer:Wanderer", version="1.1", requires=needs)
    assert changes(path, tournament) == "wanderer-bot 1.0 → 1.1"


@pytest.mark.parametrize("name", ["Python", "numpy", "numba", "hegemon"])
def test_the_versions_of_common_requirements_count(tmp_path, name):
    path = tmp_path / "results.jsonl"
    tournament = Tournament(("greedy", "chance"))
    version = Journal(tournament, path).code.versions[name]
    if name == "numpy":
        assert version == np.__version__
    header = json.loads(path.read_text())
    header["versions"][name] = "0.1"
    path.write_text(json.dumps(header) + "\n")
    assert changes(path, tournament) == f"{name} 0.1 → {version}"
    del header["versions"][name]
    path.write_text(json.dumps(header) + "\n")
    assert changes(path, tournament) == f"{name} – → {version}"


def test_our_own_sources_count_except_those_that_show_results(tmp_path):
    files = Code.of(("greedy", "chance")).files
    assert {"hegemon/rules/engine.py", "hegemon/bots/greedy.py", "hegemon/arena/games.py"} <= set(files)
    assert not any("report" in name or "__pycache__" in name for name in files)
    path = tmp_path / "results.jsonl"
    tournament = Tournament(("greedy", "chance"))
    Journal(tournament, path)
    header = json.loads(path.read_text())
    header["files"]["hegemon/rules/engine.py"] = "another"
    path.write_text(json.dumps(header) + "\n")
    assert changes(path, tournament) == "hegemon/rules/engine.py"


def test_a_bot_may_name_files_that_decide_how_it_plays(tmp_path, monkeypatch):
    weights = tmp_path / "weights.npz"
    weights.write_bytes(b"one")

    class Trained:
        files = (weights,)

        def __init__(self, seed=0):
            pass

    monkeypatch.setitem(BOTS, "trained", Trained)
    tournament = Tournament(("trained", "chance"))
    Journal(tournament, tmp_path / "results.jsonl")
    weights.write_bytes(b"two")
    assert changes(tmp_path / "results.jsonl", tournament) == str(weights)


def test_a_machine_with_different_code_does_not_play():
    tournament = Tournament(("greedy", "chance"))
    code = Code.of(tournament.names)
    assert len(play_with_code(tournament, Deal(0, 0), code)) == 2
    version = code.versions["numpy"]
    other = replace(code, versions={**code.versions, "numpy": "1.0"})
    with pytest.raises(
        SetupError, match=f"other code than this computer. What is different: numpy 1.0 → {version}"
    ):
        play_with_code(tournament, Deal(0, 0), other)
    journal = Journal(tournament)
    journal.code = other
    run = Run(tournament, 2, replace(threads(1), is_remote=True), journal)
    with pytest.raises(SetupError, match="other code"):
        run.play()


def test_options_count(tmp_path):
    path = tmp_path / "results.jsonl"
    tournament = Tournament(("greedy", "chance"))
    Journal(tournament, path)
    for change in ({"rulings": "pl"}, {"variant": "draft"}, {"players": 3}, {"bots": ("greedy", "easy")}):
        with pytest.raises(
            JournalError, match=f"another tournament. What is different: {next(iter(change))}"
        ):
            Journal(replace(tournament, **change), path)


def test_long_lists_of_changes_are_cut():
    assert summarize_names(["a", "b"]) == "a, b"
    assert summarize_names([str(number) for number in range(12)]) == "0, 1, 2, 3, 4, 5, 6, 7, … (+4)"

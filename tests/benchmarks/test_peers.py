"""The benchmark against other libraries: its protocol, table and plot, without running any of them."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PEERS = Path(__file__).parents[2] / "benchmarks" / "peers"

sys.path.insert(0, str(PEERS))
import environments  # noqa: E402  # found by the path above
import field  # noqa: E402  # found by the path above
import measuring  # noqa: E402  # found by the path above
import report  # noqa: E402  # found by the path above

sys.path.remove(str(PEERS))

FAKE = """
from stopwatch import Tally, main
def evenly():
    return lambda: Tally(decisions=10, games=2, chance=5)
def never():
    raise RuntimeError("no game at https://example.invalid/game (/home/me/game.py)")
def babble():
    print("hello")
    raise SystemExit(0)
main("1.2.3", {"evenly": evenly, "never": never, "babble": babble})
"""


def fake_peer(*names, ours=False):
    loops = tuple(field.Loop(name, "a game", f"loop {name}", field.Kind.OWN) for name in names)
    return field.Peer("Fake", "fake", loops, ours=ours)


def result(peer, name, *rates, failure="", chance=0.0):
    """A result as it would have been measured."""
    loop = next(loop for loop in peer.loops if loop.name == name)
    runs = [measuring.Run(2 * rate, rate / 50, chance, 2.0, 2.0, "1.2.3") for rate in rates]
    return measuring.Result(peer, loop, runs, failure)


def named(name):
    return next(peer for peer in field.PEERS if peer.name == name)


@pytest.fixture
def loops(tmp_path, monkeypatch):
    """A folder of loops with one fake peer in it."""
    folder = tmp_path / "loops"
    folder.mkdir()
    shutil.copy(PEERS / "loops" / "stopwatch.py", folder)
    (folder / "fake.py").write_text(FAKE)
    monkeypatch.setattr(measuring, "HERE", tmp_path)
    return tmp_path


def run(peer, cache, rounds=1):
    return measuring.run_all([peer], 0.01, rounds, None, cache, lambda _: None)


def test_a_loop_is_measured_once_per_round(loops):
    [found] = run(fake_peer("evenly", ours=True), loops, rounds=3)
    assert len(found.runs) == 3
    assert found.version == "1.2.3"
    assert found.length == 5
    assert found.rates[0] <= found.rate <= found.rates[1]
    assert found.rate_with_chance == pytest.approx(1.5 * found.rate)


def test_what_fails_is_listed_with_its_reason(loops):
    _, raised, spoke, missing = found = run(fake_peer("evenly", "never", "babble", "other", ours=True), loops)
    assert raised.failure == "RuntimeError: no game at … (game.py)"
    assert "is not a result" in spoke.failure
    assert missing.failure == "no loop 'other' here; there are evenly, never, babble"
    assert [row[4] for row in report.rows(found)][1:] == [
        f"did not run: {failed.failure}" for failed in (raised, spoke, missing)
    ]


def test_a_peer_that_cannot_be_installed_is_listed_with_its_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(environments, "REQUIREMENTS", tmp_path)
    (tmp_path / "fake.txt").write_text("-r nowhere.txt\n")

    def call(command, folder):
        if "pip" in command:
            raise environments.CannotRunError("not installed: no such file")

    monkeypatch.setattr(environments, "call", call)
    [found] = run(fake_peer("evenly"), tmp_path / "cache")
    assert found.failure == "not installed: no such file"


def test_an_environment_is_created_once(tmp_path, monkeypatch):
    commands = []
    monkeypatch.setattr(environments, "call", lambda command, folder: commands.append(command))
    for _ in range(2):
        python = environments.python_of(named("PufferLib"), tmp_path)
    assert len(commands) == 3  # the environment, its packages, the build
    assert python.parent.parent.parent == tmp_path


@pytest.mark.parametrize("line", ["", "[]", "{}", '{"decisions": "many"}', "null"])
def test_output_that_is_not_a_result_is_rejected(line):
    with pytest.raises(environments.CannotRunError, match="not a result"):
        measuring.Run.of(line)


def test_a_run_without_decisions_is_rejected():
    line = json.dumps({"decisions": 0, "games": 0, "chance": 0, "seconds": 1, "cpu": 1, "version": "1"})
    with pytest.raises(environments.CannotRunError, match="played nothing"):
        measuring.Run.of(line)


@pytest.fixture
def results():
    spiel, ours, puffer = named("OpenSpiel"), named("Hegemon"), named("PufferLib")
    return [
        result(ours, "game-2", 0.6e6),
        result(ours, "compiled-2", 24e6, 25e6, 26e6),
        result(ours, "compiled-4", 20e6),
        result(spiel, "crazy_eights-python", 0.3e6, chance=0.2e6),
        result(spiel, "crazy_eights-rollouts", 2e6),
        result(puffer, "tripletriad", failure="not installed: no compiler | no luck"),
    ]


def test_the_table_shows_medians_and_the_range(results):
    assert report.rows(results)[1] == (
        *("Hegemon", "2 players", "compiled random play"),
        *("25.0 M", "24.0 M, 26.0 M", "100"),
    )


def test_the_slowest_of_ours_is_compared(results):
    compiled, interpreted = report.comparisons(results)
    assert compiled.startswith(
        "compiled random play (4 players) is 10.0 times as fast as OpenSpiel's crazy_eights"
    )
    assert compiled.endswith("C++ rollouts (goal: at least 4)")
    assert interpreted.startswith("a Python loop over one `Game` (2 players) is 2.0 times as fast as")


def test_results_can_be_saved_and_loaded(results):
    data = json.loads(json.dumps([found.as_data() for found in results]))
    assert measuring.results_of(data, field.PEERS) == results


def test_the_section_goes_between_its_markers(results, tmp_path):
    page = tmp_path / "speed.md"
    page.write_text(f"# Speed\n\nbefore\n\n{report.BEGIN}\nold\n{report.END}\n\nafter\n")
    for _ in range(2):
        report.write_section(page, report.markdown(results, "python benchmarks/peers", "A machine, Python 3"))
    text = page.read_text()
    assert text.startswith(f"# Speed\n\nbefore\n\n{report.BEGIN}\n\n```sh\npython benchmarks/peers\n```\n")
    assert text.endswith(f"\n\n{report.END}\n\nafter\n")
    assert "old" not in text
    assert "| did not run: not installed: no compiler / no luck |" in text
    assert "Hegemon 1.2.3, OpenSpiel 1.2.3." in text
    assert "Counted as if they were: crazy_eights, 4 players, Python loop: 400 k." in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {7}


def test_a_page_without_markers_is_rejected_and_unchanged(tmp_path):
    page = tmp_path / "speed.md"
    page.write_text("# Speed\n")
    with pytest.raises(SystemExit, match="peers:begin"):
        report.write_section(page, "new")
    assert page.read_text() == "# Speed\n"


def test_the_plot_is_the_same_picture_for_the_same_results(results, tmp_path):
    pytest.importorskip("matplotlib")
    files = [tmp_path / "speed" / name for name in ("first.svg", "second.svg")]
    for file in files:
        report.draw(results, file)
    first, second = (file.read_text() for file in files)
    assert first == second
    assert "<svg" in first
    assert "OpenSpiel · crazy_eights, 4 players · C++ rollouts" in first
    assert "tripletriad" not in first


def test_the_documentation_has_markers_for_the_section():
    text = (PEERS.parents[1] / "docs" / "internals" / "speed.md").read_text(encoding="utf-8")
    assert text.count(report.BEGIN) == text.count(report.END) == 1


@pytest.mark.parametrize("peer", field.PEERS, ids=lambda peer: peer.name)
def test_every_peer_has_a_script_and_pinned_requirements(peer):
    assert (PEERS / "loops" / f"{peer.script}.py").exists()
    if not peer.ours:
        lines = (PEERS / "requirements" / f"{peer.script}.txt").read_text().splitlines()
        assert [line for line in lines if not re.fullmatch(r"#.*|[\w-]+==[\w.]+", line)] == []


def test_ours_has_every_loop_that_the_field_names():
    script = PEERS / "loops" / f"{field.OURS.script}.py"
    refused = subprocess.run([sys.executable, script, "none", "1"], capture_output=True, text=True)
    there = refused.stderr.strip().partition("there are ")[2].split(", ")
    assert sorted(there) == sorted(loop.name for loop in field.OURS.loops)

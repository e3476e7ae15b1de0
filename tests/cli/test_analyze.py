"""`hegemon analyze`: one game with curves and reasons, and many games with a table."""

import re

import pytest

from hegemon import Analysis, Chances, Decision, Game, Luck, write_record
from hegemon.arena import review
from hegemon.arena.export import Export, write_file
from hegemon.arena.review import Review
from hegemon.arena.workers import threads
from hegemon.cli import runs
from hegemon.cli.terminal.analysis import curve, draw_analysis
from hegemon.cli.terminal.console import output_console

#: The last turn of a game: seat 2 loses by Majority, but with a Development it would win by Hegemony.
LAST_TURN = "R1S1C1U3(R1)/M1112223E111(M3) 2e"


@pytest.fixture(scope="module")
def record():
    return write_record(Game.from_position(LAST_TURN, ["Ada", "greedy 2"], moves=".").record())


@pytest.fixture
def saved(record, tmp_path):
    path = tmp_path / "game.toml"
    path.write_text(record, encoding="utf-8")
    return path


@pytest.fixture
def threaded(monkeypatch):
    """Threads instead of processes, which take seconds to start."""
    monkeypatch.setattr(runs, "local_workers", lambda names, jobs: threads(jobs))


def test_one_game(hegemon, saved):
    done = hegemon("analyze", saved, "--iterations", "0")
    text = " ".join(done.out.split())
    assert done.status == 0
    assert "pip install 'hegemon[speed]'" in text
    assert "█ 100.0 0.0 0 +0.0" in text
    assert "Choice 1, greedy 2: cost 100.0 points" in text
    assert "Better: Development: discard 1 card from play, then play 1" in text
    assert "It would have won the game that turn, by Hegemony in Military" in text
    assert "Expected: Development" in text


def test_one_seat_of_a_game_as_json(hegemon, saved):
    data = hegemon("analyze", saved, "--iterations", "0", "--seat", "2", "--json").json()
    assert data["quick"]
    (decision,) = data["decisions"]
    assert (decision["seat"], decision["choice"], decision["best"], decision["loss"]) == (2, ".", "E+", 1.0)
    (player,) = data["players"]
    assert (player["seat"], player["name"], player["average_loss"]) == (2, "greedy 2", 1.0)
    (mistake,) = player["mistakes"]
    assert mistake["ply"] == 1
    assert mistake["reason"].startswith("It would have won the game that turn")


def test_draws_that_mattered_are_shown(capsys, saved):
    game = Game.from_record(saved.read_text(encoding="utf-8"))
    chances = [Chances(ply, (0.5, 0.5), (0.5, 0.5)) for ply in range(len(game.moves) + 1)]
    lucks = (Luck(1, 0, 0.12), Luck(2, 1, -0.3, effect=True), Luck(3, 0, 0.01))
    draw_analysis(output_console(), game, Analysis(game.names, 1, 0, tuple(chances), (), lucks))
    *_, first, second = capsys.readouterr().out.splitlines()
    assert first == "Choice 2, greedy 2: the Breakthrough brought -30.0 points."
    assert second == "Choice 1, Ada: what was drawn brought +12.0 points."


def test_a_curve_fits_its_column():
    assert curve([0.0, 0.5, 1.0], 10) == "▁▅█"
    assert curve([0.0] * 99 + [1.0], 10) == "▁" * 9 + "█"


def test_one_seat_without_mistakes(hegemon, saved):
    text = " ".join(hegemon("analyze", saved, "--iterations", "0", "--seat", "1").out.split())
    assert "as this player could know it" in text
    assert "No choice is marked as a mistake." in text


def test_a_game_in_progress_is_rejected(hegemon, tmp_path):
    path = tmp_path / "game.toml"
    path.write_text(write_record(Game(2, seed=1).record()), encoding="utf-8")
    done = hegemon("analyze", path)
    assert done.status == 2
    assert "only a finished game can be analyzed" in done.err


@pytest.mark.parametrize("arguments", [["--seat", "5"], ["--iterations", "-1"], ["--seed", "-1"]])
def test_wrong_options_are_rejected(hegemon, saved, arguments):
    assert hegemon("analyze", saved, *arguments).status == 2


def test_a_folder_of_games(hegemon, saved, tmp_path, threaded):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "again.toml").write_text(saved.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "open.toml").write_text(write_record(Game(2, seed=1).record()), encoding="utf-8")
    (tmp_path / "noise.toml").write_text("noise", encoding="utf-8")
    done = hegemon("analyze", tmp_path, "--iterations", "0", "--json", "--jobs", "2")
    data = done.json()
    assert data["finished"]
    assert (data["games"], data["skipped"]) == (2, 2)
    assert set(data["players"]) == {"greedy", "Ada"}
    greedy = data["players"]["greedy"]
    assert (greedy["games"], greedy["decisions"], greedy["mistakes"], greedy["average_loss"]) == (
        2,
        2,
        2,
        1.0,
    )
    assert data["players"]["Ada"]["accuracy"] == 100
    assert "2 games were left out" in done.err


def test_a_file_of_an_export(hegemon, tmp_path, threaded, monkeypatch):
    write_file(Export(games=2, players=2, bots=("heuristic", "chance"), games_per_file=2), tmp_path, 0)
    monkeypatch.setattr(
        review, "analyze_decisions", lambda game, **options: [Decision(1, 0, "M", "R", 0.5, 0.1)]
    )
    done = hegemon("analyze", tmp_path / "part-000000.parquet", "--jobs", "1")
    assert done.status == 0
    assert "2 games" in done.out
    assert re.search(r"^ *heuristic +2 +1 +8\.2 +10\.0 +0\.50", done.out, re.MULTILINE)
    assert re.search(r"^ *chance +2 +1 ", done.out, re.MULTILINE)


def test_an_interrupt_shows_the_results_so_far(hegemon, saved, tmp_path, threaded, monkeypatch):
    def interrupted(self, report):
        self.progress.games = 1
        raise KeyboardInterrupt

    monkeypatch.setattr(Review, "run", interrupted)
    done = hegemon("analyze", tmp_path, "--iterations", "0")
    assert done.status == 130
    assert "Interrupted after 1 of 1 games" in done.err
    assert "1 game," in done.out


def test_a_folder_without_games_is_reported(hegemon, tmp_path):
    (tmp_path / "games").mkdir()
    done = hegemon("analyze", tmp_path / "games")
    assert done.status == 2
    assert "There is no saved game in" in done.err
    (tmp_path / "other.parquet").write_bytes(b"noise")
    done = hegemon("analyze", tmp_path / "other.parquet")
    assert done.status == 2
    assert "has no records of games" in done.err
    assert hegemon("analyze", tmp_path / "nothing.parquet").status == 2

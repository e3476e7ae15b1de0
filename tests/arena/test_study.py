"""The study: samples, statistics, findings and reports."""

import json
import sys
from math import sqrt
from types import SimpleNamespace

import numpy as np
import pytest

from hegemon import CHOICES, Effect, Ending
from hegemon.arena import Deal, Journal, Tournament, play_deal, threads
from hegemon.arena.analysis import SAME, findings
from hegemon.arena.plots import curves
from hegemon.arena.samples import GameSample, Setup, effect_masks, sample_of_results
from hegemon.arena.statistics import Difference, difference, effect_value, mean, rate
from hegemon.arena.study import CHANCE, DEFAULT_SETUP, SENSE, SETUPS, GameStudy, setup_for_switch
from hegemon.arena.study_report import BEGIN, END, html, markdown, write_markdown
from hegemon.bots import BOTS
from hegemon.cli import runs
from hegemon.cli.app import app
from hegemon.cli.commands import study as study_command
from hegemon.cli.errors import run_command
from hegemon.kernels.random_play import Results
from hegemon.kernels.sampling import Sample, sample_compiled
from hegemon.notation.rulings import read_rulings
from hegemon.rules.rulings import PRESETS, SWITCHES

pytestmark = pytest.mark.slow  # thousands of games are played


def ignore(by, progress):
    """Report to no one."""


@pytest.fixture(scope="module")
def study():
    """A small study in which all players have played all setups."""
    made = GameStudy(150, seed=2, strong="greedy", strong_games=2)
    for by in (CHANCE, SENSE):
        made.sample(by, 1, ignore)
    made.play_strong(threads(1), Journal, ignore)
    return made


def sample_of(winners, marked, setup=DEFAULT_SETUP):
    """Games of which only the winners and what was used is known."""
    results = Results.of(len(winners))
    results.winners[:] = winners
    return GameSample(
        setup, "chance", Sample(results, np.array(marked, np.uint16), np.zeros(len(CHOICES), np.int64))
    )


# ------------------------------------------------------------------ samples


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_is_turned_the_other_way(switch):
    setup = setup_for_switch(switch).switched(switch)
    assert read_rulings(setup.rulings) == PRESETS["standard"] ^ SWITCHES[switch]
    assert setup.series(5, 3).rulings == read_rulings(setup.rulings)


def test_setups_have_names():
    assert [setup.name for setup in SETUPS[1::3]] == ["2 players, Draft", "4 players, Basic", "teams, Draft"]
    assert Setup(3, "draft").name == "3 players, Draft"


def test_effect_masks_have_the_effects_of_each_action():
    assert effect_masks()[CHOICES.index("M")] == 0
    assert effect_masks()[CHOICES.index("mS")] == 1 << Effect.ATTACK
    assert effect_masks()[CHOICES.index("cR+")] == 1 << Effect.HOLY_BOOK | 1 << Effect.INSPIRATION


def test_a_win_is_shared_by_sides():
    assert sample_of([1, 6, 7], [[0] * 4] * 3).shares.tolist() == [[1, 0, 0], [0, 0.5, 0.5], [1 / 3] * 3]
    teams = sample_of([5, 15], [[0] * 4] * 2, Setup(4, teams=True))
    assert teams.shares.tolist() == [[1, 0, 1, 0], [0.5] * 4]


def test_games_of_a_tournament_become_a_sample():
    tournament = Tournament(("greedy",), 3, seed=3)
    played = [game for number in range(3) for game in play_deal(tournament, Deal(number, 0))]
    games = sample_of_results(DEFAULT_SETUP, "greedy", played)
    assert games.shares.tolist() == [list(game.shares) for game in played]
    assert games.rounds.tolist() == [game.rounds for game in played]
    assert games.decisions.tolist() == [len(game.moves.split()) for game in played]
    assert games.ended(Ending.HEGEMONY).sum() == sum(game.ending == "hegemony" for game in played)
    for effect in Effect:
        name = effect.name.lower()
        times = sum(used.get(name, 0) for game in played for used in game.effects)
        assert games.times(effect) == pytest.approx(times / 3)
        assert games.used(effect).tolist() == [[name in used for used in game.effects] for game in played]


# ------------------------------------------------------------------ statistics


def test_a_mean_has_the_usual_interval():
    found = mean(np.array([1.0, 2.0, 3.0, 4.0]))
    half = 1.959964 * sqrt(5 / 3) / 2
    assert (found.value, found.low, found.high) == pytest.approx((2.5, 2.5 - half, 2.5 + half))
    assert found.margin == pytest.approx(half)
    assert mean(np.array([2.0])).margin == 0


def test_a_rate_has_wilsons_interval():
    assert (round(rate(50, 100).low, 4), round(rate(50, 100).high, 4)) == (0.4038, 0.5962)
    assert (rate(0, 0).value, rate(0, 0).low, rate(0, 0).high) == (0, 0, 1)
    assert rate(10, 10).high == pytest.approx(1.0)
    assert rate(0, 10).low == pytest.approx(0.0)


def test_differences_are_taken_game_by_game():
    chance = np.random.default_rng(1)
    one = chance.normal(size=400)
    found = difference(one + 0.1, one[:300])  # the luck of the deal is in both, and falls out
    assert found.games == 300
    assert found.value == pytest.approx(0.1)
    assert found.error < 1e-9
    apart = difference(one + 1, chance.normal(size=400))
    assert apart.significant()
    assert 0.8 < apart.low < apart.high < 1.2
    assert difference(one, one).identical
    assert not difference(one, one).significant()


def test_many_comparisons_ask_for_more():
    found = Difference(0.22, 0.0, 0.0, error=0.1, games=100)
    assert found.significant()
    assert not found.significant(10)
    assert not Difference(0.22, 0.0, 0.0, error=0.01, games=29).significant()


def test_what_an_effect_is_worth():
    bit = 1 << Effect.ATTACK
    winners = [1, 1, 2, 4] * 25
    marked = [[bit, 0, 0, 0], [bit, 0, 0, 0], [bit, 0, 0, 0], [0, 0, bit, 0]] * 25
    games = sample_of(winners, marked)
    found = effect_value(games, Effect.ATTACK)
    assert found.value == pytest.approx(0.75 - 0.125)
    assert found.significant()
    assert effect_value(games, Effect.EMBARGO) is None
    assert effect_value(sample_of([1], [[bit] * 4]), Effect.ATTACK) is None


def test_the_error_of_a_value_is_that_of_whole_games():
    # The values of many small studies scatter as much as the error predicts.
    values = []
    for seed in range(60):
        sample = sample_compiled(DEFAULT_SETUP.series(200, seed), effect_masks(), heuristic=True)
        values.append(effect_value(GameSample(DEFAULT_SETUP, SENSE, sample), Effect.OLIGARCHY))
    spread = np.std([found.value for found in values])
    assert 0.7 < spread / np.mean([found.error for found in values]) < 1.3


# ------------------------------------------------------------------ findings


def test_there_is_a_finding_for_every_question(study):
    found = {finding.name: finding for finding in findings(study)}
    assert list(found) == ["length", "endings", "domains", "seats", "draft", "rulings", "effects"]
    assert len(found["length"].table.rows) == 3 * len(SETUPS)
    assert len(found["rulings"].table.rows) == 2 * len(SWITCHES)
    assert len(found["effects"].table.rows) == 3 * len(Effect)
    for finding in found.values():
        assert all(len(row) == len(finding.table.headings) for row in finding.table.rows)
        json.dumps(finding.data)
    # These players ignore backs, so it does not matter whether they are shown.
    assert [row[3:] for row in found["rulings"].table.rows if row[0] == "!show-backs"] == [(SAME,) * 3] * 2


def test_seats_share_every_win(study):
    (seats,) = (finding for finding in findings(study) if finding.name == "seats")
    for row in seats.data:
        everything = sum(seat["value"] for seat in row["seats"])
        assert everything == pytest.approx(2 if row["teams"] else 1, abs=1e-5)


def test_a_study_of_nothing_finds_nothing():
    assert findings(GameStudy(10)) == []
    half = GameStudy(20, seed=1)
    half.sample(CHANCE, 1, ignore)
    assert {finding.name for finding in findings(half)} >= {"length", "seats", "effects"}


def test_an_interrupt_leaves_what_is_finished():
    made = GameStudy(5000, seed=1)

    def stop(by, progress):
        if progress.games >= 12_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made.sample(CHANCE, 1, stop)
    assert [len(games) for games in made.samples.values()] == [5000, 5000, 2000]


def test_strong_play_goes_on_from_its_journals(tmp_path):
    def journals(tournament):
        return Journal(tournament, tmp_path / f"{tournament.players}{tournament.variant}{tournament.teams}")

    def stop(by, progress):
        if progress.games == 3:
            raise KeyboardInterrupt

    made = GameStudy(1, strong="chance", strong_games=2)
    with pytest.raises(KeyboardInterrupt):
        made.play_strong(threads(1), journals, stop)
    assert sum(map(len, made.samples.values())) == 3
    reported = []
    again = GameStudy(1, strong="chance", strong_games=2)
    again.play_strong(threads(1), journals, lambda by, progress: reported.append((by, progress.games)))
    assert reported[0] == ("chance", 3)
    assert reported[-1] == ("chance", 2 * len(SETUPS))
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------ reports


def test_the_page_is_self_contained(study):
    text = html(study, findings(study), "hegemon study --games <60>")
    assert text.count("<svg") == 5
    assert "hegemon study --games &lt;60&gt;" in text
    assert "<code>chance</code>" in text
    for elsewhere in ("<script", "<link", "<img", 'src="', 'href="http'):
        assert elsewhere not in text
    ids = [part.split('"')[0] for part in text.split('id="')[1:]]
    assert len(ids) == len(set(ids))


def test_markdown_outside_the_generated_part_is_unchanged(study, tmp_path):
    path = tmp_path / "study.md"
    found = findings(study)
    write_markdown(path, study, found, "hegemon study")
    first = path.read_text()
    assert first.startswith("# What the game is like\n\n" + BEGIN)
    assert sorted(file.stem for file in (tmp_path / "study").iterdir()) == [
        "domains", "effects", "endings", "length", "seats",
    ]  # fmt: skip
    path.write_text(first.replace(BEGIN, "My text.\n\n" + BEGIN).replace(END, END + "\n\nMore."))
    write_markdown(path, study, found[:1], "hegemon study --seed 4")
    text = path.read_text()
    assert "My text." in text
    assert text.rstrip().endswith("More.")
    assert "--seed 4" in text
    assert "Which Domains win" not in text
    path.write_text("# Mine\n")
    write_markdown(path, study, found, "hegemon study")
    assert path.read_text().startswith("# Mine\n\n" + BEGIN)
    assert markdown(study, found, "x", "plots").count("(plots/") == 5


def test_curves_have_intervals_and_an_even_share():
    rows = {"two": [(10.0, (0.4, 0.3, 0.5)), (100.0, (0.8, 0.7, 0.9))], "four": [(10.0, (0.3, 0.2, 0.4))]}
    svg = curves(rows, "iterations", "games won", {"two": 0.5})
    assert svg.startswith("<svg")
    assert all(text in svg for text in ("iterations", "games won", "two", "four"))


# ------------------------------------------------------------------ the command


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run the command in this process and return its output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(runs, "local_workers", lambda names, jobs: threads(jobs))

    def run(*arguments, status=0):
        monkeypatch.setattr(sys, "argv", ["hegemon", "study", *arguments])
        capsys.readouterr()
        left = run_command(lambda: app(["study", *arguments], prog_name="hegemon", standalone_mode=False))
        out, err = capsys.readouterr()
        assert left == status, err
        return SimpleNamespace(stdout=out, stderr=err)

    return run


def test_it_prints_tables_and_writes_reports(command, tmp_path):
    arguments = (
        "--games", "20", "--strong", "chance", "--strong-games", "1", "--jobs", "1",
        "--report", "there", "--markdown", "study.md",
    )  # fmt: skip
    done = command(*arguments)
    for title in ("How long games are", "What each seat is worth", "Basic against Draft", "each effect"):
        assert title in done.stdout
    assert "there/index.html" in done.stderr
    assert "study.md" in done.stderr
    assert "--strong-games 1" in (tmp_path / "study.md").read_text()


def test_it_prints_plain_data_and_nothing_else(command):
    data = json.loads(command("--games", "20", "--json").stdout)
    assert data["finished"] is True
    assert data["games"] == 20
    assert data["strong"] is None
    assert {row["by"] for row in data["length"]} == {"chance", "sense"}


def test_an_interrupt_reports_what_is_finished(command, monkeypatch):
    def interrupted(self, by, cores, tell):
        raise KeyboardInterrupt

    monkeypatch.setattr(GameStudy, "sample", interrupted)
    done = command("--games", "20", status=130)
    assert "Interrupted" in done.stderr
    assert "No game was finished" in done.stdout


def test_a_bot_that_fails_is_named(command, monkeypatch):
    class Broken:
        def __init__(self, seed=0):
            pass

        def choose(self, view, memory, choices):
            raise RuntimeError("out of ideas")

    monkeypatch.setitem(BOTS, "broken", Broken)
    arguments = ("--games", "1", "--strong", "broken", "--strong-games", "1")
    assert "broken failed in deal 0" in command(*arguments, status=2).stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--games", "0"), "1 to 2000000 games of each kind, not 0"),
        (("--strong-games", "-1"), "0 to 2000000 games of each kind, not -1"),
        (("--jobs", "0"), "The number of jobs is 1 or more"),
        (("--strong", "deep-blue", "--strong-games", "1"), 'no bot "deep-blue"'),
        (("--seed", "-1"), "A seed is a whole number from 0 to"),
        (("--markdown", "nowhere/study.md"), "there is no folder"),
        (("--report", "file"), "part of the path is a file"),
    ],
)
def test_wrong_input_gets_a_sentence(command, tmp_path, arguments, sentence):
    (tmp_path / "file").touch()
    assert sentence in command(*arguments, status=2).stderr.replace("\n", " ")


def test_without_matplotlib_there_are_no_plots(command, monkeypatch):
    monkeypatch.setattr(study_command, "find_spec", lambda name: None)
    assert "Plots need Matplotlib" in command("--report", "there", status=2).stderr

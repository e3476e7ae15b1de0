"""The study: samples, statistics, findings and reports."""

import json
import sys
from dataclasses import fields, replace
from math import sqrt
from types import SimpleNamespace

import numpy as np
import pytest

from hegemon import ACTIONS, CHOICES, Batch, Effect, Ending, Game
from hegemon.arena import samples, threads
from hegemon.arena.analysis import SAME, findings
from hegemon.arena.plots import curves, grouped
from hegemon.arena.samples import ARGMAX, HEURISTIC, GameSample, SampleSetup, choose, effect_masks, play_games
from hegemon.arena.statistics import Difference, advantage, difference, mean, rate, win_rate
from hegemon.arena.study import BASIC_SETUPS, BATCH_SIZE, SETUPS, GameStudy, editions, setup_for_switch
from hegemon.arena.study_report import BEGIN, END, html, made_with, markdown, write_markdown
from hegemon.bots.learned import Learned
from hegemon.cli import runs
from hegemon.cli.app import app
from hegemon.cli.commands import study as study_command
from hegemon.cli.errors import run_command
from hegemon.kernels import compiler
from hegemon.kernels.network import Network, outputs_of, softmax
from hegemon.kernels.observation import OBSERVATION
from hegemon.notation.rulings import read_rulings
from hegemon.rules.cards import Domain
from hegemon.rules.position import DRAFT_PICK, PLAY
from hegemon.rules.rulings import PRESETS, SWITCHES

pytestmark = pytest.mark.slow  # thousands of games are played

#: A network that knows nothing and takes little time.
SMALL = Network.random(1, (8, 8, 8))


def ignore(progress):
    """Discard progress reports."""


@pytest.fixture(scope="module")
def study():
    """A small study of all setups."""
    made = GameStudy(36, seed=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "shipped_network", lambda: SMALL)
        made.play(threads(1), ignore)
    for setup in SETUPS:  # such a network hardly ever wins by Hegemony
        sample = made.samples[setup]
        sample.ending[:4], sample.domain[:4] = Ending.HEGEMONY, Domain.MILITARY
    return made


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(samples, "shipped_network", lambda: SMALL)


def sample_of(winners, setup=SampleSetup(3)):  # noqa: B008  # a setup is frozen
    """Games of which only the winners are known."""
    sample = GameSample.of(setup, len(winners))
    sample.won[:] = [[seat in won for seat in range(setup.players)] for won in winners]
    return sample


def same(one, other):
    return one.setup == other.setup and all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(one)[1:]
    )


# ------------------------------------------------------------------ samples


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_is_toggled(switch):
    setup = setup_for_switch(switch).switched(switch)
    assert read_rulings(setup.rulings) == PRESETS["standard"] ^ SWITCHES[switch]


def test_setups_have_names():
    assert [setup.name for setup in SETUPS[1::3]] == ["2 players, Draft", "4 players, Basic", "teams, Draft"]
    assert SampleSetup(3, "draft").name == "3 players, Draft"
    assert all(BATCH_SIZE % setup.sides == 0 for setup in SETUPS)


def test_editions_with_the_same_rulings_are_played_once():
    assert editions() == {"en": ("en", "el"), "pl": ("pl",)}


def test_effect_masks_have_the_effects_of_each_action():
    assert effect_masks()[CHOICES.index("M")] == 0
    assert effect_masks()[CHOICES.index("mS")] == 1 << Effect.ATTACK
    assert effect_masks()[CHOICES.index("cR+")] == 1 << Effect.HOLY_BOOK | 1 << Effect.INSPIRATION


def test_a_win_is_shared_by_sides():
    assert sample_of([{0}, {1, 2}, {0, 1, 2}]).shares.tolist() == [[1, 0, 0], [0, 0.5, 0.5], [1 / 3] * 3]
    teams = sample_of([{0, 2}, {0, 1, 2, 3}], SampleSetup(4, teams=True))
    assert teams.shares.tolist() == [[1, 0, 1, 0], [0.5] * 4]


@pytest.mark.parametrize(
    "setup", [SampleSetup(2), SampleSetup(3, "draft", rulings="pl"), SampleSetup(4, teams=True)]
)
def test_a_sample_is_what_happened_in_the_games(small, monkeypatch, setup):
    played = []

    class Watched(Batch):
        def step(self, actions):
            going = np.flatnonzero(~self.dones)
            played.extend((int(game), int(self.seats[game]), int(actions[game])) for game in going)
            super().step(actions)

    monkeypatch.setattr(samples, "Batch", Watched)
    sample = play_games(setup, 5, seed=4)
    assert sample.own.all()
    assert sample.counts.tolist() == np.bincount([code for _, _, code in played], minlength=64).tolist()
    start = Batch(5, setup.players, setup.variant, teams=setup.teams, rulings=setup.rulings, seed=4)
    for number in range(5):
        moves = [(seat, ACTIONS[code]) for game, seat, code in played if game == number]
        game = Game.from_position(start.position(number), ("x",) * setup.players)
        opened, picked, packets = {}, {}, {}
        for seat, action in moves:
            if game.position.question == PLAY:
                opened.setdefault(seat, action.domain)
            if game.position.question == DRAFT_PICK and seat not in picked:
                picked[seat], packets[seat] = action.text, game.choices_of(seat)
            game.play(action.text, seat=seat)
        assert game.over
        assert sample.decisions[number] == len(moves)
        assert sample.rounds[number] == game.position.round
        assert set(np.flatnonzero(sample.won[number])) == set(game.result.winners)
        assert sample.ending[number] == game.position.ending
        assert sample.opening[number].tolist() == [opened[seat] for seat in range(setup.players)]
        first = CHOICES.index("M1")
        for seat, text in picked.items():
            assert CHOICES[first + sample.pick[number, seat]] == text
            offered = {CHOICES[first + card] for card in range(15) if sample.offered(card)[number, seat]}
            assert offered == set(packets[seat])
        assert (setup.variant == "draft") == bool(picked)
        for effect in Effect:
            users = {seat for seat, action in moves if effect_masks()[action.code] >> effect & 1}
            assert set(np.flatnonzero(sample.used(effect)[number])) == users


def test_the_same_arguments_play_the_same_games(small):
    setup = SampleSetup(3, "draft")
    assert same(play_games(setup, 7, seed=1), play_games(setup, 7, seed=1))
    assert not same(play_games(setup, 7, seed=1), play_games(setup, 7, seed=2))


def test_games_are_the_same_interpreted(small, monkeypatch):
    compiled = play_games(SampleSetup(2), 2, seed=1)
    monkeypatch.setattr(compiler, "can_compile", lambda: False)
    monkeypatch.setattr("hegemon.kernels.batch.can_compile", lambda: False)
    assert same(play_games(SampleSetup(2), 2, seed=1), compiled)


def test_without_noise_the_choice_is_that_of_the_bot():
    bot, batch, none = Learned(), Batch(4, 3, "draft", seed=5), np.zeros(4, np.bool_)
    games = [Game.from_position(batch.position(number), ("x", "y", "z")) for number in range(4)]
    for _ in range(25):
        noise = np.full(batch.masks.shape, np.arange(64.0))  # it applies only to the player's own seats
        actions = choose(batch, SampleSetup(3, "draft", rival=ARGMAX), none, noise)
        for game, seat, action in zip(games, batch.seats.tolist(), actions, strict=True):
            wanted = bot.choose(game.view(seat), game.memory(seat), game.choices_of(seat))
            assert CHOICES[action] == wanted
            game.play(wanted, seat=seat)
        batch.step(actions)


def test_choices_are_sampled_from_the_policy(monkeypatch):
    network = SMALL._replace(biases4=np.linspace(-2, 2, len(SMALL.biases4), dtype=np.float32)[::-1].copy())
    monkeypatch.setattr(samples, "shipped_network", lambda: network)
    batch = Batch(4000, 2)
    batch.load([batch.position(1)] * 4000)
    noise = np.random.default_rng(3).gumbel(size=batch.masks.shape)
    found = np.bincount(choose(batch, SampleSetup(2), np.ones(4000, np.bool_), noise), minlength=64) / 4000
    logits = outputs_of(network, batch.observations[0])[:64]
    odds = softmax(np.where(batch.masks[0], logits, -np.inf))
    assert (odds > 0).sum() > 1
    assert np.abs(found - odds).max() < 5 * sqrt(0.25 / 4000)


def test_the_network_always_sees_the_standard_rulings(small, monkeypatch):
    rulings = next(piece for piece in OBSERVATION if piece.name == "rulings")
    seen = []

    def outputs(network, rows):
        seen.append(rows[:, rulings.offset : rulings.offset + rulings.length].copy())
        return outputs_of(network, rows)

    monkeypatch.setattr(samples, "outputs_of", outputs)
    play_games(SampleSetup(2, rulings="pl"), 2, seed=1)
    expected = [bool(PRESETS["standard"] & bit) for bit in SWITCHES.values()]
    assert (np.concatenate(seen) == expected).all()


@pytest.mark.parametrize("rival", [HEURISTIC, ARGMAX])
@pytest.mark.parametrize("setup", BASIC_SETUPS)
def test_a_rival_has_all_sides_but_one(small, setup, rival):
    sample = play_games(replace(setup, rival=rival), setup.sides, seed=1)
    assert (sample.own.sum(axis=1) == setup.players // setup.sides).all()
    assert (sample.own.sum(axis=0) == 1).all()  # in turn
    if setup.teams:
        assert (sample.own[:, :2] == sample.own[:, 2:]).all()


def test_the_heuristic_chooses_for_its_seats_only(small):
    batch = Batch(6, 2, seed=3)
    own = np.array([True, False] * 3)
    noise = np.zeros(batch.masks.shape)
    mixed = choose(batch.copy(), SampleSetup(2, rival=HEURISTIC), own, noise)
    assert mixed[~own].tolist() == batch.copy().heuristic_actions()[~own].tolist()
    assert mixed[own].tolist() == choose(batch, SampleSetup(2), own, noise)[own].tolist()


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
    found = difference(one + 0.1, one[:300])  # the luck of the deal affects both and cancels out
    assert found.games == 300
    assert found.value == pytest.approx(0.1)
    assert found.error < 1e-9
    apart = difference(one + 1, chance.normal(size=400))
    assert apart.significant()
    assert 0.8 < apart.low < apart.high < 1.2
    assert difference(one, one).identical
    assert not difference(one, one).significant()


def test_many_comparisons_require_stronger_evidence():
    found = Difference(0.22, 0.0, 0.0, error=0.1, games=100)
    assert found.significant()
    assert not found.significant(10)
    assert not Difference(0.22, 0.0, 0.0, error=0.01, games=29).significant()


def test_an_advantage_is_the_difference_between_two_win_rates():
    sample = sample_of([{0}, {0}, {1}, {2}] * 25)
    used = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1]] * 25, np.bool_)
    found = advantage(used, ~used, sample.shares)
    assert found.value == pytest.approx(0.75 - 0.125)
    assert found.significant()
    assert win_rate(used, sample.shares).value == pytest.approx(0.75)
    few = used & (np.arange(100) < 29)[:, None]
    assert advantage(few, ~few, sample.shares) is None
    assert advantage(used | True, ~(used | True), sample.shares) is None
    assert win_rate(few, sample.shares) is None


def test_the_error_of_an_advantage_is_that_of_whole_games():
    # The values of many small samples scatter as much as the error predicts, with one winner among the seats.
    generator = np.random.default_rng(1)
    found = []
    for _ in range(200):
        sample = sample_of([{winner} for winner in generator.integers(0, 3, 100)])
        used = generator.random((100, 3)) < 0.4
        found.append(advantage(used, ~used, sample.shares))
    spread = np.std([value.value for value in found])
    assert 0.8 < spread / np.mean([value.error for value in found]) < 1.2


# ------------------------------------------------------------------ findings

PLOTS = ["domains", "effects", "endings", "length", "openings", "picks", "seats"]


def finding(study, name):
    (found,) = (finding for finding in findings(study) if finding.name == name)
    return found


def test_there_is_a_finding_for_every_question(study):
    found = {finding.name: finding for finding in findings(study)}
    assert list(found) == [
        "strength", "length", "endings", "domains", "seats", "draft", "picks", "openings", "effects",
        "editions", "rulings",
    ]  # fmt: skip
    rows = {name: len(finding.table.rows) for name, finding in found.items()}
    tables = len(BASIC_SETUPS)
    assert rows["length"] == rows["endings"] == rows["seats"] == len(SETUPS)
    assert rows["strength"] == rows["editions"] == 2 * tables
    assert rows["draft"] == tables
    assert rows["openings"] == len(SETUPS) * len(Domain)
    assert rows["rulings"] == len(SWITCHES)
    assert rows["effects"] == tables * len(Effect)
    for finding in found.values():
        assert all(len(row) == len(finding.table.headings) for row in finding.table.rows)
        json.dumps(finding.data)


def test_every_plotted_value_has_an_interval(study, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "hegemon.arena.plots.grouped", lambda groups, rows, label: drawn.append((groups, rows))
    )
    monkeypatch.setattr(
        "hegemon.arena.plots.intervals",
        lambda rows, label, **_: drawn.append((list(rows), {"": list(rows.values())})),
    )
    shown = [
        finding.name for finding in findings(study) if finding.draw is not None and finding.draw() is None
    ]
    assert sorted(shown) == PLOTS
    for groups, rows in drawn:
        for measured in rows.values():
            assert len(measured) == len(groups)
            assert all(low <= value <= high for value, low, high in filter(None, measured))
    seats = next(rows for groups, rows in drawn if "seat 1" in rows)
    assert [sum(value is not None for value in row) for row in seats.values()] == [8, 8, 6, 4]


def test_seats_share_every_win(study):
    for row in finding(study, "seats").data:
        assert len(row["above"]) == row["players"]
        assert sum(seat["value"] for seat in row["above"]) == pytest.approx(0, abs=1e-5)


def test_seats_that_win_more_have_a_star():
    made = GameStudy(100)
    made.samples[SampleSetup(2)] = sample_of([{1}] * 75 + [{0}] * 25, SampleSetup(2))
    (row,) = finding(made, "seats").table.rows
    assert row == ("2 players, Basic", "100", "25.0* ± 8.5", "75.0* ± 8.5", "–", "–")
    made.samples[SampleSetup(2)] = sample_of([{1}] * 52 + [{0}] * 48, SampleSetup(2))
    assert "*" not in finding(made, "seats").table.rows[0][2]


def test_strength_is_the_share_of_one_side():
    made = GameStudy(4)
    setup = SampleSetup(4, teams=True, rival=HEURISTIC)
    made.samples[setup] = sample_of([{0, 2}, {1, 3}, {1, 3}, {0, 1, 2, 3}], setup)
    (row,) = finding(made, "strength").data
    assert row["won"]["value"] == pytest.approx((1 + 1 + 0 + 0.5) / 4)
    assert row["even"] == 0.5


def test_choices_that_the_standard_does_not_have_are_counted(study):
    new = {row["rulings"]: row["new_choices"] for row in finding(study, "rulings").data}
    assert new["standard+embargo-self"] > 0
    assert new["standard+breakthrough-any"] > 0
    assert new["standard!coin-tie"] == 0


def test_rulings_that_change_no_game_are_the_same():
    made = GameStudy(1)
    setup = SampleSetup(3).switched("coin-tie")
    for played in (SampleSetup(3), setup):
        made.samples[played] = sample_of([{0}, {1}], played)
    (row,) = finding(made, "rulings").table.rows
    assert row == ("!coin-tie", "3 players, Basic", "2", *[SAME] * 4, "0.00")


def test_cards_are_taken_only_when_offered(study):
    found = finding(study, "picks")
    assert {row["variant"] for row in found.data} == {"draft"}
    for setup in SETUPS[1::2]:
        offered = [
            row["offered"] * row["taken"]["value"]
            for row in found.data
            if row["players"] == setup.players and row["teams"] == setup.teams
        ]
        assert sum(offered) == pytest.approx(36 * setup.players, abs=1e-2)  # every seat has one first pick


def test_openings_are_those_of_all_seats(study):
    rows = finding(study, "openings").data
    for setup in SETUPS:
        parts = [
            row["opened"]["value"]
            for row in rows
            if (row["players"], row["variant"], row["teams"]) == (setup.players, setup.variant, setup.teams)
        ]
        assert sum(parts) == pytest.approx(1, abs=1e-4)


def test_an_empty_study_has_no_findings():
    assert findings(GameStudy(10)) == []


def test_a_partial_study_has_the_findings_of_its_samples(small):
    half = GameStudy(20, seed=1)
    half.samples[SampleSetup(2)] = play_games(SampleSetup(2), 20, 1)
    assert {finding.name for finding in findings(half)} >= {"length", "seats", "effects"}


def test_chunks_are_joined_in_order(small, monkeypatch):
    monkeypatch.setattr("hegemon.arena.study.BATCH_SIZE", 12)
    monkeypatch.setattr(GameStudy, "setups", lambda self: [SampleSetup(2), SampleSetup(3)])
    one, two, short = GameStudy(30, seed=3), GameStudy(30, seed=3), GameStudy(24, seed=3)
    one.play(threads(1), ignore)
    two.play(threads(2), ignore)
    short.play(threads(1), ignore)
    for setup in (SampleSetup(2), SampleSetup(3)):
        assert len(one.samples[setup]) == 30
        assert same(one.samples[setup], two.samples[setup])
        assert one.samples[setup].rounds[:24].tolist() == short.samples[setup].rounds.tolist()


def test_finished_games_survive_an_interrupt(small, monkeypatch):
    monkeypatch.setattr("hegemon.arena.study.BATCH_SIZE", 12)
    made = GameStudy(24, seed=1)

    def stop(progress):
        if progress.games >= 36:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made.play(threads(1), stop)
    assert [len(games) for games in made.samples.values()] == [24, 12]


# ------------------------------------------------------------------ reports


def test_the_page_is_self_contained(study):
    text = html(study, findings(study), "hegemon study --games <60>")
    assert text.count("<svg") == len(PLOTS)
    assert "hegemon study --games &lt;60&gt;" in text
    assert "<code>learned</code>" in text
    for elsewhere in ("<script", "<link", "<img", 'src="', 'href="http'):
        assert elsewhere not in text
    ids = [part.split('"')[0] for part in text.split('id="')[1:]]
    assert len(ids) == len(set(ids))


def test_markdown_outside_the_generated_part_is_unchanged(study, tmp_path):
    path = tmp_path / "study.md"
    found = findings(study)
    write_markdown(path, study, found, "hegemon study")
    first = path.read_text()
    assert first.startswith("# Study of the game\n\n" + BEGIN)
    assert sorted(file.stem for file in (tmp_path / "study").iterdir()) == PLOTS
    path.write_text(first.replace(BEGIN, "My text.\n\n" + BEGIN).replace(END, END + "\n\nMore."))
    write_markdown(path, study, found[:1], "hegemon study --seed 4")
    text = path.read_text()
    assert "My text." in text
    assert text.rstrip().endswith("More.")
    assert "--seed 4" in text
    assert "Hegemonies by Domain" not in text
    path.write_text("# Mine\n")
    write_markdown(path, study, found, "hegemon study")
    assert path.read_text().startswith("# Mine\n\n" + BEGIN)
    assert markdown(study, found, "x", "plots").count("(plots/") == len(PLOTS)


def test_versions_weights_and_the_kind_of_machine_are_named(study):
    text = markdown(study, findings(study), "hegemon study", "plots")
    assert made_with() in text
    assert made_with() in html(study, findings(study), "x").replace("<code>", "`").replace("</code>", "`")
    for name in (f"NumPy {np.__version__}", "Python 3.", "hegemon ", "SHA-256", "`hegemon train ", "cores"):
        assert name in made_with()


def test_bars_have_intervals_and_missing_ones_are_left_out():
    svg = grouped(
        ["A", "B"], {"one": [(0.5, 0.4, 0.6), None], "two": [(0.2, 0.1, 0.3), (-0.1, -0.2, 0)]}, "x"
    )
    assert svg.startswith("<svg")
    assert svg.count('<g id="LineCollection') == 2  # the error bars of each row


def test_curves_have_intervals_and_a_fair_share():
    rows = {"two": [(10.0, (0.4, 0.3, 0.5)), (100.0, (0.8, 0.7, 0.9))], "four": [(10.0, (0.3, 0.2, 0.4))]}
    svg = curves(rows, "iterations", "games won", {"two": 0.5})
    assert svg.startswith("<svg")
    assert all(text in svg for text in ("iterations", "games won", "two", "four"))


# ------------------------------------------------------------------ the command


@pytest.fixture
def command(small, tmp_path, monkeypatch, capsys):
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
    done = command("--games", "2", "--jobs", "1", "--report", "there", "--markdown", "study.md")
    for title in (
        "Strength of the players",
        "Length of games",
        "Win rate by seat",
        "Effect of the draft",
        "Effects\n",
    ):
        assert title in done.stdout
    assert "`" not in done.stdout
    assert "there/index.html" in done.stderr
    assert "study.md" in done.stderr
    assert "--games 2" in (tmp_path / "study.md").read_text()


def test_it_prints_plain_data_and_nothing_else(command):
    data = json.loads(command("--games", "2", "--json").stdout)
    assert data["finished"] is True
    assert data["games"] == 2
    assert "learned.npz" in data["made_with"]
    assert [row["players"] for row in data["length"]] == [2, 2, 3, 3, 4, 4, 4, 4]


def test_an_interrupt_reports_what_is_finished(command, monkeypatch):
    def interrupted(self, workers, report):
        raise KeyboardInterrupt

    monkeypatch.setattr(GameStudy, "play", interrupted)
    done = command("--games", "20", status=130)
    assert "Interrupted" in done.stderr
    assert "No game was finished" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--games", "0"), "1 to 2000000 games of each kind, not 0"),
        (("--jobs", "0"), "The number of jobs is 1 or more"),
        (("--seed", "-1"), "A seed is a whole number from 0 to"),
        (("--markdown", "nowhere/study.md"), "there is no folder"),
        (("--report", "file"), "part of the path is a file"),
    ],
)
def test_wrong_input_is_explained(command, tmp_path, arguments, sentence):
    (tmp_path / "file").touch()
    assert sentence in command(*arguments, status=2).stderr.replace("\n", " ")


def test_without_matplotlib_there_are_no_plots(command, monkeypatch):
    monkeypatch.setattr(study_command, "find_spec", lambda name: None)
    assert "Plots need Matplotlib" in command("--report", "there", status=2).stderr

"""A whole training run, small enough for one core."""

import json
from dataclasses import replace

import numpy as np
import pytest

from hegemon.bots import Learned, load_network
from hegemon.kernels.batch import Batch
from hegemon.kernels.gpu_batch import ALL_SETUPS, Setup
from hegemon.kernels.network import Network
from hegemon.learn import files
from hegemon.learn.league import League
from hegemon.learn.model import Model
from hegemon.learn.ops import CpuOps
from hegemon.learn.trainer import CPU_OPTIONS, TRAINING_SETUPS, Trainer, TrainingOptions, TrainingProgress
from hegemon.notation.setup import SetupError
from hegemon.play.game import Game

TINY = replace(
    TrainingOptions(**CPU_OPTIONS), setups=(Setup(2), Setup(3)), games=64, rollout_steps=8, widths=(8, 8, 8),
    iterations=3, snapshot_interval=2,
)  # fmt: skip


def win_rate_against_random_play(network, games=200):
    """The win rate of a network as the First Player against random play."""
    model, batch, generator = Model(network, CpuOps()), Batch(games, 2, seed=9), np.random.default_rng(1)
    won = ended = 0
    while ended < games:
        outputs = model.forward(batch.observations)[-1]
        actions, _ = model.ops.sample_actions(outputs, batch.masks, generator.random(games))
        batch.step(np.where(batch.seats == 0, actions, batch.random_actions()))
        ended += batch.dones.sum()
        won += (batch.rewards[batch.dones, 0] > 0).sum()
    return won / ended


def test_it_learns_to_beat_random_play(untraced):
    trainer = Trainer(
        replace(
            TrainingOptions(**CPU_OPTIONS), setups=(Setup(2),), games=256, minibatch_size=2048, iterations=25
        )
    )
    assert win_rate_against_random_play(trainer.model.to_network()) < 0.65
    assert [*trainer.run()][-1].games > 500
    assert win_rate_against_random_play(trainer.model.to_network()) > 0.9


def test_a_killed_run_is_resumed(tmp_path):
    trainer = Trainer(replace(TINY, iterations=6))
    for progress in trainer.run():
        files.append_log(tmp_path, progress)
        if progress.iteration == 2:
            files.save_checkpoint(tmp_path, trainer)
        if progress.iteration == 4:
            break
    again = Trainer(replace(TINY, iterations=6))
    assert files.resume(tmp_path, again)
    assert again.progress.iteration == 2
    assert [line.iteration for line in files.read_log(tmp_path)] == [1, 2]
    assert len(again.league) == len(trainer.league) - 1
    assert [progress.iteration for progress in again.run()] == [3, 4, 5, 6]


def test_an_empty_folder_has_nothing_to_resume(tmp_path):
    assert not files.resume(tmp_path, Trainer(TINY))
    assert files.read_options(tmp_path) is None
    assert files.read_log(tmp_path) == []


def test_options_are_read_as_they_were_written(tmp_path):
    files.write_options(tmp_path, TINY)
    assert files.read_options(tmp_path) == TINY


def test_a_checkpoint_of_another_layout_is_rejected(tmp_path):
    np.savez(tmp_path / files.CHECKPOINT, layout="observation 0")
    with pytest.raises(SetupError, match="is for observation 0"):
        files.resume(tmp_path, Trainer(TINY))


def test_the_fraction_done_follows_the_clock():
    ticks = iter(range(1000))
    trainer = Trainer(replace(TINY, iterations=None, seconds=2.5), clock=lambda: float(next(ticks)))
    fractions = [trainer.fraction_done() for _ in trainer.run()]
    assert fractions == pytest.approx([0.4, 0.8, 1.2])


def test_a_repeated_setup_is_counted_once():
    options = replace(TINY, setups=(Setup(2), Setup(3), Setup(2), Setup(2)))
    assert options.distinct_setups == (Setup(2), Setup(3))
    trainer = Trainer(options)
    last = [*trainer.run()][-1]
    assert len(last.league_win_ratios) == len(last.heuristic_win_ratios) == 2
    games = trainer._new_collector().games
    twice = games.observations[:16], games.observations[32:48]
    assert not np.array_equal(*twice)  # different deals


def test_all_setups_are_trained():
    assert TrainingOptions().distinct_setups == ALL_SETUPS
    assert len(TRAINING_SETUPS) == 16  # a divisor of the number of games


def test_a_plot_shows_every_setup(tmp_path):
    trainer = Trainer(TINY)
    for progress in trainer.run():
        files.append_log(tmp_path, progress)
    files.plot(tmp_path / "training.svg", files.read_log(tmp_path), TINY.setups)
    assert (tmp_path / "training.svg").read_text().count("<path") > 4


def test_weights_can_be_played(tmp_path, untraced):
    network = Network.random(1, (8, 8, 8))
    files.write_weights(tmp_path / "weights.npz", network)
    loaded = load_network(tmp_path / "weights.npz")
    assert all(np.allclose(one, other, atol=1e-2) for one, other in zip(network, loaded, strict=True))
    for players, variant, teams in ((2, "basic", False), (4, "draft", True)):
        game = Game(players, variant, seed=3, teams=teams)
        bots = [Learned(1, network=loaded), Learned(2, network=loaded, temperature=1.0)] * 2
        while not game.over:
            seat = next(seat for seat in range(players) if game.choices_of(seat))
            game.play(bots[seat].choose(game.view(seat), game.memory(seat), game.choices_of(seat)), seat)
        assert game.result is not None


def test_weights_of_another_layout_are_rejected(tmp_path):
    np.savez(tmp_path / "weights.npz", layout="observation 0")
    with pytest.raises(ValueError, match="are for observation 0"):
        load_network(tmp_path / "weights.npz")


def test_a_best_response_plays_all_games_against_its_fixed_opponent(tmp_path):
    network = Network.random(6, (8, 8, 8))
    files.write_weights(tmp_path / "weights.npz", network)
    trainer = Trainer(replace(TINY, against=str(tmp_path / "weights.npz")))
    initial = trainer.model.to_network()
    assert all(np.allclose(one, other, atol=1e-2) for one, other in zip(network, initial, strict=True))
    list(trainer.run())
    assert len(trainer.league) == 1
    assert all(
        np.array_equal(one, other[0, 0] if one.ndim == 1 else other[0])
        for one, other in zip(initial, trainer.league.weights, strict=True)
    )
    assert not np.array_equal(trainer.model.to_network().weights1, initial.weights1)
    seating = trainer._new_collector().seating
    assert seating.league_games.size == TINY.games
    assert (seating.learner_seats.sum(axis=1) == 1).all()
    assert trainer.league.temperature == 0


def test_a_fixed_opponent_may_sample_from_its_policy(tmp_path):
    files.write_weights(tmp_path / "weights.npz", Network.random(6, (8, 8, 8)))
    options = replace(TINY, against=str(tmp_path / "weights.npz"), opponent_temperature=0.5)
    assert Trainer(options).league.temperature == 0.5
    assert Trainer(TINY).league.temperature == 1


def test_a_league_selects_snapshots_that_still_win_more_often():
    league = League(2, CpuOps(), capacity=6)
    for number in range(5):
        league.add([np.full((2, 2), number, np.float32), np.zeros(2, np.float32)])
    for _ in range(60):
        league.active = np.array([0, 1])
        league.record(np.array([1000.0, 100.0]), np.array([1000.0, 1000.0]))
    selected = np.zeros(5)
    generator = np.random.default_rng(1)
    for _ in range(300):
        league.select(generator)
        np.add.at(selected, league.active, 1)
    assert selected[1] > selected[2] > selected[0]
    assert league.weights[0].shape == (2, 2, 2)
    assert league.weights[1].shape == (2, 1, 2)


def test_a_full_league_drops_half_of_the_older_snapshots():
    league = League(1, CpuOps(), capacity=4)
    for number in range(5):
        league.add([np.full(1, number, np.float32)])
    assert len(league) == 4
    assert [float(snapshot[0][0]) for snapshot in league._snapshots] == [0, 2, 3, 4]


def test_provenance_says_how_the_weights_were_trained(tmp_path):
    trainer = Trainer(TINY)
    log = [TrainingProgress(iteration=number) for number in range(120)]
    files.write_provenance(tmp_path / "weights.json", "hegemon train runs", "abc", trainer, log)
    facts = json.loads((tmp_path / "weights.json").read_text())
    assert [line["iteration"] for line in facts["log"]] == list(range(0, 120, 3))
    assert facts["command"] == "hegemon train runs"
    assert facts["options"]["seed"] == 0

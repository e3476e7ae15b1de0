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
from hegemon.learn.arrays import CpuArrays
from hegemon.learn.league import League
from hegemon.learn.model import Model
from hegemon.learn.trainer import CPU_OPTIONS, TRAINED_SETUPS, Progress, Trainer, TrainingOptions
from hegemon.notation.setup import SetupError
from hegemon.play.game import Game

TINY = replace(
    TrainingOptions(**CPU_OPTIONS), setups=(Setup(2), Setup(3)), games=64, steps=8, widths=(8, 8, 8), iterations=3,
    snapshot_every=2,
)  # fmt: skip


def share_against_chance(network, games=200):
    """The part of its games that a network wins as the First Player against random play."""
    model, batch, generator = Model(network, CpuArrays()), Batch(games, 2, seed=9), np.random.default_rng(1)
    won = ended = 0
    while ended < games:
        outputs = model.layers(batch.observations)[-1]
        actions, _ = model.arrays.choose(outputs, batch.masks, generator.random(games))
        batch.step(np.where(batch.seats == 0, actions, batch.random_actions()))
        ended += batch.dones.sum()
        won += (batch.rewards[batch.dones, 0] > 0).sum()
    return won / ended


def test_it_learns_to_beat_chance(untraced):
    trainer = Trainer(
        replace(TrainingOptions(**CPU_OPTIONS), setups=(Setup(2),), games=256, batch=2048, iterations=25)
    )
    assert share_against_chance(trainer.model.network()) < 0.65
    assert [*trainer.run()][-1].games > 500
    assert share_against_chance(trainer.model.network()) > 0.9


def test_a_run_that_was_killed_goes_on(tmp_path):
    trainer = Trainer(replace(TINY, iterations=6))
    for progress in trainer.run():
        files.append(tmp_path, progress)
        if progress.iteration == 2:
            files.save(tmp_path, trainer)
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


def test_the_rates_fall_with_the_time_that_has_passed():
    ticks = iter(range(1000))
    trainer = Trainer(replace(TINY, iterations=None, seconds=2.5), clock=lambda: float(next(ticks)))
    parts = [trainer.part() for _ in trainer.run()]
    assert parts == pytest.approx([0.4, 0.8, 1.2])


def test_a_table_that_is_there_twice_is_counted_as_one_kind():
    options = replace(TINY, setups=(Setup(2), Setup(3), Setup(2), Setup(2)))
    assert options.kinds == (Setup(2), Setup(3))
    trainer = Trainer(options)
    last = [*trainer.run()][-1]
    assert len(last.wins_past) == len(last.wins_heuristic) == 2
    games = trainer._actor().games
    twice = games.observations[:16], games.observations[32:48]
    assert not np.array_equal(*twice)  # other deals


def test_all_kinds_of_tables_are_trained():
    assert TrainingOptions().kinds == ALL_SETUPS
    assert len(TRAINED_SETUPS) == 16  # a divisor of the number of games


def test_a_plot_shows_every_kind_of_table(tmp_path):
    trainer = Trainer(TINY)
    for progress in trainer.run():
        files.append(tmp_path, progress)
    files.plot(tmp_path / "training.svg", files.read_log(tmp_path), TINY.setups)
    assert (tmp_path / "training.svg").read_text().count("<path") > 4


def test_weights_become_a_player(tmp_path, untraced):
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


def test_a_best_response_meets_its_frozen_opponent_in_all_games(tmp_path):
    network = Network.random(6, (8, 8, 8))
    files.write_weights(tmp_path / "weights.npz", network)
    trainer = Trainer(replace(TINY, against=str(tmp_path / "weights.npz")))
    begun = trainer.model.network()
    assert all(np.allclose(one, other, atol=1e-2) for one, other in zip(network, begun, strict=True))
    list(trainer.run())
    assert len(trainer.league) == 1
    assert all(
        np.array_equal(one, other[0, 0] if one.ndim == 1 else other[0])
        for one, other in zip(begun, trainer.league.weights, strict=True)
    )
    assert not np.array_equal(trainer.model.network().weights1, begun.weights1)
    seating = trainer._actor().seating
    assert seating.past.size == TINY.games
    assert (seating.learner.sum(axis=1) == 1).all()


def test_a_league_draws_those_more_often_that_still_win():
    league = League(2, CpuArrays(), capacity=6)
    for number in range(5):
        league.add([np.full((2, 2), number, np.float32), np.zeros(2, np.float32)])
    for _ in range(60):
        league.present = np.array([0, 1])
        league.record(np.array([1000.0, 100.0]), np.array([1000.0, 1000.0]))
    drawn = np.zeros(5)
    generator = np.random.default_rng(1)
    for _ in range(300):
        league.draw(generator)
        np.add.at(drawn, league.present, 1)
    assert drawn[1] > drawn[2] > drawn[0]
    assert league.weights[0].shape == (2, 2, 2)
    assert league.weights[1].shape == (2, 1, 2)


def test_a_full_league_drops_half_of_the_older_members():
    league = League(1, CpuArrays(), capacity=4)
    for number in range(5):
        league.add([np.full(1, number, np.float32)])
    assert len(league) == 4
    assert [float(member[0][0]) for member in league._members] == [0, 2, 3, 4]


def test_provenance_says_how_the_weights_came_about(tmp_path):
    trainer = Trainer(TINY)
    log = [Progress(iteration=number) for number in range(120)]
    files.write_provenance(tmp_path / "weights.json", "hegemon train runs", "abc", trainer, log)
    facts = json.loads((tmp_path / "weights.json").read_text())
    assert [line["iteration"] for line in facts["log"]] == list(range(0, 120, 3))
    assert facts["command"] == "hegemon train runs"
    assert facts["options"]["seed"] == 0

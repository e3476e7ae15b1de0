"""`hegemon train`, as its user runs it."""

import json

import pytest

from hegemon.cli.commands import train
from hegemon.learn import files


@pytest.fixture
def small(monkeypatch):
    """Runs of a fraction of a second."""
    from hegemon.learn import trainer

    tiny = {"games": 64, "rollout_steps": 4, "minibatch_size": 512, "epochs": 1, "widths": (8, 8, 8)}
    monkeypatch.setattr(trainer, "CPU_OPTIONS", trainer.CPU_OPTIONS | tiny)
    monkeypatch.setattr(train, "CHECKPOINT_INTERVAL", 0.0)


def test_a_run_writes_weights_log_plot_and_provenance(small, hegemon, tmp_path):
    done = hegemon("train", str(tmp_path / "run"), "--device", "cpu", "--minutes", "0.01", "--players", "2")
    assert done.status == 0, done.err
    assert "weights.npz" in done.err
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {
        "options.json",
        "checkpoint.npz",
        "log.jsonl",
        "weights.npz",
        "weights.json",
        "training.svg",
    }
    assert json.loads((tmp_path / "run" / "weights.json").read_text())["progress"]["decisions"] > 0
    again = hegemon("train", str(tmp_path / "run"), "--device", "cpu", "--minutes", "0.01", "--players", "2")
    assert "Continuing after iteration" in again.err


def test_another_run_in_the_folder_is_not_overwritten(small, hegemon, tmp_path):
    hegemon("train", str(tmp_path), "--device", "cpu", "--minutes", "0.01", "--players", "2")
    done = hegemon("train", str(tmp_path), "--device", "cpu", "--minutes", "0.01", "--players", "3")
    assert done.status == 2
    assert "has other options" in done.err


def test_a_best_response_starts_from_the_network_it_has_to_beat(small, hegemon, tmp_path):
    options = ["--device", "cpu", "--minutes", "0.01", "--players", "2"]
    hegemon("train", str(tmp_path / "one"), *options)
    weights = str(tmp_path / "one" / "weights.npz")
    done = hegemon("train", str(tmp_path / "other"), *options, "--against", weights, "--temperature", "0.5")
    assert done.status == 0, done.err
    saved = json.loads((tmp_path / "other" / "options.json").read_text())
    assert (saved["against"], saved["opponent_temperature"]) == (weights, 0.5)


def test_weights_that_cannot_be_read_are_named(small, hegemon, tmp_path):
    (tmp_path / "weights.npz").write_text("not weights")
    for name in ("weights.npz", "missing.npz"):
        done = hegemon("train", str(tmp_path / "run"), "--device", "cpu", "--against", str(tmp_path / name))
        assert done.status == 2
        assert f"The weights in {tmp_path / name} cannot be read" in done.err


def test_an_interrupted_run_is_saved(small, hegemon, tmp_path, monkeypatch):
    def interrupted(folder, trainer):
        next(trainer.run())
        raise KeyboardInterrupt

    monkeypatch.setattr(train, "run", interrupted)
    done = hegemon("train", str(tmp_path), "--device", "cpu", "--minutes", "1", "--players", "2")
    assert done.status == 130
    assert "Interrupted" in done.err
    assert (tmp_path / files.CHECKPOINT).exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--device", "tpu"], "not on tpu"),
        (["--device", "cpu", "--players", "5"], "not 5"),
        (["--device", "gpu"], "--device cpu"),
    ],
)
def test_impossible_options_are_explained(hegemon, tmp_path, options, sentence, monkeypatch):
    monkeypatch.setattr("hegemon.kernels.gpu.can_use_cuda", lambda: False)
    done = hegemon("train", str(tmp_path), *options)
    assert done.status == 2
    assert sentence in done.err


def test_without_git_the_version_is_the_provenance(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert train.commit() == "0.1.0.dev0"

"""The example of a learned bot: trained on a batch, installed by its entry point, it plays better than chance."""

import importlib
import shutil
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from hegemon import CHOICES, Batch, Game, observation
from hegemon.arena import Journal, Run, Standings, Tournament, threads
from hegemon.bots import bot_names, make_bot
from hegemon.bots.registry import ENTRY_POINTS, entry_point_bots

EXAMPLE = Path(__file__).parents[2] / "examples" / "learned_bot"
MODULES = ("numpy_bot", "torch_bot", "train")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The example with weights, as an installer would leave it: its modules, and the metadata of its entry points."""
    folder = tmp_path_factory.mktemp("learned")
    for file in EXAMPLE.glob("*.py"):
        shutil.copy(file, folder)
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = folder / "hegemon_learned-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hegemon-learned\nVersion: 1.0\n")
    lines = [f"{name} = {place}" for name, place in project["entry-points"][ENTRY_POINTS].items()]
    (metadata / "entry_points.txt").write_text("\n".join([f"[{ENTRY_POINTS}]", *lines]) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(folder), *sys.path])
        entry_point_bots.cache_clear()
        assert importlib.import_module("train").train(steps=240) > 0.4
        yield folder
    entry_point_bots.cache_clear()
    for name in MODULES:
        sys.modules.pop(name, None)


def test_the_bots_are_found_by_their_names(trained):
    assert {"learned-numpy", "learned-torch"} <= set(bot_names())
    assert type(make_bot("learned-numpy", 1)).__name__ == "NumpyBot"


def test_the_network_beats_chance_in_the_arena(trained):
    tournament = Tournament(("learned-numpy", "chance"), seed=1)
    journal = Journal(tournament)
    Run(tournament, 20, threads(1), journal).play()
    assert Standings.of(tournament, journal.games).sides["learned-numpy"].win_rate > 0.8


def test_the_bot_chooses_what_the_network_rates_highest_in_the_batch(trained):
    """The observation that a bot creates from its view is the one that the network was trained on."""
    bot = make_bot("learned-numpy", 1)
    numpy_bot = sys.modules["numpy_bot"]
    batch, game = Batch(1, 3, seed=5, auto_restart=False), Game(3, seed=5)
    for _ in range(60):
        seat = game.seat
        row = observation(game.view(seat), game.memory(seat), to_move=True)
        assert np.array_equal(row, batch.observations[0])
        hidden = np.maximum(numpy_bot.inputs(batch.observations[0]) @ bot.weights1 + bot.biases1, 0)
        logits = np.where(batch.masks[0], hidden @ bot.weights2 + bot.biases2, -np.inf)
        choice = bot.choose(game.view(seat), game.memory(seat), game.choices)
        assert choice == CHOICES[int(logits.argmax())]
        game.play(choice)
        batch.step([CHOICES.index(choice)])


@pytest.mark.parametrize("file", ["numpy_bot.py", "torch_bot.py"])
def test_a_bot_has_few_lines(file):
    source = (EXAMPLE / file).read_text(encoding="utf-8")
    compile(source, file, "exec")
    choose = source.partition("def choose")[2]
    assert len([line for line in choose.splitlines() if line.strip()]) <= 6


def test_with_pytorch_it_chooses_the_same(trained):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    one, other = make_bot("learned-numpy", 1), make_bot("learned-torch", 1)
    game = Game(2, "draft", seed=3)
    while not game.over:
        seat = game.seat
        given = game.view(seat), game.memory(seat), game.choices
        choice = one.choose(*given)
        assert other.choose(*given) == choice
        game.play(choice)

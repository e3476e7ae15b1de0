"""The folder of a training run: options, checkpoint, log, plot, and the weights with their provenance."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from hegemon.kernels.gpu_batch import Setup
from hegemon.kernels.network import LAYOUT, Network
from hegemon.learn.trainer import Trainer, TrainingOptions, TrainingProgress
from hegemon.notation.setup import SetupError

OPTIONS: Final = "options.json"
CHECKPOINT: Final = "checkpoint.npz"
LOG: Final = "log.jsonl"
WEIGHTS: Final = "weights.npz"
PROVENANCE: Final = "weights.json"
PLOT: Final = "training.svg"

#: The maximum number of log lines in the provenance of weights.
MAX_LOG_LINES: Final = 50


def write_options(folder: Path, options: TrainingOptions) -> None:
    (folder / OPTIONS).write_text(json.dumps(asdict(options), indent=1) + "\n")


def read_options(folder: Path) -> TrainingOptions | None:
    """The options of the run in a folder; None if there is no run."""
    try:
        given = json.loads((folder / OPTIONS).read_text())
    except FileNotFoundError:
        return None
    given["setups"] = tuple(Setup(*setup) for setup in given["setups"])
    for name in ("widths", "entropy_coef", "uniform_kl_coef"):
        given[name] = tuple(given[name])
    return TrainingOptions(**given)


def save_checkpoint(folder: Path, trainer: Trainer) -> None:
    """Replace the checkpoint atomically."""
    temporary = folder / f"new-{CHECKPOINT}"
    np.savez(temporary, layout=LAYOUT, progress=json.dumps(asdict(trainer.progress)), **trainer.state_dict())
    temporary.replace(folder / CHECKPOINT)


def resume(folder: Path, trainer: Trainer) -> bool:
    """Load the checkpoint of a folder and truncate the log to it; return False if there is no checkpoint."""
    try:
        with np.load(folder / CHECKPOINT) as state:
            if str(state["layout"]) != LAYOUT:
                raise SetupError(
                    "The checkpoint in {folder} is for {layout}, and this program has {own}. Choose another folder.",
                    folder=folder,
                    layout=str(state["layout"]),
                    own=LAYOUT,
                )
            trainer.load_state_dict(state)
            trainer.progress = TrainingProgress(**json.loads(str(state["progress"])))
    except FileNotFoundError:
        return False
    lines = [line for line in read_log(folder) if line.iteration <= trainer.progress.iteration]
    (folder / LOG).write_text("".join(json.dumps(asdict(line)) + "\n" for line in lines))
    return True


def append_log(folder: Path, progress: TrainingProgress) -> None:
    with (folder / LOG).open("a") as log:
        log.write(json.dumps(asdict(progress)) + "\n")


def read_log(folder: Path) -> list[TrainingProgress]:
    try:
        lines = (folder / LOG).read_text().splitlines()
    except FileNotFoundError:
        return []
    # The last line is incomplete if the process was killed while writing it.
    return [TrainingProgress(**json.loads(line)) for line in lines if line.endswith("}")]


def write_weights(path: Path, network: Network) -> None:
    """Write a network in half precision, in the format that `hegemon.bots.load_network` reads."""
    arrays: dict[str, Any] = {name: array.astype(np.float16) for name, array in network._asdict().items()}
    np.savez_compressed(path, layout=LAYOUT, **arrays)


def write_provenance(
    path: Path, command: str, commit: str, trainer: Trainer, log: Sequence[TrainingProgress]
) -> None:
    """Write how the weights were trained, with a sample of the log."""
    facts = {
        "command": command,
        "commit": commit,
        "layout": LAYOUT,
        "options": asdict(trainer.options),
        "progress": asdict(trainer.progress),
    }
    lines = [asdict(line) for line in log[:: len(log) // MAX_LOG_LINES + 1]]
    text = json.dumps(facts, indent=1)
    log_lines = ",\n  ".join(map(json.dumps, lines))
    path.write_text(f'{text[:-2]},\n "log": [\n  {log_lines}\n ]\n}}\n')


def plot(path: Path, lines: Sequence[TrainingProgress], setups: Sequence[Setup]) -> None:
    """Plot the log: wins against the heuristic policy by setup, entropy and value error."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    decisions = [line.decisions / 1e6 for line in lines]
    for number, setup in enumerate(setups):
        label = f"{setup.players} players{', teams' if setup.teams else ''}, {setup.variant}"
        sides = len(set(setup.sides))
        above.plot(
            decisions, [100 * line.heuristic_win_ratios[number] / sides for line in lines], label=label
        )
    above.set_ylabel("wins against the heuristic policy in %")
    above.legend(fontsize=8)
    below.plot(decisions, [line.entropy for line in lines], label="entropy")
    below.plot(decisions, [line.value_error for line in lines], label="value error")
    below.set_xlabel("million decisions")
    below.legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None})

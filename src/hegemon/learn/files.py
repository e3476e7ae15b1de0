"""The folder of a training run: options, checkpoint, log, plot, and the weights with their provenance."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from hegemon.kernels.gpu_batch import Setup
from hegemon.kernels.network import LAYOUT, Network
from hegemon.learn.trainer import Progress, Trainer, TrainingOptions
from hegemon.notation.setup import SetupError

OPTIONS: Final = "options.json"
CHECKPOINT: Final = "checkpoint.npz"
LOG: Final = "log.jsonl"
WEIGHTS: Final = "weights.npz"
PROVENANCE: Final = "weights.json"
PLOT: Final = "training.svg"

#: The provenance of weights has no more lines of the log than this.
LOG_LINES: Final = 50


def write_options(folder: Path, options: TrainingOptions) -> None:
    (folder / OPTIONS).write_text(json.dumps(asdict(options), indent=1) + "\n")


def read_options(folder: Path) -> TrainingOptions | None:
    """The options of the run in a folder; None if there is no run."""
    try:
        given = json.loads((folder / OPTIONS).read_text())
    except FileNotFoundError:
        return None
    given["setups"] = tuple(Setup(*setup) for setup in given["setups"])
    for name in ("widths", "entropy", "evenness"):
        given[name] = tuple(given[name])
    return TrainingOptions(**given)


def save(folder: Path, trainer: Trainer) -> None:
    """Write a checkpoint; a kill at any time leaves the old one or the new one."""
    draft = folder / f"new-{CHECKPOINT}"
    np.savez(draft, layout=LAYOUT, progress=json.dumps(asdict(trainer.progress)), **trainer.state())
    draft.replace(folder / CHECKPOINT)


def resume(folder: Path, trainer: Trainer) -> bool:
    """Go on from the checkpoint of a folder, if there is one; the log keeps what came before it."""
    try:
        with np.load(folder / CHECKPOINT) as arrays:
            if str(arrays["layout"]) != LAYOUT:
                raise SetupError(
                    "The checkpoint in {folder} is for {layout}, and this program has {own}. Choose another folder.",
                    folder=folder,
                    layout=str(arrays["layout"]),
                    own=LAYOUT,
                )
            trainer.load_state(arrays)
            trainer.progress = Progress(**json.loads(str(arrays["progress"])))
    except FileNotFoundError:
        return False
    lines = [line for line in read_log(folder) if line.iteration <= trainer.progress.iteration]
    (folder / LOG).write_text("".join(json.dumps(asdict(line)) + "\n" for line in lines))
    return True


def append(folder: Path, progress: Progress) -> None:
    with (folder / LOG).open("a") as log:
        log.write(json.dumps(asdict(progress)) + "\n")


def read_log(folder: Path) -> list[Progress]:
    try:
        lines = (folder / LOG).read_text().splitlines()
    except FileNotFoundError:
        return []
    return [
        Progress(**json.loads(line)) for line in lines if line.endswith("}")
    ]  # a kill may cut the last one off


def write_weights(path: Path, network: Network) -> None:
    """Write a network in half precision, as the learned player reads it."""
    arrays: dict[str, Any] = {name: array.astype(np.float16) for name, array in network._asdict().items()}
    np.savez_compressed(path, layout=LAYOUT, **arrays)


def write_provenance(
    path: Path, command: str, commit: str, trainer: Trainer, log: Sequence[Progress]
) -> None:
    """Write how weights came about, with some lines of the log."""
    facts = {
        "command": command,
        "commit": commit,
        "layout": LAYOUT,
        "options": asdict(trainer.options),
        "progress": asdict(trainer.progress),
    }
    lines = [asdict(line) for line in log[:: len(log) // LOG_LINES + 1]]
    text = json.dumps(facts, indent=1)
    listed = ",\n  ".join(map(json.dumps, lines))
    path.write_text(f'{text[:-2]},\n "log": [\n  {listed}\n ]\n}}\n')


def plot(path: Path, lines: Sequence[Progress], setups: Sequence[Setup]) -> None:
    """Draw how the run went: wins against the heuristic policy by kind of table, entropy and value error."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(9, 6), layout="constrained")
    above, below = drawn.subplots(2, 1, sharex=True)
    decisions = [line.decisions / 1e6 for line in lines]
    for number, setup in enumerate(setups):
        kind = f"{setup.players} players{', teams' if setup.teams else ''}, {setup.variant}"
        sides = len(set(setup.sides))
        above.plot(decisions, [100 * line.wins_heuristic[number] / sides for line in lines], label=kind)
    above.set_ylabel("wins against the heuristic policy in %")
    above.legend(fontsize=8)
    below.plot(decisions, [line.entropy for line in lines], label="entropy")
    below.plot(decisions, [line.value_error for line in lines], label="value error")
    below.set_xlabel("million decisions")
    below.legend(fontsize=8)
    drawn.savefig(path, metadata={"Date": None})

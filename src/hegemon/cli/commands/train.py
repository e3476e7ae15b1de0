"""`hegemon train`: train a network by self-play."""

import shlex
import subprocess
import sys
import time
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from zipfile import BadZipFile

from rich import box
from rich.live import Live
from rich.table import Table
from typer import Argument, Option

from hegemon.cli import saves
from hegemon.cli.errors import INTERRUPTED, print_error
from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson
from hegemon.cli.prose import TRAIN
from hegemon.cli.terminal.console import error_console
from hegemon.notation.setup import SetupError

if TYPE_CHECKING:
    from hegemon.learn.trainer import Trainer, TrainingOptions

#: Seconds between two checkpoints.
CHECKPOINT_INTERVAL: Final = 60.0


def train(
    folder: Annotated[Path, Argument(help="The folder of the run; one that was interrupted goes on.")],
    device: Annotated[str, Option(help="gpu, or cpu for a small network.")] = "gpu",
    minutes: Annotated[float, Option(min=0.01, help="The length of the whole run.")] = 25.0,
    players: Annotated[int | None, Option(help="Only tables of this many players.")] = None,
    seed: Annotated[int, Option(help="The seed of the first weights and of all games.")] = 0,
    against: Annotated[
        Path | None, Option(help="A file of weights: learn to beat that network, beginning as it.")
    ] = None,
    temperature: Annotated[
        float,
        Option(
            min=0,
            help="How that network chooses: 0 for its most probable action, 1 to sample from its policy.",
        ),
    ] = 0.0,
    as_json: AsJson = False,
) -> int:
    """Train a player by self-play: checkpoint, log, plot and weights are written to the folder.

    The weights are for `hegemon.bots.Learned`. A GPU needs CuPy and numba-cuda: pip install 'hegemon[learn]'
    """
    from hegemon.learn import files
    from hegemon.learn.trainer import Trainer

    options = options_of(device, minutes, players, seed, against, temperature)
    saves.make_folder(folder)
    before = files.read_options(folder)
    if before is not None and before != options:
        raise SetupError(TRAIN["other-options"].format(folder=folder))
    files.write_options(folder, options)
    trainer = Trainer(options)
    if files.resume(folder, trainer):
        print_error(TRAIN["resumed"].format(iteration=trainer.progress.iteration))
    status = 0
    try:
        run(folder, trainer)
    except KeyboardInterrupt:
        status = INTERRUPTED
        print_error(TRAIN["interrupted"])
    files.save_checkpoint(folder, trainer)
    files.write_weights(folder / files.WEIGHTS, trainer.model.to_network())
    command = shlex.join(["hegemon", *sys.argv[1:]])
    log = files.read_log(folder)
    files.write_provenance(folder / files.PROVENANCE, command, commit(), trainer, log)
    if find_spec("matplotlib") is not None:
        files.plot(folder / files.PLOT, log, options.distinct_setups)
    print_error(TRAIN["done"].format(path=folder / files.WEIGHTS))
    if as_json:
        facts = {"finished": status == 0, "weights": str(folder / files.WEIGHTS)}
        write_json({**facts, **asdict(trainer.progress)})
    return status


def options_of(
    device: str, minutes: float, players: int | None, seed: int, against: Path | None = None,
    temperature: float = 0.0,
) -> "TrainingOptions":  # fmt: skip
    """The options of a run; raises `SetupError` if they are invalid or something is missing."""
    from hegemon.bots import load_network
    from hegemon.kernels.gpu import can_use_cuda
    from hegemon.learn.trainer import CPU_OPTIONS, TRAINING_SETUPS, TrainingOptions

    if device not in ("cpu", "gpu"):
        raise SetupError(TRAIN["device"].format(device=device))
    setups = TRAINING_SETUPS
    if players is not None:
        setups = tuple(dict.fromkeys(setup for setup in TRAINING_SETUPS if setup.players == players))
    if not setups:
        raise SetupError(TRAIN["players"].format(players=players))
    if against is not None:
        try:
            load_network(against)
        except (OSError, ValueError, KeyError, BadZipFile) as error:
            raise SetupError(TRAIN["against"].format(path=against, error=error)) from None
    common = {
        "setups": setups, "seconds": 60 * minutes, "seed": seed, "against": None if against is None else str(against),
        "opponent_temperature": temperature,
    }  # fmt: skip
    if device == "cpu":
        return TrainingOptions(**CPU_OPTIONS, **common)  # type: ignore[arg-type]  # the values have different types
    if find_spec("cupy") is None or not can_use_cuda():
        raise SetupError(TRAIN["no-gpu"])
    return TrainingOptions(**common)  # type: ignore[arg-type]  # the values have different types


def run(folder: Path, trainer: "Trainer") -> None:
    """Train to the end; save a checkpoint every minute and show the progress on standard error."""
    from hegemon.learn import files

    last_saved = time.monotonic()
    with Live(console=error_console(), transient=True, refresh_per_second=2) as live:
        for progress in trainer.run():
            files.append_log(folder, progress)
            live.update(progress_table(trainer))
            if time.monotonic() - last_saved > CHECKPOINT_INTERVAL:
                files.save_checkpoint(folder, trainer)
                last_saved = time.monotonic()


def progress_table(trainer: "Trainer") -> Table:
    progress, options = trainer.progress, trainer.options
    rows = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    rows.add_column()
    rows.add_column(justify="right", style="bold")
    rows.add_row(TRAIN["part"], f"{100 * trainer.fraction_done():.0f} %")
    rows.add_row(TRAIN["decisions"], f"{progress.decisions:,}")
    rows.add_row(TRAIN["games"], f"{progress.games:,}")
    rows.add_row(TRAIN["entropy"], f"{progress.entropy:.3f}")
    rows.add_row(TRAIN["value-error"], f"{progress.value_error:.4f}")
    for setup, league, heuristic in zip(
        options.distinct_setups, progress.league_win_ratios, progress.heuristic_win_ratios, strict=True
    ):
        sides = len(set(setup.sides))
        key = "wins-teams" if setup.teams else "wins"
        rows.add_row(
            TRAIN[key].format(players=setup.players, variant=setup.variant),
            f"{100 * league / sides:.0f} % · {100 * heuristic / sides:.0f} %",
        )
    return rows


def commit() -> str:
    """The commit of a source checkout, or the installed version."""
    from importlib.metadata import version

    here = Path(__file__).parent
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=here,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return version("hegemon")
    return found.stdout.strip()

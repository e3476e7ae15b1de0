"""The rulings as a table: what each switch allows, and which presets turn it on."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hegemon.cli.prose import RULINGS
from hegemon.notation.rulings import read_rulings, write_rulings
from hegemon.rules.rulings import EXPLANATIONS, PRESETS, SWITCHES


def draw_presets(console: Console) -> None:
    """Every switch, every preset."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(RULINGS["switch"], no_wrap=True)
    for preset in PRESETS:
        table.add_column(preset, justify="center", no_wrap=True)
    table.add_column(RULINGS["meaning"])
    for name, switch in SWITCHES.items():
        table.add_row(
            Text(name, style="word"),
            *(RULINGS["on"] if preset & switch else RULINGS["off"] for preset in PRESETS.values()),
            EXPLANATIONS[name],
        )
    console.print(table)
    console.print(Text(RULINGS["usage"], style="quiet"))


def draw_preset(console: Console, text: str) -> None:
    """One set of rulings, switch by switch."""
    rulings = read_rulings(text)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=write_rulings(rulings), title_justify="left")
    table.add_column(RULINGS["switch"], no_wrap=True)
    table.add_column(RULINGS["state"])
    table.add_column(RULINGS["meaning"])
    for name, switch in SWITCHES.items():
        on = bool(rulings & switch)
        state = Text(RULINGS["on"] if on else RULINGS["off"], style="count" if on else "quiet")
        table.add_row(Text(name, style="word"), state, EXPLANATIONS[name])
    console.print(table)

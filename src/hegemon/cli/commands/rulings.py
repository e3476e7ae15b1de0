"""`hegemon rulings`: what each switch allows, and which presets turn it on."""

from typing import Annotated

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer import Argument

from hegemon.cli.json_output import rulings_to_dict, write_json
from hegemon.cli.options import AsJson
from hegemon.cli.prose import RULINGS, SWITCH_TEXTS
from hegemon.cli.terminal.console import output_console
from hegemon.notation.rulings import read_rulings, write_rulings
from hegemon.rules.rulings import PRESETS, SWITCHES


def rulings(
    preset: Annotated[
        str | None, Argument(help="A preset, with switches if you like: pl+coin-tie!show-backs.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the rulings: switches for questions that the rulebooks leave open, and presets of them."""
    if as_json:
        write_json(rulings_to_dict(preset))
    elif preset is None:
        draw_presets(output_console())
    else:
        draw_preset(output_console(), preset)


def draw_presets(console: Console) -> None:
    """Draw every switch in every preset, and what each is about."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(RULINGS["switch"], no_wrap=True)
    for preset in PRESETS:
        table.add_column(preset, justify="center", no_wrap=True)
    meanings = Table.grid(padding=(0, 2, 0, 0))
    for name, switch in SWITCHES.items():
        states = (preset & switch for preset in PRESETS.values())
        table.add_row(Text(name, style="choice"), *(RULINGS["on" if on else "off"] for on in states))
        meanings.add_row(Text(name, style="choice"), SWITCH_TEXTS[name])
    console.print(table)
    console.print(meanings)
    console.print(Text(f"\n{RULINGS['usage']}", style="quiet"))


def draw_preset(console: Console, text: str) -> None:
    """Draw one set of rulings, switch by switch."""
    rulings = read_rulings(text)
    console.print(Text(write_rulings(rulings), style="bold"))
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, switch in SWITCHES.items():
        on = bool(rulings & switch)
        state = Text(RULINGS["on" if on else "off"], style="count" if on else "quiet")
        meaning = Text(SWITCH_TEXTS[name], style="" if on else "quiet")
        table.add_row(state, Text(name, style="choice"), meaning)
    console.print(table)

"""The rulings as a table: what each switch allows, and which presets turn it on."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hegemon.cli.prose import RULINGS
from hegemon.notation.rulings import read_rulings, write_rulings
from hegemon.rules.rulings import EXPLANATIONS, PRESETS, SWITCHES


def draw_presets(console: Console) -> None:
    """Every switch in every preset, and what each is about."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(RULINGS["switch"], no_wrap=True)
    for preset in PRESETS:
        table.add_column(preset, justify="center", no_wrap=True)
    for name, switch in SWITCHES.items():
        states = (preset & switch for preset in PRESETS.values())
        table.add_row(Text(name, style="word"), *(RULINGS["on" if on else "off"] for on in states))
    meanings = Table.grid(padding=(0, 2, 0, 0))
    for name in SWITCHES:
        meanings.add_row(Text(name, style="word"), EXPLANATIONS[name])
    console.print(table)
    console.print(meanings)
    console.print(Text(f"\n{RULINGS['usage']}", style="quiet"))


def draw_preset(console: Console, text: str) -> None:
    """One set of rulings, switch by switch."""
    rulings = read_rulings(text)
    console.print(Text(write_rulings(rulings), style="bold"))
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, switch in SWITCHES.items():
        on = bool(rulings & switch)
        state = Text(RULINGS["on" if on else "off"], style="count" if on else "quiet")
        table.add_row(state, Text(name, style="word"), Text(EXPLANATIONS[name], style="" if on else "quiet"))
    console.print(table)

"""`hegemon compile`: compile everything ahead of time."""

from importlib.util import find_spec

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.text import Text

from hegemon.cli.errors import FAILED, CommandError
from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson
from hegemon.cli.prose import COMPILING
from hegemon.cli.terminal.console import error_console, output_console


def compile_everything(as_json: AsJson = False) -> None:
    """Compile all rules and kernels for this processor, so that nothing waits for it later.

    The code goes into your cache folder, or into HEGEMON_CACHE. Needs Numba: pip install 'hegemon[speed]'
    """
    if find_spec("numba") is None:
        raise CommandError(COMPILING["no-numba"], FAILED)
    from hegemon.bots.compilation import PARTS, compile_all
    from hegemon.kernels.compiler import cache_folder, code_folder

    folder = code_folder()
    if folder is None:
        raise CommandError(COMPILING["no-folder"].format(folder=cache_folder()), FAILED)
    seconds: dict[str, float] = {}
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=error_console(), transient=True) as bar:
        task = bar.add_task(COMPILING["compiling"], total=len(PARTS))
        for name, taken in compile_all():
            seconds[name] = round(taken, 3)
            bar.advance(task)
            if not as_json:
                row = COMPILING["compiled"].format(part=COMPILING[name], seconds=f"{taken:.1f}")
                output_console().print(Text(row))
    if as_json:
        write_json({"folder": str(folder), "seconds": seconds})
    else:
        output_console().print(Text(COMPILING["done"].format(folder=folder)), soft_wrap=True)

"""The pages of `--help` in the chosen language."""

from collections.abc import Iterator
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

from hegemon.cli.prose import PAGE, translate

#: Typer's headings, by their names in `typer.rich_utils`.
_FRAME: Final = {
    "ARGUMENTS_PANEL_TITLE": "arguments",
    "OPTIONS_PANEL_TITLE": "options",
    "COMMANDS_PANEL_TITLE": "commands",
    "DEFAULT_STRING": "default",
    "REQUIRED_LONG_STRING": "required",
}


class Command(TyperCommand):
    """A command whose help page has no English words in another language."""

    def get_usage(self, ctx: Any) -> str:
        return translate_usage(super().get_usage(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        translate_frame(self.get_help_option(ctx))
        super().format_help(ctx, formatter)


class Group(TyperGroup):
    """A command group whose help page has no English words in another language."""

    def get_usage(self, ctx: Any) -> str:
        return translate_usage(super().get_usage(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        translate_frame(self.get_help_option(ctx))
        super().format_help(ctx, formatter)


def translate_usage(line: str) -> str:
    return line.replace("Usage:", PAGE["usage"], 1)


def translate_frame(help_option: Any) -> None:
    from typer import rich_utils  # slow to import, and only needed for help

    for name, key in _FRAME.items():
        setattr(rich_utils, name, PAGE[key])
    help_option.help = PAGE["help"]


def all_commands(group: Any) -> Iterator[Any]:
    """The group itself, and its commands."""
    yield group
    yield from group.commands.values()


def help_texts(group: Any) -> Iterator[str]:
    """All help texts of a command and its subcommands, in English."""
    for command in all_commands(group):
        yield command.help
        if isinstance(command.rich_help_panel, str):
            yield command.rich_help_panel
        yield from (parameter.help for parameter in command.params if parameter.help)


def translate_help(group: Any) -> None:
    """Translate all help texts of a newly built command and its subcommands."""
    for command in all_commands(group):
        command.help = translate(command.help)
        if isinstance(command.rich_help_panel, str):
            command.rich_help_panel = translate(command.rich_help_panel)
        for parameter in command.params:
            if parameter.help:
                parameter.help = translate(parameter.help)

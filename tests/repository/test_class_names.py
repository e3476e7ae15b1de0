"""Class names are unique, so that a search for a name finds one class."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "hegemon"

_MESSAGES = ("client.messages", "server.api.schemas")
_REQUESTS = ("client.server", "server.api.schemas")

#: Names that two modules share on purpose.
ALLOWED = {
    # The client and the server define the same JSON independently, because the client must not import the server.
    "ChatMessage": _MESSAGES,
    "Choice": _MESSAGES,
    "SeatInfo": _MESSAGES,
    "TableState": _MESSAGES,
    "NewSeat": _REQUESTS,
    "NewTable": _REQUESTS,
    "SeatRequest": _REQUESTS,
    # The client's counterparts of what happens on the server.
    "SeatLost": ("client.errors", "server.tables.errors"),
    "Standing": ("client.tournaments", "server.tournaments.standings"),
    # Both are public: a tournament of bots on this machine, and a tournament of people on a server.
    "Tournament": ("arena.tournament", "client.tournaments"),
}


def modules_by_class() -> dict[str, list[str]]:
    """The modules of all top-level classes, by the name of the class."""
    found = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module)
    return found


def test_no_two_classes_share_a_name():
    shared = {name: tuple(modules) for name, modules in modules_by_class().items() if len(modules) > 1}
    assert shared == ALLOWED

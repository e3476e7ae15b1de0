"""The child processes of a process, read from /proc, so this requires Linux."""

from pathlib import Path


def children_of(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:  # the process has exited
            continue
        if int(fields[1]) == parent:
            found.append(int(status.parent.name))
    return found


def spawned_by(parent: int) -> list[int]:
    """The children that multiprocessing has spawned, without its own helpers such as the resource tracker."""
    return [child for child in children_of(parent) if b"spawn_main" in _command_line(child)]


def process_tree(root: int) -> list[int]:
    """A process and all of its descendants."""
    found = [root]
    for parent in found:
        found += children_of(parent)
    return found


def _command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # the process has exited
        return b""

"""A small file system that can be filled."""

import contextlib
import os
import subprocess
from pathlib import Path
from typing import Final, Self

_BLOCK: Final = 1 << 16

#: Enough for PostgreSQL's own files and some hundred thousand moves.
SIZE_MB: Final = 384


class SmallDisk:
    """A tmpfs of limited size, where this process may mount one; otherwise a plain folder that is never full."""

    def __init__(self, folder: Path, size_mb: int = SIZE_MB) -> None:
        self.folder = folder
        self._filler = folder / "filler"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m,mode=0755", "tmpfs", str(folder)]
        try:
            self.is_limited = subprocess.run(command, capture_output=True).returncode == 0
        except OSError:  # no such command
            self.is_limited = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_limited:
            subprocess.run(["umount", "--lazy", str(self.folder)], capture_output=True)

    def fill(self) -> None:
        """Write until nothing more fits."""
        assert self.is_limited, "a disk of any size must not be filled"
        block = b"\0" * _BLOCK
        with contextlib.suppress(OSError), self._filler.open("wb", buffering=0) as file:
            while os.write(file.fileno(), block):
                pass

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)

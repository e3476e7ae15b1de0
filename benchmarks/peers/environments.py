"""A virtual environment for each peer, created once and stored in a cache folder."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from field import Peer

HERE: Final = Path(__file__).parent
REQUIREMENTS: Final = HERE / "requirements"

INSTALL_TIMEOUT: Final = 1800


class CannotRunError(Exception):
    """Why a peer, or one loop of it, is not in the table."""


def default_cache() -> Path:
    """The default location of the environments."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hegemon" / "peers"


def reason(output: str) -> str:
    """The most informative line of a failed command's output, without addresses and local folders."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(error|\w*(Error|Exception))\b", line, re.IGNORECASE)]
    line = (errors or lines or ["no output"])[-1]
    line = re.sub(r"\w+://\S+", "…", line)
    return re.sub(r"(?<![\w.])/(?:[^\s/()'\"]+/)+", "", line)[:200]


def call(command: list[str | Path], folder: Path) -> None:
    """Run one command of an installation."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=INSTALL_TIMEOUT,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise CannotRunError(f"not installed: timeout after {INSTALL_TIMEOUT} s") from None
    if done.returncode:
        raise CannotRunError(f"not installed: {reason(done.stdout + done.stderr)}")


def digest(peer: Peer) -> str:
    """A digest of everything that goes into the environment."""
    name = hashlib.sha256(sys.version.encode())
    name.update((REQUIREMENTS / f"{peer.script}.txt").read_bytes())
    if peer.build:
        name.update((HERE / peer.build[0]).read_bytes())
        name.update(" ".join(peer.build).encode())
    return name.hexdigest()[:12]


def python_of(peer: Peer, cache: Path) -> Path:
    """The Python of the peer's environment, which is created if it does not exist yet."""
    if peer.ours:
        return Path(sys.executable)
    folder = cache / f"{peer.script}-{digest(peer)}"
    python = folder / "bin" / "python"
    finished = folder / "finished"
    if finished.exists():
        return python
    for old in cache.glob(f"{peer.script}-*"):
        shutil.rmtree(old)
    folder.mkdir(parents=True)
    call([sys.executable, "-m", "venv", folder], folder)
    pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    call([*pip, "--requirement", REQUIREMENTS / f"{peer.script}.txt"], folder)
    if peer.build:
        script, *arguments = peer.build
        call([python, HERE / script, *arguments], folder)
    finished.touch()
    return python

"""Build PufferLib's Triple Triad from its source distribution, without its drawing library.

PufferLib's own build downloads that library and a physics engine from outside the package registry, for all games at
once. Triple Triad needs neither: only its C file is compiled, against the header in the source distribution, and the
drawing functions stay unresolved. PufferLib's own build uses -O2; Hegemon is compiled for the local processor, so this
is too.

Run by the runner with the Python of PufferLib's environment; its argument is the version.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

FLAGS = [
    *("-shared", "-fPIC", "-DNDEBUG", "-fwrapv", "-O3", "-march=native", "-flto", "-w"),
    *("-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION", "-DPLATFORM_DESKTOP"),
]

GAME = Path("pufferlib/ocean/tripletriad")


def source(version: str, folder: Path) -> Path:
    """Let pip fetch and unpack the source.

    pip also builds the package's metadata, which fails without the libraries above, but keeps the unpacked files.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-clean", "--no-deps", "--no-build-isolation"]
    fetched = subprocess.run(
        [*command, "--no-binary", ":all:", "--dest", folder, f"pufferlib=={version}"],
        env={**os.environ, "TMPDIR": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    for found in folder.rglob(f"{GAME}/binding.c"):
        return found.parents[3]
    sys.exit(fetched.stderr)


def build(source: Path) -> None:
    """Copy the package into the environment, and compile the game's C file into it."""
    packages = Path(sysconfig.get_path("platlib"))
    shutil.rmtree(packages / "pufferlib", ignore_errors=True)
    shutil.copytree(
        source / "pufferlib", packages / "pufferlib", ignore=shutil.ignore_patterns("resources", "*.so")
    )
    includes = [np.get_include(), sysconfig.get_path("include"), *source.glob("raylib*linux*/include")]
    library = packages / GAME / f"binding{sysconfig.get_config_var('EXT_SUFFIX')}"
    subprocess.run(
        ["cc", *FLAGS, *(f"-I{folder}" for folder in includes), packages / GAME / "binding.c", "-o", library],
        check=True,
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        build(source(sys.argv[1], Path(folder)))

"""One source, compiled: every rule and every kernel becomes machine code when it is first needed in a compiled loop.

Numba is imported on first need. What it compiles is kept on disk, in a folder whose name is a digest of everything
that goes into the code: the rules' source, the kernels' source, the versions of Python, NumPy and Numba, and the
processor. A changed rule therefore has another folder, and old code is never run for it.
"""

import hashlib
import importlib
import importlib.util
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from hegemon.rules import engine
from hegemon.rules.rule import RULES

Kernel = TypeVar("Kernel", bound=Callable[..., object])

#: Every kernel that other kernels call.
KERNELS: Final[list[Callable[..., object]]] = []

#: Those of them that are called and not written out where they are called.
NOT_INLINED: Final[set[Callable[..., object]]] = set()

#: Folders of compiled code that nobody has used for so many days are removed.
CACHE_MAX_AGE_DAYS: Final = 30

_PACKAGE: Final = Path(engine.__file__).parents[1]
# A rule is a few lines, and a loop calls dozens: the loop is fastest with all of them inside it.
_OPTIONS: Final = {"forceinline": True, "no_cfunc_wrapper": True}

_NOTICE: Final = "hegemon: compiling the rules for this processor (once; some seconds)"


def kernel(function: Kernel) -> Kernel:
    """Mark a loop as a kernel: like a rule, it can be run as it stands and called from compiled code."""
    KERNELS.append(function)
    return function


def kernel_not_inlined(function: Kernel) -> Kernel:
    """Mark a kernel that is long and called from several places: it is compiled once and called, not written out."""
    NOT_INLINED.add(function)
    return kernel(function)


def can_compile() -> bool:
    """Whether Numba is here. Without it everything works, interpreted."""
    return importlib.util.find_spec("numba") is not None


def sources() -> list[Path]:
    """The files that go into compiled code."""
    return sorted(file for room in ("rules", "kernels") for file in (_PACKAGE / room).rglob("*.py"))


@cache
def digest() -> str:
    """A name for the compiled code: it changes with the rules, the kernels, their compiler and the processor."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]  # Numba has no types
    import numba
    import numpy as np

    name = hashlib.sha256()
    for file in sources():
        name.update(f"{file.relative_to(_PACKAGE).as_posix()} {file.stat().st_size}\n".encode())
        name.update(file.read_bytes())
    for fact in (
        *(sys.version, sys.implementation.name, np.__version__, numba.__version__),
        *(platform.system(), platform.machine(), llvm.get_host_cpu_name()),
        *(f"{feature}{on}" for feature, on in sorted(llvm.get_host_cpu_features().items())),
    ):
        name.update(f"{fact}\n".encode())
    return name.hexdigest()[:32]


def cache_folder() -> Path:
    """The folder for compiled code: `HEGEMON_CACHE`, or the usual place for caches on this system."""
    given = os.environ.get("HEGEMON_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        usual = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        usual = Path.home() / "Library" / "Caches"
    else:
        usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(usual) / "hegemon" / "compiled"


def remove_old_code(folder: Path) -> None:
    """Remove what was compiled for rules, versions or processors that nobody has used for a month."""
    long_ago = time.time() - CACHE_MAX_AGE_DAYS * 24 * 3600
    for old in folder.iterdir():
        if old.is_dir() and old.stat().st_mtime < long_ago:
            shutil.rmtree(old, ignore_errors=True)


@cache
def code_folder() -> Path | None:
    """This digest's own folder, ready to write; None where there is no place for it."""
    folder = cache_folder() / digest()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.utime(folder)
        remove_old_code(folder.parent)
    except (OSError, RuntimeError):  # RuntimeError: nobody knows where home is
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


@cache
def notice() -> None:
    """Say once that compiling takes a moment."""
    print(_NOTICE, file=sys.stderr, flush=True)  # noqa: T201  # a person waits and wants to know why


@cache
def _numba() -> Any:
    """Numba, told how the bits of a set are counted and picked."""
    import numba

    from hegemon.kernels import bits

    bits.register()
    return numba


@cache
def _register(function: Callable[..., object]) -> None:
    """Let compiled code call a rule or a kernel."""
    from numba.extending import register_jitable

    register_jitable(**(_OPTIONS | {"forceinline": function not in NOT_INLINED}))(function)


@cache
def _disk_cache() -> Any:
    """Numba's disk cache, in our folder, with our digest in place of the time stamp of one file."""
    caching: Any = importlib.import_module("numba.core.caching")

    class Locator(caching._CacheLocator):  # type: ignore[misc]  # Numba has no types
        def __init__(self, function: Callable[..., object], file: str) -> None:
            self._function = function
            self._py_file = file

        def get_cache_path(self) -> str:
            return str(code_folder())

        def get_source_stamp(self) -> str:
            return digest()

        def get_disambiguator(self) -> str:
            return str(self._function.__code__.co_firstlineno)

        @classmethod
        def from_function(cls, function: Callable[..., object], file: str) -> "Locator":
            return cls(function, file)

    class Entries(caching.CompileResultCacheImpl):  # type: ignore[misc]  # Numba has no types
        _locator_classes = (Locator,)

    class DiskCache(caching.FunctionCache):  # type: ignore[misc]  # Numba has no types
        _impl_class = Entries

        def load_overload(self, signature: object, target: object) -> Any:
            try:
                found = super().load_overload(signature, target)
            except Exception:  # a damaged file may raise anything; it is written anew
                self.flush()
                found = None
            if found is None:
                notice()
            return found

        def save_overload(self, signature: object, data: object) -> None:
            with suppress(OSError):  # a full disk is no reason not to play
                super().save_overload(signature, data)

    return DiskCache


def register_kernels() -> None:
    """Let compiled code call every rule and kernel, those too that came with rooms entered since the last time."""
    _numba()
    for part in (*RULES, *KERNELS):
        _register(part)


def compiled(function: Kernel, *, nogil: bool = True) -> Kernel:
    """The function compiled for this processor, its rules and kernels compiled in.

    It releases the interpreter lock while it runs, unless it is over so soon that this would take longer.
    """
    numba = _numba()
    for part in (
        *RULES,
        *KERNELS,
    ):  # every time: a room that was entered since has brought kernels of its own
        _register(part)
    dispatcher = numba.njit(nogil=nogil)(function)
    if code_folder() is None:
        notice()
    else:
        dispatcher._cache = _disk_cache()(function)
    return dispatcher  # type: ignore[no-any-return]  # Numba has no types

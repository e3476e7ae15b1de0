"""The compiler: rules and kernels are compiled to machine code when a compiled loop first needs them.

Numba is imported on first use. Machine code is cached on disk in a folder named by a digest of everything it depends
on: the source of the rules and kernels, the versions of Python, NumPy and Numba, and the processor. So code compiled
from older sources is never run.
"""

import hashlib
import importlib
import importlib.util
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from hegemon.rules import engine
from hegemon.rules.rule import RULES

Kernel = TypeVar("Kernel", bound=Callable[..., object])

KERNELS: Final[list[Callable[..., object]]] = []

NOT_INLINED: Final[set[Callable[..., object]]] = set()

#: Folders of compiled code that have not been used for longer are removed.
CACHE_MAX_AGE_DAYS: Final = 30

_PACKAGE: Final = Path(engine.__file__).parents[1]
# A rule is a few lines, and a loop calls dozens of them: it is fastest with all of them inlined.
_OPTIONS: Final = {"forceinline": True, "no_cfunc_wrapper": True}

_ANNOUNCEMENT: Final = "hegemon: compiling the rules for this processor (once; some seconds)"


def kernel(function: Kernel) -> Kernel:
    """Mark a kernel: a function that can be interpreted, or called from compiled code."""
    KERNELS.append(function)
    return function


def kernel_not_inlined(function: Kernel) -> Kernel:
    """Mark a kernel that is not inlined because it is long and called from several places."""
    NOT_INLINED.add(function)
    return kernel(function)


def can_compile() -> bool:
    """Whether Numba is installed; without it, everything is interpreted."""
    return importlib.util.find_spec("numba") is not None


def sources() -> list[Path]:
    """The source files that compiled code depends on."""
    return sorted(file for package in ("rules", "kernels") for file in (_PACKAGE / package).rglob("*.py"))


@cache
def digest() -> str:
    """A digest of the rules, the kernels, the compiler and the processor."""
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
    """The folder for compiled code: `HEGEMON_CACHE`, or the cache directory of this system."""
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
    """Remove code compiled for rules, versions or processors that are no longer used."""
    long_ago = time.time() - CACHE_MAX_AGE_DAYS * 24 * 3600
    for old in folder.iterdir():
        if old.is_dir() and old.stat().st_mtime < long_ago:
            shutil.rmtree(old, ignore_errors=True)


@cache
def code_folder() -> Path | None:
    """The folder of this digest, created if necessary; None if it cannot be."""
    folder = cache_folder() / digest()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.utime(folder)
        remove_old_code(folder.parent)
    except (OSError, RuntimeError):  # RuntimeError: there is no home directory
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


@cache
def announce() -> None:
    """Print once that compilation takes a moment."""
    print(_ANNOUNCEMENT, file=sys.stderr, flush=True)  # noqa: T201  # explains the wait


@cache
def _numba() -> Any:
    try:
        import numba
    except ImportError as error:
        raise ImportError(
            "Compiled code needs Numba. Install it with: pip install 'hegemon[speed]'"
        ) from error

    from hegemon.kernels import bits, network, observation

    bits.register()
    network.register()
    observation.register()
    return numba


@cache
def _register(function: Callable[..., object]) -> None:
    from numba.extending import register_jitable

    register_jitable(**(_OPTIONS | {"forceinline": function not in NOT_INLINED}))(function)


@cache
def _disk_cache() -> Any:
    """Numba's disk cache in our folder, with the digest instead of a file's timestamp."""
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
            except Exception:  # a damaged file may raise anything, and is replaced
                self.flush()
                found = None
            if found is None:
                announce()
            return found

        def save_overload(self, signature: object, data: object) -> None:
            with suppress(OSError):  # a full disk must not stop a game
                super().save_overload(signature, data)

    return DiskCache


@contextmanager
def _lock(file: Path) -> Iterator[None]:
    """Hold an exclusive lock between processes; no lock on Windows and where files cannot be locked."""
    try:
        import fcntl

        lock = file.open("w")
    except (ImportError, OSError):
        yield
        return
    with lock:
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_UN)  # also in processes forked in the meantime


def _cache_on_disk(dispatcher: Any, function: Callable[..., Any], folder: Path) -> None:
    """Cache compiled code on disk; of several processes that need it, one compiles and the others load it."""
    compiler_lock = importlib.import_module("numba.core.compiler_lock").global_compiler_lock
    file, compile_or_load = folder / f"{function.__module__}.{function.__name__}.lock", dispatcher.compile

    def compile_once(signature: object) -> Any:
        # Numba takes the locks in this order when one compiled function calls another.
        with compiler_lock, _lock(file):
            return compile_or_load(signature)

    dispatcher._cache = _disk_cache()(function)
    dispatcher.compile = compile_once


def register_kernels() -> None:
    """Let compiled code call all rules and kernels, including those of modules imported since the last call."""
    _numba()
    for part in (*RULES, *KERNELS):
        _register(part)


@cache
def compiled(function: Callable[..., Any], *, nogil: bool = True) -> Callable[..., Any]:
    """Compile a function for this processor, with the rules and kernels that it calls.

    It releases the GIL while it runs, unless `nogil` is off: for a short function, releasing it takes longer.
    """
    register_kernels()
    dispatcher = _numba().njit(nogil=nogil)(function)
    folder = code_folder()
    if folder is None:
        announce()
    else:
        _cache_on_disk(dispatcher, function, folder)
    return dispatcher  # type: ignore[no-any-return]  # Numba has no types

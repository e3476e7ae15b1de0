"""The code that determines how games of bots are played, apart from the options."""

import json
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from importlib import metadata
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any, Final

import hegemon
from hegemon.bots import make_bot
from hegemon.bots.registry import entry_point_bots

# The parts of our package that affect how a game is played.
_PARTS: Final = (
    *("rules", "kernels", "notation", "play", "bots"),
    *("arena/games.py", "arena/seats.py", "arena/tournament.py", "arena/export.py"),
)
_REQUIREMENT: Final = re.compile(r"[\w.-]+")
_MAX_CHANGES: Final = 8


@dataclass(frozen=True)
class Code:
    """Versions of packages by name, and digests of files."""

    versions: dict[str, str]
    files: dict[str, str]

    @classmethod
    def of(cls, bots: Iterable[str]) -> "Code":
        """Our code, that of the bots, and the versions of Python, NumPy and Numba."""
        packages = {"hegemon", "numpy", "numba"}
        files = dict(our_files())
        for name in bots:
            point = entry_point_bots().get(name)
            if point is not None and point.dist is not None:
                packages |= with_requirements({point.dist.name})
            for module in modules_of(name, point):
                packages |= with_requirements(packages_of(module))
                files |= digests(files_of(module))
            files |= digests((str(file), Path(file)) for file in getattr(make_bot(name), "files", ()))
        versions = {package: version for package in packages if (version := version_of(package))}
        return cls({"Python": platform.python_version(), **dict(sorted(versions.items()))}, files)

    def to_data(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def digest(self) -> str:
        return sha256(json.dumps(self.to_data()).encode()).hexdigest()[:16]

    def changes(self, before: Any) -> str:
        """The changes since the data of other code was written; empty if there are none."""
        data = before if isinstance(before, dict) else {}
        versions = differences(data.get("versions", {}), self.versions)
        files = differences(data.get("files", {}), self.files)
        return summarize_names([*describe_changes(versions), *files])


def differences(before: Any, now: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The values that differ, before and now."""
    return {
        key: (before.get(key), now.get(key))
        for key in sorted({*before, *now})
        if before.get(key) != now.get(key)
    }


def describe_changes(changes: dict[str, tuple[Any, Any]]) -> list[str]:
    return [
        f"{name} {'–' if before is None else before} → {'–' if now is None else now}"
        for name, (before, now) in changes.items()
    ]


def summarize_names(names: list[str]) -> str:
    """The names, separated by commas; of a long list, the first ones and the number of the others."""
    omitted = len(names) - _MAX_CHANGES
    return ", ".join([*names[:_MAX_CHANGES], *([f"… (+{omitted})"] if omitted > 0 else [])])


# ------------------------------------------------------------------ files


def digests(files: Iterable[tuple[str, Path]]) -> dict[str, str]:
    return {name: sha256(path.read_bytes()).hexdigest()[:16] for name, path in files if path.is_file()}


@cache
def our_files() -> dict[str, str]:
    package = Path(hegemon.__file__).parent
    return digests(file for part in _PARTS for file in files_under(package / part, package.parent))


def files_under(path: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """A file, or all files of a folder, with their names relative to another folder."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file() and "__pycache__" not in file.parts:
            yield file.relative_to(folder).as_posix(), file


def modules_of(name: str, point: metadata.EntryPoint | None) -> set[str]:
    """The third-party modules of a bot: that of its class, and that of the object with its name."""
    found = {type(make_bot(name)).__module__, *re.findall(r"^(.*?) *:", point.value if point else name)}
    return {module for module in found if module in sys.modules and module.partition(".")[0] != "hegemon"}


def files_of(module: str) -> Iterator[tuple[str, Path]]:
    """All files of the package of a module; for a standalone module, the file and those it imports from its folder."""
    top = sys.modules.get(module.partition(".")[0], sys.modules[module])
    packages = packages_of(module)
    if folders := getattr(top, "__path__", None):
        for folder in map(Path, folders):
            yield from files_under(folder, folder.parent)
    elif file := getattr(top, "__file__", None):
        finder = ModuleFinder([str(Path(file).parent)])
        # In an installed package, the finder would search all installed packages.
        if file.endswith(".py") and not packages:
            finder.run_script(file)  # only finds imports
        found: Iterable[Any] = finder.modules.values()
        for path in {file, *(imported.__file__ for imported in found if imported.__file__)}:
            yield from files_under(Path(path), Path(file).parent)
    for name in packages:
        for part in metadata.files(name) or []:
            if part.suffix != ".pyc" and not part.parts[0].endswith(".dist-info"):
                yield part.as_posix(), Path(part.locate())


# ------------------------------------------------------------------ versions


def packages_of(module: str) -> set[str]:
    """The installed packages that a module belongs to."""
    return set(packages_by_module().get(module.partition(".")[0], []))


@cache
def packages_by_module() -> Mapping[str, list[str]]:
    """The installed packages by the modules they provide; reads the list of files of each package."""
    return metadata.packages_distributions()


def with_requirements(packages: set[str]) -> set[str]:
    """Installed packages with their requirements."""
    required = (line for name in packages for line in metadata.requires(name) or [] if "extra ==" not in line)
    return packages | {need[0] for line in required if (need := _REQUIREMENT.match(line))}


def version_of(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None

"""Mutation testing: change the code in one place at a time and check that a test fails.

    make mutants                                        # all packages, within an hour on two cores
    .venv/bin/python tests/mutants/run.py rules play    # some of them
    .venv/bin/python tests/mutants/run.py play --again  # what survived in the last run, with the tests as they are now

mutmut leaves decorated functions alone, and every rule and kernel is decorated. So it runs on a copy of the
repository in build/mutants in which those decorators are removed; a rule or a kernel is the plain function there.
Packages with the same tests share a copy. `mutmut show NAME` in such a copy prints a mutant.

Survivors must be listed in survivors.toml, each with a reason: either it is equivalent, which means that it behaves as
the original does and no test can tell them apart, or it is accepted. Equivalent mutants do not count in the score; the
raw score counts all. Where a package has more mutants than an hour allows, a sample is tested: a digest of the
mutant's name decides, so that each run of the same code tests the same ones.
"""

import argparse
import functools
import gc
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COPIES = ROOT / "build" / "mutants"
SURVIVORS = HERE / "survivors.toml"

#: The share of tested mutants that tests must notice, in percent; equivalent mutants are not counted.
MIN_SCORE = 95

#: The maximum number of tests to run for a mutant: some functions are part of every test of the server.
MAX_TESTS = 500

#: The number of them that are simply the most specific ones.
MAX_SPECIFIC_TESTS = 50

#: A test hangs if it takes this many seconds more than ten times its usual time; then the mutant counts as noticed.
HANGING = 20

#: Seconds between checks of a test that may hang.
INTERVAL = 5

#: Folders that no test of the mutated packages needs.
NOT_COPIED = shutil.ignore_patterns("__pycache__", "browser", "golden")

#: Exit codes of mutmut.
SKIPPED, TIMED_OUT = 34, 36


@dataclass(frozen=True)
class Package:
    """A package to mutate, the tests that must notice, and how many of its mutants are tested."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    percent: int = 100
    unreachable: tuple[str, ...] = ()
    """Functions, or modules, whose mutants no test reaches: they run compiled, or once on import, before mutmut
    switches one on."""


_SERVER_TESTS = (
    *("tests/server", "tests/security", "-m", "not slow or workers"),
    *(f"--ignore=tests/server/test_{name}.py" for name in ("kills", "leaks", "openapi")),
    "--ignore=tests/security/test_dependencies.py",
)

PACKAGES = {
    "rules": Package(("rules/*",), ("tests/rulebook",), 20, unreachable=("_actions", "rule")),
    "play": Package(
        ("play/*",),
        (
            "tests/play",
            "tests/rulebook/test_hidden_information.py",
            "tests/invariants/test_memory.py",
            "tests/invariants/test_reprs.py",
            *("-k", "not both_speeds"),
        ),
        10,
    ),
    "kernels/tree": Package(
        ("kernels/tree.py",),
        ("tests/kernels/test_tree.py", "-k", "not compiled"),
        unreachable=("grow_records", "grow_compiled"),
    ),
    "server/db": Package(
        ("server/db/*",),
        _SERVER_TESTS,
        5,
        # The last ones are about backups of PostgreSQL databases, whose tests are slow.
        unreachable=(
            "game_key",
            "time_column",
            "_tournament_key",
            "backups._export",
            "backups._load",
            "transfers",
        ),
    ),
    "server/tables": Package(("server/tables/*",), _SERVER_TESTS, 6),
}

SETTINGS = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {sources}
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:pytest_cov"]
timeout_constant = 3600
use_git_change_detection = false
do_not_mutate = ["*/migrations/*"]
also_copy = ["docs", "benchmarks"]
"""


# ------------------------------------------------------------------ in the copy


def make_copy(names: list[str], folder: Path) -> None:
    """Copy source and tests of packages with the same tests, without the decorators of rules and kernels."""
    patterns = [pattern for name in names for pattern in PACKAGES[name].sources]
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("src", "tests", "docs", "benchmarks"):
        shutil.copytree(ROOT / name, folder / name, ignore=NOT_COPIED)
    write_settings(names, folder)
    for pattern in patterns:
        for path in (folder / "src" / "hegemon").glob(pattern.replace("*", "**/*.py")):
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(r"^@(rule|kernel|kernel_apart)\n", "", text, flags=re.MULTILINE))


def write_settings(names: list[str], folder: Path) -> None:
    """Write the settings of the project and of mutmut to a copy."""
    sources = [f"src/hegemon/{pattern}" for name in names for pattern in PACKAGES[name].sources]
    settings = SETTINGS.format(sources=json.dumps(sources), tests=json.dumps(PACKAGES[names[0]].tests))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (folder / "pyproject.toml").write_text(project + settings, encoding="utf-8")


def package_of(mutant: str) -> str:
    return next(name for name in PACKAGES if mutant.startswith(f"hegemon.{name.replace('/', '.')}."))


def is_tested(mutant: str, percent: int | None) -> bool:
    package = PACKAGES[package_of(mutant)]
    sampled = hashlib.sha256(mutant.encode()).digest()[0] * 100 < (percent or package.percent) * 256
    return sampled and not any(f".{name}." in f"{readable(mutant)}." for name in package.unreachable)


class Waiting:
    """The seconds that this process has been ready to run while others had the processors (Linux; elsewhere 0)."""

    def __init__(self) -> None:
        self._by_thread: dict[str, float] = {}

    def since_last_call(self) -> float:
        """The longest such time of a thread since the last call: the others may have waited for that thread."""
        now = {}
        for path in Path("/proc/self/task").glob("*/schedstat"):
            try:
                now[path.parent.name] = int(path.read_text().split()[1]) / 1e9
            except OSError:  # the thread has ended
                continue
        before, self._by_thread = self._by_thread, now
        return max((seconds - before.get(thread, 0) for thread, seconds in now.items()), default=0)


class TimeLimit:
    """Ends a run when a test hangs, not counting the time in which a busy machine did not let it run."""

    def __init__(self) -> None:
        self._waiting = Waiting()
        self._last = self._left = 0.0
        signal.signal(signal.SIGALRM, lambda *_: self._look())

    def start(self, usual_duration: float) -> None:
        self._waiting.since_last_call()
        self._last, self._left = time.monotonic(), HANGING + 10 * usual_duration
        signal.alarm(INTERVAL)

    def _look(self) -> None:
        last, self._last = self._last, time.monotonic()
        self._left -= max(0, self._last - last - self._waiting.since_last_call())
        if self._left < 0:
            os._exit(TIMED_OUT)
        signal.alarm(INTERVAL)

    def stop(self) -> None:
        signal.alarm(0)


def selected(tests: Iterable[str], functions: dict[str, set[str]], durations: dict[str, float]) -> list[str]:
    """The tests to run for a mutant, of those that execute it.

    First the most specific ones, which execute the fewest functions: most mutants fail them soon. A mutant of a
    constructor or of a shutdown may break what these do not use, so then come tests that together execute every
    function that is ever executed together with the mutant, rare functions first; and at last the other ones.
    """
    ordered = sorted(tests, key=lambda test: (len(functions[test]), durations[test], test))
    tests_of: dict[str, list[str]] = defaultdict(list)
    for test in ordered:
        for function in functions[test]:
            tests_of[function].append(test)
    chosen = dict.fromkeys(ordered[:MAX_SPECIFIC_TESTS])
    executed = set().union(*(functions[test] for test in chosen))
    for function in sorted(tests_of, key=lambda function: (len(tests_of[function]), function)):
        if function not in executed:
            chosen[tests_of[function][0]] = None
            executed |= functions[tests_of[function][0]]
    return list(chosen | dict.fromkeys(ordered))[:MAX_TESTS]


def clear_caches(package: str) -> None:
    """Forget what the functions of a package have returned before a mutant was switched on."""
    gc.unfreeze()  # frozen objects are not found
    for cached in gc.get_objects():
        if isinstance(cached, functools._lru_cache_wrapper) and cached.__module__.startswith(package):
            cached.cache_clear()
    gc.freeze()


def run_mutmut(names: list[str], percent: int | None, *, again: bool) -> None:
    """Run mutmut in this folder; write the outcomes to results.json, and the changes that survived."""
    import pytest
    from mutmut import __main__ as mutmut
    from mutmut.runners.harness import PytestRunner
    from mutmut.state import state
    from mutmut.stats import status_by_exit_code
    from mutmut.utils.file_utils import change_cwd
    from mutmut.workers.isolation import ForkRunner

    class Statistics:
        """Notes which functions a test executes, fixtures included, and how long it takes.

        mutmut looks before the fixtures of a test are torn down, so that a shutdown would belong to the next test.
        """

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_protocol(self, item):
            state()._stats.clear()
            start, waiting = time.monotonic(), Waiting()
            waiting.since_last_call()
            result = yield
            state().duration_by_test[item.nodeid] = time.monotonic() - start - waiting.since_last_call()
            for function in state()._stats:
                state().tests_by_mangled_function_name[function].add(item.nodeid)
            return result

    class Limits:
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_protocol(self, item):
            limit.start(state().duration_by_test[item.nodeid])
            try:
                return (yield)
            finally:
                limit.stop()

    def execute(runner, params, plugins=()):
        """Run pytest with its own temporary folder: another run may clear the shared one."""
        folder = Path(tempfile.gettempdir(), str(os.getpid()))
        try:
            return run_pytest(runner, [*params, f"--basetemp={folder}"], plugins=list(plugins))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run_statistics(runner, *, tests):
        with change_cwd("mutants"):
            return runner.execute_pytest(runner._pytest_args_regular_run(tests), plugins=[Statistics()])

    def run_tests(runner, *, mutant_name, tests):
        functions = defaultdict(set)
        for function, its_tests in state().tests_by_mangled_function_name.items():
            for test in its_tests:
                functions[test].add(function)
        chosen = selected(tests, functions, state().duration_by_test)
        if mutant_name:
            clear_caches(f"hegemon.{package_of(mutant_name).replace('/', '.')}")
        with change_cwd("mutants"):
            return runner.execute_pytest(runner._pytest_args_regular_run(chosen), plugins=[Limits()])

    def collect_sample(*, mutant_names):
        mutants, files = collect(mutant_names=mutant_names)
        for data, name, exit_code in mutants:
            if not is_tested(name, percent):
                data.exit_code_by_key[name] = SKIPPED
            elif again and is_survivor(exit_code):
                data.exit_code_by_key[name] = None
        for data in files.values():
            data.save()
        return collect(mutant_names=mutant_names)

    def is_survivor(exit_code):
        return status_by_exit_code[exit_code] not in ("killed", "timeout", "skipped")

    limit = TimeLimit()
    run_pytest, collect = PytestRunner.execute_pytest, mutmut.collect_source_file_mutation_data
    mutmut.collect_source_file_mutation_data = collect_sample
    PytestRunner.execute_pytest = execute
    PytestRunner.run_stats, PytestRunner.run_tests = run_statistics, run_tests
    ForkRunner.run_clean_tests = lambda runner, tests: 0  # all tests have passed for the statistics
    mutmut._run((), os.cpu_count())

    results = {name: {"outcomes": Counter(), "survivors": []} for name in names}
    mutants, _ = collect(mutant_names=())
    for data, name, exit_code in mutants:
        result = results[package_of(name)]
        result["outcomes"][status_by_exit_code[exit_code]] += 1
        if is_survivor(exit_code):
            diff = mutmut.get_diff_for_mutant(name, path=data.path)
            result["survivors"].append(f"{readable(name)}: {change(diff)}")
    Path("results.json").write_text(json.dumps(results))


def readable(mutant: str) -> str:
    """The name of a mutated function as one would write it."""
    module, _, function = mutant.partition("__mutmut_")[0].rpartition(".")
    return f"{module}.{function.removeprefix('x_').removeprefix('xǁ').replace('ǁ', '.')}"


def change(diff: str) -> str:
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    before, after = (" ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
    return f"{before} → {after}"


# ------------------------------------------------------------------ in the repository


def listed(kind: str) -> list[str]:
    """The mutants in survivors.toml that are "equivalent" or "accepted"."""
    groups = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))[kind]
    assert all(group["reason"] for group in groups)
    return [mutant for group in groups for mutant in group["mutants"]]


def with_same_tests(names: list[str]) -> list[list[str]]:
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        groups.setdefault(PACKAGES[name].tests, []).append(name)
    return list(groups.values())


def run_in_copy(names: list[str], percent: int | None, *, again: bool) -> dict[str, dict[str, Any]]:
    """Test the mutants of packages; return their outcomes by package."""
    folder = COPIES / "-".join(names).replace("/", "-")
    if again:
        shutil.copytree(ROOT / "tests", folder / "tests", ignore=NOT_COPIED, dirs_exist_ok=True)
        write_settings(names, folder)
    else:
        make_copy(names, folder)
    command = [sys.executable, str(HERE / "run.py"), *names, "--in-copy"]
    command += [f"--percent={percent}"] if percent else []
    command += ["--again"] if again else []
    log = folder.with_suffix(".log")
    with log.open("w") as output, tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment["TMPDIR"] = temporary
        # PostgreSQL refuses to run as root, so the tests start it as another user.
        Path(temporary).chmod(0o755)
        run = subprocess.run(command, cwd=folder, env=environment, check=False, stdout=output, stderr=output)
    if run.returncode:
        last = "\n".join(log.read_text().splitlines()[-40:])
        sys.exit(f"mutmut failed; {log.relative_to(ROOT)} ends with:\n{last}")
    return json.loads((folder / "results.json").read_text())


def main(names: list[str], percent: int | None, *, again: bool) -> int:
    equivalent, accepted = set(listed("equivalent")), set(listed("accepted"))
    unlisted, failed = [], False
    rows = ["| Package | Mutants | Tested | Killed | Survived | Equivalent | Raw score | Score |"]
    rows += ["|---|" + "---:|" * 7]
    for group in with_same_tests(names or list(PACKAGES)):
        start, used = time.monotonic(), os.times()
        for name, result in run_in_copy(group, percent, again=again).items():
            outcomes, survivors = result["outcomes"], result["survivors"]
            total = sum(outcomes.values())
            tested = total - outcomes.get("skipped", 0)
            killed = tested - len(survivors)
            same = sum(mutant in equivalent for mutant in survivors)
            raw, score = 100 * killed / tested, 100 * killed / (tested - same)
            failed |= score < MIN_SCORE
            unlisted += [mutant for mutant in sorted(survivors) if mutant not in equivalent | accepted]
            figures = [total, tested, killed, len(survivors), same, f"{raw:.1f} %", f"{score:.1f} %"]
            rows.append(f"| `{name}` | {' | '.join(map(str, figures))} |")
            print(f"{name}: {outcomes.get('timeout', 0)} mutants made a test hang")
        cpu = sum(os.times()[2:4]) - sum(used[2:4])
        print(f"{', '.join(group)}: {time.monotonic() - start:.0f} s, {cpu:.0f} s of CPU time", flush=True)
    print("\n".join(rows))
    if unlisted:
        print(f"\nSurvivors that {SURVIVORS.relative_to(ROOT)} does not list:")
        print("\n".join(unlisted))
    return int(failed or bool(unlisted))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Test the tests by mutants of the code.")
    parser.add_argument("packages", nargs="*", choices=[[], *PACKAGES], help="those to mutate (default: all)")
    parser.add_argument("--percent", type=int, help="how many of the mutants to test")
    parser.add_argument("--again", action="store_true", help="test only the survivors of the last run")
    parser.add_argument("--in-copy", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    run = run_mutmut if options.in_copy else main
    sys.exit(run(options.packages, options.percent, again=options.again))

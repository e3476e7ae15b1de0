"""Mutation testing: change the code in one place at a time and check that a test fails.

    make mutants                                        # all packages, within an hour on two cores
    .venv/bin/python tests/mutants/run.py rules play    # some of them

mutmut leaves decorated functions alone, and every rule and kernel is decorated. So it runs on a copy of the
repository in build/mutants in which those decorators are removed; a rule or a kernel is the plain function there.
Packages with the same tests share a copy. `mutmut show NAME` in such a copy prints a mutant.

Survivors must be listed in survivors.toml, each with the reason why no test can or need notice it. Where a package
has more mutants than an hour allows, a sample is tested: a digest of the mutant's name decides, so that each run of
the same code tests the same ones.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COPIES = ROOT / "build" / "mutants"
SURVIVORS = HERE / "survivors.toml"

#: The share of tested mutants that tests must notice, in percent.
MIN_SCORE = 95

#: Tests that may notice a mutant, the quickest first: some functions are part of every test of the server.
MAX_TESTS = 150

#: A test hangs if it takes this many seconds more than ten times its usual time; a mutant that does that is noticed.
HANGING = 60

#: Exit codes of mutmut.
SKIPPED, TIMED_OUT = 34, 36


@dataclass(frozen=True)
class Package:
    """A package to mutate, the tests that must notice, and how many of its mutants are tested."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    percent: int = 100
    unreachable: tuple[str, ...] = ()
    """Functions whose mutants no test reaches: they run compiled, or once on import, before mutmut switches one on."""


_SERVER_TESTS = (
    *("tests/server", "tests/security", "-m", "not slow"),
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
            *("-k", "not speed"),
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
        # The last one is for PostgreSQL, whose tests are slow.
        unreachable=("_game_key", "_time", "_tournament_key", "_claim_lock"),
    ),
    "server/tables": Package(("server/tables/*",), _SERVER_TESTS, 6),
}

SETTINGS = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {sources}
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:pytest_cov"]
timeout_multiplier = 10
timeout_constant = 60
use_git_change_detection = false
do_not_mutate = ["*/migrations/*"]
also_copy = ["docs"]
"""


# ------------------------------------------------------------------ in the copy


def make_copy(names: list[str], folder: Path) -> None:
    """Copy source and tests of packages with the same tests, without the decorators of rules and kernels."""
    patterns = [pattern for name in names for pattern in PACKAGES[name].sources]
    tests = PACKAGES[names[0]].tests
    shutil.rmtree(folder, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__", "browser", "golden")
    for name in ("src", "tests", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    sources = [f"src/hegemon/{pattern}" for pattern in patterns]
    settings = SETTINGS.format(sources=json.dumps(sources), tests=json.dumps(tests))
    (folder / "pyproject.toml").write_text(project + settings, encoding="utf-8")
    for pattern in patterns:
        for path in (folder / "src" / "hegemon").glob(pattern.replace("*", "**/*.py")):
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(r"^@(rule|kernel|kernel_apart)\n", "", text, flags=re.MULTILINE))


def package_of(mutant: str) -> str:
    return next(name for name in PACKAGES if mutant.startswith(f"hegemon.{name.replace('/', '.')}."))


def is_tested(mutant: str, percent: int | None) -> bool:
    package = PACKAGES[package_of(mutant)]
    sampled = hashlib.sha256(mutant.encode()).digest()[0] * 100 < (percent or package.percent) * 256
    return sampled and readable(mutant).rpartition(".")[2] not in package.unreachable


def run_mutmut(names: list[str], percent: int | None) -> None:
    """Run mutmut in this folder; write the outcomes to results.json, and the changes that survived."""
    import pytest
    from mutmut import __main__ as mutmut
    from mutmut.runners.harness import PytestRunner
    from mutmut.state import state
    from mutmut.stats import status_by_exit_code
    from mutmut.workers.isolation import ForkRunner

    # mutmut 3.8 reads an attribute that pytest 9 no longer has.
    pytest.Item._nodeid = property(lambda item: item.nodeid)

    class TimeLimit:
        """Ends a run when a test hangs. mutmut limits whole runs, which a busy machine exceeds without any fault."""

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_protocol(self, item):
            signal.alarm(HANGING + int(10 * state().duration_by_test.get(item.nodeid, 0)))
            try:
                return (yield)
            finally:
                signal.alarm(0)

    signal.signal(signal.SIGALRM, lambda *_: os._exit(TIMED_OUT))
    execute, submit = PytestRunner.execute_pytest, ForkRunner.submit
    collect = mutmut.collect_source_file_mutation_data

    def execute_with_limit(runner, params, plugins=()):
        return execute(runner, params, plugins=[*plugins, TimeLimit()])

    def collect_sample(*, mutant_names):
        mutants, files = collect(mutant_names=mutant_names)
        for data, name, _ in mutants:
            if not is_tested(name, percent):
                data.exit_code_by_key[name] = SKIPPED
        for data in files.values():
            data.save()
        return collect(mutant_names=mutant_names)

    def submit_quickest(runner, mutant, tests, *limits):
        submit(runner, mutant, sorted(tests, key=state().duration_by_test.get)[:MAX_TESTS], *limits)

    mutmut.collect_source_file_mutation_data = collect_sample
    PytestRunner.execute_pytest = execute_with_limit
    ForkRunner.submit = submit_quickest
    ForkRunner.run_clean_tests = lambda runner, tests: 0  # all tests have passed for the statistics
    mutmut._run((), os.cpu_count())

    results = {name: {"outcomes": Counter(), "survivors": []} for name in names}
    mutants, _ = collect(mutant_names=())
    for data, name, exit_code in mutants:
        outcome, result = status_by_exit_code[exit_code], results[package_of(name)]
        result["outcomes"][outcome] += 1
        if outcome not in ("killed", "timeout", "skipped"):
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


def listed_survivors() -> set[str]:
    groups = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))["survivors"]
    assert all(group["reason"] for group in groups)
    return {mutant for group in groups for mutant in group["mutants"]}


def with_same_tests(names: list[str]) -> list[list[str]]:
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        groups.setdefault(PACKAGES[name].tests, []).append(name)
    return list(groups.values())


def run_in_copy(names: list[str], percent: int | None) -> dict[str, dict[str, Any]]:
    """Test the mutants of packages; return their outcomes by package."""
    folder = COPIES / "-".join(names).replace("/", "-")
    make_copy(names, folder)
    command = [sys.executable, str(HERE / "run.py"), *names, "--in-copy"]
    command += [f"--percent={percent}"] if percent else []
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    log = folder.with_suffix(".log")
    with log.open("w") as output:
        run = subprocess.run(command, cwd=folder, env=environment, check=False, stdout=output, stderr=output)
    if run.returncode:
        last = "\n".join(log.read_text().splitlines()[-40:])
        sys.exit(f"mutmut failed; {log.relative_to(ROOT)} ends with:\n{last}")
    return json.loads((folder / "results.json").read_text())


def main(names: list[str], percent: int | None) -> int:
    listed, unlisted, failed = listed_survivors(), [], False
    rows = ["| Package | Mutants | Tested | Killed | Survived | Score |", "|---|---|---|---|---|---|"]
    for group in with_same_tests(names or list(PACKAGES)):
        start, used = time.monotonic(), os.times()
        for name, result in run_in_copy(group, percent).items():
            outcomes, survivors = result["outcomes"], result["survivors"]
            total = sum(outcomes.values())
            tested = total - outcomes.get("skipped", 0)
            killed = tested - len(survivors)
            score = 100 * killed / tested
            failed |= score < MIN_SCORE
            unlisted += [mutant for mutant in sorted(survivors) if mutant not in listed]
            rows.append(f"| `{name}` | {total} | {tested} | {killed} | {len(survivors)} | {score:.1f} % |")
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
    parser.add_argument("--in-copy", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_copy:
        run_mutmut(options.packages, options.percent)
    else:
        sys.exit(main(options.packages, options.percent))

"""Compiling: when it happens, where its results are saved, and that an edited rule never runs from old code."""

import inspect
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import hegemon
from hegemon.kernels import can_compile, compiled, compiler
from hegemon.kernels.bits import count_bits, nth_bit
from hegemon.rules.rule import RULES

PACKAGE = Path(hegemon.__file__).parent

# A loop that is compiled within a second: how many cards win a Hegemony.
SMALL = """
from hegemon.kernels import compiled, to_record
from hegemon.rules.position import Position
from hegemon.rules.victory import hegemony_threshold
def needed(position):
    return hegemony_threshold(position, 0, 0)
print(compiled(needed)(to_record(Position(players=2))))
"""


def bit_words(choices, n):
    return count_bits(choices), nth_bit(choices, n)


def run(program, package, cache, **variables):
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(package.parent), "HEGEMON_CACHE": str(cache), **variables},
        capture_output=True,
        text=True,
        check=True,
        cwd=package.parent,
    )


@pytest.fixture
def package(tmp_path):
    """A copy of the package, to edit."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "hegemon", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.mark.slow
def test_one_of_several_processes_compiles_and_an_edited_rule_is_compiled_again(package, tmp_path):
    with ThreadPoolExecutor() as both:
        starts = [both.submit(run, SMALL, package, tmp_path / "cache") for _ in range(2)]
    assert [start.result().stdout for start in starts] == ["8\n"] * 2
    loads, compiles = sorted(start.result().stderr for start in starts)
    assert loads == ""
    assert compiles.count("\n") == 1
    assert "compiling" in compiles

    again = run(SMALL, package, tmp_path / "cache")
    assert (again.stdout, again.stderr) == ("8\n", "")

    rule = package / "rules" / "victory.py"
    kept = rule.stat()
    text = rule.read_text(encoding="utf-8")
    edited = text.replace("(8 if position.players == 2", "(9 if position.players == 2")
    assert edited != text
    rule.write_text(edited, encoding="utf-8")
    os.utime(rule, ns=(kept.st_atime_ns, kept.st_mtime_ns))  # even if the modification time is unchanged
    changed = run(SMALL, package, tmp_path / "cache", PYTHONDONTWRITEBYTECODE="1")
    assert changed.stdout == "9\n"
    assert "compiling" in changed.stderr


@pytest.mark.slow
def test_a_damaged_file_is_compiled_again(package, tmp_path):
    cache = tmp_path / "cache"
    run(SMALL, package, cache)
    for file in cache.rglob("*.nb?"):
        file.write_bytes(b"not what Numba wrote")
    again = run(SMALL, package, cache)
    assert again.stdout == "8\n"
    assert run(SMALL, package, cache).stderr == ""


@pytest.mark.slow
def test_without_a_writable_cache_code_is_compiled_every_time(package, tmp_path):
    place = tmp_path / "taken"
    place.write_text("a file where the folder should be")
    for _ in range(2):
        result = run(SMALL, package, place)
        assert result.stdout == "8\n"
        assert "compiling" in result.stderr


@pytest.mark.parametrize(
    "module", ["hegemon.kernels", "hegemon.kernels.random_play", "hegemon.kernels.transcript"]
)
def test_numba_is_imported_only_when_needed(module):
    program = f"import sys, {module}; print('numba' in sys.modules)"
    assert run(program, PACKAGE, "unused").stdout == "False\n"


def test_numpy_is_imported_with_the_first_name():
    program = "import sys, hegemon.kernels; print('numpy' in sys.modules)"
    assert run(program, PACKAGE, "unused").stdout == "False\n"


def test_the_digest_covers_every_rule_and_kernel():
    named = {file.relative_to(PACKAGE).as_posix() for file in compiler.sources()}
    assert {"rules/cards.py", "rules/effects/board.py", "kernels/random_play.py"} <= named
    assert not any(name.startswith(("notation", "play")) for name in named)
    assert len(compiler.digest()) == 32
    assert len({function.__name__ for function in RULES}) == len(RULES)


@pytest.mark.parametrize("part", [*RULES, *compiler.KERNELS], ids=lambda part: part.__name__)
def test_rules_and_kernels_return_numbers(part):
    """CUDA cannot return a part of a position, such as an array of piles."""
    assert inspect.signature(part).return_annotation in (int, float, bool, None)


def test_old_code_is_removed(tmp_path):
    for name, days in (("new", 1), ("old", 40)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code").write_text("")
        then = time.time() - days * 24 * 3600
        os.utime(tmp_path / name, (then, then))
    (tmp_path / "file").write_text("")
    compiler.remove_old_code(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "new"]


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {"HEGEMON_CACHE": "/mine"}, "/mine"),
        ("linux", {"XDG_CACHE_HOME": "/var/cache/me"}, "/var/cache/me/hegemon/compiled"),
        ("linux", {}, "/home/me/.cache/hegemon/compiled"),
        ("darwin", {}, "/home/me/Library/Caches/hegemon/compiled"),
        ("win32", {}, "/home/me/AppData/Local/hegemon/compiled"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/hegemon/compiled"),
    ],
)
def test_the_cache_is_in_the_cache_folder_of_the_user(monkeypatch, platform, variables, place):
    for name in ("HEGEMON_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    monkeypatch.setattr(sys, "platform", platform)
    assert compiler.cache_folder() == Path(place)


def test_the_bits_of_a_set_are_counted_and_picked_alike_at_both_speeds():
    fast = compiled(bit_words)
    for choices in (1, 0b1011, 1 << 62 | 1 << 5, (1 << 63) - 1):
        for n in range(choices.bit_count()):
            assert fast(choices, n) == bit_words(choices, n)
    top = 1 << 63 | 0b1001
    assert [bit_words(top, n) for n in range(3)] == [(3, 0), (3, 3), (3, 63)]
    assert [fast(top - (1 << 64), n) for n in range(3)] == [(3, 0), (3, 3), (3, 63)]


def test_numba_is_installed():
    assert can_compile()

"""Files of the repository: no links outside, pinned dependencies, a changelog that matches the version."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Spelled in pieces, so that this file does not break its own rule.
ELSEWHERE = [
    "../" + "shared",
    *(name + ".org" for name in ("pypi", "pythonhosted", "npmjs")),
    "npmjs" + ".com",
]


def files_of_the_repository():
    if not (ROOT / ".git").exists():  # an unpacked sdist
        return [path for path in ROOT.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_no_file_links_elsewhere(elsewhere):
    assert [
        str(path.relative_to(ROOT)) for path in files_of_the_repository() if elsewhere in text_of(path)
    ] == []


def test_the_lock_pins_everything_with_hashes_and_names_no_registry():
    for lock in ("runtime.txt", "dev.txt"):
        text = text_of(ROOT / "requirements" / lock).replace(" \\\n    ", " ")
        for line in text.splitlines():
            assert line.startswith("#") or re.match(
                r"[a-z0-9-]+(\[[a-z0-9,-]+\])?==[0-9][^ ]*( ; .+?)?( --hash=sha256:[0-9a-f]{64})+$", line
            ), line


def test_players_and_developers_get_the_same_versions():
    def pins(lock):
        return set(
            re.findall(
                r"^([a-z0-9-]+)(?:\[.*\])?==([^ \n]+)", text_of(ROOT / "requirements" / lock), re.MULTILINE
            )
        )

    assert pins("runtime.txt")
    assert pins("runtime.txt") <= pins("dev.txt")


def test_version_and_changelog_agree():
    changelog = text_of(ROOT / "CHANGELOG.md")
    released = re.findall(r"^## \[(\d[^\]]*)\]", changelog, re.MULTILINE)
    version = PROJECT["version"]
    if ".dev" in version:
        assert "## [Unreleased]" in changelog
        assert version.partition(".dev")[0] not in released
    else:
        assert released[:1] == [version]


def test_every_documented_make_target_exists():
    targets = set(re.findall(r"^([a-z]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        named = re.findall(r"(?:`|^)make(?: [A-Z_]+=\S+)* ([a-z]+)", text_of(page), re.MULTILINE)
        assert set(named) <= targets, page

"""What a package index would get: a complete sdist, a wheel, their description, and a bill of materials."""

import json
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from test_files import files_of_the_repository

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SOURCE = PROJECT["urls"]["Source"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the wheel and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def sdist(built, tmp_path_factory):
    """The unpacked sdist."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def description(built):
    """The metadata of the wheel."""
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(wheel.read(name))


@pytest.mark.slow
def test_twine_accepts_both(built):
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, built.iterdir())]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 2


@pytest.mark.slow
def test_the_sdist_has_every_file_of_the_repository(sdist):
    missing = [path for path in files_of_the_repository() if not (sdist / path.relative_to(ROOT)).is_file()]
    assert missing == []


@pytest.mark.slow
def test_the_tests_can_be_collected_from_the_sdist(sdist):
    options = ["--collect-only", "--quiet", "--assert=plain", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, "tests"]
    environment = {"PYTHONPATH": str(sdist / "src"), "PATH": ""}
    done = subprocess.run(command, cwd=sdist, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    assert re.search(r"^\d{4,} tests collected", done.stdout, re.MULTILINE)


@pytest.mark.slow
def test_the_files_of_an_sdist_are_known_without_git(sdist):
    there = runpy.run_path(str(sdist / "tests" / "repository" / "test_files.py"))["files_of_the_repository"]()
    assert len(there) >= len(files_of_the_repository())


@pytest.mark.slow
def test_the_package_names_its_authors_and_addresses(description):
    assert description["Author"] == "The Hegemon contributors"
    assert {line.partition(", ")[0] for line in description.get_all("Project-URL")} == {
        "Source", "Documentation", "Changelog", "Issues",
    }  # fmt: skip
    assert all(url.startswith(SOURCE) for url in PROJECT["urls"].values())


@pytest.mark.slow
def test_the_readme_of_the_package_has_absolute_links(description):
    text = re.sub(r"```.*?```", "", description.get_payload(), flags=re.DOTALL)
    links = re.findall(r'\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"', text)
    assert links
    for link in ("".join(pair) for pair in links):
        assert link.startswith("https://"), link
        if link.startswith(SOURCE):
            path, _, _ = link.removeprefix(SOURCE).split("/main/")[1].partition("#")
            assert (ROOT / path).exists(), link


def test_the_readme_says_how_to_install_the_package():
    assert "\npip install hegemon " in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_bill_of_materials_lists_the_lock():
    bill = runpy.run_path(str(ROOT / "scripts" / "sbom.py"))["bill"]
    found = bill()
    assert json.dumps(found) == json.dumps(bill())
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", found["serialNumber"])
    locked = (ROOT / "requirements" / "runtime.txt").read_text(encoding="utf-8")
    pins = re.findall(r"^([a-z0-9-]+)(?:\[.*\])?==([^ \n]+)", locked, re.MULTILINE)
    assert [(part["name"], part["version"]) for part in found["components"]] == pins
    assert all(part["purl"] == f"pkg:pypi/{part['name']}@{part['version']}" for part in found["components"])
    assert sum(len(part["hashes"]) for part in found["components"]) == locked.count("--hash=sha256:")
    refs = [part["bom-ref"] for part in found["components"]]
    assert len(set(refs)) == len(refs)
    assert found["dependencies"] == [{"ref": found["metadata"]["component"]["bom-ref"], "dependsOn": refs}]
    assert {"expression": "BSD-3-Clause"} in [part.get("licenses", [{}])[0] for part in found["components"]]

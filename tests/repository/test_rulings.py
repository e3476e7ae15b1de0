"""Every ruling that affects play has a test that names it, and docs/guide/rulings.md names that test."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from hegemon.prose.rulings import load_rulings

ROOT = Path(__file__).parents[2]
RULINGS = ROOT / "docs" / "guide" / "rulings.md"
RULEBOOK = ROOT / "tests" / "rulebook"


def documented_tests():
    """Read docs/guide/rulings.md: the tests named under each `### ID · Title`."""
    assert RULINGS.is_file(), "docs/guide/rulings.md is missing"
    tests = {}
    for section in re.split(r"^(?=#{1,3} )", RULINGS.read_text(encoding="utf-8"), flags=re.MULTILINE):
        if heading := re.match(r"### (\S+) · ", section):
            assert heading[1] not in tests, f"docs/guide/rulings.md has two headings for {heading[1]}"
            lines = re.findall(r"^Tests?: ((?:.+\n?)+)", section, re.MULTILINE)
            tests[heading[1]] = re.findall(r"`(test_\w+)`", "".join(lines))
    assert tests, "docs/guide/rulings.md has no heading of the form '### D01 · Title'"
    return tests


def headings():
    """Read docs/guide/rulings.md: the ids under each `## Heading`, where there are any."""
    ids = {}
    for chapter in re.split(r"^(?=## )", RULINGS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        if under := re.findall(r"^### (\S+) · ", chapter, re.MULTILINE):
            ids[chapter.splitlines()[0].removeprefix("## ")] = under
    return ids


def marked_tests():
    """Read tests/rulebook: the rulings that each test names by `@ruling`."""
    assert RULEBOOK.is_dir(), "tests/rulebook is missing"
    rulings = defaultdict(set)
    for path in sorted(RULEBOOK.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                rulings[node.name] |= {
                    argument.value
                    for mark in node.decorator_list
                    if isinstance(mark, ast.Call) and getattr(mark.func, "id", None) == "ruling"
                    for argument in mark.args
                    if isinstance(argument, ast.Constant)
                }
    assert rulings, "tests/rulebook has no test"
    return rulings


@pytest.fixture(scope="module")
def documented():
    return documented_tests()


@pytest.fixture(scope="module")
def marked():
    return marked_tests()


def test_every_ruling_has_a_test(documented, marked):
    tested = set().union(*marked.values())
    assert sorted(set(documented) - tested) == [], "rulings in docs/guide/rulings.md without an @ruling test"


def test_every_ruling_names_its_test(documented):
    assert sorted(identity for identity, tests in documented.items() if not tests) == [], "no 'Test: ' line"


def test_every_test_that_a_ruling_names_exists_and_has_its_id(documented, marked):
    lost = [
        f"{identity}: {test}"
        for identity, tests in documented.items()
        for test in tests
        if identity not in marked.get(test, ())
    ]
    assert lost == [], "docs/guide/rulings.md names tests that are not there or not marked with that id"


def test_every_ruling_that_a_test_names_is_documented(documented, marked):
    unknown = [
        f"{test}: {identity}"
        for test, identities in marked.items()
        for identity in sorted(identities)
        if identity not in documented
    ]
    assert unknown == [], "tests name rulings that docs/guide/rulings.md does not have"


def test_players_can_look_up_every_ruling_under_the_same_heading():
    assert {
        chapter.heading: list(chapter.rulings) for chapter in load_rulings().chapters.values()
    } == headings()

"""The documentation names pages that exist, and its examples run."""

import doctest
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAPERS = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def pages_of(nav):
    """Every page that a navigation names, at any depth."""
    if isinstance(nav, str):
        return [nav]
    return [page for entry in (nav.values() if isinstance(nav, dict) else nav) for page in pages_of(entry)]


def test_the_navigation_names_every_page_once():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    there = sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
    assert sorted(pages_of(nav)) == there


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.relative_to(ROOT).as_posix())
def test_links_between_papers_lead_somewhere(paper):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", paper.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    lost = [t for t in targets if t and "://" not in t and not (paper.parent / t).exists()]
    assert lost == []


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.relative_to(ROOT).as_posix())
def test_the_examples_run_as_printed(paper):
    # A closing fence is no part of the output it follows.
    text = re.sub(r"^```\w*$", "", paper.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, paper.name, str(paper), 0)
    assert doctest.DocTestRunner(verbose=False).run(examples).failed == 0

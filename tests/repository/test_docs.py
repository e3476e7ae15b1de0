"""Links in the documentation resolve, and its examples run, as printed and as scripts."""

import doctest
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import yaml
from alembic import command
from babel.messages.pofile import read_po
from sqlalchemy import create_engine

from hegemon import Game, write_record
from hegemon.kernels.network import Network
from hegemon.learn.files import write_weights
from hegemon.prose.catalogs import FOLDER
from hegemon.server.db.migrate import alembic_config

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def pages_of(nav):
    """All pages named in a navigation, at any depth."""
    if isinstance(nav, str):
        return [nav]
    return [page for entry in (nav.values() if isinstance(nav, dict) else nav) for page in pages_of(entry)]


def test_the_navigation_names_every_page_once():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    there = sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
    assert sorted(pages_of(nav)) == there


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_resolve(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    broken = [t for t in targets if t and "://" not in t and not (page.parent / t).exists()]
    assert broken == []


#: Its examples compile the batches.
COMPILED = DOCS / "reference" / "env.md"


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] if page == COMPILED else []) for page in PAGES],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_examples_run_as_printed(page):
    # Without the closing fence, which doctest would take for output.
    text = re.sub(r"^```\w*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner(verbose=False).run(examples).failed == 0


#: Blocks that are excerpts of other files, or need a GPU.
EXCERPTS = {"CONTRIBUTING.md": 5, "docs/internals/translating.md": 1, "docs/reference/env.md": 1}
#: Needs a server: tests/client/test_docs.py runs it.
CLIENT = DOCS / "reference" / "client.md"


def script_of(page):
    """All examples of a page as one program, in their order; its prompts are left out."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^ *```python\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    return "\n".join("".join(lines_of(textwrap.dedent(block))) for block in blocks)


def lines_of(block):
    if not re.search("^>>>", block, re.MULTILINE):
        return [block]
    examples = doctest.DocTestParser().get_examples(block)
    return [source_of(example) for example in examples]


def source_of(example):
    if example.exc_msg is None:
        return example.source
    return f"try:\n{textwrap.indent(example.source, '    ')}except Exception:\n    pass\n"


def write_backup(path):
    """Write a database without games, with the current schema."""
    config = alembic_config()
    with create_engine(f"sqlite:///{path}").begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def test_excerpts_are_few():
    """A block of Python is run, unless it is marked as `py`."""
    found = {
        page.relative_to(ROOT).as_posix(): len(
            re.findall(r"^ *```py$", page.read_text(encoding="utf-8"), re.MULTILINE)
        )
        for page in PAGES
    }
    assert {page: number for page, number in found.items() if number} == EXCERPTS


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page != CLIENT and script_of(page)],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_examples_run_as_a_script(page, tmp_path):
    """What a reader copies into a file runs there: from the top of a page to its end, in a new process."""
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    game = Game(2, seed=1)
    (tmp_path / "game.toml").write_text(write_record(game.record()), encoding="utf-8")
    (tmp_path / "runs" / "first").mkdir(parents=True)
    write_weights(tmp_path / "runs" / "first" / "weights.npz", Network.random(0, (8, 8, 8)))
    write_backup(tmp_path / "backup.db")
    script = tmp_path / "example.py"
    script.write_text(script_of(page), encoding="utf-8")
    search = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests" / "rulebook")])
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env={**os.environ, "PYTHONPATH": search},
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


#: Pages of the guide whose italics are labels of browsers, or emphasis.
WITHOUT_LABELS = {"app.md", "names.md", "rules.md", "rulings.md"}


def sentences_of_pages():
    """The English sentences of the server's pages, without punctuation at the end."""
    with (FOLDER / "de.po").open("rb") as file:
        ids = [message.id for message in read_po(file)]
    texts = [text for found in ids for text in ([found] if isinstance(found, str) else found)]
    return {text.rstrip(".:…").lower() for text in texts}


def test_the_guide_uses_the_labels_of_the_pages():
    known = sentences_of_pages()
    unknown = [
        f"{page.name}: {label}"
        for page in sorted((DOCS / "guide").glob("*.md"))
        if page.name not in WITHOUT_LABELS
        for found in re.findall(r"(?<!\*)\*([^*|]+)\*(?!\*)", page.read_text(encoding="utf-8"))
        if (label := " ".join(found.split())).rstrip(".,:").lower() not in known
    ]
    assert unknown == []

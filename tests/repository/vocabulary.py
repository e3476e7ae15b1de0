"""The vocabulary of the repository: phrases that CONTRIBUTING.md replaces with the terms of the field.

    .venv/bin/python tests/repository/vocabulary.py    # count the findings in each folder

Code is searched in its comments, docstrings and names, everything else as a whole. Other strings are sentences that
players read or input of tests, and text in quotation marks or backticks is a quotation.
"""

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "docs", "benchmarks", "scripts", "examples")
SUFFIXES = {".py", ".md", ".js", ".css", ".html", ".toml", ".sh", ".c"}

PHRASES = {
    "an unnamed person as subject": r"who(m?)ever|somebody|nobody|everybody|anybody",
    "a limit or interval in words": r"so (many|long|often|much)(?! (as|that))(?! \w+ that)",
    "a person told or asked": r"(is|are|was|were|be|been|being|gets?) (told|asked)",
    "X is no Y": r"(?<!there )(is|are|was|were) no(?= \w)(?! (longer|larger|more|one|matter)(?![a-z]))",
    "an archaic adverb": r"anew|at turn|besides the game",
    "a spectator": r"look(s|ed|ing)? on|onlookers?",
    "creating a game": r"(lay|lays|laying|laid) (a|the|out a) (table|game)s?|laid|relaid",
    "saving": r"put away|puts away|is kept in|are kept in|keepers?",
    "the repository": r"house|house-keeping|rooms?|doors?|papers?|laws?",
    "a choice or move": r"what (is|was) said|words?(?= (that|which) (is|are|was|were) (said|legal|offered))",
    "webhooks": r"postman|postmen|mailbox(es)?",
}
# Names join words by underscores, so an underscore is a boundary like a space.
PATTERNS = {
    kind: re.compile(rf"(?<![a-z])({pattern.replace(' ', '[ _]')})(?![a-z])", re.IGNORECASE)
    for kind, pattern in PHRASES.items()
}

#: Quotations: (path, phrase) pairs that are meant to stay.
QUOTATIONS: set[tuple[str, str]] = set()


def searched_text(path: Path):
    """Line numbers and the text of a file in which the vocabulary applies."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from _comments_docstrings_and_names(text)
        return
    if path.suffix == ".md":
        text = re.sub(
            r"^```.*?^```|`[^`\n]*`|“[^”]*”|\"[^\"\n]*\"", _blank, text, flags=re.DOTALL | re.MULTILINE
        )
    if path.suffix == ".html":
        text = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", _blank, text, flags=re.DOTALL)
    if path.suffix == ".toml":  # its strings are sentences that players read
        text = re.sub(r'"""(?s:.*?)"""|"[^"\n]*"', _blank, text)
    if path.suffix == ".js":
        text = re.sub(r"`[^`]*`|\"[^\"\n]*\"", _blank, text)
    yield from enumerate(text.splitlines(), 1)


def _blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def _comments_docstrings_and_names(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.NAME):
            yield token.start[0], token.string
    # A string that is a statement documents the module, class, function or attribute before it.
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            quoted = re.sub(r"`[^`]*`|\"[^\"]*\"|“[^”]*”", _blank, node.value.value)
            yield from enumerate(quoted.splitlines(), node.lineno)


@cache  # the same names are in many files
def replaced_in(line: str) -> tuple[str, ...]:
    """The phrases of a line that are replaced by others."""
    return tuple(match[0] for pattern in PATTERNS.values() for match in pattern.finditer(line))


def findings():
    """All uses of a replaced phrase, as (path, line number, phrase, line)."""
    pages = sorted(ROOT.glob("*.md"))
    for path in [*pages, *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")))]:
        if path.suffix not in SUFFIXES or path == Path(__file__) or "__pycache__" in path.parts:
            continue
        name = path.relative_to(ROOT).as_posix()
        for kind, pattern in PATTERNS.items():
            for match in pattern.finditer(name):
                yield name, 0, match[0], kind
        for number, line in searched_text(path):
            for phrase in replaced_in(line):
                if (name, phrase.lower()) not in QUOTATIONS:
                    yield name, number, phrase, line.strip()


if __name__ == "__main__":
    found = list(findings())
    if sys.argv[1:] and (wanted := sys.argv[1]):
        for name, number, phrase, line in found:
            if name.startswith(wanted):
                print(f"{name}:{number}: [{phrase}] {line}")
    else:
        for folder, count in sorted(Counter("/".join(name.split("/")[:3]) for name, *_ in found).items()):
            print(f"{count:6} {folder}")
        print(f"{len(found):6} in all")

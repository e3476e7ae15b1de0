"""Dependencies: installed by their hashes, and audited where an index answers."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def audit():
    spec = importlib.util.spec_from_file_location("audit", ROOT / "scripts" / "audit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_installing_checks_the_hashes():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    installed = re.findall(r"install (.*)--requirement", makefile)
    assert installed == ["--require-hashes "] * 2
    assert "--generate-hashes" in makefile


def test_a_known_vulnerability_fails_the_audit(audit, monkeypatch, capsys):
    answer = {
        "dependencies": [
            {"name": "safe", "version": "1.0", "vulns": []},
            {"name": "unknown", "skip_reason": "not found"},
            {"name": "bad", "version": "2.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]},
        ]
    }
    monkeypatch.setattr(audit, "install", lambda: None)
    monkeypatch.setattr(audit, "query", lambda: answer)
    assert audit.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        "audited 2 of 3 packages: 1 known vulnerabilities",
        "bad 2.0: PYSEC-1, fixed in ['2.1']",
    ]
    del answer["dependencies"][2]
    assert audit.main() == 0


@pytest.mark.parametrize(
    "failure",
    [OSError(), subprocess.TimeoutExpired("pip", 1), subprocess.CalledProcessError(1, "pip"), ValueError()],
)
def test_without_an_answer_the_audit_does_not_fail(audit, monkeypatch, capsys, failure):
    def fail():
        raise failure

    monkeypatch.setattr(audit, "install", fail)
    assert audit.main() == 0
    assert capsys.readouterr().out.startswith("not audited")

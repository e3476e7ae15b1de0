"""Look up known vulnerabilities of the locked dependencies that a server runs with.

    python scripts/audit.py    # or: make audit

Fails only if a vulnerability is known. If the package index cannot be reached, it says so and succeeds.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCKED = ROOT / "requirements" / "runtime.txt"
TOOL = ROOT / ".venv-lock" / "bin" / "pip-audit"

#: The timeout for installing the tool, and for the query.
TIMEOUT_SECONDS = 120


def main() -> int:
    try:
        install()
        answer = query()
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        print(f"not audited: {type(error).__name__}")
        return 0
    audited, found = read(answer)
    print(f"audited {audited} of {len(answer['dependencies'])} packages: {len(found)} known vulnerabilities")
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


def install() -> None:
    if not TOOL.exists():
        folder = TOOL.parents[1]
        run(sys.executable, "-m", "venv", str(folder))
        pip = ("-m", "pip", "--quiet", "--disable-pip-version-check", "--timeout", "5", "--retries", "0")
        run(str(folder / "bin" / "python"), *pip, "install", "pip-audit")


def query() -> dict:
    """The output of pip-audit, whose exit status does not distinguish a finding from a failure."""
    options = ("--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json")
    return json.loads(run(str(TOOL), *options, "--requirement", str(LOCKED), check=False))


def run(*command: str, check: bool = True) -> str:
    return subprocess.run(
        command, check=check, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    ).stdout


def read(answer: dict) -> tuple[int, list[str]]:
    """The number of packages that the index knows, and a line for each vulnerability."""
    known = [package for package in answer["dependencies"] if "vulns" in package]
    return len(known), [
        f"{package['name']} {package['version']}: {found['id']}, fixed in {found['fix_versions']}"
        for package in known
        for found in package["vulns"]
    ]


if __name__ == "__main__":
    sys.exit(main())

"""Write the software bill of materials of a server as CycloneDX JSON.

    python scripts/sbom.py > hegemon.cdx.json    # or: make dist

It lists the locked dependencies with the hashes of their files and the licenses of the installed packages. The same
lock file always gives the same output.
"""

import json
import re
import sys
import tomllib
import uuid
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCKED = ROOT / "requirements" / "runtime.txt"
PIN = re.compile(r"^([a-z0-9-]+)(?:\[[^\]]*\])?==([^ ;]+)(?: ; (.+?))?((?: --hash=sha256:[0-9a-f]{64})+)$")


def main() -> None:
    json.dump(bill(), sys.stdout, indent=2)
    print()


def bill() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = {
        "type": "application",
        "name": project["name"],
        "version": project["version"],
        "description": project["description"],
        **references(project["name"], project["version"]),
        "licenses": [{"license": {"id": project["license"]}}],
    }
    parts = components()
    refs = [part["bom-ref"] for part in parts]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([own, parts]))}",
        "version": 1,
        "metadata": {"component": own},
        "components": parts,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": refs}],
    }


def components() -> list[dict[str, Any]]:
    lines = LOCKED.read_text(encoding="utf-8").replace(" \\\n    ", " ").splitlines()
    return [component(*pin.groups()) for line in lines if (pin := PIN.match(line))]


def component(name: str, version: str, marker: str | None, hashes: str) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "library", "name": name, "version": version, **references(name, version)}
    found["hashes"] = [
        {"alg": "SHA-256", "content": digest.removeprefix("--hash=sha256:")} for digest in hashes.split()
    ]
    if known := license_of(name):
        found["licenses"] = [known]
    if marker:  # installed on some systems only
        found["properties"] = [{"name": "python:marker", "value": marker}]
    return found


def references(name: str, version: str) -> dict[str, str]:
    url = f"pkg:pypi/{name}@{version}"
    return {"bom-ref": url, "purl": url}


def license_of(name: str) -> dict[str, Any] | None:
    """The license that an installed package declares, as an SPDX expression or by name."""
    try:
        facts = metadata(name)
    except PackageNotFoundError:
        return None
    if expression := facts.get("License-Expression"):
        return {"expression": expression}
    named = facts.get("License", "")
    return {"license": {"name": named}} if named and "\n" not in named else None


if __name__ == "__main__":
    main()

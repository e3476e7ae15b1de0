"""The layout of an observation as a table: `python -m hegemon.env.spec` prints it for `docs/reference/env.md`."""

import sys

from hegemon.kernels.observation import OBSERVATION


def spec_table() -> str:
    """The pieces of an observation as a Markdown table: offset, shape and meaning."""
    rows = ["| piece | from | shape | meaning |", "|---|---:|---|---|"]
    for piece in OBSERVATION:
        shape = " × ".join(map(str, piece.shape))
        rows.append(f"| `{piece.name}` | {piece.offset} | {shape} | {piece.meaning} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.stdout.write(spec_table())

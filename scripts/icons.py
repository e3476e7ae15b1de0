"""Draw the icons of the installed app from its SVG: `.venv/bin/python scripts/icons.py`."""

from pathlib import Path

import resvg_py

STATIC = Path(__file__).parents[1] / "src" / "hegemon" / "server" / "web" / "static"


def icons() -> dict[str, bytes]:
    """The PNG files by name; systems round the corners of a full square, and crop a maskable icon to a circle."""
    rounded = (STATIC / "icon.svg").read_text(encoding="utf-8")
    square = rounded.replace(' rx="5"', "")
    small = '<g transform="translate(2.4 2.4) scale(.8)"><path'
    maskable = square.replace("<path", small).replace("</svg>", "</g></svg>")
    sources = {
        "icon-180.png": (square, 180),
        "icon-192.png": (rounded, 192),
        "icon-512.png": (rounded, 512),
        "icon-maskable.png": (maskable, 512),
    }
    return {
        name: bytes(resvg_py.svg_to_bytes(svg_string=svg, width=size, height=size))
        for name, (svg, size) in sources.items()
    }


if __name__ == "__main__":
    for name, png in icons().items():
        (STATIC / name).write_bytes(png)

"""Pictures that browsers and other sites load: QR codes, icons, and the previews of links."""

import re
import struct
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

import resvg_py
import segno

#: The size of previews of links, which chats and social networks expect.
WIDTH: Final = 1200
HEIGHT: Final = 630

#: DejaVu Serif, with the characters of all languages of the pages; `scripts/preview_fonts.py` writes its files.
_FONT: Final = "DejaVu Serif"
_FONT_FILES: Final = [str(file) for file in sorted((Path(__file__).parents[1] / "fonts").glob("*.ttf"))]

#: Characters that our font lacks, such as those of Asian names; they need a system font.
_MISSING_CHARACTERS: Final = re.compile("[^\u0000-\u024f\u0370-\u045f\u1e00-\u1eff\u2010-\u203a€−▶★]")

_ICON: Final = Path(__file__).parents[1] / "static" / "icon.svg"
_ICON_SIZE: Final = 48


def png_of(svg: str, width: int | None = None) -> bytes:
    """An SVG as a PNG, in its own size or with that width."""
    needs_system_fonts = _MISSING_CHARACTERS.search(svg) is not None
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            serif_family=_FONT,
            font_files=_FONT_FILES,
            skip_system_fonts=not needs_system_fonts,
        )
    )


def qr_image(link: str) -> bytes:
    """The QR code of a link, as an SVG."""
    out = BytesIO()
    segno.make(link, error="m", micro=False).save(
        out, kind="svg", border=3, dark="#000", light="#fff", omitsize=True
    )
    return out.getvalue()


@cache
def favicon() -> bytes:
    """The icon of the site as an ICO file: one PNG after a header and a directory of one entry."""
    png = png_of(_ICON.read_text(encoding="utf-8"), _ICON_SIZE)
    header = struct.pack("<HHHBBBBHHII", 0, 1, 1, _ICON_SIZE, _ICON_SIZE, 0, 0, 1, 32, len(png), 22)
    return header + png

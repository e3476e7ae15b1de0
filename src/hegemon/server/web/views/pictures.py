"""Pictures that browsers and other sites load: QR codes, and the preview of a link."""

from io import BytesIO
from typing import Final

import resvg_py
import segno

#: The size of previews of links, which chats and social networks expect.
WIDTH: Final = 1200
HEIGHT: Final = 630

#: A font with the letters of all languages; a server without it draws no letters.
_FONT: Final = "DejaVu Serif"


def png_of(svg: str) -> bytes:
    """An SVG as a PNG, in its own size."""
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, serif_family=_FONT))


def qr_image(link: str) -> bytes:
    """The QR code of a link, as an SVG."""
    out = BytesIO()
    segno.make(link, error="m", micro=False).save(
        out, kind="svg", border=3, dark="#000", light="#fff", omitsize=True
    )
    return out.getvalue()

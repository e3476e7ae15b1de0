"""Write the fonts of link previews: DejaVu Serif with the letters of our languages, and a star from DejaVu Sans.

    .venv/bin/python scripts/preview_fonts.py

The originals come with Matplotlib, a development dependency. A server needs neither Matplotlib nor a system font.
"""

from pathlib import Path
from shutil import copyfile

import matplotlib as mpl
from fontTools import subset
from fontTools.ttLib import TTFont

ORIGINALS = Path(mpl.get_data_path(), "fonts", "ttf")
FOLDER = Path(__file__).parents[1] / "src" / "hegemon" / "server" / "web" / "fonts"

#: Latin, Greek and Cyrillic letters, punctuation, and the signs of the pictures.
LETTERS = [
    *range(0x20, 0x250), *range(0x370, 0x460), *range(0x1E00, 0x1F00), *range(0x2010, 0x203B), 0x20AC, 0x2212, 0x25B6,
]  # fmt: skip
STAR = 0x2605


def write_font(name: str, star: TTFont) -> None:
    options = subset.Options(hinting=False, layout_features=["kern", "mark"], drop_tables=["FFTM"])
    font = subset.load_font(str(ORIGINALS / name), options)
    glyph = star.getBestCmap()[STAR]
    font.setGlyphOrder([*font.getGlyphOrder(), "star"])
    font["glyf"]["star"], font["hmtx"]["star"] = star["glyf"][glyph], star["hmtx"][glyph]
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[STAR] = "star"
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=[*LETTERS, STAR])
    chosen.subset(font)
    font["head"].modified = font["head"].created
    font.recalcTimestamp = False
    font.save(FOLDER / name)


if __name__ == "__main__":
    star = TTFont(ORIGINALS / "DejaVuSans.ttf")
    for name in ("DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf"):
        write_font(name, star)
    copyfile(ORIGINALS / "LICENSE_DEJAVU", FOLDER / "LICENSE")

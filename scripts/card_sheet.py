"""Render all cards as people with each form of color vision see them: `python scripts/card_sheet.py` (needs Chromium).

No server is needed: the page uses the server's templates and static files.
"""

import io
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Final

from jinja2 import Environment, FileSystemLoader
from PIL import Image
from playwright.sync_api import Browser, Page, Route, sync_playwright

from hegemon.prose.translator import get_translator
from hegemon.rules.cards import KINDS, Domain, age_of, domain_of

ROOT: Final = Path(__file__).parents[1]
WEB: Final = ROOT / "src" / "hegemon" / "server" / "web"
PICTURE: Final = ROOT / "docs" / "pictures" / "color-vision.webp"
ADDRESS: Final = "http://cards.test/"

#: Normal vision, the three forms of missing cones, and none at all: gray.
VISIONS: Final = ("none", "protanopia", "deuteranopia", "tritanopia", "achromatopsia")

#: The widths at which cards are shown, in pixels.
WIDTHS: Final = (24, 32, 40, 52, 64, 75, 100, 160)

_STYLE: Final = """
body { display: grid; gap: 8px; padding: 8px; justify-items: start; width: max-content; min-height: 0; }
.row { display: flex; gap: 8px; background: var(--page); }
.row .back { --card-w: inherit; }
"""


def cards(language: str) -> str:
    """The fifteen kinds of card in a language, and a back of each Age."""
    templates = Environment(loader=FileSystemLoader(WEB / "templates"), autoescape=True)
    parts = templates.get_template("parts.html").make_module()
    names = get_translator(language).domains
    faces = []
    for kind in KINDS:
        domain, age = Domain(domain_of(kind)), age_of(kind)
        card = SimpleNamespace(domain=domain, age=age, kind=f"{domain.letter}{age}", choice="")
        faces.append(parts.card(card, names[domain], "sheet"))
    return "".join([*faces, *(parts.back(age, "sheet") for age in (1, 2, 3))])


def sheet(language: str, widths: Sequence[int], theme: str = "light") -> str:
    """A page with a row of all cards for each width."""
    styles = "".join(f'<link rel="stylesheet" href="/static/{name}.css">' for name in ("base", "cards"))
    row = cards(language)
    rows = "".join(f'<div class="row" style="--card-w: {width}px">{row}</div>' for width in widths)
    head = f'<meta charset="utf-8"><link rel="icon" href="data:,">{styles}<style>{_STYLE}</style>'
    return f'<!doctype html><html lang="{language}" data-theme="{theme}"><head>{head}</head><body>{rows}</body></html>'


@contextmanager
def open_page(browser: Browser, content: str, scale: float = 1) -> Iterator[Page]:
    """A page in a browser, wide enough for a row."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(ADDRESS)
        if path.startswith("static/"):
            route.fulfill(path=WEB / path)
        else:
            route.fulfill(body=content, content_type="text/html; charset=utf-8")

    context = browser.new_context(viewport={"width": 3100, "height": 200}, device_scale_factor=scale)
    context.route("**/*", answer)
    page = context.new_page()
    page.goto(ADDRESS)
    yield page
    context.close()


def screenshot_as_seen(page: Page, vision: str) -> Image.Image:
    """The page as people with that form of color vision see it."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setEmulatedVisionDeficiency", {"type": vision})
    picture = page.locator("body").screenshot()
    session.detach()
    return Image.open(io.BytesIO(picture)).convert("RGB")


def main() -> None:
    """Take a picture for each form of color vision, and put them below one another."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        with open_page(browser, sheet("en", (64, 24)), scale=1.25) as page:
            pictures = [screenshot_as_seen(page, vision) for vision in VISIONS]
        browser.close()
    whole = Image.new("RGB", (pictures[0].width, sum(picture.height for picture in pictures)))
    for number, picture in enumerate(pictures):
        whole.paste(picture, (0, number * picture.height))
    whole.save(PICTURE, quality=70, method=6)
    print(f"{PICTURE.relative_to(ROOT)}  {PICTURE.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()

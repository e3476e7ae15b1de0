"""Take the screenshots in the README and the documentation: `python scripts/screenshots.py` (needs Chromium).

The games are always the same, so a picture changes only where the page does. `turn` is an animation of one turn; its
clock advances frame by frame, independent of the speed of this machine.
"""

import asyncio
import dataclasses
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, BrowserContext, BrowserType, Page, ViewportSize, sync_playwright

from hegemon.analysis import Analysis
from hegemon.bots import make_bot
from hegemon.notation.record import write_record
from hegemon.play.game import Game
from hegemon.rules.actions import CHOICES
from hegemon.rules.position import Question
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import MoveRow, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.runner import database_url
from hegemon.server.security import tokens

PICTURES: Final = Path(__file__).parents[1] / "docs" / "pictures"
NAMES: Final = ("Ada", "Zenobia", "Ashoka", "Hypatia")
TOKEN: Final = "screenshots".ljust(43, "-")

PHONE: Final = {
    "viewport": {"width": 390, "height": 844}, "device_scale_factor": 1.5, "is_mobile": True, "has_touch": True,
}  # fmt: skip
LANDSCAPE: Final = PHONE | {"viewport": {"width": 844, "height": 390}}
DARK: Final = {"color_scheme": "dark"}

#: The quality of a picture, from 0 to 100.
QUALITY: Final = 80

#: The animation: the sizes of its window and its frames, and milliseconds per frame.
WINDOW: Final[ViewportSize] = {"width": 1280, "height": 800}
FRAME_SIZE: Final = (840, 525)
FRAME_TIME: Final = 80


def screen(height: int = 860) -> dict[str, Any]:
    """A large screen of that height."""
    return {"viewport": {"width": 1380, "height": height}}


def play_until(game: Game, until: Callable[[Game], bool]) -> Game:
    """Let bots continue a game, always the same way, until a condition holds or the game is over."""
    bots = [make_bot("greedy", seat) for seat in range(game.players)]
    while not game.over and not until(game):
        seat = next(seat for seat in range(game.players) if game.choices_of(seat))
        game.play(bots[seat].choose(game.view(seat), game.memory(seat), game.choices_of(seat)), seat)
    return game


def in_step_2(moves: int) -> Callable[[Game], bool]:
    """A condition: the first player may use effects, after that many moves."""
    return lambda game: (
        game.seat == 0 and game.view(0).question == Question.EFFECTS and len(game.moves) > moves
    )


def to_play(moves: int) -> Callable[[Game], bool]:
    """A condition: the first player has to play a card, after that many moves."""
    return lambda game: game.seat == 0 and game.view(0).question == Question.PLAY and len(game.moves) > moves


def games() -> dict[str, Game]:
    """The games by name, each at the position that is shown."""
    return {
        "table": play_until(Game(3, seed=5, names=NAMES[:3]), in_step_2(80)),
        "draft": play_until(
            Game(4, "draft", seed=4, names=NAMES, teams=True),
            lambda game: len(game.moves) > 5 and bool(game.choices_of(0)),
        ),
        "finished": play_until(Game(3, seed=5, names=NAMES[:3]), lambda game: False),
        "friends": play_until(Game(3, seed=5, names=NAMES[:3]), in_step_2(80)),
        "invited": Game(3, seed=5, names=NAMES[:3]),
        "turn": play_until(Game(3, seed=9, names=NAMES[:3]), to_play(81)),
    }


def occupants(name: str, game: Game) -> list[SeatRow]:
    """The players of a game: the viewer with bots, with friends, or with an open seat."""
    own = SeatRow(None, tokens.owner_of(TOKEN))
    if name == "friends":
        return [own, SeatRow(None, "ben"), SeatRow(None, "cleo")]
    if name == "invited":
        return [own, SeatRow(None, "ben"), SeatRow(None, None, invite="q0X2cUOZ4b0uP9tL")]
    return [own, *[SeatRow("normal", None)] * (game.players - 1)]


#: The options of the tables of friends.
OPTIONS: Final = {
    "friends": TableOptions(clock="3d a move", spectator_delay=1),
    "invited": TableOptions(clock="3d a move"),
}


def pages() -> dict[str, tuple[str, dict[str, Any]]]:
    """The path and the device of each screenshot."""
    return {
        "start": ("/", screen(960)),
        "table": ("/games/table", screen()),
        "table-dark": ("/games/table", screen() | DARK),
        "table-phone": ("/games/table", PHONE),
        "table-phone-de": ("/games/table", PHONE | {"locale": "de"}),
        "table-phone-el": ("/games/table", PHONE | DARK | {"locale": "el"}),
        "table-phone-hu": ("/games/table", PHONE | {"locale": "hu"}),
        "table-phone-pl": ("/games/table", PHONE | DARK | {"locale": "pl"}),
        "table-landscape": ("/games/table", LANDSCAPE),
        "draft": ("/games/draft", screen()),
        "end": ("/games/finished", screen()),
        "replay": ("/games/finished/replay?decided=true", screen()),
        "invited": ("/games/invited", screen(1000)),
        "friends": ("/games/friends", screen()),
        "hands": ("/games/friends/hands", screen(640)),
        "lesson": ("/learn/5", screen(760)),
        "lesson-phone": ("/learn/8", PHONE),
        "puzzle": ("/puzzles/2", screen(720)),
    }


async def create_games(database: Path) -> None:
    """Save the games in a database for the server."""
    store = Store(database_url(str(database)))
    await store.migrate()
    for name, game in games().items():
        record = game.record()
        await store.games.create(
            name,
            write_record(dataclasses.replace(record, moves=(), result=None)),
            occupants(name, game),
            [MoveRow(number, seat, CHOICES[choice]) for number, (seat, choice) in enumerate(record.moves, 1)],
            finished=game.over,
            host=tokens.owner_of(TOKEN),
            options=OPTIONS.get(name, TableOptions()),
        )
        if game.over:
            await store.analyses.save(name, json.dumps(Analysis.of(game).to_dict()))
    await store.close()


def add_cookies(context: BrowserContext, address: str, **values: str) -> None:
    """Add cookies, including the one that turns sounds off, so that the page does not ask."""
    everything = {"sound": "off", **values}
    context.add_cookies(
        [{"name": name, "value": value, "url": address} for name, value in everything.items()]
    )


def take(browser: Browser, address: str, path: str, device: dict[str, Any]) -> bytes:
    """A screenshot of a page as PNG."""
    context = browser.new_context(base_url=address, reduced_motion="reduce", **{"locale": "en-GB", **device})
    # The start page would show a known player the time since the last game, which varies; all hands are for spectators.
    is_known = path != "/" and not path.endswith("/hands")
    add_cookies(context, address, **({tokens.COOKIE: TOKEN} if is_known else {}))
    page = context.new_page()
    page.goto(path, wait_until="load")
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    picture = page.screenshot()
    context.close()
    return picture


# ------------------------------------------------------------------ the animation


#: Advance all finite animations of the page by some milliseconds, and pause them.
ADVANCE_ANIMATIONS = """milliseconds => {
  for (const one of document.getAnimations()) {
    const { endTime } = one.effect.getComputedTiming();
    if (endTime === Infinity) continue;
    one.pause();
    one.currentTime = Math.min(endTime, (one.currentTime ?? 0) + milliseconds);
    if (one.currentTime >= endTime) one.finish();
  }
}"""


class Animation:
    """Records a page whose clock advances frame by frame."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[Image.Image] = []
        self.times: list[int] = []
        self._pointer: tuple[float, float] | None = None

    def shoot(self, seconds: float) -> None:
        """Record some seconds; identical consecutive frames are merged."""
        for _ in range(round(seconds * 1000 / FRAME_TIME)):
            self.page.clock.run_for(FRAME_TIME)
            self.page.evaluate(ADVANCE_ANIMATIONS, FRAME_TIME)
            frame = self._frame()
            if self.frames and frame.tobytes() == self.frames[-1].tobytes():
                self.times[-1] += FRAME_TIME
            else:
                self.frames.append(frame)
                self.times.append(FRAME_TIME)

    def press(self, selector: str) -> None:
        """Show the pointer at an element, and click it."""
        element = self.page.locator(selector).locator("visible=true").first
        box = element.bounding_box()
        assert box is not None, selector
        self._pointer = box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 60)
        self.page.mouse.move(*self._pointer)
        self.shoot(0.7)
        self.page.mouse.click(*self._pointer)
        self.page.wait_for_timeout(300)  # for the response
        self.shoot(0.3)
        self._pointer = None

    def _frame(self) -> Image.Image:
        frame = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB").resize(FRAME_SIZE)
        if self._pointer is not None:
            x, y = (at * FRAME_SIZE[0] / WINDOW["width"] for at in self._pointer)
            ImageDraw.Draw(frame).ellipse((x - 9, y - 9, x + 9, y + 9), outline="#1b5fbf", width=4)
        return frame

    def save(self, file: Path) -> None:
        first, *others = self.frames
        first.save(
            file,
            save_all=True,
            append_images=others,
            duration=self.times,
            loop=0,
            quality=55,
            method=6,
            minimize_size=True,
        )


def record_turn(browser: Browser, address: str, file: Path) -> None:
    """Record one turn: play a card, attack, end the turn, and show the moves of the other players."""
    context = browser.new_context(base_url=address, viewport=WINDOW, locale="en-GB")
    add_cookies(context, address, **{tokens.COOKIE: TOKEN})
    page = context.new_page()
    page.clock.install()
    page.goto("/games/turn", wait_until="load")
    animation = Animation(page)
    animation.shoot(0.8)
    animation.press("[data-region=hand] button[value=E]")
    animation.shoot(1.2)
    animation.press(".own .column[data-domain=M] .head")
    animation.shoot(0.5)
    animation.press("#actions-0-M button[value=mM]")
    animation.shoot(1.2)
    animation.press("#aimed .primary")
    animation.shoot(1.5)
    animation.press("button[value='.']")
    for _ in range(6):
        page.wait_for_timeout(400)
        animation.shoot(0.8)
    animation.save(file)
    context.close()


def free_port() -> int:
    """A port that is not in use."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def report(file: Path) -> None:
    print(f"{file.relative_to(Path.cwd())}  {file.stat().st_size // 1024} kB")


def main() -> None:
    """Create the games, serve them, and take their pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "games.db"
        asyncio.run(create_games(database))
        address = f"http://127.0.0.1:{free_port()}"
        command = [sys.executable, "-c", "from hegemon.cli import main; main()", "serve"]
        command += ["--port", address.rpartition(":")[2], "--base-url", "https://play.example.org"]
        with (
            subprocess.Popen(
                [*command, "--database", str(database)],
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            ) as server,
            sync_playwright() as playwright,
        ):
            try:
                if server.stdout is not None and server.stdout.readline():
                    take_all(playwright.chromium, address, sys.argv[1:])
            finally:
                server.send_signal(signal.SIGINT)


def take_all(chromium: BrowserType, address: str, wanted: list[str]) -> None:
    """Take all pictures, or only the named ones."""
    browser = chromium.launch(
        executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
    )
    for name, (path, device) in pages().items():
        if not wanted or name in wanted:
            file = PICTURES / f"{name}.webp"
            picture = Image.open(io.BytesIO(take(browser, address, path, device)))
            picture.save(file, quality=QUALITY, method=6)
            report(file)
    if not wanted or "turn" in wanted:
        record_turn(browser, address, PICTURES / "turn.webp")
        report(PICTURES / "turn.webp")
    browser.close()


if __name__ == "__main__":
    main()

"""Take the pictures of the page that README and docs show: `python scripts/screenshots.py` (needs Chromium).

The games are always the same, so a picture changes only where the page does.
"""

import asyncio
import dataclasses
import io
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

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from hegemon.bots import make_bot
from hegemon.notation.record import write_record
from hegemon.play.game import Game
from hegemon.rules.actions import CHOICES
from hegemon.rules.position import Question
from hegemon.server.db.options import TableOptions
from hegemon.server.db.schema import MoveRow, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.runner import database_url
from hegemon.server.security import tokens

PICTURES: Final = Path(__file__).parents[1] / "docs" / "pictures"
NAMES: Final = ("Ada", "Zenobia", "Ashoka", "Hypatia")
TOKEN: Final = "screenshots".ljust(43, "-")

PHONE: Final = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True}
DARK: Final = {"color_scheme": "dark"}


def screen(height: int) -> dict[str, Any]:
    """A large screen, as high as there is something to see."""
    return {"viewport": {"width": 1440, "height": height}}


def played(game: Game, until: Callable[[Game], bool]) -> Game:
    """Let bots play a game on, always the same way, until it has come where it shall be seen, or to its end."""
    bots = [make_bot("greedy", seat) for seat in range(game.players)]
    while not game.over and not until(game):
        seat = next(seat for seat in range(game.players) if game.choices_of(seat))
        game.play(bots[seat].choose(game.view(seat), game.memory(seat), game.choices_of(seat)), seat)
    return game


def in_step_2(words: int) -> Callable[[Game], bool]:
    """Whether the first player may use effects, after that many words."""
    return lambda game: (
        game.seat == 0 and game.view(0).question == Question.EFFECTS and len(game.moves) > words
    )


def games() -> dict[str, Game]:
    """The games that are shown, each where it is shown."""
    return {
        "table": played(Game(3, seed=5, names=NAMES[:3]), in_step_2(80)),
        "draft": played(
            Game(4, "draft", seed=4, names=NAMES, teams=True),
            lambda game: len(game.moves) > 5 and bool(game.choices_of(0)),
        ),
        "finished": played(Game(3, seed=5, names=NAMES[:3]), lambda game: False),
        "friends": played(Game(3, seed=5, names=NAMES[:3]), in_step_2(80)),
        "invited": Game(3, seed=5, names=NAMES[:3]),
    }


def occupants(name: str, game: Game) -> list[SeatRow]:
    """Who sits there: the reader and bots, or friends, or no one yet."""
    own = SeatRow(None, tokens.owner_of(TOKEN))
    if name == "friends":
        return [own, SeatRow(None, "ben"), SeatRow(None, "cleo")]
    if name == "invited":
        return [own, SeatRow(None, "ben"), SeatRow(None, None, invite="q0X2cUOZ4b0uP9tL")]
    return [own, *[SeatRow("normal", None)] * (game.players - 1)]


#: What was agreed at the tables of friends.
TERMS: Final = {
    "friends": TableOptions(clock="3d a move", spectator_delay=1),
    "invited": TableOptions(clock="3d a move"),
}


def pages() -> dict[str, tuple[str, dict[str, Any]]]:
    """Every picture: what it shows, and on which device."""
    return {
        "start": ("/", screen(960)),
        "table": ("/games/table", screen(1020)),
        "table-dark": ("/games/table", screen(1020) | DARK),
        "table-phone": ("/games/table", PHONE),
        "table-phone-greek": ("/games/table", PHONE | DARK | {"locale": "el-GR"}),
        "draft": ("/games/draft", screen(800)),
        "end": ("/games/finished", screen(720)),
        "replay": ("/games/finished/replay?at=90&seat=5", screen(640)),
        "invited": ("/games/invited", screen(1000)),
        "friends": ("/games/friends", screen(800)),
        "hands": ("/games/friends/hands", screen(640)),
        "lesson": ("/learn/4", screen(720)),
        "puzzle": ("/puzzles/2", screen(720)),
    }


async def create_games(database: Path) -> None:
    """Put the games into a store that a server will open."""
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
            options=TERMS.get(name, TableOptions()),
        )
    await store.close()


def take(browser: Browser, address: str, path: str, device: dict[str, Any]) -> bytes:
    """One picture of one page, as a PNG."""
    context = browser.new_context(base_url=address, reduced_motion="reduce", **{"locale": "en-GB", **device})
    # The start page says how long ago one played, and would never look the same twice; all hands are for spectators.
    if path != "/" and not path.endswith("/hands"):
        context.add_cookies([{"name": tokens.COOKIE, "value": TOKEN, "url": address}])
    page = context.new_page()
    page.goto(path, wait_until="load")
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    picture = page.screenshot()
    context.close()
    return picture


def free_port() -> int:
    """A port on which no one listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def main() -> None:
    """Create the games, serve them, and take the pictures, or only the named ones."""
    wanted = sys.argv[1:]
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
            started = server.stdout is not None and server.stdout.readline()
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            for name, (path, device) in pages().items():
                if started and (not wanted or name in wanted):
                    file = PICTURES / f"{name}.webp"
                    picture = Image.open(io.BytesIO(take(browser, address, path, device)))
                    picture.save(file, quality=90, method=6)
                    print(f"{file.relative_to(Path.cwd())}  {file.stat().st_size // 1024} kB")
            browser.close()
            server.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()

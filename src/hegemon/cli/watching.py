"""Bots play each other, and somebody looks on, with all cards open."""

import time

from rich.console import Console, Group, RenderableType
from rich.text import Text

from hegemon.cli.console import is_interactive
from hegemon.cli.drawing import Artist
from hegemon.cli.guard import INTERRUPTED
from hegemon.cli.interruptions import Interruptions
from hegemon.cli.onlooker import Onlooker
from hegemon.cli.prose import MESSAGES
from hegemon.cli.screen import Screen
from hegemon.cli.seats import let_bots_play, seat_bots
from hegemon.play.events import TurnBegan
from hegemon.play.game import Game


class Watching:
    """A game of bots before somebody's eyes: drawn anew after every choice, or told when it is over."""

    def __init__(self, console: Console, game: Game, delay: float) -> None:
        self.console = console
        self.game = game
        self.delay = delay
        self.onlooker = Onlooker(game)
        self.interruptions = Interruptions()

    def run(self) -> int:
        """Play the game to its end, or until somebody has seen enough; the exit status."""
        if is_interactive(self.console) and self.delay > 0:
            with self.interruptions:
                try:
                    self.play_seen()
                except KeyboardInterrupt:
                    stopped = MESSAGES["watch.stopped"].format(number=len(self.game.moves))
                    self.console.print(Text(f"\n{stopped}"))
                    return INTERRUPTED
        else:
            self.play_unseen()
            self.onlooker.print_log(self.console)
            self.console.print(Artist.of(self.console).table(self.onlooker.scene()))
        return 0

    def play_unseen(self) -> None:
        """Play without showing anything."""
        with self.interruptions:
            let_bots_play(self.game, seat_bots(self.game), self.interruptions.heard)

    def play_seen(self) -> None:
        """Play choice by choice, at a pace that can be followed."""
        bots = seat_bots(self.game)
        self.draw()
        while not self.game.over:
            with self.interruptions.heard():
                time.sleep(self.delay)
            let_bots_play(self.game, bots, self.interruptions.heard, once=True)
            self.draw()

    def draw(self) -> None:
        """The table, and what has happened in this turn and the one before."""
        screen = Screen(self.console)
        began = [place for place, event in enumerate(self.game.events) if isinstance(event, TurnBegan)]
        since = began[-2] if len(began) > 1 else 0
        news = self.onlooker.narrator.narrate_by_turn(self.onlooker.events(since))
        parts: list[RenderableType] = [
            screen.artist.table(self.onlooker.scene()),
            screen.news(news, most=max(3, screen.artist.height - 16)),
        ]
        if not self.game.over:
            parts += [self.onlooker.question(), Text(MESSAGES["watch.keys"], style="quiet")]
        self.console.clear()
        self.console.print(Group(*parts))

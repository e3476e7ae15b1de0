"""A game as one seat sees it, or with all hands open."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from hegemon.cli.prose import translator
from hegemon.cli.seats import display_name
from hegemon.cli.terminal.table import TerminalRenderer
from hegemon.play.events import Event, TurnBegan
from hegemon.play.game import Game
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.narration import Narrator
from hegemon.views import TableView, position_table, view_table


def recent_events(events: Sequence[Event]) -> Sequence[Event]:
    """The events of this turn and the one before."""
    began = [place for place, event in enumerate(events) if isinstance(event, TurnBegan)]
    return events[began[-2] if len(began) > 1 else 0 :]


class Spectator:
    """Follows a game as one seat, or with all hands open where there is no seat."""

    def __init__(self, game: Game, seat: int | None = None) -> None:
        self.game = game
        self.seat = seat
        self.names = tuple(display_name(name) for name in game.names)
        self.narrator = Narrator(self.names, seat, teams=bool(game.position.teams), tr=translator())

    def table(self) -> TableView:
        if self.seat is None:
            return position_table(self.game.position, self.names)
        return view_table(self.game.view(self.seat), self.names, memory=self.game.memory(self.seat))

    def events(self, since: int = 0) -> tuple[Event, ...]:
        """The events from that number on."""
        if self.seat is None:
            return self.game.events[since:]
        return self.game.events_seen_by(self.seat, since=since)

    def question(self) -> Text:
        return Text(ChoiceDescriber(self.table().view, self.names, translator()).question(), style="question")

    def print_log(self, console: Console) -> None:
        """Print the whole game in sentences."""
        renderer = TerminalRenderer.of(console)
        for sentence in self.narrator.narrate(self.events()):
            # In a file, each sentence is one line.
            console.print(renderer.sentence(sentence), soft_wrap=not console.is_terminal)

"""The moments of a finished game, to step through it."""

import dataclasses

from hegemon.notation.record import Record
from hegemon.play.events import Event
from hegemon.play.game import Game


class Moment:
    """A game after so many of its choices."""

    def __init__(self, record: Record, at: int) -> None:
        self.record = record
        self.at = at
        self.game = game_after(record, at)

    def events_seen_by(self, viewer: int | None) -> tuple[Event, ...]:
        """What the last choice did, as somebody saw it; as it was, with all cards open, if nobody is named."""
        before = len(game_after(self.record, self.at - 1).events) if self.at else 0
        if viewer is None:
            return tuple(self.game.events[before:])
        return self.game.events_seen_by(viewer, since=before)

    @property
    def previous_turn(self) -> int:
        """How many choices had been made when this turn began, or the turn before if it begins here."""
        seats = [seat for seat, _ in self.record.moves[: self.at]]
        at = self.at - 1
        while at > 0 and seats[at - 1] == seats[at]:
            at -= 1
        return max(at, 0)

    @property
    def next_turn(self) -> int:
        """How many choices will have been made when the next turn begins."""
        moves = self.record.moves
        at = self.at + 1
        while at < len(moves) and moves[at][0] == moves[at - 1][0]:
            at += 1
        return min(at, len(moves))


def game_after(record: Record, choices: int) -> Game:
    """The game after so many choices."""
    return Game.from_record(
        dataclasses.replace(record, moves=record.moves[:choices], result=None, comments={})
    )

"""Errors for requests that a tournament rejects; a rejected request changes nothing."""

from typing import Any, Final

from hegemon.server.texts import translatable
from hegemon.server.tournaments.formats import MAX_ENTRIES, MAX_PAUSE, MAX_ROUNDS

#: The maximum number of unfinished tournaments per host.
MAX_TOURNAMENTS: Final = 5

#: The status of the response, and the sentence.
TOURNAMENT_REJECTIONS: Final = {
    "unknown": (404, translatable("There is no such tournament here. Part of the address may be missing.")),
    "host": (403, translatable("Only the host of the tournament can do that.")),
    "started": (409, translatable("This tournament has already started.")),
    "full": (409, translatable("This tournament is full: it has {most} players.")),
    "taken": (409, translatable("Another player of this tournament has that name. Choose another one.")),
    "no-name": (422, translatable("Enter a name, which the standings will show.")),
    "no-title": (422, translatable("Give the tournament a title.")),
    "many": (
        409,
        translatable("You already host {number} tournaments that are not over. That is the maximum."),
    ),
    "format": (
        422,
        translatable("Swiss and round robin are for two players at a table, duplicate for three or four."),
    ),
    "clock": (422, translatable("A tournament needs a time limit. Choose one of those listed.")),
    "rounds": (422, translatable("A tournament has between one and {rounds} rounds.")),
    "pause": (422, translatable("The break between two rounds is a day at most.")),
    "bot": (422, translatable("There is no such bot.")),
    "entry": (404, translatable("There is no such player in this tournament.")),
}


class TournamentRejected(Exception):
    """A rejected request; the key selects the sentence that says why."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)

    @property
    def status(self) -> int:
        return TOURNAMENT_REJECTIONS[self.key][0]

    @property
    def sentence(self) -> str:
        return TOURNAMENT_REJECTIONS[self.key][1]

    facts: Final[dict[str, Any]] = {
        "most": MAX_ENTRIES,
        "number": MAX_TOURNAMENTS,
        "rounds": MAX_ROUNDS,
        "pause": MAX_PAUSE,
    }
    """The values that the sentences contain."""


class RoundClosed(Exception):
    """A game of a round in which others may still play the same deal."""

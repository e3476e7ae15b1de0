"""Errors of requests that a table rejects; a rejected request changes nothing."""

from collections.abc import Sequence
from typing import Final

from hegemon.prose.translator import Translator
from hegemon.server.db.rows import SeatRow
from hegemon.server.texts import translatable

MAX_MESSAGE_LENGTH: Final = 240

CHAT_REJECTIONS: Final = {
    "nothing": translatable("Type a message first."),
    "long": translatable("That is too long: {most} characters at most."),
    "often": translatable("You are sending messages too fast. Wait a few seconds."),
    "phrase": translatable("There is no such phrase."),
    "player": translatable("Choose another player."),
    "domain": translatable("Choose a Domain."),
    "muted": translatable("The host of this server has muted you: you cannot write in chats."),
}

VOTE_REJECTIONS: Final = {
    "player": translatable("Only players can vote."),
    "over": translatable("This game is not in progress."),
    "bot": translatable("A bot is already playing there."),
    "here": translatable("{name} is here."),
    "self": translatable("You cannot vote on yourself."),
    "days": translatable("In games with days per move, no one needs to be online."),
}


class TableNotFound(Exception):
    pass


class BrokenGame(Exception):
    """A game in the store that cannot be replayed."""


class TableClosed(Exception):
    """A table that the host of the server has closed; its seats determine who may still get its record."""

    def __init__(self, game_id: str, seats: Sequence[SeatRow]) -> None:
        self.game_id = game_id
        self.seats = seats
        super().__init__(game_id)


class DealClosed(Exception):
    """A game of a deal of the day that the caller may still play."""


class StaleVersionError(Exception):
    """A move for a version for which the seat can no longer move."""


class GameNotStarted(StaleVersionError):
    """A move at a table with an open seat."""


class SeatSubstituted(StaleVersionError):
    """A move by a player for whom a substitute bot plays."""


class SeatLost(Exception):
    """A request by a player who no longer holds the seat."""


class Rejected(Exception):
    """A rejected request; the key selects the sentence that says why."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


class NameRejected(Exception):
    """A name that the host of the server has blocked."""


class ReportRejected(Rejected):
    pass


class SeatRejected(Rejected):
    """A seat that cannot be taken or changed."""


class VoteRejected(Rejected):
    pass


class ChatRejected(Rejected):
    def sentence(self, tr: Translator) -> str:
        return tr.text(CHAT_REJECTIONS[self.key], most=MAX_MESSAGE_LENGTH)

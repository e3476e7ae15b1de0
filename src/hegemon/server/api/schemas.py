"""Requests and responses of the API; seats count from 1."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from hegemon.play.serialization import ResultData
from hegemon.server.texts import COLORS
from hegemon.views.serialization import TableData

# ------------------------------------------------------------------ requests


class ApiRequest(Struct, forbid_unknown_fields=True):
    """A request body. Unknown fields are rejected, so that a misspelled option is not ignored."""


class SeatRequest(ApiRequest):
    """The player of a seat at a new table: a bot, the holder of an invitation, or else the owner of the token."""

    name: Annotated[str, Meta(max_length=100)] = ""
    bot: Annotated[str, Meta(max_length=40)] | None = None
    open: bool = False
    """Whether the seat waits for a player with an invitation; the game starts when every seat is taken."""


class CreateGameRequest(ApiRequest):
    """The seats and options of a new table."""

    seats: Annotated[list[SeatRequest], Meta(min_length=2, max_length=4)]
    variant: Literal["basic", "draft"] = "basic"
    teams: bool = False
    rulings: Annotated[str, Meta(max_length=200)] = "standard"
    clock: Annotated[str, Meta(max_length=30)] = ""
    """The time control: `90s a move`, `3d a move`, `10m a game + 15s`; empty for no clock."""
    spectator_delay: Literal[0, 1, 2, 4] = 0
    """The number of rounds after which spectators see all hands; 0 if only after the game."""
    idempotency_key: Annotated[str, Meta(min_length=32, max_length=64)] | None = None
    """A random key; a request repeated with it returns the same table. The tokens of the table are derived
    from the key, so it must be kept as secret as they are.
    """


class MoveRequest(ApiRequest):
    """A choice for the open question, or all `cards` that it asks for, or `undo`, which takes back the last move."""

    version: Annotated[int, Meta(ge=0, le=1_000_000)]
    """The version of the table that the move answers, from its state or its stream."""
    idempotency_key: Annotated[str, Meta(min_length=1, max_length=64)]
    """A key that no other move of this game has; a request repeated with it counts once."""
    choice: Annotated[str, Meta(min_length=1, max_length=8)] | None = None
    cards: Annotated[list[str], Meta(max_length=104)] | None = None
    """Instead of a choice: the cards of a `selection` in any order, such as `["R1", "M1"]`, or only their Domains."""

    @property
    def chosen(self) -> str | list[str] | None:
        """The choice or the cards; None unless the move has exactly one of them."""
        if self.choice is None:
            return self.cards
        return self.choice if self.cards is None else None


class ChatRequest(ApiRequest):
    """A chat message: one of the phrases with what it names, or a free text."""

    phrase: Annotated[str, Meta(max_length=16)] = ""
    """The key of a phrase; each reader sees it in their own language."""
    about: Annotated[int, Meta(ge=1, le=4)] | None = None
    """The seat that the phrase names."""
    domain: Annotated[str, Meta(max_length=1)] = ""
    """The Domain that the phrase names, by its letter."""
    text: Annotated[str, Meta(max_length=1000)] = ""
    idempotency_key: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    """A key that no other message of this seat has; a request repeated with it counts once."""


class VoteRequest(ApiRequest):
    """A vote for a substitute bot on the seat of an absent player."""

    about: Annotated[int, Meta(ge=1, le=4)]


class JoinRequest(ApiRequest):
    """The player who takes a seat; without a color, the player gets a free one."""

    name: Annotated[str, Meta(max_length=100)] = ""
    # Litestar leaves a bound of 0 out of the schema.
    color: Annotated[int, Meta(gt=-1, lt=len(COLORS))] | None = None


class ReassignSeatRequest(ApiRequest):
    """The new player of a seat: a bot, or if none is given, the holder of a new invitation."""

    bot: Annotated[str, Meta(max_length=40)] | None = None


# ------------------------------------------------------------------ responses


class BotInfo(Struct):
    """A bot of this server."""

    name: str
    built_in: bool
    """Whether the bot is one of Hegemon's own rather than one that the host has allowed."""


class SeatInfo(Struct):
    """The player of a seat."""

    seat: int
    name: str
    bot: str | None
    open: bool
    """Whether the seat has no player, either not yet or no longer."""
    substitute: bool
    """Whether a bot plays for an absent player."""
    deadline: datetime | None
    """When the player's time runs out, if it is their turn and there is a clock."""


class NewSeat(SeatInfo):
    """A seat of a new table, with its token, or its invitation if it is open; the token is shown only once."""

    token: str | None
    invite: str | None


class NewTable(Struct):
    """A new table."""

    game: str
    address: str
    """The page of the table, for spectators."""
    host: str
    """The token of the host, who can reassign seats; it has no seat itself."""
    seats: list[NewSeat]


class HostSeatInfo(SeatInfo):
    """A seat as the host sees it, with the invitation if it is open."""

    invite: str | None


class Choice(Struct):
    """A legal choice, and what it would do now."""

    choice: str
    meaning: str


class SelectionInfo(Struct):
    """The cards that the open question asks for, which can be chosen together."""

    number: int
    """How many of them have to be chosen."""
    cards: list[str]
    """The cards to choose from; within a Domain the oldest are chosen first."""


class TableState(Struct):
    """A table as one seat or a spectator sees it."""

    game: str
    seat: int | None
    """The seat of the caller; null for a spectator."""
    version: int
    """The number of moves so far, undo included; a move answers a version."""
    is_waiting: bool
    """Whether a seat is still open before the start; hands are hidden until then."""
    seats: list[SeatInfo]
    view: str
    """What the caller sees, in notation."""
    table: TableData
    """What the caller sees, as data; `hegemon show --json` prints the same."""
    question: str
    choices: list[Choice]
    selection: SelectionInfo | None
    """The cards to choose, if the question asks for cards; `choices` has them one by one."""
    to_move: list[int]
    """The seats that may choose now."""
    undo: bool
    """Whether the last move of the caller can be undone."""
    clock: str
    """The time control; empty for no clock."""
    spectator_delay: int
    """The number of rounds after which spectators see all hands; 0 if only after the game."""
    result: ResultData | None
    next_game: str | None
    """The rematch, if there is one."""


class MoveResponse(Struct):
    """A move that was saved."""

    version: int
    """The version of the table after the move."""


class RecordResponse(Struct):
    """The record of a finished game."""

    record: str


class ReplaceTokenRequest(ApiRequest):
    """A new token, made by the caller, so that the request can be repeated."""

    token: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{43}$")]
    """32 random bytes in URL-safe Base64, without padding."""


class JoinResponse(Struct):
    """A seat that was taken, with its token; the token is shown only once."""

    game: str
    seat: int
    token: str


class RematchResponse(Struct):
    """The next game of the series, where every token has a seat too, though a different one."""

    game: str


class ChatMessage(Struct):
    """A chat message."""

    number: int
    at: datetime
    seat: int | None
    """The seat of the author; null for a spectator."""
    name: str
    sentence: str
    """A phrase in the caller's language; a text as it was written."""
    phrase: str
    about: int | None
    domain: str


class DayResult(Struct):
    """The result of a person who gave a name, in the deal of a day."""

    rank: int
    name: str
    won: bool
    score: int
    turns: int
    accuracy: float | None
    """From 0 to 1; null until the game has been analyzed."""
    game: str | None
    """The game, if the caller may look at it."""


class DayInfo(Struct):
    """The deal of a day with its results, the best first."""

    date: date
    closes_at: datetime
    """Until then, games are closed to people who have not finished the deal; later results do not count."""
    players: int
    variant: str
    teams: bool
    bots: list[str | None]
    """The bot on each seat; null for the person's."""
    digest: str
    """The commitment to the shuffle, the same for every game of the day."""
    finished: int
    """The number of people who have finished the deal in time, with or without a name."""
    results: list[DayResult]


class WeekResult(Struct):
    """The sum of a person's best days."""

    rank: int
    name: str
    score: int
    wins: int
    days: int
    accuracy: float | None


class WeekInfo(Struct):
    """The series of a week: the days that have a deal, and the results, best first."""

    week: str
    days: list[date]
    results: list[WeekResult]


class ErrorResponse(Struct, omit_defaults=True):
    """Why a request was rejected; nothing has changed."""

    why: str
    """A sentence for people, in the language of the request."""
    version: int | None = None
    """The current version, if the move answered an older one."""
    choices: list[str] | None = None
    """The legal choices, if the move was illegal."""
    detail: str | None = None
    """What is wrong in particular, for programmers, in English."""
    request_id: str | None = None
    """The id of the request in the log, if the server is to blame."""

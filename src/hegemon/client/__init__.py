"""A client for tables on a server: create or join one, read its state, submit moves, follow its updates.

    from hegemon.client import join

    seat = join("https://play.example.org/join/…", name="Ada")
    for moment in seat.moments():
        moment.play(moment.choices[0])

It uses only the standard library for HTTP and contains no rules; views, choices and records are in the notation.
"""

from hegemon.client.errors import (
    ClientError,
    Forbidden,
    IllegalMove,
    InvalidLink,
    NotFound,
    SeatLost,
    SeatTaken,
    StaleVersion,
    Unreachable,
)
from hegemon.client.links import Link, read_link
from hegemon.client.messages import ChatMessage, Choice, MoveUpdate, SeatInfo, TableState, Update
from hegemon.client.server import Moment, NewSeat, NewTable, Seat, SeatRequest, Server, join
from hegemon.client.tournaments import Standing, Tournament, TournamentState

__all__ = [
    "ChatMessage",
    "Choice",
    "ClientError",
    "Forbidden",
    "IllegalMove",
    "InvalidLink",
    "Link",
    "Moment",
    "MoveUpdate",
    "NewSeat",
    "NewTable",
    "NotFound",
    "Seat",
    "SeatInfo",
    "SeatLost",
    "SeatRequest",
    "SeatTaken",
    "Server",
    "StaleVersion",
    "Standing",
    "TableState",
    "Tournament",
    "TournamentState",
    "Unreachable",
    "Update",
    "join",
    "read_link",
]

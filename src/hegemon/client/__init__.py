"""Tables on a server, for programs: lay one or join one, look, act exactly once, and follow what happens.

    from hegemon.client import join

    seat = join("https://play.example.org/join/…", name="Ada")
    for moment in seat.moments():
        moment.say(moment.choices[0])

It speaks HTTP by the standard library alone and knows no rule: views, words and records are those of the notation.
"""

from hegemon.client.errors import (
    BadLink,
    ClientError,
    NotAllowed,
    NotForYou,
    NotThere,
    SeatLost,
    SeatTaken,
    TooLate,
    Unreachable,
)
from hegemon.client.links import Link, read_link
from hegemon.client.messages import Choice, Entry, Look, News, Sitter, Spoken
from hegemon.client.table import Moment, NewSeat, NewTable, Seat, Server, Wish, join

__all__ = [
    "BadLink",
    "Choice",
    "ClientError",
    "Entry",
    "Link",
    "Look",
    "Moment",
    "NewSeat",
    "NewTable",
    "News",
    "NotAllowed",
    "NotForYou",
    "NotThere",
    "Seat",
    "SeatLost",
    "SeatTaken",
    "Server",
    "Sitter",
    "Spoken",
    "TooLate",
    "Unreachable",
    "Wish",
    "join",
    "read_link",
]

"""Errors of the database."""

from typing import Final

from hegemon.notation.messages import MessageError, message_of


class ConflictError(Exception):
    """A unique key already exists: another worker was first."""


class StorageError(Exception):
    """The database could not be read or written: the disk is full or broken, or the file is damaged."""

    headers: Final = {"Retry-After": "10"}
    """Headers of the response that reports this error."""


class DatabaseError(MessageError):
    """The database cannot be used; the message says why and what to do."""


class DatabaseInUse(DatabaseError):
    """Another server is using the database."""


def cannot_open(location: object, reason: BaseException) -> DatabaseError:
    return DatabaseError(
        "The database {location} cannot be opened: {reason}. Choose another place with --database.",
        location=location,
        reason=message_of(reason),
    )

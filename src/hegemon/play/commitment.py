"""The commitment to a shuffle: a digest is published before the first card, the deck and the salt at the end."""

import hashlib
import secrets

from hegemon.notation.cards import write_cards
from hegemon.notation.record import Record


def new_salt() -> str:
    """A salt that cannot be guessed, so that the digest reveals nothing about the deck."""
    return secrets.token_hex(16)


def commitment(deck: tuple[int, ...], salt: str) -> str:
    """The digest that commits to a deck: SHA-256 of the salt, a colon and the deck in notation, in hexadecimal."""
    return hashlib.sha256(f"{salt}:{write_cards(list(deck))}".encode()).hexdigest()


def check_shuffle(record: Record, digest: str) -> bool:
    """Whether a record's deck and salt are those that the digest committed to before the game."""
    return secrets.compare_digest(
        commitment(record.deck, record.salt).encode(), digest.strip().lower().encode()
    )
